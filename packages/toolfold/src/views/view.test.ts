import { describe, expect, it } from 'vitest';
import { ErrInvalidOptions, ErrInvalidSelection } from '@toolfold/schema/errors';
import { GroupedToolBuilder, ToolRegistry } from '../index.js';
import type { View } from '../index.js';
import type { CompileOptions } from './view.js';
import { internalsOf } from '../registry/any-registry.js';

const platform = () =>
  new GroupedToolBuilder('platform')
    .description('P')
    .action({ name: 'list', readOnly: true, inputSchema: {}, handler: () => 'list' })
    .action({ name: 'drop', destructive: true, inputSchema: {}, handler: () => 'drop' });

const single = (name: string) => ({
  name,
  description: `About ${name}`,
  inputSchema: { type: 'object' as const },
  handler: () => name,
});

const registryOf = (...names: string[]): ToolRegistry =>
  new ToolRegistry({ name: 'acme' }).register(platform(), ...names.map(single));

const namesOf = (view: View): string[] => [...view.tools.keys()];
const addressesOf = (view: View): string[] =>
  [...view.tools.values()].flatMap(({ actions }) => [...actions.values()].map(({ address }) => address));

describe('views of one registry', () => {
  const registry = registryOf('ping', 'pong');
  const without = (...exclude: string[]): View =>
    internalsOf(registry).tools.viewWith([], {}, { narrowing: { exclude } });

  it('share the listed form of a tool that is the same in both', () => {
    const [one, other] = [without('ping'), without('pong')];
    for (const version of ['2025-11-25', '2026-07-28'] as const) {
      expect(one.listTools(version)[0]).toBe(other.listTools(version)[0]);
      expect(one.listTools(version)[0]).toBe(registry.listTools(version)[0]);
    }
    expect(one.tools.get('platform')?.actions).toBe(other.tools.get('platform')?.actions);
    const flat = internalsOf(registry).tools.viewWith(
      [],
      { form: 'flat' },
      { narrowing: { actions: ['platform/list'] } },
    );
    expect(flat.listTools()[0]).toBe(registry.view({ form: 'flat' }).listTools()[0]);
  });

  it('do not share a tool whose actions differ', () => {
    const reading = internalsOf(registry).tools.viewWith([], {}, { narrowing: { readOnly: true } });
    expect(JSON.stringify(reading.listTools())).not.toContain('drop');
    expect(JSON.stringify(without('platform/list').listTools())).not.toContain('list');
    expect(JSON.stringify(registry.listTools())).toContain('drop');
    const risks = registry.view({ split: 'risk' });
    expect(risks.listTools().map(({ annotations }) => annotations?.readOnlyHint)).toEqual([
      true,
      false,
      undefined,
      undefined,
    ]);
  });

  it('serialize their pages like their lists', () => {
    for (const view of [without('ping'), registry.view({ form: 'flat' }), without('ping', 'pong')]) {
      const [all] = view.listPages();
      expect(all).toBe(JSON.stringify(view.listTools()));
      const pages = view.listPages({ pageSize: 1, protocolVersion: '2025-11-25' });
      expect(pages).toEqual(view.listTools('2025-11-25').map((tool) => JSON.stringify([tool])));
    }
  });

  it('have separate trees, navigated up or down', () => {
    const spec = internalsOf(registry).tools.compileItem(single('extra'));
    const open = (...keys: string[]): View =>
      internalsOf(registry).tools.viewWith(
        [spec],
        {},
        { toolsetsOf: (each) => (each === spec ? keys.map((key) => ({ key })) : []) },
      );
    const [both, one] = [open('a', 'b'), open('b')];
    const tool = both.root.childGroups[0]!.childTools[0]!;
    expect(tool.parentGroups.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(tool.getFullyQualifiedNames()).toEqual(['acme.a.extra', 'acme.b.extra']);
    expect(tool.parentGroups[0]?.childTools).toEqual([tool]);
    expect(tool.parentGroups[0]?.childTools[0]).toBe(tool);
    expect(tool.getRoots()).toEqual([both.root]);
    expect(one.root.childGroups.map(({ name }) => name)).toEqual(['b', 'platform']);
    const leaf = one.root.childGroups[0]?.childTools[0];
    expect(leaf?.parentGroups).toEqual(one.root.childGroups.slice(0, 1));
    expect(one.tools.get('extra')?.tool).toBe(both.tools.get('extra')?.tool);
    expect(one.root.childTools.map(({ name }) => name)).toEqual(['platform', 'ping', 'pong']);
    expect(one.groups).toEqual([{ key: 'b', title: undefined, tools: ['extra'] }]);
    for (const part of [one, one.root, one.root.childGroups[0], tool, one.tools.get('extra')])
      expect(Object.isFrozen(part)).toBe(true);
    expect(() => one.root.add(tool)).toThrow('frozen');
  });
});

describe('a name in a selection', () => {
  const select = (
    registry: ToolRegistry,
    narrowing: CompileOptions['narrowing'],
    policy: Parameters<ToolRegistry['view']>[0] = {},
  ): View => internalsOf(registry).tools.viewWith([], policy, { narrowing });

  it('selects the tool that is listed under it, in every form', () => {
    const registry = registryOf('ping');
    for (const policy of [{}, { form: 'flat' }, { split: 'risk' }] as const) {
      for (const name of namesOf(registry.view(policy))) {
        expect(namesOf(select(registry, { actions: [name] }, policy))).toEqual([name]);
        expect(namesOf(select(registry, { exclude: [name] }, policy))).toEqual(
          namesOf(registry.view(policy)).filter((each) => each !== name),
        );
      }
      expect(addressesOf(select(registry, { actions: ['platform/drop'] }, policy))).toEqual([
        'platform/drop',
      ]);
      expect(addressesOf(select(registry, { actions: ['platform'] }, policy))).toHaveLength(2);
    }
  });

  it('selects an action by its flat name only if no listed tool has that name', () => {
    expect(addressesOf(select(registryOf(), { actions: ['platform_drop'] }))).toEqual(['platform/drop']);
    const both = registryOf('platform_drop');
    expect(addressesOf(select(both, { actions: ['platform_drop'] }))).toEqual(['platform_drop']);
    expect(addressesOf(select(both, { exclude: ['platform_drop'] }))).toEqual([
      'platform/list',
      'platform/drop',
    ]);
    // A hidden tool does not occupy its name.
    expect(addressesOf(select(both, { actions: ['platform_drop'] }, { exclude: ['platform_drop'] }))).toEqual(
      ['platform/drop'],
    );
  });

  it('selects the part of a tool that is split by risk, even if an action has that flat name', () => {
    const registry = new ToolRegistry().register(
      platform().action({ name: 'write', readOnly: true, inputSchema: {}, handler: () => 'write' }),
    );
    const chosen = select(registry, { actions: ['platform_write'] }, { split: 'risk' });
    expect(addressesOf(chosen)).toEqual(['platform/drop']);
  });

  it('of a split part is unknown if nothing is split', () => {
    expect(() => select(registryOf(), { actions: ['platform_read'] })).toThrow(ErrInvalidSelection);
  });
});

describe('a name in a ceiling', () => {
  const grant = (
    registry: ToolRegistry,
    ceiling: CompileOptions['ceiling'],
    policy: Parameters<ToolRegistry['view']>[0] = {},
  ): string[] => addressesOf(internalsOf(registry).tools.viewWith([], policy, { ceiling }));

  it('grants exactly the tool that is listed under it', () => {
    expect(grant(registryOf('platform_drop'), { actions: ['platform_drop'] })).toEqual(['platform_drop']);
    expect(grant(registryOf(), { actions: ['platform_read'] }, { split: 'risk' })).toEqual(['platform/list']);
    expect(grant(registryOf(), { actions: ['platform_drop'] }, { form: 'flat' })).toEqual(['platform/drop']);
  });

  it('grants no action if the tool of that name is missing', () => {
    expect(grant(registryOf(), { actions: ['platform_drop'] })).toEqual([]);
  });

  it('excludes everything that the name may mean', () => {
    expect(grant(registryOf(), { exclude: ['platform_write'] }, { split: 'risk' })).toEqual([
      'platform/list',
    ]);
    expect(grant(registryOf(), { exclude: ['platform_drop'] })).toEqual(['platform/list']);
    expect(grant(registryOf('platform_drop'), { exclude: ['platform_drop'] })).toEqual(['platform/list']);
  });
});

describe('a view', () => {
  it('has actions that cannot be deleted', () => {
    const registry = new ToolRegistry().register(
      new GroupedToolBuilder('p').action({ name: 'a', handler: () => 1 }),
    );
    const actions = registry.view().tools.get('p')?.actions as Map<string, unknown>;
    expect(() => actions.delete('a')).toThrow();
  });

  it('has tools that cannot be changed', () => {
    const registry = new ToolRegistry().register(platform());
    expect(() => {
      (registry.listTools()[0] as { name: string }).name = 'HACKED';
    }).toThrow(TypeError);
    const { tools: map } = registry.view();
    expect(() => (map as Map<string, unknown>).delete('platform')).toThrow(TypeError);
    expect(() => (map as Map<string, unknown>).clear()).toThrow(TypeError);
    expect([...map.keys()]).toEqual(['platform']);
    expect(map.size).toBe(1);
    const visited: string[] = [];
    map.forEach((_tool, name) => visited.push(name));
    expect([visited, [...map.entries()].length, [...map.values()].length]).toEqual([['platform'], 1, 1]);
  });

  it('rejects pages without a positive size', () => {
    const view = new ToolRegistry().register(platform()).view();
    for (const pageSize of [Number.NaN, 0, -1])
      expect(() => view.listPages({ pageSize })).toThrow(ErrInvalidOptions);
    expect(view.listPages({ pageSize: 1.5 })).toHaveLength(1);
  });
});

describe('a view with the profile none', () => {
  it('lists every keyword of the author, and so does a view without a profile', () => {
    const inputSchema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { size: { type: 'number', exclusiveMinimum: 0 } },
      additionalProperties: false,
    } as const;
    const registry = new ToolRegistry({ name: 'r' });
    registry.register({ name: 'cut', description: 'Cuts', inputSchema, handler: () => 'cut' });
    expect(registry.view({ profile: 'none' }).listTools()[0]?.inputSchema).toEqual(inputSchema);
    expect(registry.view().listTools()[0]?.inputSchema).toEqual(inputSchema);
    expect(registry.view({ profile: 'portable' }).listTools()[0]?.inputSchema).toEqual({
      type: 'object',
      properties: { size: { type: 'number', minimum: 0, description: 'Greater than 0.' } },
    });
  });
});
