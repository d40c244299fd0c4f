import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { GroupedToolBuilder } from '../build/grouped-tool-builder.js';
import { ErrInvalidOptions, ErrInvalidSelection, ErrUnknownToolset } from '@toolfold/schema/errors';
import { ToolRegistry } from '../registry/tool-registry.js';
import type { View } from '../views/view.js';
import { hashOf } from '../callers/session-context.js';
import type { ToolsetConfig } from './toolset-config.js';
import type { LoadedTool, ModuleLoader } from './module-loader.js';
import { Toolsets } from './toolsets.js';

const tool = (name: string, more: object = {}): LoadedTool => ({
  name,
  description: `Does ${name}`,
  inputSchema: {},
  handler: () => name,
  ...more,
});
const of = (context: Record<string, unknown> = {}) => ({ context, hash: hashOf(context) });
const namesOf = (view: View): string[] => view.listTools().map(({ name }) => name);

function setUp(config: Partial<ToolsetConfig> = {}, registry = new ToolRegistry({ name: 'test' })) {
  const loads: string[] = [];
  const module =
    (name: string, tools: readonly LoadedTool[]): ModuleLoader =>
    () => {
      loads.push(name);
      return tools;
    };
  const toolsets = new Toolsets(registry, {
    catalog: {
      users: { name: 'Users', description: 'People', modules: ['people', 'shared'] },
      billing: {
        name: 'Billing',
        description: 'Money',
        decisionCriteria: 'For invoices',
        modules: ['money', 'shared'],
      },
      extra: {
        name: 'Extra',
        description: 'More',
        tools: [tool('extra_read', { readOnly: true, tags: ['x'] })],
      },
    },
    moduleLoaders: {
      people: module('people', [tool('list_users', { readOnly: true }), tool('add_user')]),
      money: module('money', [tool('invoice')]),
      shared: module('shared', [tool('audit', { readOnly: true })]),
    },
    startup: { mode: 'DYNAMIC' },
    context: {},
    exposurePolicy: {},
    ...config,
  });
  return { toolsets, registry, loads };
}

