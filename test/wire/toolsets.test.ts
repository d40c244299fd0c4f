import { describe, expect, it } from 'vitest';
import type { ToolsetConfig } from 'toolfold/web';
import { allClients, legacyClients, modern } from './toolset-clients.js';
import { setUp } from './toolset-setup.js';
import { initializeRequest, modernRequest } from './raw-request.js';

const USERS = ['list_users', 'add_user', 'read_audit'];
const BILLING = ['list_invoices', 'pay_invoice', 'read_audit'];
const ALL = ['ping', 'list_users', 'add_user', 'read_audit', 'list_invoices', 'pay_invoice', 'whoami'];

/** The status and the message of the answer to a 2025 or 2026 request. */
async function ask(url: string, era: '2025' | '2026', headers: Readonly<Record<string, string>> = {}) {
  const request = era === '2026' ? modernRequest('tools/list', {}, { headers }) : initializeRequest(headers);
  const response = await fetch(url, request);
  const text = await response.text();
  return { status: response.status, text, body: text.startsWith('{') ? JSON.parse(text) : undefined };
}

describe('toolsets that are active from the start', () => {
  it.each(allClients)('are listed and called: %s', async (_, connect) => {
    const { open } = await setUp();
    const client = await open(connect);
    expect(await client.names()).toEqual(ALL);
    expect(await client.call('pay_invoice')).toMatchObject({ text: 'pay_invoice', isError: false });
  });

  it('serve two clients of each era at once', async () => {
    const { open } = await setUp();
    const clients = await Promise.all([...allClients, ...allClients].map(([, connect]) => open(connect)));
    const lists = await Promise.all(clients.map((client) => client.names()));
    for (const names of lists) expect(names).toEqual(ALL);
    const answers = await Promise.all(clients.map((client) => client.call('list_users')));
    for (const { text } of answers) expect(text).toBe('list_users');
  });

  it('are loaded once for concurrent requests', async () => {
    const { open, loads } = await setUp();
    const clients = await Promise.all(allClients.map(([, connect]) => open(connect)));
    await Promise.all(clients.flatMap((client) => [client.names(), client.names()]));
    expect(loads.toSorted()).toEqual(
      ['audit', 'billing', 'users'].map((name) => `${name} token-of-the-server`),
    );
  });

  it('cause a server error if one cannot be loaded, and only the operator sees the reason', async () => {
    const errors: unknown[] = [];
    const { server } = await setUp(
      { startup: { mode: 'STATIC', toolsets: ['users', 'broken'] } },
      { onError: (error) => errors.push(error) },
    );
    const { body, text } = await ask(server.url, '2026');
    expect(body.error).toMatchObject({ code: -32_603, message: 'The server failed to answer.' });
    expect(text).not.toContain('token-of-the-server');
    expect(String(errors[0])).toContain('Module "broken" could not be loaded');
  });
});

