import { readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { GroupedToolBuilder } from '../build/grouped-tool-builder.js';
import { initToolfold } from './init-toolfold.js';
import { ErrDuplicateName, ErrInvalidTool, ErrInvalidPolicy } from '@toolfold/schema/errors';
import type { CallToolResult } from '../protocol/tool-result.js';
import { ToolRegistry } from './tool-registry.js';
import type { ViewPolicy } from '../views/policy.js';

const text = ({ content }: CallToolResult): string =>
  content.map((block) => ('text' in block ? block.text : '')).join();

const users = () =>
  new GroupedToolBuilder('users')
    .tags('people')
    .action({ name: 'list', readOnly: true, tags: ['Read'], handler: () => 'listed' })
    .action({
      name: 'ban',
      destructive: true,
      tags: ['admin'],
      inputSchema: z.object({ id: z.string() }),
      handler: () => 'banned',
    });
const billing = () =>
  new GroupedToolBuilder('billing')
    .tags('money')
    .group('invoices', (invoices) =>
      invoices.action({ name: 'list', readOnly: true, handler: () => 'invoices' }),
    )
    .group('refunds', (refunds) =>
      refunds.action({ name: 'create', destructive: true, tags: ['admin'], handler: () => 'refunded' }),
    );
const ping = {
  name: 'ping',
  description: 'Answers',
  inputSchema: {},
  readOnly: true,
  tags: ['read'],
  handler: () => 'pong',
};
const registry = () =>
  new ToolRegistry({ name: 'acme', version: '1.0.0' }).register(users(), billing(), ping);

/** Every tool or action that a view lists, as `tool` or `tool/action`. */
function offered(policy: ViewPolicy, tools = registry()): string[] {
  return tools
    .view(policy)
    .listTools()
    .flatMap(({ name, inputSchema }) => {
      const { action } = (inputSchema['properties'] ?? {}) as { action?: { enum: string[] } };
      return action ? action.enum.map((key) => `${name}/${key}`) : [name];
    });
}

/** Spies on all methods that read a map: `reads` are lookups, `walks` are iterations. */
function watchLookups(map: ReadonlyMap<string, unknown>) {
  const walks = [
    ...(['keys', 'values', 'entries', 'forEach'] as const).map((method) => vi.spyOn(map, method)),
    vi.spyOn(map, Symbol.iterator),
  ];
  return { reads: vi.spyOn(map, 'get'), walks };
}

describe('a registry', () => {
  it('holds builders and definitions side by side and routes each call to its own [S000-34] [S000-35]', async () => {
    const tools = registry();
    expect(tools.size).toBe(3);
    expect(tools.has('users')).toBe(true);
    expect(tools.has('toString')).toBe(false);
    expect(text(await tools.routeCall('users', { action: 'list' }))).toBe('listed');
    expect(text(await tools.routeCall('billing', { action: 'refunds.create' }))).toBe('refunded');
    expect(text(await tools.executeTool({ name: 'ping' }))).toBe('pong');
  });

  it('lists tools in MCP format, in the order of registration', () => {
    const list = registry().listTools();
    expect(list.map(({ name }) => name)).toEqual(['users', 'billing', 'ping']);
    expect(list[2]).toEqual({
      name: 'ping',
      description: 'Answers',
      inputSchema: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        properties: {},
        additionalProperties: false,
      },
      annotations: { readOnlyHint: true, destructiveHint: false },
    });
    expect(registry().view({ profile: 'portable' }).listTools()[2]?.inputSchema).toEqual({
      type: 'object',
      properties: {},
    });
    expect(Object.isFrozen(list)).toBe(true);
    expect(registry().view().listPages()).toEqual([JSON.stringify(list)]);
    const pages = registry().view().listPages({ pageSize: 2 });
    expect(pages.map((page) => (JSON.parse(page) as { name: string }[]).map(({ name }) => name))).toEqual([
      ['users', 'billing'],
      ['ping'],
    ]);
    const view = registry().view();
    expect(view.listPages({ pageSize: 2 })).toBe(view.listPages({ pageSize: 2 }));
    expect(new ToolRegistry().view().listPages()).toEqual(['[]']);
  });

  it('returns registered items', () => {
    expect(
      registry()
        .getToolDefinitions()
        .map(({ name, actions }) => [name, actions?.length]),
    ).toEqual([
      ['users', 2],
      ['billing', 2],
      ['ping', undefined],
    ]);
  });

  it('rejects a duplicate name with the place of the first, and registers none of the new items', () => {
    const tools = registry();
    expect(() => tools.register({ ...ping, name: 'new' }, ping)).toThrow(ErrDuplicateName);
    expect(() => tools.register(ping)).toThrow(
      /A tool "ping" is already registered at .*tool-registry\.test\.ts/,
    );
    expect(tools.has('new')).toBe(false);
    expect(() => new ToolRegistry().register(ping, ping)).toThrow(ErrDuplicateName);
  });

  it('registers the items of lists, beside other items or alone', () => {
    const own = (name: string) => ({ name, description: 'Own', inputSchema: {}, handler: () => name });
    const registry = new ToolRegistry();
    registry.register([own('a'), own('b')]);
    registry.register(own('c'), [own('d'), users()], own('e'));
    const rest = ['f', 'g'].map(own);
    registry.register(...rest);
    registry.register([]);
    expect(registry.listTools().map(({ name }) => name)).toEqual([
      'a',
      'b',
      'c',
      'd',
      'users',
      'e',
      'f',
      'g',
    ]);
  });

  it('rejects lists in lists, and registers nothing of a list with an invalid item', () => {
    const registry = new ToolRegistry();
    const register = (...items: readonly unknown[]): ToolRegistry => registry.register(...(items as never[]));
    expect(() => register([[users()]])).toThrow(
      'registry.register takes builders and definitions, but got a list. Write registry.register(...list.flat()).',
    );
    expect(() => register([users(), 1])).toThrow(
      'registry.register takes builders and definitions, but got the number 1.',
    );
    expect(registry.size).toBe(0);
  });

  it('rejects invalid definitions', () => {
    expect(() => new ToolRegistry().register({ name: 'a' } as never)).toThrow(ErrInvalidTool);
    expect(() => new ToolRegistry().register({ handler: () => 1 } as never)).toThrow('has no name');
    expect(() => new ToolRegistry().register({ ...ping, name: 'a b' }).listTools()).toThrow(ErrInvalidTool);
  });

  it('recompiles and notifies once when more items are registered later', () => {
    const tools = registry();
    const before = tools.view();
    const changed = vi.fn<() => void>();
    const stop = tools.onChange(changed);
    tools.register({ ...ping, name: 'a' }, { ...ping, name: 'b' });
    expect(changed).toHaveBeenCalledTimes(1);
    expect(tools.listTools().map(({ name }) => name)).toEqual(['users', 'billing', 'ping', 'a', 'b']);
    expect(before.tools.has('a')).toBe(false);
    stop();
    tools.clear();
    expect(changed).toHaveBeenCalledTimes(1);
    expect(tools.size).toBe(0);
    expect(tools.listTools()).toEqual([]);
  });

  it('shares nothing with another registry', async () => {
    const [first, second] = [registry(), new ToolRegistry()];
    expect(second.size).toBe(0);
    expect(await second.executeTool({ name: 'ping' })).toMatchObject({ isError: true });
    expect(text(await first.executeTool({ name: 'ping' }))).toBe('pong');
  });

  it('finds tools and actions by maps, so their number does not matter [S001-01] [S001-17]', async () => {
    const tools = new ToolRegistry();
    tools.register(...Array.from({ length: 2000 }, (_, index) => ({ ...ping, name: `t${index}` })));
    const view = tools.view();
    const { reads, walks } = watchLookups(view.tools);
    expect(text(await tools.executeTool({ name: 't1999' }))).toBe('pong');
    expect(reads).toHaveBeenCalledTimes(1);
    for (const walk of walks) expect(walk).not.toHaveBeenCalled();
  });

  it('finds the action of a tool with one lookup, for any number of actions [S000-91]', async () => {
    const builder = new GroupedToolBuilder('many');
    for (let index = 0; index < 500; index++) builder.action({ name: `a${index}`, handler: () => index });
    const tools = new ToolRegistry().register(builder);
    const actions = tools.view().tools.get('many')!.actions;
    const { reads, walks } = watchLookups(actions);
    expect(text(await tools.executeTool({ name: 'many', arguments: { action: 'a499' } }))).toBe('499');
    expect(reads).toHaveBeenCalledTimes(1);
    for (const walk of walks) expect(walk).not.toHaveBeenCalled();
  });

  it('infers the types of each item when several are registered at once', async () => {
    const builder = initToolfold<{ user: string }>()
      .group('b')
      .action({ name: 'a', handler: () => 1 });
    const registry = new ToolRegistry({ contextFactory: () => ({ user: 'ada' }) }).register(
      builder,
      {
        name: 'first',
        description: 'Does something',
        inputSchema: z.object({ text: z.string() }),
        handler: ({ input, context }) => `${input.text.toUpperCase()} ${context.app.user}`,
      },
      {
        name: 'second',
        description: 'Does something',
        inputSchema: { n: z.number() },
        handler: ({ input }) => input.n.toFixed(1),
      },
    );
    const run = async (name: string, args: object) =>
      (await registry.executeTool({ name, arguments: { ...args } })).content;
    expect(await run('first', { text: 'x' })).toEqual([{ type: 'text', text: 'X ada' }]);
    expect(await run('second', { n: 1 })).toEqual([{ type: 'text', text: '1.0' }]);
    const other = new ToolRegistry({ contextFactory: () => ({ tenant: 1 }) });
    // @ts-expect-error The builder's handlers want a user, and this registry has none.
    other.register(builder);
    other.register({
      name: 'x',
      description: 'Does something',
      inputSchema: z.object({ a: z.string() }),
      // @ts-expect-error There is no such field.
      handler: ({ input }) => input.nope,
    });
  });

  it('notifies every listener of a change, even if one of them throws', () => {
    const registry = new ToolRegistry();
    const heard = vi.fn<() => void>();
    registry.onChange(() => {
      throw new Error('deaf');
    });
    registry.onChange(heard);
    expect(() =>
      registry.register({ name: 't', description: 'Does something', inputSchema: {}, handler: () => 1 }),
    ).toThrow('deaf');
    expect(heard).toHaveBeenCalledTimes(1);
    expect(registry.has('t')).toBe(true);
  });
});

