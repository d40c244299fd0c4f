import { describe, expect, it } from 'vitest';
import type { ModuleLoader, ToolsetConfig } from 'toolfold/web';
import type { ServeHttpOptions } from 'toolfold/node';
import { legacyClients } from './toolset-clients.js';
import type { Connect, TestClient } from './toolset-clients.js';
import { configOf, start, loadsOf } from './toolset-server.js';
import { cleanUps } from './toolset-setup.js';

const DYNAMIC = { startup: { mode: 'DYNAMIC' } } as const;

async function setUp(config: Partial<ToolsetConfig> = {}, options: ServeHttpOptions = {}) {
  const toolsets = configOf({ ...DYNAMIC, ...config });
  const server = await start(toolsets, options);
  cleanUps.push(() => server.close());
  const open = async (connect: Connect): Promise<TestClient> => {
    const client = await connect(server.url);
    cleanUps.push(() => client.close());
    return client;
  };
  return { server, open, loads: loadsOf(toolsets) };
}

/** Replaces a loader. */
const withLoader = (module: string, loader: () => unknown) => ({
  moduleLoaders: { ...configOf().moduleLoaders, [module]: loader } as Readonly<Record<string, ModuleLoader>>,
});

interface Listed {
  readonly toolsets: readonly { readonly key: string; readonly isActive: boolean }[];
}
const activeOf = async (client: TestClient): Promise<string[]> =>
  ((await client.call('list_toolsets')).data as Listed).toolsets.flatMap(({ key, isActive }) =>
    isActive ? key : [],
  );

describe.each(legacyClients)('an active toolset that the caller may not use: %s', (_, connect) => {
  const select = () => ({ toolsets: ['users'] });
  const startup = { mode: 'DYNAMIC', toolsets: ['billing'] } as const;

  it('is neither named nor disabled', async () => {
    const { open } = await setUp({ select, startup });
    const client = await open(connect);
    const unknown = await client.call('disable_toolset', { toolset: 'nope' });
    expect(unknown).toMatchObject({ isError: true, text: expect.stringContaining('There are none.') });
    const enabled = await client.call('enable_toolset', { toolset: 'users' });
    expect(enabled.data).toMatchObject({ hasChanged: true, active: ['users'] });
    const hidden = await client.call('disable_toolset', { toolset: 'billing' });
    expect(hidden).toMatchObject({ isError: true, text: expect.stringContaining('Valid: users.') });
    expect((await client.call('disable_toolset', { toolset: 'users' })).data).toMatchObject({ active: [] });
  });

  it('does not count against the limit of the caller', async () => {
    const { open } = await setUp({ select, startup, exposurePolicy: { maxActiveToolsets: 1 } });
    const client = await open(connect);
    expect(await client.call('enable_toolset', { toolset: 'users' })).toMatchObject({ isError: false });
    expect(await client.names()).toContain('add_user');
  });

  it('is available again once the caller may use it', async () => {
    let granted = ['users'];
    const { open } = await setUp({ select: () => ({ toolsets: granted }), startup });
    const client = await open(connect);
    await client.call('enable_toolset', { toolset: 'users' });
    granted = ['users', 'billing'];
    expect(await activeOf(client)).toEqual(['users', 'billing']);
    expect(await client.names()).toEqual(expect.arrayContaining(['add_user', 'pay_invoice']));
  });
});

describe('a session whose record names a removed toolset', () => {
  it.each(legacyClients)('continues with the other toolsets: %s', async (_, connect) => {
    const records = new Map<string, object>();
    const keep = (session: { readonly id: string }) => void records.set(session.id, session);
    const store = {
      create: keep,
      get: (id: string) => records.get(id) as never,
      update: keep,
      delete: (id: string) => void records.delete(id),
    };
    const { open } = await setUp({ exposurePolicy: { maxActiveToolsets: 1 } }, { sessions: { store } });
    const client = await open(connect);
    const [[id, record]] = [...records] as [[string, object]];
    records.set(id, { ...record, toolsets: ['removed'] });
    expect(await client.names()).toContain('enable_toolset');
    const enabled = await client.call('enable_toolset', { toolset: 'users' });
    expect(enabled.data).toMatchObject({ active: ['users'] });
    expect((await client.call('enable_toolset', { toolset: 'basics' })).text).toContain(
      'At most 1 toolsets can be active, and that would be 2: users, basics.',
    );
  });
});

describe('a loader that never ends', () => {
  it.each(legacyClients)('does not block other changes of the session: %s', async (_, connect) => {
    const { open } = await setUp(withLoader('broken', () => new Promise(() => {})));
    const client = await open(connect);
    let isWaiting = true;
    const ended = () => void (isWaiting = false);
    client.call('enable_toolset', { toolset: 'broken' }).then(ended, ended);
    expect(await client.call('enable_toolset', { toolset: 'users' })).toMatchObject({ isError: false });
    expect(await client.call('disable_toolset', { toolset: 'users' })).toMatchObject({ isError: false });
    expect(await activeOf(client)).toEqual([]);
    expect(isWaiting).toBe(true);
  });

  it.each(legacyClients)('does not count against the limit until it ends: %s', async (_, connect) => {
    let load: (tools: readonly unknown[]) => void = () => {};
    const { open } = await setUp({
      ...withLoader('broken', () => new Promise((resolve) => (load = resolve))),
      exposurePolicy: { maxActiveToolsets: 1 },
    });
    const client = await open(connect);
    const slow = client.call('enable_toolset', { toolset: 'broken' });
    expect(await client.call('enable_toolset', { toolset: 'users' })).toMatchObject({ isError: false });
    load([]);
    expect(await slow).toMatchObject({ isError: true, text: expect.stringContaining('At most 1 toolsets') });
    expect(await activeOf(client)).toEqual(['users']);
  });
});

describe('a cancelled call that enables a toolset', () => {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const send = (url: string, body: object, more: Readonly<Record<string, string>> = {}) =>
    fetch(url, { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(body) });

  it('does not enable it later', async () => {
    let load: (tools: readonly unknown[]) => void = () => {};
    let isAsked = (): void => {};
    const asked = new Promise<void>((resolve) => (isAsked = resolve));
    const { server } = await setUp(
      withLoader('users', () => {
        isAsked();
        return new Promise((resolve) => (load = resolve));
      }),
    );
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'c', version: '1' },
    };
    const opened = await send(server.url, { jsonrpc: '2.0', id: 0, method: 'initialize', params });
    await opened.text();
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
    const call = (id: number, name: string, args: object = {}) =>
      send(
        server.url,
        { jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } },
        session,
      ).then((response) => response.text());
    const enabling = call(1, 'enable_toolset', { toolset: 'users' });
    await asked;
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
    await (await send(server.url, cancelled, session)).text();
    expect(await enabling).not.toContain('list_changed');
    load([]);
    // A later change would wait behind the cancelled one, if that were still queued.
    await call(2, 'enable_toolset', { toolset: 'basics' });
    const listed = await call(3, 'list_toolsets');
    expect(listed).toMatch(/"key\\*":\\*"basics\\*"[^}]*"isActive\\*":true/);
    expect(listed).toMatch(/"key\\*":\\*"users\\*"[^}]*"isActive\\*":false/);
  });
});