describe('a request selects', () => {
  it.each(allClients)('by path and headers: %s', async (_, connect) => {
    const { open } = await setUp();
    const select = async (path: string, headers?: Readonly<Record<string, string>>) =>
      (await open(connect, path, headers)).names();
    expect(await select('/x/users')).toEqual(['ping', ...USERS]);
    expect(await select('/x/users,basics')).toEqual(['ping', ...USERS, 'whoami']);
    expect(await select('/x/basics%2Cusers')).toEqual(['ping', ...USERS, 'whoami']);
    expect(await select('/x/users/readonly')).toEqual(['ping', 'list_users', 'read_audit']);
    expect(await select('/readonly')).toEqual([
      'ping',
      'list_users',
      'read_audit',
      'list_invoices',
      'whoami',
    ]);
    expect(await select('', { 'X-MCP-Toolsets': ' billing , ' })).toEqual(['ping', ...BILLING]);
    expect(await select('', { 'X-MCP-Tools': 'whoami,add_user' })).toEqual(['add_user', 'whoami']);
    expect(await select('/x/users', { 'X-MCP-Exclude-Tools': 'add_user' })).toEqual([
      'ping',
      'list_users',
      'read_audit',
    ]);
    expect(await select('/x/users', { 'X-MCP-Readonly': 'true' })).toEqual([
      'ping',
      'list_users',
      'read_audit',
    ]);
    expect(await select('/x/users,billing', { 'X-MCP-Toolsets': 'billing,basics' })).toEqual([
      'ping',
      ...BILLING,
    ]);
    expect(await select('', { 'X-MCP-Readonly': 'false' })).toEqual(ALL);
  });

  it.each(allClients)('tools by path, and cannot call others: %s', async (_, connect) => {
    const { open } = await setUp();
    const client = await open(connect, '/x/users/readonly');
    expect(await client.call('list_users')).toMatchObject({ isError: false });
    for (const name of ['add_user', 'pay_invoice', 'never_was'])
      await expect(client.call(name)).rejects.toThrow(`Unknown tool "${name}"`);
  });

  it.each(['2025', '2026'] as const)('unknown tools or toolsets, and gets 400: %s', async (era) => {
    const { server } = await setUp({
      exposurePolicy: { denylist: ['basics'] },
      startup: { mode: 'STATIC', toolsets: ['users'] },
    });
    const rejections: readonly (readonly [string, Readonly<Record<string, string>>, string])[] = [
      ['/x/user', {}, 'Unknown toolset "user" in the request. Did you mean "users"? Valid: users.'],
      ['/x/constructor', {}, 'Unknown toolset "constructor"'],
      ['/x/__proto__', {}, 'Unknown toolset "__proto__"'],
      ['/x/basics', {}, 'Unknown toolset "basics" in the request. Valid: users.'],
      ['/x/billing', {}, 'Unknown toolset "billing" in the request. Valid: users.'],
      ['/x/users', { 'X-MCP-Toolsets': 'usrs' }, 'Unknown toolset "usrs"'],
      ['/x/%ff', {}, 'The path is not a valid URL encoding.'],
      ['', { 'X-MCP-Toolsets': ' , ' }, 'X-MCP-Toolsets names nothing.'],
      [
        '',
        { 'X-MCP-Tools': 'list_user' },
        'Unknown tool "list_user" in the selection. Did you mean "list_users"?',
      ],
      ['', { 'X-MCP-Exclude-Tools': 'pay_invoice' }, 'Unknown tool "pay_invoice" in the selection.'],
      [
        '',
        { 'X-MCP-Tools': Array.from({ length: 501 }, (_, at) => `t${at}`).join() },
        'X-MCP-Tools names more than 500.',
      ],
      ['', { 'X-MCP-Readonly': 'maybe' }, 'X-MCP-Readonly must be true or false.'],
    ];
    for (const [path, headers, message] of rejections) {
      const { status, body } = await ask(`${server.url}${path}`, era, headers);
      expect([path, headers, status]).toEqual([path, headers, 400]);
      expect(body.error.message).toContain(message);
      expect(body.error.code).toBe(-32_602);
    }
  });

  it.each(['/x', '/x/', '/y/users', '/x/users/readonly/more', '/readonly/x/users', 's', '/x/users/billing'])(
    'nothing under %s',
    async (path) => {
      const { server } = await setUp();
      expect(await ask(`${server.url}${path}`, '2026')).toMatchObject({ status: 404 });
    },
  );

  it('the same toolsets in any order, and gets the same bytes with a private list', async () => {
    const { server } = await setUp({}, { listTtlMs: 1_000, view: { profile: 'standard' } });
    const whole = await ask(server.url, '2026');
    expect(whole.body.result).toMatchObject({ ttlMs: 1_000, cacheScope: 'public' });
    const lists = await Promise.all([
      ask(`${server.url}/x/users,billing`, '2026'),
      ask(`${server.url}/x/billing,users`, '2026'),
      ask(`${server.url}/x/billing,,users,billing`, '2026'),
      ask(server.url, '2026', { 'x-mcp-toolsets': 'billing, users' }),
      ask(`${server.url}/x/users,billing,basics`, '2026', { 'x-mcp-toolsets': 'billing, users' }),
    ]);
    expect(new Set(lists.map(({ text }) => text)).size).toBe(1);
    expect(lists[0]?.body.result).toMatchObject({ ttlMs: 1_000, cacheScope: 'private' });
  });

  it('tools of a registry without toolsets too', async () => {
    const { server } = await setUp({ startup: { mode: 'STATIC', toolsets: [] } });
    const { body } = await ask(`${server.url}/readonly`, '2026');
    expect(body.result.tools.map(({ name }: { name: string }) => name)).toEqual(['ping']);
  });

  it('at most what its token grants', async () => {
    const auth = {
      authenticate: (header: (name: string) => string | undefined) => ({
        auth: {
          token: 'x',
          clientId: 'c',
          scopes: (header('x-scopes') ?? '').split(' '),
          extra: { sub: 'ada' },
        },
      }),
    };
    const select: ToolsetConfig['select'] = (caller) => ({
      toolsets: caller?.scopes?.map((scope) => scope.replace('toolset:', '')) ?? [],
      readOnly: caller?.scopes?.includes('write') !== true,
    });
    const { open, server } = await setUp({ select }, { auth });
    for (const [, connect] of allClients) {
      const reader = await open(connect, '', { 'x-scopes': 'toolset:users toolset:gone' });
      expect(await reader.names()).toEqual(['ping', 'list_users', 'read_audit']);
      await expect(reader.call('add_user')).rejects.toThrow('Unknown tool "add_user"');
      const writer = await open(connect, '', { 'x-scopes': 'toolset:users write' });
      expect(await writer.names()).toEqual(['ping', ...USERS]);
      expect(await (await open(connect, '', { 'x-scopes': 'none' })).names()).toEqual(['ping']);
    }
    const rejected = await ask(`${server.url}/x/billing`, '2026', { 'x-scopes': 'toolset:users' });
    expect(rejected).toMatchObject({ status: 400 });
    expect(rejected.body.error.message).toBe('Unknown toolset "billing" in the request. Valid: users.');
    const list = await ask(server.url, '2026', { 'x-scopes': 'toolset:users' });
    expect(list.body.result.cacheScope).toBe('private');
  });
});

