import { describe, expect, it } from 'vitest';
import { GroupedToolBuilder } from '../build/grouped-tool-builder.js';
import { ErrInvalidOptions } from '@toolfold/schema/errors';
import { ToolRegistry } from '../registry/tool-registry.js';
import { compilePolicy } from './policy.js';
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
    [{ excludeTags: [, 'admin'] }, '"excludeTags"'],
    [{ toolsets: ['x'] }, 'no option "toolsets"'],
    [{ form: 'Flat' }, '"form"'],
    [{ split: 'Risk' }, '"split"'],
    [{ actions: [1] }, '"actions"'],
  ])('is rejected instead of showing every tool: %j', (policy, message) => {
    expect(() => tools().view(policy as ViewPolicy)).toThrow(ErrInvalidOptions);
    expect(() => tools().view(policy as ViewPolicy)).toThrow(message);
  });

  it('gives the same view as another policy with the same meaning', () => {
    const registry = new ToolRegistry().register(
      new GroupedToolBuilder('p').tags('x', 'y').action({ name: 'a', handler: () => 1 }),
    );
    expect(registry.view({ tags: ['x', 'y'] })).toBe(registry.view({ tags: ['Y', 'x', 'x'] }));
    expect(registry.view({ form: 'grouped', readOnly: false })).toBe(registry.view());
    expect(() => registry.view(null as never)).toThrow(ErrInvalidOptions);
  });
});

type Mutable = { -readonly [Name in keyof ViewPolicy]: ViewPolicy[Name] };

describe('a policy object that is used again', () => {
  it.each<[string, (policy: Mutable, lists: { tags: string[]; actions: string[] }) => void]>([
    ['a longer list', (_, { tags }) => tags.push('beta')],
    ['a shorter list', (_, { tags }) => tags.pop()],
    ['another entry', (_, { tags }) => (tags[0] = 'beta')],
    ['another order', (_, { tags }) => tags.push(tags.shift() ?? '')],
    ['another list', (policy) => (policy.excludeTags = ['beta'])],
    ['a list that becomes empty', (_, { actions }) => (actions.length = 0)],
    ['another flag', (policy) => (policy.readOnly = true)],
    ['a deleted field', (policy) => delete policy.excludeTags],
    ['an added field', (policy) => (policy.form = 'flat')],
    ['a field in place of another', (policy) => (delete policy.readOnly, (policy.form = 'flat'))],
    ['a field without a value', (policy) => (policy.actions = undefined as never)],
  ])('is compiled again after a change: %s', (_, change) => {
    const lists = { tags: ['admin', 'internal'], actions: ['u'] };
    const policy: Mutable = { readOnly: false, excludeTags: lists.tags, actions: lists.actions };
    const before = compilePolicy(policy);
    change(policy, lists);
    expect(compilePolicy(policy)).not.toBe(before);
    expect(compilePolicy(policy)).toEqual(compilePolicy({ ...policy }));
  });

  it('shows no action that a later entry excludes', () => {
    const registry = tools();
    const excludeTags = ['beta'];
    const policy = { excludeTags };
    const actionsOf = (): unknown[] => [...(registry.view(policy).tools.get('u')?.actions.keys() ?? [])];
    expect(actionsOf()).toEqual(['list', 'ban']);
    excludeTags.push('admin');
    expect(actionsOf()).toEqual(['list']);
  });

  it('is rejected after a change that makes it invalid, and every time after that', () => {
    const exclude: unknown[] = ['u/list', 'u/ban'];
    const policy = { exclude } as ViewPolicy;
    compilePolicy(policy);
    // The list has a hole then, which is an empty entry.
    delete exclude[0];
    for (let time = 0; time < 2; time++) expect(() => compilePolicy(policy)).toThrow(ErrInvalidOptions);
  });

  it.each<[string, () => ViewPolicy]>([
    [
      'a class',
      () =>
        new (class Policy {
          get tags() {
            return ['x'];
          }
        })(),
    ],
    ['a prototype', () => Object.create({ tags: ['x'] }) as ViewPolicy],
    ['a map', () => new Map([['tags', ['x']]]) as ViewPolicy],
    [
      'an accessor',
      () => ({
        get tags() {
          return ['x'];
        },
      }),
    ],
    ['a hidden field', () => Object.defineProperty({}, 'tags', { value: ['x'], enumerable: false })],
  ])('is rejected with the fields of %s, which would show every tool', (_, create) => {
    expect(() => compilePolicy(create())).toThrow('The view policy must be a plain object.');
  });

  it('keeps the compiled policy out of reach of later changes', () => {
    const tags = ['x'];
    const { policy } = compilePolicy({ tags });
    tags.push('y');
    expect(policy).toEqual({ tags: ['x'] });
    expect(Object.isFrozen(policy.tags)).toBe(true);
  });
});
