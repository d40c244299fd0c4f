import { describe, expect, it } from 'vitest';
import type { ToolsetConfig } from 'toolfold/web';
import { ToolRegistry } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import { Toolsets } from 'toolfold/web';
import type { ServeHttpOptions } from 'toolfold/node';
import { allClients, legacyClients, modern } from './toolset-clients.js';
import type { Connect, TestClient } from './toolset-clients.js';
import { configOf, start, loadsOf } from './toolset-server.js';
import { cleanUps } from './toolset-setup.js';

// Mistakes that other servers with toolsets make, one test for each.

const header = { name: 'x-config', encoding: 'json', allowedKeys: ['accessToken'] } as const;
const tenant = (name: string) => ({ 'x-config': JSON.stringify({ accessToken: `token-of-${name}` }) });
const [, connectLegacy] = legacyClients[0]!;

async function setUp(config: Partial<ToolsetConfig> = {}, options: ServeHttpOptions = {}) {
  const toolsets = configOf({ sessionContext: { header }, ...config });
  const server = await start(toolsets, options);
  cleanUps.push(() => server.close());
  const open = async (connect: Connect, headers?: Record<string, string>, path = ''): Promise<TestClient> => {
    const client = await connect(`${server.url}${path}`, headers);
    cleanUps.push(() => client.close());
    return client;
  };
  return { server, open, loads: loadsOf(toolsets) };
}

const DYNAMIC: Partial<ToolsetConfig> = {
  startup: { mode: 'DYNAMIC' },
  exposurePolicy: { denylist: ['broken'] },
};
const tokenOf = async (client: TestClient): Promise<string> =>
  ((await client.call('whoami')).data as { token: string }).token;

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
};
const post = (url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(body),
  });