describe('a view', () => {
  it.each<[string, ViewPolicy, string[]]>([
    [
      'everything',
      {},
      ['users/list', 'users/ban', 'billing/invoices.list', 'billing/refunds.create', 'ping'],
    ],
    ['all of some tags, the tool’s or the action’s', { tags: ['People', 'admin'] }, ['users/ban']],
    [
      'any of some tags',
      { anyTags: ['read', 'money'] },
      ['users/list', 'billing/invoices.list', 'billing/refunds.create', 'ping'],
    ],
    [
      'actions without some tags',
      { excludeTags: ['admin'] },
      ['users/list', 'billing/invoices.list', 'ping'],
    ],
    ['explicit tools and actions', { actions: ['ping', 'users/ban'] }, ['users/ban', 'ping']],
    ['all but some', { exclude: ['billing', 'users/ban'] }, ['users/list', 'ping']],
    ['read-only actions', { readOnly: true }, ['users/list', 'billing/invoices.list', 'ping']],
    [
      'several at once',
      { readOnly: true, anyTags: ['money', 'people'], exclude: ['users/list'] },
      ['billing/invoices.list'],
    ],
    ['nothing', { tags: ['nowhere'] }, []],
    [
      'flat',
      { form: 'flat' },
      ['users_list', 'users_ban', 'billing_invoices_list', 'billing_refunds_create', 'ping'],
    ],
    [
      'split by risk',
      { split: 'risk' },
      [
        'users_read/list',
        'users_write/ban',
        'billing_read/invoices.list',
        'billing_write/refunds.create',
        'ping',
      ],
    ],
    [
      'a split of read-only actions',
      { split: 'risk', readOnly: true },
      ['users_read/list', 'billing_read/invoices.list', 'ping'],
    ],
  ])('contains %s [S000-36] [S000-37]', (_what, policy, expected) => {
    expect(offered(policy)).toEqual(expected);
  });

  it('runs exactly the tools and actions that it lists', async () => {
    const tools = registry();
    const all = offered({}, tools);
    for (const policy of [
      {},
      { readOnly: true },
      { excludeTags: ['admin'] },
      { actions: ['ping', 'users/ban'] },
      { form: 'flat' as const },
    ]) {
      const view = tools.view(policy);
      const listed = offered(policy, tools);
      for (const address of new Set([...all, ...listed])) {
        const [name = '', action] = address.split('/');
        const result = await tools.executeTool(
          { name, arguments: { ...(action ? { action } : {}), ...(/ban/.test(address) ? { id: 'x' } : {}) } },
          view,
        );
        expect(!result.isError, `${JSON.stringify(policy)} ${address}: ${text(result)}`).toBe(
          listed.includes(address),
        );
      }
    }
  });

  it('reveals nothing about hidden tools and actions', async () => {
    const tools = registry();
    const view = tools.view({ readOnly: true });
    const result = await tools.executeTool({ name: 'users', arguments: { action: 'ban', id: 'x' } }, view);
    expect(text(result)).toBe('Unknown action. Available: list');
    expect(JSON.stringify(view.listTools())).not.toContain('ban');
  });

  it('has annotations for the actions that it shows', () => {
    const tools = registry();
    const annotationsOf = (policy: ViewPolicy, name: string) =>
      tools
        .view(policy)
        .listTools()
        .find((tool) => tool.name === name)?.annotations;
    expect(annotationsOf({}, 'users')).toMatchObject({ readOnlyHint: false, destructiveHint: true });
    expect(annotationsOf({ readOnly: true }, 'users')).toMatchObject({
      readOnlyHint: true,
      destructiveHint: false,
    });
    expect(annotationsOf({ split: 'risk' }, 'users_read')).toMatchObject({
      readOnlyHint: true,
      destructiveHint: false,
    });
    expect(annotationsOf({ split: 'risk' }, 'users_write')).toMatchObject({
      readOnlyHint: false,
      destructiveHint: true,
    });
  });

  it('is compiled once for equal policies in any order of keys, and evicted beyond a limit', () => {
    const tools = registry();
    const view = tools.view({ readOnly: true, form: 'flat' });
    expect(tools.view({ form: 'flat', readOnly: true })).toBe(view);
    for (let index = 0; index < 300; index++) tools.view({ tags: [`t${index}`] });
    expect(tools.view({ form: 'flat', readOnly: true })).not.toBe(view);
  });

  it('is not evicted while it is in use', () => {
    const tools = registry();
    const view = tools.view();
    for (let index = 0; index < 1000; index++) {
      tools.view({ tags: [`t${index}`] });
      expect(tools.view()).toBe(view);
    }
  });

  it('ignores later changes of its policy', () => {
    const policy = { actions: ['ping'] };
    const view = registry().view(policy);
    policy.actions.push('users');
    expect(view.listTools()).toHaveLength(1);
    expect(view.policy.actions).toEqual(['ping']);
  });

  it('rejects an unknown address and suggests the nearest', () => {
    expect(() => registry().view({ actions: ['users/bann'] })).toThrow(ErrInvalidPolicy);
    expect(() => registry().view({ actions: ['users/bann'] })).toThrow('Did you mean "users/ban"?');
    expect(() => registry().view({ exclude: ['constructor'] })).toThrow(ErrInvalidPolicy);
  });

  it('rejects flat names that collide', () => {
    const tools = new ToolRegistry().register(
      new GroupedToolBuilder('a').action({ name: 'b_c', handler: () => 1 }),
      new GroupedToolBuilder('a_b').action({ name: 'c', handler: () => 1 }),
    );
    expect(() => tools.view({ form: 'flat' })).toThrow(ErrDuplicateName);
    expect(() => tools.view()).not.toThrow();
  });

  it('has a tree of model objects', () => {
    const { root } = registry().view();
    expect(root.name).toBe('acme');
    expect(root.childTools.map((tool) => tool.getFullyQualifiedName())).toEqual([
      'acme.users',
      'acme.billing',
      'acme.ping',
    ]);
    expect(Object.isFrozen(root)).toBe(true);
  });
});

it('imports no value of an MCP SDK in the registry [S000-114]', () => {
  const files = [
    'attach/attach.ts',
    'attach/server-resolver.ts',
    'tool-registry.ts',
    '../engine/pipeline.ts',
    '../views/view.ts',
  ];
  for (const file of files) {
    expect(readFileSync(new URL(file, import.meta.url), 'utf8')).not.toContain('@modelcontextprotocol');
  }
});
