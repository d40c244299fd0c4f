import { expect, it } from 'vitest';
import { ToolRegistry } from 'toolfold';
import { MemorySessionStore, createHandler } from 'toolfold/web';
import type { Authenticator } from 'toolfold/web';

const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const known = {
  token: 't',
  clientId: 'c',
  scopes: ['read'],
  extra: { sub: 'ada' },
  resourceMetadataUrl: 'https://mcp.example.com/.well-known/oauth-protected-resource',
};
const auth: Authenticator = { authenticate: () => ({ auth: known }) };

/** A session of one handler, in a store that another handler shares. */
async function setUp(protocolVersion = '2025-11-25') {
  const store = new MemorySessionStore();
  const create = () =>
    createHandler(
      new ToolRegistry({ name: 'acme', version: '1.0.0' }).register(
        { name: 'ping', description: 'Answers', inputSchema: {}, handler: () => 'pong' },
        { name: 'ban', description: 'Bans', scopes: ['write'], inputSchema: {}, handler: () => 'banned' },
      ),
      { auth, sessions: { store } },
    );
  const [first, second] = [create(), create()];
  const post = (handler: typeof first, body: unknown, session?: string) =>
    handler.fetch(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: { ...headers, ...(session === undefined ? {} : { 'mcp-session-id': session }) },
        body: JSON.stringify(body),
      }),
    );
  const params = {
    protocolVersion,
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  };
  const opened = await post(first, { jsonrpc: '2.0', id: 1, method: 'initialize', params });
  const session = opened.headers.get('mcp-session-id') ?? '';
  return {
    ask: (body: unknown) => post(second, body, session),
    close: () => Promise.all([first.close(), second.close()]),
  };
}

const call = (name: string, _meta = {}) => ({
  jsonrpc: '2.0',
  id: 2,
  method: 'tools/call',
  params: { name, arguments: {}, _meta },
});

it('serves a session of another process with a shared store', async () => {
  const { ask, close } = await setUp();
  expect(await (await ask(call('ping'))).json()).toMatchObject({ result: { content: [{ text: 'pong' }] } });
  await close();
});

it('challenges a call in a session for missing scopes, also with progress, but not in a batch', async () => {
  const { ask, close } = await setUp('2025-03-26');
  for (const meta of [{}, { progressToken: 1 }]) {
    const rejected = await ask(call('ban', meta));
    expect(rejected.status).toBe(403);
    expect(rejected.headers.get('www-authenticate')).toContain('error="insufficient_scope"');
  }
  const batch = await ask([call('ban')]);
  expect(batch.status).toBe(200);
  expect(await batch.json()).toMatchObject([{ result: { isError: true } }]);
  await close();
});