describe('a server with toolsets', () => {
  it('serves several clients if all toolsets are active from the start', async () => {
    const { open } = await setUp();
    const clients = await Promise.all([...allClients, ...allClients].map(([, connect]) => open(connect)));
    const answers = await Promise.all(clients.map((client) => client.call('list_users')));
    expect(answers.map(({ text }) => text)).toEqual(clients.map(() => 'list_users'));
  });

  it('answers an unknown session with 404, so that the client opens a new one', async () => {
    const { server } = await setUp(DYNAMIC);
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const response = await post(server.url, list, { 'mcp-session-id': 'gone' });
    expect(response.status).toBe(404);
    expect(await response.text()).toContain('Session not found or expired');
  });

  it('never serves a tenant with modules loaded with the header token of another', async () => {
    const { open } = await setUp();
    for (const [, connect] of allClients) {
      const [ada, bob] = [await open(connect, tenant('ada')), await open(connect, tenant('bob'))];
      for (const [client, name] of [
        [ada, 'ada'],
        [bob, 'bob'],
        [ada, 'ada'],
      ] as const)
        expect(await tokenOf(client)).toBe(`token-of-${name}`);
    }
  });

  it('does not share grants between callers with the same client id', async () => {
    const auth = {
      authenticate: (read: (name: string) => string | undefined) => ({
        auth: { token: read('x-user') ?? '', clientId: 'c', scopes: [], extra: { sub: read('x-user') } },
      }),
    };
    const select: ToolsetConfig['select'] = (caller) =>
      caller?.extra?.['sub'] === 'admin' ? undefined : { toolsets: ['users'], readOnly: true };
    const { open } = await setUp({ select }, { auth });
    const same = { 'mcp-client-id': 'one-and-the-same', ...tenant('acme') };
    for (const [, connect] of allClients) {
      const admin = await open(connect, { ...same, 'x-user': 'admin' });
      expect(await admin.names()).toContain('pay_invoice');
      const guest = await open(connect, { ...same, 'x-user': 'guest' });
      expect(await guest.names()).toEqual(['ping', 'list_users', 'read_audit']);
      await expect(guest.call('pay_invoice')).rejects.toThrow('Unknown tool');
      expect(await admin.names()).toContain('pay_invoice');
    }
  });

  it('removes the tools of a disabled toolset, and restores them', async () => {
    const { open } = await setUp(DYNAMIC);
    const client = await open(connectLegacy);
    const before = await client.names();
    await client.call('enable_toolset', { toolset: 'users' });
    await client.call('disable_toolset', { toolset: 'users' });
    expect(await client.names()).toEqual(before);
    await expect(client.call('add_user')).rejects.toThrow('Unknown tool');
    expect(await client.call('enable_toolset', { toolset: 'users' })).toMatchObject({ isError: false });
    expect(await client.call('add_user')).toMatchObject({ text: 'add_user' });
  });

  it('does not report a toolset as enabled if its loader throws', async () => {
    const { open } = await setUp({ startup: { mode: 'DYNAMIC' } });
    const client = await open(connectLegacy);
    expect(await client.call('enable_toolset', { toolset: 'broken' })).toMatchObject({ isError: true });
    const { data } = await client.call('list_toolsets');
    const { toolsets } = data as {
      toolsets: readonly { readonly key: string; readonly isActive: boolean }[];
    };
    expect(toolsets.map(({ key, isActive }) => [key, isActive])).toContainEqual(['broken', false]);
  });

  it.each(['constructor', '__proto__', 'toString', '_meta'])(
    'rejects the unknown toolset %s',
    async (toolset) => {
      const { open } = await setUp(DYNAMIC);
      const client = await open(connectLegacy);
      const { isError, text } = await client.call('enable_toolset', { toolset });
      expect(isError).toBe(true);
      expect(text).toContain(`Unknown toolset "${toolset}"`);
    },
  );

  it('keeps active clients under a flood of requests, and loads nothing for it', async () => {
    const { server, open, loads } = await setUp(DYNAMIC, { sessions: { max: 50 } });
    const [live, stateless] = [
      await open(connectLegacy, tenant('ada')),
      await open(modern, tenant('ada'), '/x/users'),
    ];
    await live.call('enable_toolset', { toolset: 'users' });
    await stateless.names();
    const before = loads.length;
    for (let round = 0; round < 10; round++) {
      await Promise.all(
        Array.from({ length: 100 }, async (_, at) => {
          const headers = { 'mcp-client-id': `junk-${round}-${at}` };
          const response = await post(server.url, at % 2 === 0 ? initialize : { junk: at }, headers);
          await response.arrayBuffer();
        }),
      );
    }
    expect(loads).toHaveLength(before);
    expect(await live.call('add_user')).toMatchObject({ text: 'add_user' });
    expect(await live.names()).toContain('add_user');
    expect(await stateless.names()).toContain('add_user');
    expect(loads).toHaveLength(before);
  });

  it('loads a module for a second toolset that shares it', async () => {
    const { open } = await setUp(DYNAMIC);
    const client = await open(connectLegacy);
    for (const toolset of ['users', 'billing']) await client.call('enable_toolset', { toolset });
    await client.call('disable_toolset', { toolset: 'users' });
    expect(await client.call('read_audit')).toMatchObject({ text: 'read_audit' });
    expect(await client.call('pay_invoice')).toMatchObject({ text: 'pay_invoice' });
  });

  it('rejects tokens in the URL', async () => {
    const queryParam = { name: 'config', encoding: 'json', allowedKeys: ['accessToken'] } as const;
    const { server } = await setUp({ sessionContext: { queryParam } });
    const query = `?config=${encodeURIComponent('{"accessToken":"secret"}')}`;
    const response = await post(`${server.url}${query}`, initialize);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('credentials must not be sent in a URL');
  });

  it('rejects pages of other origins', async () => {
    const { server } = await setUp();
    const response = await post(server.url, initialize, { origin: 'https://evil.example' });
    expect(response.status).toBe(403);
    expect(response.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('listens on 127.0.0.1 by default', async () => {
    const { server } = await setUp();
    expect(server.server.address()).toMatchObject({ address: '127.0.0.1' });
  });

  it.each(legacyClients)('announces a toolset with several tools once: %s', async (_, connect) => {
    const { open } = await setUp(DYNAMIC);
    const client = await open(connect);
    await client.call('enable_toolset', { toolset: 'users' });
    expect((await client.names()).length).toBeGreaterThan(7);
    expect(client.changes()).toBe(1);
  });

  it('does not fall back to the server token if the token of a request is malformed', async () => {
    const { server, loads } = await setUp();
    for (const wrong of ['{"accessToken":', '[]', '{"accessToken":{"a":1}}']) {
      const response = await post(server.url, initialize, { 'x-config': wrong });
      // JSON that is not a token is rejected when the token is needed.
      if (response.status === 400) continue;
      const sessionId = response.headers.get('mcp-session-id') ?? '';
      const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'whoami', arguments: {} } };
      const answer = await post(server.url, call, { 'x-config': wrong, 'mcp-session-id': sessionId });
      expect(await answer.text()).not.toContain('token-of-the-server');
    }
    expect(loads.join()).not.toContain('token-of-the-server');
  });

  it('uses the token of a session if all toolsets are active from the start', async () => {
    const { open } = await setUp({
      startup: { mode: 'STATIC', toolsets: 'ALL' },
      exposurePolicy: { denylist: ['broken'] },
    });
    for (const [, connect] of allClients)
      expect(await tokenOf(await open(connect, tenant('ada')))).toBe('token-of-ada');
  });

  it('distinguishes two clients behind one proxy', async () => {
    const logged: unknown[] = [];
    const logger = Object.fromEntries(
      ['debug', 'info', 'warn', 'error'].map((level) => [level, (fields: unknown) => logged.push(fields)]),
    );
    const registry = new ToolRegistry({ logger: logger as never });
    registry.register({ name: 'ping', description: 'Answers', inputSchema: {}, handler: () => 'pong' });
    const server = await serveHttp(registry, { port: 0, closeOnSignals: false, trustedProxies: 1 });
    cleanUps.push(() => server.close());
    for (const address of ['203.0.113.1', '203.0.113.2', '203.0.113.1']) {
      const client = await modern(server.url, { 'x-forwarded-for': `9.9.9.9, ${address}` });
      await client.call('ping');
      await client.close();
    }
    const ids = logged.flatMap((fields) => (fields as { clientId?: string }).clientId ?? []);
    expect(new Set(ids).size).toBe(2);
    for (const id of ids) expect(id).toMatch(/^auto-[0-9a-f]{16}$/);
  });

  it('finds a session again although the user agent has changed', async () => {
    const { server } = await setUp(DYNAMIC);
    const opened = await post(server.url, initialize, { 'user-agent': 'one', 'mcp-client-id': 'a' });
    const sessionId = opened.headers.get('mcp-session-id') ?? '';
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
    const headers = { 'mcp-session-id': sessionId, 'user-agent': 'two', 'mcp-client-id': 'a' };
    expect((await post(server.url, list, headers)).status).toBe(200);
  });
});

describe('callers that share a policy', () => {
  it('share one view, ten thousand of them', async () => {
    const registry = new ToolRegistry();
    const toolsets = new Toolsets(registry, configOf());
    const views = new Set<unknown>();
    for (let caller = 0; caller < 10_000; caller++)
      views.add(await toolsets.view(['users', 'billing'], toolsets.contextOf(), { toolsets: ['users'] }));
    expect(views.size).toBe(1);
  });
});