describe('Toolsets', () => {
  it('have one view for each set of toolsets, in any order and number', async () => {
    const many = Array.from({ length: 100 }, (_, at) => `set${at}`);
    const definitions = many.map((name) => [name, { name, description: name, tools: [tool(name)] }]);
    const { toolsets } = setUp({ catalog: Object.fromEntries(definitions), moduleLoaders: {} });
    const sets = [[], ...many.map((_, at) => many.slice(at)), ...many.slice(0, -1).map((key) => [key])];
    const viewOf = (set: readonly string[]): Promise<View> => toolsets.view(set, of());
    const views = await Promise.all(sets.map(viewOf));
    expect(new Set(views).size).toBe(sets.length);
    for (const [at, set] of sets.entries()) expect(await viewOf(set.toReversed())).toBe(views[at]);
    expect(await viewOf([...many, 'unknown'])).toBe(await viewOf(many));
  });

  it('read the list of active toolsets each time, because it may have changed', async () => {
    const { toolsets } = setUp();
    const active = ['users'];
    expect(namesOf(await toolsets.view(active, of()))).toEqual(['list_users', 'add_user', 'audit']);
    active[0] = 'extra';
    expect(namesOf(await toolsets.view(active, of()))).toEqual(['extra_read']);
  });

  it('loads modules only when they are needed', async () => {
    const { toolsets, loads } = setUp();
    expect(namesOf(await toolsets.view([], of()))).toEqual([]);
    expect(namesOf(await toolsets.view(['extra'], of()))).toEqual(['extra_read']);
    expect(loads).toEqual([]);
    await toolsets.view(['users'], of());
    expect(loads).toEqual(['people', 'shared']);
  });

  it('lists a shared tool of two toolsets once, until the last of them is disabled', async () => {
    const { toolsets, loads } = setUp();
    let active = await toolsets.enable('users', [], of());
    active = await toolsets.enable('billing', active, of());
    const both = await toolsets.view(active, of());
    expect(namesOf(both)).toEqual(['list_users', 'add_user', 'audit', 'invoice']);
    expect(both.root.childGroups.map(({ name }) => name)).toEqual(['users', 'billing']);
    const audit = both.root.childGroups[0]!.childTools.find(({ name }) => name === 'audit')!;
    expect(audit.parentGroups.map(({ name }) => name)).toEqual(['users', 'billing']);
    active = toolsets.disable('users', active);
    expect(namesOf(await toolsets.view(active, of()))).toEqual(['invoice', 'audit']);
    active = toolsets.disable('billing', active);
    expect(namesOf(await toolsets.view(active, of()))).toEqual([]);
    expect(loads.toSorted()).toEqual(['money', 'people', 'shared']);
  });

  it('removes the tools of a disabled toolset, and restores them when it is enabled again', async () => {
    const { toolsets, registry } = setUp();
    const enabled = await toolsets.enable('users', [], of());
    const call = async (active: readonly string[]) =>
      registry.executeTool({ name: 'add_user', arguments: {} }, await toolsets.view(active, of()));
    expect(await call(enabled)).toMatchObject({ content: [{ text: 'add_user' }] });
    const disabled = toolsets.disable('users', enabled);
    expect(await call(disabled)).toMatchObject({ isError: true });
    const again = await toolsets.enable('users', disabled, of());
    expect(again).toEqual(['users']);
    expect(await call(again)).toMatchObject({ content: [{ text: 'add_user' }] });
    expect(await toolsets.enable('users', again, of())).toEqual(['users']);
  });

  it.each(['constructor', '__proto__', 'prototype', 'toString', '_meta', 'hasOwnProperty', 'user', ''])(
    'rejects the unknown toolset "%s"',
    async (key) => {
      const { toolsets } = setUp();
      await expect(toolsets.enable(key, [], of())).rejects.toThrow(ErrUnknownToolset);
      expect(() => toolsets.disable(key, ['users'])).toThrow(ErrUnknownToolset);
      await expect(async () => toolsets.view(['users'], of(), { toolsets: [key] })).rejects.toThrow(
        ErrUnknownToolset,
      );
      expect(namesOf(await toolsets.view([key], of()))).toEqual([]);
    },
  );

  it('enables no toolset whose loader throws, and enables it once the loader recovers', async () => {
    let isDown = true;
    const { toolsets } = setUp({
      catalog: {
        bad: { name: 'Bad', description: 'Fails', tools: [tool('beside')], modules: ['bad'] },
        good: { name: 'Good', description: 'Works', tools: [tool('good')] },
      },
      moduleLoaders: {
        bad: () => {
          if (isDown) throw new Error('down');
          return [tool('recovered')];
        },
      },
    });
    const active = await toolsets.enable('good', [], of());
    await expect(toolsets.enable('bad', active, of())).rejects.toThrow(
      'Module "bad" could not be loaded: down',
    );
    expect(namesOf(await toolsets.view(active, of()))).toEqual(['good']);
    isDown = false;
    const more = await toolsets.enable('bad', active, of());
    expect(namesOf(await toolsets.view(more, of()))).toEqual(['beside', 'recovered', 'good']);
  });

  it('rejects a toolset with a second tool of the same name', async () => {
    const { toolsets } = setUp({
      catalog: {
        one: { name: 'One', description: 'One', tools: [tool('get')] },
        two: { name: 'Two', description: 'Two', tools: [tool('get')] },
      },
      moduleLoaders: {},
    });
    const active = await toolsets.enable('one', [], of());
    await expect(toolsets.enable('two', active, of())).rejects.toThrow('"get"');
    expect(namesOf(await toolsets.view(active, of()))).toEqual(['get']);
  });

  it('prefixes tools with their toolset on request, so that two may have the same name', async () => {
    const { toolsets, registry } = setUp({ exposurePolicy: { namespaceToolsWithSetKey: true } });
    const view = await toolsets.view(['users', 'billing'], of());
    expect(namesOf(view)).toEqual([
      'users_list_users',
      'users_add_user',
      'users_audit',
      'billing_invoice',
      'billing_audit',
    ]);
    const result = await registry.executeTool({ name: 'billing_audit', arguments: {} }, view);
    expect(result).toMatchObject({ content: [{ text: 'audit' }] });
  });

  it('cannot rename builders, and reports it', async () => {
    const builder = new GroupedToolBuilder('group').description('Does it').action({
      name: 'run',
      inputSchema: z.object({}),
      handler: () => '',
    });
    const config = {
      catalog: { one: { name: 'One', description: 'One', tools: [builder] } },
      moduleLoaders: {},
    };
    expect(namesOf(await setUp(config).toolsets.view(['one'], of()))).toEqual(['group']);
    const exposurePolicy = { namespaceToolsWithSetKey: true };
    expect(() => setUp({ ...config, exposurePolicy })).toThrow('the builder "group" cannot be renamed');
    const { toolsets } = setUp({
      catalog: { one: { name: 'One', description: 'One', modules: ['one'] } },
      moduleLoaders: { one: () => [builder] },
      exposurePolicy,
    });
    await expect(async () => toolsets.view(['one'], of())).rejects.toThrow('holds the builder "group"');
  });

  it('shows registered tools beside the toolsets, and follows their changes', async () => {
    const { toolsets, registry } = setUp();
    const before = await toolsets.view(['extra'], of());
    registry.register({ name: 'ping', description: 'Pings', inputSchema: {}, handler: () => 'pong' });
    expect(namesOf(before)).toEqual(['extra_read']);
    expect(namesOf(await toolsets.view(['extra'], of()))).toEqual(['ping', 'extra_read']);
  });

  it('describes the reachable toolsets', () => {
    const { toolsets } = setUp({ exposurePolicy: { denylist: ['extra'] } });
    expect(toolsets.describe(['billing'])).toEqual([
      { key: 'users', name: 'Users', description: 'People', isActive: false },
      {
        key: 'billing',
        name: 'Billing',
        description: 'Money',
        decisionCriteria: 'For invoices',
        isActive: true,
      },
    ]);
  });
});

