import { describe, expect, it } from 'vitest';
import { ErrInvalidModel } from '@toolfold/schema/errors';
import { ToolRegistry } from './tool-registry.js';

describe('prompts and resources', () => {
  it('are rejected without a handler or a name', () => {
    const registry = new ToolRegistry();
    expect(() => registry.registerPrompt({ name: 'p' } as never)).toThrow(ErrInvalidModel);
    expect(() => registry.registerResource({ name: 'r', uri: 'a://b' } as never)).toThrow(ErrInvalidModel);
    expect(() => registry.registerResource({ uri: 'a://b', handler: () => '' } as never)).toThrow(
      ErrInvalidModel,
    );
  });

  it('are converted once, until more are registered', () => {
    const registry = new ToolRegistry()
      .registerPrompt({ name: 'p', handler: () => 'x' })
      .registerResource({ name: 'r', uri: 'a://b', handler: () => 'x' });
    expect(registry.listPrompts()).toBe(registry.listPrompts());
    expect(registry.listResources()).toBe(registry.listResources());
    expect(registry.listResourceTemplates()).toBe(registry.listResourceTemplates());
    registry.registerPrompt({ name: 'q', handler: () => 'x' });
    expect(registry.listPrompts()).toHaveLength(2);
  });

  it('must not send messages with a role other than user and assistant', async () => {
    const registry = new ToolRegistry().registerPrompt({
      name: 'p',
      handler: () => [{ role: 'system', content: 'hi' }],
    });
    await expect(registry.getPrompt({ name: 'p' })).rejects.toThrow(/user or assistant/);
  });
});