const META = ['list_toolsets', 'describe_toolset', 'enable_toolset', 'disable_toolset', 'list_tools'];
const DYNAMIC: Partial<ToolsetConfig> = { startup: { mode: 'DYNAMIC' } };

describe.each(legacyClients)('toolsets that a client enables: %s', (_, connect) => {
  it('are listed from then on, for this client only, and it is notified once', async () => {
    const { open } = await setUp(DYNAMIC);
    const [ada, bob] = [await open(connect), await open(connect)];
    expect(await ada.names()).toEqual([...META, 'ping']);
    const enabled = await ada.call('enable_toolset', { toolset: 'users' });
    expect(enabled).toMatchObject({
      isError: false,
      data: { toolset: 'users', hasChanged: true, active: ['users'], tools: USERS },
    });
    expect(await ada.names()).toEqual([...META, 'ping', ...USERS]);
    expect(await ada.call('add_user')).toMatchObject({ text: 'add_user' });
    expect(await bob.names()).toEqual([...META, 'ping']);
    await expect(bob.call('add_user')).rejects.toThrow('Unknown tool "add_user"');
    expect([ada.changes(), bob.changes()]).toEqual([1, 0]);
  });

  it('disappear when disabled, and come back', async () => {
    const { open } = await setUp(DYNAMIC);
    const client = await open(connect);
    for (const round of [1, 2]) {
      await client.call('enable_toolset', { toolset: 'users' });
      expect(await client.call('list_users')).toMatchObject({ text: 'list_users' });
      const disabled = await client.call('disable_toolset', { toolset: 'users' });
      expect(disabled).toMatchObject({ isError: false, data: { active: [] } });
      expect(await client.names()).toEqual([...META, 'ping']);
      await expect(client.call('list_users')).rejects.toThrow('Unknown tool');
      expect(client.changes()).toBe(round * 2);
    }
  });

  it('may share a module: each tool is listed once, until the last toolset is disabled', async () => {
    const { open } = await setUp(DYNAMIC);
    const client = await open(connect);
    for (const toolset of ['users', 'billing']) await client.call('enable_toolset', { toolset });
    expect(await client.names()).toEqual([...META, 'ping', ...USERS, 'list_invoices', 'pay_invoice']);
    await client.call('disable_toolset', { toolset: 'users' });
    expect((await client.names()).slice(META.length + 1).toSorted()).toEqual(BILLING.toSorted());
    await client.call('disable_toolset', { toolset: 'billing' });
    expect(await client.names()).toEqual([...META, 'ping']);
  });

  it('that are already enabled, or unknown, change nothing, and cause no notification', async () => {
    const limits: unknown[] = [];
    const { open } = await setUp({
      ...DYNAMIC,
      exposurePolicy: {
        denylist: ['basics'],
        maxActiveToolsets: 1,
        onLimitExceeded: (...attempt) => limits.push(attempt),
      },
    });
    const client = await open(connect);
    await client.call('enable_toolset', { toolset: 'users' });
    expect(await client.call('enable_toolset', { toolset: 'users' })).toMatchObject({
      isError: false,
      data: { hasChanged: false },
    });
    const rejections = {
      basics: 'Unknown toolset "basics"',
      constructor: 'Unknown toolset "constructor"',
      __proto__: 'Unknown toolset "__proto__"',
      _meta: 'Unknown toolset "_meta"',
      billing: 'At most 1 toolsets can be active',
    };
    for (const [toolset, message] of Object.entries(rejections)) {
      const { isError, text } = await client.call('enable_toolset', { toolset });
      expect([toolset, isError]).toEqual([toolset, true]);
      expect(text).toContain(message);
    }
    const off = await client.call('disable_toolset', { toolset: 'billing' });
    expect(off).toMatchObject({ isError: true });
    expect(await client.names()).toEqual([...META, 'ping', ...USERS]);
    expect(client.changes()).toBe(1);
    expect(limits).toEqual([[['billing'], ['users']]]);
  });

  it('are not enabled if their loader throws', async () => {
    const { open } = await setUp(DYNAMIC);
    const client = await open(connect);
    const { isError, text } = await client.call('enable_toolset', { toolset: 'broken' });
    expect(isError).toBe(true);
    expect(text).toContain('Module "broken" could not be loaded');
    expect(text).not.toContain('token-of-the-server');
    expect(await client.names()).toEqual([...META, 'ping']);
    expect(client.changes()).toBe(0);
  });

  it('are described before they are enabled', async () => {
    const { open } = await setUp({ startup: { mode: 'DYNAMIC', toolsets: ['basics'] } });
    const client = await open(connect);
    expect(await client.names()).toEqual([...META, 'ping', 'whoami']);
    const { data } = await client.call('list_toolsets');
    expect(data).toMatchObject({
      toolsets: [
        { key: 'users', decisionCriteria: 'For anything about people', isActive: false },
        { key: 'billing', isActive: false },
        { key: 'broken' },
        { key: 'basics', isActive: true },
      ],
    });
    const described = await client.call('describe_toolset', { toolset: 'users' });
    expect(described.data).toMatchObject({
      key: 'users',
      isActive: false,
      tools: USERS.map((name) => ({ name, description: `Does ${name.replaceAll('_', ' ')}.` })),
    });
    expect(await client.call('describe_toolset', { toolset: 'usres' })).toMatchObject({ isError: true });
    expect((await client.call('list_tools')).data).toEqual({
      tools: [
        { name: 'ping', description: 'Does ping.', toolsets: [] },
        { name: 'whoami', description: 'Does whoami.', toolsets: ['basics'] },
      ],
    });
    expect(client.changes()).toBe(0);
  });

  it('can be enabled and disabled by concurrent calls, one after the other', async () => {
    const { open } = await setUp(DYNAMIC);
    const client = await open(connect);
    await Promise.all(
      ['users', 'billing', 'basics'].map((toolset) => client.call('enable_toolset', { toolset })),
    );
    expect((await client.names()).toSorted()).toEqual([...META, ...ALL].toSorted());
    expect(client.changes()).toBe(3);
  });

  it('are listed at once if the URL selects them', async () => {
    const { open } = await setUp({ ...DYNAMIC, exposurePolicy: { maxActiveToolsets: 2 } });
    const client = await open(connect, '/x/users');
    expect(await client.names()).toEqual(['ping', ...USERS]);
    await expect(open(connect, '/x/users,billing,basics')).rejects.toThrow('At most 2 toolsets');
  });
});

describe('a 2026-07-28 client', () => {
  it('gets a list that does not change when others enable toolsets', async () => {
    const { open } = await setUp(DYNAMIC);
    const client = await open(modern);
    const names = await client.names();
    expect(names).not.toContain('enable_toolset');
    expect(names).toContain('search_tools');
    const [, connect] = legacyClients[0]!;
    await (await open(connect)).call('enable_toolset', { toolset: 'users' });
    expect(await client.names()).toEqual(names);
    expect(await (await open(modern, '/x/users')).names()).toEqual(['ping', ...USERS]);
  });
});