describe('the exposure policy', () => {
  it('[S003-35] makes everything unreachable that it does not allow', async () => {
    const { toolsets, loads } = setUp({
      startup: { mode: 'STATIC', toolsets: ['extra'] },
      exposurePolicy: { allowlist: ['extra'] },
    });
    expect(toolsets.startup).toEqual(['extra']);
    await expect(toolsets.enable('users', ['extra'], of())).rejects.toThrow('Unknown toolset "users"');
    expect(namesOf(await toolsets.view(['users', 'extra'], of()))).toEqual(['extra_read']);
    await expect(async () => toolsets.view(['extra'], of(), { toolsets: ['users'] })).rejects.toThrow(
      ErrUnknownToolset,
    );
    await expect(async () => toolsets.view(['extra'], of(), { tools: ['add_user'] })).rejects.toThrow(
      ErrInvalidSelection,
    );
    expect(loads).toEqual([]);
  });

  it('does not reveal forbidden toolsets', async () => {
    const { toolsets } = setUp({ exposurePolicy: { denylist: ['billing'] } });
    const failure = await toolsets.enable('biling', [], of()).catch((thrown: unknown) => thrown);
    expect((failure as Error).message).not.toContain('billing');
  });

  it('can be narrowed by requests, but never widened', async () => {
    const { toolsets } = setUp({ exposurePolicy: { readOnly: true } });
    const active = ['users', 'billing', 'extra'];
    expect(namesOf(await toolsets.view(active, of(), { readOnly: false }))).toEqual([
      'list_users',
      'audit',
      'extra_read',
    ]);
    expect(namesOf(await toolsets.view(active, of(), { tools: ['audit'] }))).toEqual(['audit']);
    // A hidden tool gets the same error as an unknown one.
    for (const name of ['add_user', 'never_was'])
      await expect(async () => toolsets.view(active, of(), { tools: [name] })).rejects.toThrow(
        `Unknown tool "${name}" in the selection.`,
      );
    expect(namesOf(await toolsets.view(active, of(), { excludeTools: ['audit'] }))).toEqual([
      'list_users',
      'extra_read',
    ]);
    expect(namesOf(await toolsets.view(['users'], of(), { toolsets: ['extra'] }))).toEqual([]);
    expect(namesOf(await toolsets.view(active, of(), { tools: [] }))).toEqual([]);
    const open = setUp().toolsets;
    expect(namesOf(await open.view(active, of(), { readOnly: true }))).not.toContain('add_user');
  });

  it('applies to tags', async () => {
    const { toolsets } = setUp({ exposurePolicy: { tags: ['x'] } });
    expect(namesOf(await toolsets.view(['users', 'extra'], of()))).toEqual(['extra_read']);
  });

  it('throws at startup if more toolsets are active than allowed', () => {
    const told: unknown[] = [];
    const exposurePolicy = {
      maxActiveToolsets: 2,
      onLimitExceeded: (attempted: readonly string[]) => told.push(attempted),
    };
    const start = (toolsets: readonly string[] | 'ALL') =>
      setUp({ startup: { mode: 'STATIC', toolsets }, exposurePolicy });
    expect(() => start('ALL')).toThrow('At most 2 toolsets can be active, and that would be 3');
    expect(() => start(['users', 'billing', 'extra'])).toThrow('At most 2');
    expect(told).toHaveLength(2);
    expect(start(['users', 'users', 'billing']).toolsets.startup).toEqual(['users', 'billing']);
  });

  it('rejects one toolset too many, and accepts it when another is disabled', async () => {
    const { toolsets } = setUp({ exposurePolicy: { maxActiveToolsets: 1 } });
    const active = await toolsets.enable('users', [], of());
    await expect(toolsets.enable('extra', active, of())).rejects.toThrow('Disable one first');
    expect(await toolsets.enable('extra', toolsets.disable('users', active), of())).toEqual(['extra']);
  });

  it.each([
    [{ mode: 'SOMETIMES' }, 'startup.mode'],
    [{ mode: 'STATIC', toolsets: 'users' }, 'startup.toolsets must be a list'],
    [{ mode: 'STATIC', toolsets: ['nope'] }, 'Unknown toolset "nope" in startup.toolsets'],
    [{ mode: 'STATIC', toolsets: ['constructor'] }, 'Unknown toolset "constructor"'],
    [{ mode: 'STATIC', toolsets: ['users'] }, 'which the exposure policy does not allow'],
  ])('rejects the startup %o', (startup, message) => {
    expect(() => setUp({ startup: startup as never, exposurePolicy: { denylist: ['users'] } })).toThrow(
      message,
    );
  });
});

