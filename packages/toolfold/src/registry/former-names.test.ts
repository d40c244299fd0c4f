import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { GroupedToolBuilder } from '../build/grouped-tool-builder.js';
import { ErrDuplicateName, ErrInvalidTool } from '@toolfold/schema/errors';
import { lowerName } from '@toolfold/profiles/internal';
import { profileNames } from '@toolfold/profiles';
import { createSearchView } from '../../test/form-views.js';
import { ToolRegistry } from './tool-registry.js';

const platform = () =>
  new GroupedToolBuilder('platform', { aliases: ['admin'] }).group('users', (users) =>
    users
      .action({
        name: 'ban',
        aliases: ['block', 'members.ban'],
        inputSchema: { id: z.string() },
        handler: ({ input, context }) => `${context.action} ${input.id}`,
      })
      .action({ name: 'list', readOnly: true, handler: () => 'listed' }),
  );
const ping = {
  name: 'ping',
  description: 'Answers',
  aliases: ['hello'],
  inputSchema: {},
  handler: () => 'pong',
};
const note = () => vi.fn<(data: object, message?: string) => void>();
const createLogger = () => ({ debug: note(), info: note(), warn: note(), error: note() });
const textOf = ({ content }: { content: readonly object[] }) => (content[0] as { text: string }).text;

describe('former names', () => {
  it.each([
    ['grouped', {}, 'platform', { action: 'users.block', id: '1' }],
    ['grouped', {}, 'platform', { action: 'members.ban', id: '1' }],
    ['grouped', {}, 'admin', { action: 'users.ban', id: '1' }],
    ['grouped', {}, 'admin', { action: 'users.block', id: '1' }],
    ['flat', { form: 'flat' }, 'platform_users_block', { id: '1' }],
    ['flat', { form: 'flat' }, 'admin_members_ban', { id: '1' }],
    ['split', { split: 'risk' }, 'admin_write', { action: 'users.block', id: '1' }],
    ['strict', { profile: 'openai-strict' }, 'admin', { action: 'users.block', id: '1' }],
  ] as const)('can be called in the form %s %j: %s %j', async (_, policy, name, args) => {
    const registry = new ToolRegistry().register(platform(), ping);
    const view = registry.view(policy);
    expect(textOf(await registry.executeTool({ name, arguments: args }, view))).toBe('users.ban 1');
    expect(textOf(await registry.executeTool({ name: 'hello', arguments: {} }, view))).toBe('pong');
    expect(JSON.stringify(view.listTools())).not.toMatch(/admin|block|members|hello/);
    expect([...view.tools.keys()].join()).not.toMatch(/admin|block|members|hello/);
  });

  it('lead to the action in the search form, where only its address is shown', async () => {
    const logger = createLogger();
    const registry = new ToolRegistry({ logger }).register(platform(), ping);
    const view = createSearchView(registry, registry.view());
    const call = (name: string, args: object) => registry.executeTool({ name, arguments: { ...args } }, view);
    for (const address of ['platform/users.block', 'admin/members.ban', 'platform/users.ban']) {
      const sent = { address, arguments: { id: '1' } };
      expect(textOf(await call('call_write_tool', sent))).toBe('users.ban 1');
      expect(textOf(await call('call_read_tool', sent))).toContain('call_write_tool');
    }
    expect(textOf(await call('call_write_tool', { address: 'hello' }))).toBe('pong');
    expect(textOf(await call('call_read_tool', { address: 'admin/users.list' }))).toBe('listed');
    // A former name of a tool with several actions is no address.
    expect(textOf(await call('call_write_tool', { address: 'admin' }))).toContain('is a tool name');
    const { structuredContent } = await call('describe_tools', {
      addresses: ['platform/users.block', 'platform/users.ban', 'hello'],
    });
    const { tools } = structuredContent as { tools: { address: string }[] };
    expect(tools.map(({ address }) => address)).toEqual(['platform/users.ban', 'ping']);
    expect(JSON.stringify(await call('search_tools', { query: 'ban' }))).not.toMatch(/block|members|admin/);
    const logged = logger.warn.mock.calls.filter(([, message]) => message === 'tool called by a former name');
    expect(logged.map(([data]) => data)).toEqual([
      { name: 'platform/users.block', address: 'platform/users.ban' },
      { name: 'admin/members.ban', address: 'platform/users.ban' },
      { name: 'hello', address: 'ping' },
      { name: 'admin/users.list', address: 'platform/users.list' },
    ]);
  });

  it('are logged once each, with the name to use', async () => {
    const logger = createLogger();
    const registry = new ToolRegistry({ logger }).register(platform(), ping);
    for (let call = 0; call < 3; call++) {
      await registry.executeTool({ name: 'hello', arguments: {} });
      await registry.executeTool({ name: 'platform', arguments: { action: 'users.block', id: '1' } });
      await registry.executeTool({ name: 'ping', arguments: {} });
    }
    expect(logger.warn.mock.calls).toEqual([
      [{ name: 'hello', address: 'ping' }, 'tool called by a former name'],
      [{ name: 'users.block', address: 'platform/users.ban' }, 'tool called by a former name'],
    ]);
  });

  it('select and exclude tools in policies, and reach nothing outside of a view', async () => {
    const registry = new ToolRegistry().register(platform(), ping);
    expect([...registry.view({ actions: ['hello'] }).tools.keys()]).toEqual(['ping']);
    expect([...registry.view({ actions: ['admin/users.block'], form: 'flat' }).tools.keys()]).toEqual([
      'platform_users_ban',
    ]);
    const without = registry.view({ exclude: ['platform/members.ban', 'hello'] });
    const call = { name: 'platform', arguments: { action: 'users.block', id: '1' } };
    expect(await registry.executeTool(call, without)).toMatchObject({ isError: true });
    expect(await registry.executeTool({ name: 'hello', arguments: {} }, without)).toMatchObject({
      isError: true,
    });
  });

  it('of mounted registries have the prefix', async () => {
    const registry = new ToolRegistry().mount('acme', new ToolRegistry().register(platform(), ping));
    expect(textOf(await registry.executeTool({ name: 'acme_hello', arguments: {} }))).toBe('pong');
    const call = { name: 'acme_admin', arguments: { action: 'users.block', id: '1' } };
    expect(textOf(await registry.executeTool(call))).toBe('users.ban 1');
    expect([...registry.view({ actions: ['acme:hello'] }).tools.keys()]).toEqual(['acme_ping']);
  });

  it('can be called as each profile listed them, with the arguments that it lists now', async () => {
    const logger = createLogger();
    const inputSchema = { type: 'object', properties: { 'a[b]': { type: 'string' } } } as const;
    const handler = ({ input }: { readonly input: unknown }): string => JSON.stringify(input);
    const long = 'x'.repeat(80);
    const registry = new ToolRegistry({ logger, wireNames: 'any' })
      .register({ name: 'new.name', aliases: ['old.name', 'older'], description: 'D', inputSchema, handler })
      .register({ name: 'short', aliases: [long], description: 'S', inputSchema, handler });
    for (const profile of profileNames) {
      const view = registry.view({ profile });
      const [{ inputSchema: listed } = {}] = view.listTools();
      const [key = ''] = Object.keys((listed?.['properties'] ?? {}) as object);
      const names = [
        'old.name',
        lowerName('old.name', profile, ''),
        'older',
        long,
        lowerName(long, profile, ''),
      ];
      for (const name of names) {
        const result = await registry.executeTool({ name, arguments: { [key]: 'v' }, asListed: true }, view);
        expect(textOf(result), `${profile} ${name}`).toBe('{"a[b]":"v"}');
      }
      expect([...view.tools.keys()].join()).not.toMatch(/old|xxx/);
    }
    const warned = logger.warn.mock.calls.map(([data]) => (data as { name: string }).name);
    expect(warned).toContain('old_name');
    expect(new Set(warned).size).toBe(warned.length);
  });

  it('that a profile would have listed under one name lead to no tool by that name', async () => {
    const tool = (name: string, alias: string) => ({ ...ping, name, aliases: [alias], handler: () => name });
    const registry = new ToolRegistry({ wireNames: 'any' }).register(
      tool('one', 'a.b'),
      tool('two', 'a/b'),
      tool('three', 'c.d'),
      { ...ping, name: 'c_d', aliases: [], handler: () => 'c_d' },
    );
    const call = (name: string) => registry.executeTool({ name, arguments: {} });
    expect(textOf(await call('a.b'))).toBe('one');
    expect(textOf(await call('a/b'))).toBe('two');
    expect(textOf(await call('a_b'))).toContain('Unknown tool');
    expect(textOf(await call('c_d'))).toBe('c_d');
  });

  it('must not be names of other tools or actions', () => {
    const other = (name: string, aliases: readonly string[] = []) => ({ ...ping, name, aliases });
    expect(() => new ToolRegistry().register(ping, other('hello'))).toThrow(ErrDuplicateName);
    expect(() => new ToolRegistry().register(ping).register(other('pong', ['hello']))).toThrow(
      'The alias "hello" of tool "pong" is a name of tool "ping".',
    );
    const builder = new GroupedToolBuilder('notes')
      .action({ name: 'list', handler: () => '' })
      .action({ name: 'find', aliases: ['list'], handler: () => '' });
    expect(() => builder.buildToolDefinition()).toThrow(ErrInvalidTool);
    expect(() => new ToolRegistry().register({ ...ping, aliases: 'hello' as never })).toThrow(ErrInvalidTool);
  });
});

