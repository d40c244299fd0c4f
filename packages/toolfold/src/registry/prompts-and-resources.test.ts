import { describe, expect, it } from 'vitest';
import { ErrInvalidModel } from '@toolfold/schema/errors';
import * as z from 'zod';
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

  it('get numbers, booleans and lists of text arguments where their schema asks for them', async () => {
    const registry = new ToolRegistry().registerPrompt({
      name: 'p',
      inputSchema: z.object({
        count: z.number(),
        isOpen: z.boolean().optional(),
        ids: z.array(z.string()).optional(),
        code: z.string().optional(),
        any: z.union([z.string(), z.number()]).optional(),
      }),
      handler: ({ input }) => JSON.stringify(input),
    });
    const read = async (args: Record<string, string>): Promise<unknown> => {
      const { messages } = await registry.getPrompt({ name: 'p', arguments: args });
      const [{ content }] = messages as unknown as [{ content: { text: string } }];
      return JSON.parse(content.text);
    };
    expect(await read({ count: '3', isOpen: 'true', ids: '["a"]', code: '7', any: '8' })).toEqual({
      count: 3,
      isOpen: true,
      ids: ['a'],
      code: '7',
      any: '8',
    });
    await expect(read({ count: 'three' })).rejects.toThrow(/count: .*expected number, received string/);
    await expect(read({ count: '"3"' })).rejects.toThrow(/count/);
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
