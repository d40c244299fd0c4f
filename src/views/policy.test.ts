import { describe, expect, it } from 'vitest';
import { GroupedToolBuilder } from '../build/grouped-tool-builder.js';
import { ErrInvalidPolicy } from '../errors.js';
import { ToolRegistry } from '../registry/tool-registry.js';
import type { ViewPolicy } from './policy.js';

const tools = () =>
  new ToolRegistry().register(
    new GroupedToolBuilder('u')
      .action({ name: 'list', readOnly: true, handler: () => 1 })
      .action({ name: 'ban', destructive: true, tags: ['admin'], handler: () => 1 }),
  );

describe('a policy', () => {
  it.each<[unknown, string]>([
    [{ readOnly: 'true' }, '"readOnly"'],
    [{ readOnly: 1 }, '"readOnly"'],
    [{ readonly: true }, 'Did you mean "readOnly"?'],
    [{ excludeTags: 'admin' }, '"excludeTags"'],
    [{ toolsets: ['x'] }, 'no option "toolsets"'],
    [{ form: 'Flat' }, '"form"'],
    [{ split: 'Risk' }, '"split"'],
    [{ actions: [1] }, '"actions"'],
  ])('is rejected instead of showing every tool: %j', (policy, message) => {
    expect(() => tools().view(policy as ViewPolicy)).toThrow(ErrInvalidPolicy);
    expect(() => tools().view(policy as ViewPolicy)).toThrow(message);
  });

  it('gives the same view as another policy with the same meaning', () => {
    const registry = new ToolRegistry().register(
      new GroupedToolBuilder('p').tags('x', 'y').action({ name: 'a', handler: () => 1 }),
    );
    expect(registry.view({ tags: ['x', 'y'] })).toBe(registry.view({ tags: ['Y', 'x', 'x'] }));
    expect(registry.view({ form: 'grouped', readOnly: false })).toBe(registry.view());
    expect(() => registry.view(null as never)).toThrow(ErrInvalidPolicy);
  });
});
