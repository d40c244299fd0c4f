import { describe, expect, it } from 'vitest';
import { ModeConfigMapper, ServerModeEnforcer } from 'toolfold/web';
import type { ServerMode, ToolsetConfig } from 'toolfold/web';
import { allClients, legacyClients } from './toolset-clients.js';
import type { Connect, TestClient } from './toolset-clients.js';
import { configOf, start, loadsOf } from './toolset-server.js';
import { cleanUps, openSession } from './toolset-setup.js';
import { initializeRequest, modernRequest } from './raw-request.js';

const KEY = 'ACME_ACCESS_TOKEN';
const encode = (value: unknown): string => btoa(typeof value === 'string' ? value : JSON.stringify(value));
const headerOf = (token: string) => ({ 'mcp-session-config': encode({ [KEY]: token }) });

/** A server as the mapper configures it for a mode. */
async function setUp(mode: ServerMode, change: (config: ToolsetConfig) => ToolsetConfig = (same) => same) {
  const shared = configOf();
  const { catalog, moduleLoaders } = shared;
  const asked = mode === 'STATIC_TOOL_SETS' ? { STATIC_TOOL_SETS: 'users,basics' } : {};
  const enforcer = new ServerModeEnforcer({
    catalog,
    moduleLoaders,
    credentialKey: KEY,
    argv: [],
    env: asked,
  });
  const config = ModeConfigMapper.toToolsetConfig(mode, {}, enforcer, 'token-of-the-server');
  const withoutBroken = { ...config, exposurePolicy: { ...config.exposurePolicy, denylist: ['broken'] } };
  const server = await start(change(withoutBroken));
  cleanUps.push(() => server.close());
  const open = async (
    connect: Connect,
    headers?: Record<string, string>,
    query = '',
  ): Promise<TestClient> => {
    const client = await connect(`${server.url}${query}`, headers);
    cleanUps.push(() => client.close());
    return client;
  };
  return { server, open, loads: loadsOf(shared) };
}

/** The answer of `whoami`, in any form. */
async function whoami(client: TestClient): Promise<{ token: string; session: Record<string, unknown> }> {
  const names = await client.names();
  if (names.includes('enable_toolset')) {
    await client.call('enable_toolset', { toolset: 'basics' });
    await client.call('enable_toolset', { toolset: 'users' });
  }
  const found = names.includes('search_tools')
    ? await client.call('call_read_tool', { address: 'whoami', arguments: {} })
    : await client.call('whoami');
  return found.data as never;
}

const modes = ['DYNAMIC_TOOL_DISCOVERY', 'STATIC_TOOL_SETS', 'ALL_TOOLS'] as const;

describe.each(modes)('the session’s credential, %s', (mode) => {
  it.each(allClients)('[S003-48] overrides that of the server: %s', async (_, connect) => {
    const { open, loads } = await setUp(mode);
    const [none, ada, bob] = await Promise.all([
      open(connect),
      open(connect, headerOf('token-of-ada')),
      open(connect, headerOf('token-of-bob')),
    ]);
    const tokens = await Promise.all(
      [none, ada, bob, ada, none, bob].map(async (each) => (await whoami(each)).token),
    );
    expect(tokens).toEqual(
      ['the-server', 'ada', 'bob', 'ada', 'the-server', 'bob'].map((name) => `token-of-${name}`),
    );
    expect(loads.filter((load) => load.startsWith('users')).toSorted()).toEqual(
      ['ada', 'bob', 'the-server'].map((name) => `users token-of-${name}`),
    );
  });
});