describe('client hints', () => {
  const hints = { alwaysLoad: true, maxResultChars: 200_000, requiresPerson: true };
  const _meta = {
    'anthropic/alwaysLoad': true,
    'anthropic/maxResultSizeChars': 200_000,
    'anthropic/requiresUserInteraction': true,
  };

  it('are listed in _meta, beside the meta of the author', () => {
    const registry = new ToolRegistry().register({ ...ping, clientHints: hints, meta: { 'acme/team': 'a' } });
    expect(registry.listTools()[0]).toMatchObject({ _meta: { ..._meta, 'acme/team': 'a' } });
    const quiet = new ToolRegistry().register({ ...ping, clientHints: { alwaysLoad: false } });
    expect(quiet.listTools()[0]).not.toHaveProperty('_meta');
  });

  it('of a grouped tool are those of its actions, with the largest size', () => {
    const builder = new GroupedToolBuilder('notes')
      .action({ name: 'list', clientHints: { alwaysLoad: true, maxResultChars: 1000 }, handler: () => '' })
      .action({ name: 'drop', clientHints: hints, handler: () => '' })
      .action({ name: 'ping', handler: () => '' });
    const registry = new ToolRegistry().register(builder);
    expect(registry.listTools()[0]).toMatchObject({ _meta });
    const [list, , pinged] = registry.view({ form: 'flat' }).listTools();
    expect(list).toMatchObject({ _meta: { 'anthropic/maxResultSizeChars': 1000 } });
    expect(pinged).not.toHaveProperty('_meta');
  });

  it('are checked', () => {
    for (const clientHints of [{ maxResultChars: 500_001 }, { maxResultChars: 0 }, { always: true }, true])
      expect(() => new ToolRegistry().register({ ...ping, clientHints: clientHints as never })).toThrow(
        ErrInvalidTool,
      );
  });
});
