import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ErrDuplicateName, ErrGroupCycle, ErrInvalidModel } from '@toolfold/schema/errors';
import { BaseModel, GroupItem } from './base.js';
import type { ParentGroup } from './base.js';
import { Group } from './group.js';
import { Prompt, PromptArgument, Resource, ResourceTemplate } from './prompt-resource.js';
import { ToolAnnotations, Tool } from './tool.js';

const group = (name: string) => new Group({ name });
const tool = (name: string) => new Tool({ name, inputSchema: { type: 'object' } });

describe('the model classes', () => {
  it('all carry name, title, description, meta, icons and a full name [S000-03] [S000-04] [S001-02]', () => {
    const init = {
      name: 'n',
      title: 'N',
      description: 'about',
      meta: { 'acme/owner': 'team' },
      icons: [{ src: 'https://acme.example/i.png' }],
    };
    for (const item of [
      new Group(init),
      new Tool({ ...init, inputSchema: {} }),
      new Prompt(init),
      new PromptArgument(init),
      new Resource({ ...init, uri: 'file:///a' }),
      new ResourceTemplate({ ...init, uriTemplate: 'file:///{a}' }),
    ]) {
      expect(item).toBeInstanceOf(BaseModel);
      expect(item).toMatchObject(init);
      expect(item.getFullyQualifiedName()).toBe('n');
    }
  });

  it('that are leaves are group items [S000-05]', () => {
    for (const item of [
      tool('t'),
      new Prompt({ name: 'p' }),
      new Resource({ name: 'r', uri: 'file:///r' }),
      new ResourceTemplate({ name: 'rt', uriTemplate: 'file:///{r}' }),
    ]) {
      expect(item).toBeInstanceOf(GroupItem);
    }
    expect(group('g')).not.toBeInstanceOf(GroupItem);
    expect(new PromptArgument({ name: 'a' })).not.toBeInstanceOf(GroupItem);
  });

  it('hold the MCP fields of each kind [S000-09] [S000-10] [S000-11] [S000-12] [S000-13]', () => {
    const annotations = new ToolAnnotations({ readOnlyHint: true });
    const search = new Tool({
      name: 's',
      inputSchema: { type: 'object' },
      outputSchema: { type: 'array' },
      annotations,
    });
    expect(search.inputSchema).toEqual({ type: 'object' });
    expect(search.outputSchema).toEqual({ type: 'array' });
    expect(search.annotations).toBe(annotations);

    const argument = new PromptArgument({ name: 'topic', required: true });
    expect(new Prompt({ name: 'p', promptArguments: [argument] }).promptArguments).toEqual([argument]);
    expect(argument.required).toBe(true);

    const about = { audience: ['user' as const], priority: 0.5, lastModified: '2026-01-01T00:00:00Z' };
    const file = new Resource({
      name: 'r',
      uri: 'file:///r',
      size: 3,
      mimeType: 'text/plain',
      annotations: about,
    });
    expect(file).toMatchObject({ uri: 'file:///r', size: 3, mimeType: 'text/plain', annotations: about });
  });

  it('cannot be renamed', () => {
    expect(() => {
      (tool('t') as { name: string }).name = 'u';
    }).toThrow(TypeError);
  });
});

describe('a group', () => {
  it('holds groups, tools, prompts and resources, each in order [S000-02] [S000-06]', () => {
    const root = group('root');
    const [first, second] = [tool('b'), tool('a')];
    const child = group('child');
    const prompt = new Prompt({ name: 'p' });
    const resource = new Resource({ name: 'r', uri: 'file:///r' });
    const template = new ResourceTemplate({ name: 'rt', uriTemplate: 'file:///{r}' });
    for (const item of [first, child, prompt, second, resource, template]) root.add(item);
    expect(root.childTools).toEqual([first, second]);
    expect(root.childGroups).toEqual([child]);
    expect(root.childPrompts).toEqual([prompt]);
    expect(root.childResources).toEqual([resource]);
    expect(root.childResourceTemplates).toEqual([template]);
    expect(child.parent).toBe(root);
    expect(root.parent).toBeUndefined();
  });

  it('joins the names of its ancestors with a dot or another separator [S000-17] [S000-18]', () => {
    const platform = group('platform');
    const users = group('users');
    const management = group('management');
    platform.add(users.add(management));
    expect(management.getFullyQualifiedName()).toBe('platform.users.management');
    expect(management.getFullyQualifiedName('/')).toBe('platform/users/management');
    expect(management.root).toBe(platform);
  });

  it('rejects a cycle and names its path', () => {
    const [a, b, c] = [group('a'), group('b'), group('c')];
    a.add(b.add(c));
    expect(() => c.add(a)).toThrow(ErrGroupCycle);
    expect(() => c.add(a)).toThrow('a → b → c → a');
    expect(() => a.add(a)).toThrow('a → a');
    const error = catchError(() => c.add(a));
    expect(error).toMatchObject({ code: 'ErrGroupCycle', details: { path: ['a', 'b', 'c', 'a'] } });
    expect(c.childGroups).toEqual([]);
  });

  it('has one parent, and the error explains how to change it', () => {
    const [a, b, c] = [group('a'), group('b'), group('c')];
    a.add(c);
    expect(() => b.add(c)).toThrow('use move() on that parent');
    a.move(c, b);
    expect([a.childGroups, b.childGroups, c.parent]).toEqual([[], [c], b]);
  });

  it('rejects a second child of the same kind and name, and accepts the same child once', () => {
    const root = group('root');
    const search = tool('search');
    root.add(search).add(search);
    expect(root.childTools).toEqual([search]);
    expect(() => root.add(tool('search'))).toThrow(ErrDuplicateName);
    expect(root.add(group('search')).childGroups).toHaveLength(1);
  });

  it('stays unchanged when a move fails', () => {
    const [a, b] = [group('a'), group('b')];
    const search = tool('search');
    a.add(search);
    b.add(tool('search'));
    expect(() => a.move(search, b)).toThrow(ErrDuplicateName);
    expect(search.parentGroups).toEqual([a]);
    expect(a.childTools).toEqual([search]);
    expect(() => b.move(search, a)).toThrow(ErrInvalidModel);
    const inner = group('inner');
    a.add(inner);
    expect(() => a.move(inner, inner)).toThrow(ErrGroupCycle);
    expect(inner.parent).toBe(a);
  });

  it('cannot be changed once frozen, while its items may still join other groups', () => {
    const [a, b] = [group('a'), group('b')];
    const search = tool('search');
    a.add(search);
    Object.freeze(a);
    Object.freeze(search);
    expect(() => a.add(tool('other'))).toThrow(ErrInvalidModel);
    expect(() => a.remove(search)).toThrow(ErrInvalidModel);
    expect(() => a.move(search, b)).toThrow(ErrInvalidModel);
    b.add(search);
    expect(search.parentGroups).toEqual([a, b]);
  });

  it('returns lists that are independent copies', () => {
    const root = group('root').add(tool('a'));
    (root.childTools as Tool[]).pop();
    expect(root.childTools).toHaveLength(1);
  });
});