describe('the session context of a request', () => {
  it.each(allClients)(
    '[S003-28] [S003-29] [S003-31] [S003-32] may be in the URL, once credentials are allowed there: %s',
    async (_, connect) => {
      const { open } = await setUp('ALL_TOOLS', (config) => ({
        ...config,
        sessionContext: { ...config.sessionContext, allowCredentials: true },
      }));
      const client = await open(connect, {}, `?config=${encodeURIComponent(encode({ [KEY]: 'your_key' }))}`);
      expect(await whoami(client)).toEqual({
        token: 'your_key',
        session: { accessToken: 'your_key', [KEY]: 'your_key' },
      });
    },
  );

  it.each(['initialize', 'tools/list'])(
    'is rejected with 400 if it is invalid, and never replaced by that of the server: %s',
    async (method) => {
      const { server, loads } = await setUp('ALL_TOOLS');
      const wrong: readonly (readonly [string, Record<string, string>, string])[] = [
        [`?config=${encode({ [KEY]: 'x' })}`, {}, 'credentials must not be sent in a URL'],
        ['?config=%%%', {}, 'is not JSON in Base64'],
        ['?config=', {}, 'is not JSON in Base64'],
        [`?config=${encode('[]')}&config=${encode('{}')}`, {}, 'occurs 2 times'],
        ['', { 'mcp-session-config': 'no base64!' }, 'is not JSON in Base64'],
        ['', { 'mcp-session-config': encode('[1]') }, 'is not an object'],
        ['', { 'mcp-session-config': encode({ role: 'admin' }) }, 'contains "role", which is not allowed'],
        ['', { 'mcp-session-config': encode({ [KEY]: '' }) }, 'must be text that is not empty'],
        ['', { 'mcp-session-config': encode(`{"__proto__":{"x":1},"${KEY}":"t"}`) }, 'contains "__proto__"'],
      ];
      for (const [query, headers, message] of wrong) {
        const request =
          method === 'tools/list' ? modernRequest(method, {}, { headers }) : initializeRequest(headers);
        const response = await fetch(`${server.url}${query}`, request);
        const text = await response.text();
        expect([query, headers, response.status]).toEqual([query, headers, 400]);
        expect(JSON.parse(text).error.message).toContain(message);
      }
      expect(loads).toEqual([]);
    },
  );

  it.each(legacyClients)('is not changed by other requests and sessions: %s', async (_, connect) => {
    const { server, open } = await setUp('ALL_TOOLS');
    const ada = await open(connect, headerOf('token-of-ada'));
    expect((await whoami(ada)).token).toBe('token-of-ada');
    const bob = await open(connect, headerOf('token-of-bob'));
    const interleaved = await Promise.all(
      [ada, bob, ada, bob, ada].map(async (each) => (await whoami(each)).token),
    );
    expect(interleaved).toEqual(['ada', 'bob', 'ada', 'bob', 'ada'].map((name) => `token-of-${name}`));
    expect(server.url).toContain('/mcp');
  });

  it.each(allClients)('is not revealed when a loader fails: %s', async (_, connect) => {
    const errors: unknown[] = [];
    const { moduleLoaders, catalog } = configOf();
    const server = await start(
      {
        ...configOf({ startup: { mode: 'STATIC', toolsets: ['broken'] } }),
        catalog,
        moduleLoaders: {
          ...moduleLoaders,
          broken: (context) => {
            throw new Error(`401 for ${String(context?.['accessToken'])}`);
          },
        },
        sessionContext: { header: { name: 'x-config', encoding: 'json', allowedKeys: ['accessToken'] } },
      },
      { onError: (error) => errors.push(error) },
    );
    cleanUps.push(() => server.close());
    const client = await connect(server.url, { 'x-config': '{"accessToken":"secret-of-ada-123"}' });
    cleanUps.push(() => client.close());
    const failure = await client.names().catch((error: unknown) => String(error));
    expect(failure).toContain('The server failed to answer.');
    expect(failure).not.toContain('secret-of-ada-123');
    expect(errors.length).toBeGreaterThan(0);
    expect(errors.map(String).join()).not.toContain('secret-of-ada-123');
  });
});

describe('an asynchronous context resolver', () => {
  it('is rejected, and does not give all callers an empty context', async () => {
    const errors: unknown[] = [];
    const toolsets = configOf({
      startup: { mode: 'STATIC', toolsets: ['basics'] },
      sessionContext: {
        contextResolver: (async (_: unknown, context: object) => ({ ...context, tenant: 'ada' })) as never,
      },
    });
    const server = await start(toolsets, { onError: (error) => errors.push(error) });
    cleanUps.push(() => server.close());
    const session = await openSession(server.url, '2025-11-25');
    const text = await (await session.call('whoami', {})).text();
    expect(text).not.toContain('"session\\":{}');
    expect(String(errors[0])).toContain('contextResolver');
  });
});