describe('views', () => {
  it('are shared by 10,000 callers with one context', async () => {
    const { toolsets, loads } = setUp();
    const callers = Array.from({ length: 10_000 }, (_, index) =>
      toolsets.view(
        index % 2 ? ['users', 'billing'] : ['billing', 'users', 'billing'],
        of(index % 2 ? { a: 1, b: 2 } : { b: 2, a: 1 }),
        index % 3
          ? { tools: ['audit', 'invoice'] }
          : { tools: ['invoice', 'audit', 'audit'], excludeTools: [] },
      ),
    );
    const views = new Set(await Promise.all(callers));
    expect(views.size).toBe(1);
    expect(loads).toEqual(['people', 'shared', 'money']);
    const [view] = views;
    expect(view!.listPages()).toBe(view!.listPages());
  });

  it('are shared by all contexts if no tool depends on them', async () => {
    const { toolsets } = setUp();
    expect(await toolsets.view(['extra'], of({ a: 1 }))).toBe(await toolsets.view(['extra'], of({ a: 2 })));
    expect(await toolsets.view(['users'], of({ a: 1 }))).not.toBe(
      await toolsets.view(['users'], of({ a: 2 })),
    );
  });
});

describe('a configuration of toolsets', () => {
  const catalog = { a: { name: 'A', description: 'A', tools: [tool('one')] } };
  const startup = { mode: 'STATIC', toolsets: 'ALL' } as const;

  it('needs only a catalog and a startup mode', async () => {
    const toolsets = new Toolsets(new ToolRegistry({ name: 'test' }), { catalog, startup });
    expect(namesOf(await toolsets.view(toolsets.startup, of()))).toEqual(['one']);
  });

  it.each(['moduleLoaders', 'context', 'exposurePolicy'])(
    'is rejected if %s is undefined, because a missing value must not widen access',
    (key) => {
      const config = { catalog, startup, [key]: undefined };
      expect(() => new Toolsets(new ToolRegistry({ name: 'test' }), config)).toThrow(`${key} must be`);
    },
  );

  it.each<[string, unknown, string]>([
    ['nothing', undefined, 'The toolset configuration must be an object'],
    ['a list', [], 'The toolset configuration must be an object'],
    ['a misspelled field', { catalog, startup, selects: () => ({}) }, 'Did you mean "select"?'],
    ['no catalog', { startup }, 'The toolset configuration: catalog must be an object of toolsets.'],
    ['a list for a catalog', { catalog: [], startup }, 'catalog must be an object of toolsets.'],
    ['no startup mode', { catalog, startup: {} }, 'startup.mode must be "DYNAMIC" or "STATIC".'],
    [
      'a misspelled field of startup',
      { catalog, startup: { ...startup, toolset: [] } },
      'Did you mean "toolsets"?',
    ],
    [
      'a number for a toolset',
      { catalog, startup: { ...startup, toolsets: [1] } },
      'must be a list of toolsets',
    ],
    [
      'a list for loaders',
      { catalog, startup, moduleLoaders: [] },
      'moduleLoaders must be an object of functions.',
    ],
    [
      'a loader that is not a function',
      { catalog, startup, moduleLoaders: { users: [] } },
      'moduleLoaders.users must be a function.',
    ],
    ['null for a session context', { catalog, startup, sessionContext: null }, 'sessionContext must be'],
    [
      'a misspelled field of clientBundles',
      { catalog, startup, clientBundles: { maxx: 1 } },
      'Did you mean "max"?',
    ],
    ['a cache of no clients', { catalog, startup, clientBundles: { max: 0 } }, 'clientBundles.max must be'],
    ['text for select', { catalog, startup, select: 'all' }, 'select must be a function.'],
  ])('is rejected with %s', (_, config, message) => {
    const open = (): unknown => new Toolsets(new ToolRegistry({ name: 'test' }), config as ToolsetConfig);
    expect(open).toThrow(ErrInvalidOptions);
    expect(open).toThrow(message);
  });
});