describe('a leaf', () => {
  it.each([
    ['tool', () => tool('x')],
    ['prompt', () => new Prompt({ name: 'x' })],
    ['resource', () => new Resource({ name: 'x', uri: 'file:///x' })],
    ['resource template', () => new ResourceTemplate({ name: 'x', uriTemplate: 'file:///{x}' })],
  ])('that is a %s may belong to several groups [S000-07] [S000-14] [S000-15]', (_kind, make) => {
    const [a, b] = [group('a'), group('b')];
    const item = make();
    a.add(item);
    b.add(item);
    expect(item.parentGroups).toEqual([a, b]);
    expect(a.remove(item)).toBe(true);
    expect(a.remove(item)).toBe(false);
    expect(item.parentGroups).toEqual([b]);
  });

  it('is the same object in each of its groups [S000-16]', () => {
    const [userFacing, admin] = [group('user-facing'), group('admin')];
    const search = tool('search');
    userFacing.add(search);
    admin.add(search);
    expect(userFacing.childTools[0]).toBe(search);
    expect(admin.childTools[0]).toBe(search);
    search.description = 'Finds';
    expect(admin.childTools[0]?.description).toBe('Finds');
  });

  it('has one full name per parent, and finds its roots [S000-08]', () => {
    const [platform, users, admin] = [group('platform'), group('users'), group('admin')];
    platform.add(users);
    const search = tool('search');
    expect(search.getFullyQualifiedName()).toBe('search');
    expect(search.getRoots()).toEqual([]);
    users.add(search);
    admin.add(search);
    platform.add(search);
    expect(search.getFullyQualifiedNames()).toEqual([
      'platform.users.search',
      'admin.search',
      'platform.search',
    ]);
    expect(search.getFullyQualifiedName('/')).toBe('platform/users/search');
    expect(search.getRoots()).toEqual([platform, admin]);
  });
});

describe('after any sequence of add, move and remove', () => {
  const step = fc.record({
    operation: fc.constantFrom('add', 'move', 'remove'),
    at: fc.nat(5),
    to: fc.nat(5),
    child: fc.nat(11),
  });

  it('parents and children agree, and no group is its own ancestor [S001-03]', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const groups = Array.from({ length: 6 }, (_, index) => group(`g${index}`));
        // Two tools share a name, so that duplicates are tested too.
        const items = ['t0', 't1', 't1'].map(tool);
        const children = [
          ...groups,
          ...items,
          new Prompt({ name: 'p' }),
          new Resource({ name: 'r', uri: 'r:r' }),
          group('g0'),
        ];
        for (const { operation, at, to, child } of steps) {
          const target = groups[at]!;
          const subject = children[child % children.length]!;
          const before = snapshot(children);
          try {
            if (operation === 'add') target.add(subject);
            else if (operation === 'remove') target.remove(subject);
            else target.move(subject, groups[to]!);
          } catch (error) {
            expect(error).toHaveProperty('code');
            expect(snapshot(children)).toEqual(before);
          }
        }
        for (const child of children) {
          const above: readonly ParentGroup[] =
            child instanceof Group ? (child.parent ? [child.parent] : []) : child.parentGroups;
          for (const parent of above) expect(childrenOf(parent)).toContain(child);
          for (const parent of groups)
            expect(above.includes(parent)).toBe(childrenOf(parent).includes(child));
        }
        for (const start of groups) {
          const seen = new Set<Group>();
          for (let current: Group | undefined = start; current; current = current.parent) {
            expect(seen.has(current)).toBe(false);
            seen.add(current);
          }
        }
      }),
    );
  });
});

function childrenOf(parent: ParentGroup): unknown[] {
  return [parent.childGroups, parent.childTools, parent.childPrompts, parent.childResources].flat();
}

function snapshot(children: readonly (Group | GroupItem)[]): string[] {
  return children.map((child) =>
    child instanceof Group ? child.getFullyQualifiedName() : child.getFullyQualifiedNames().join(),
  );
}

function catchError(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error('did not throw');
}
