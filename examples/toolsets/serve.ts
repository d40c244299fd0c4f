/**
 * Serves toolsets over HTTP to 2025 and 2026 clients: selected by path and header, enabled in a session, searched,
 * called with the caller's credential, and limited by the caller's key. Exits with an error if an assertion fails.
 */
// #region serve
import { ToolRegistry } from 'toolfold';
import type { ToolsetConfig } from 'toolfold/web';
import { serveHttp } from 'toolfold/node';
import { apiKeys } from 'toolfold/web';

const tool = (name: string, description: string, readOnly: boolean, answer = name) => ({
  name,
  description,
  readOnly,
  inputSchema: {},
  handler: () => answer,
});
const toolsets: ToolsetConfig = {
  catalog: {
    users: { name: 'Users', description: 'People and their accounts', modules: ['users'] },
    billing: { name: 'Billing', description: 'Invoices and payments', modules: ['billing'] },
  },
  moduleLoaders: {
    users: () => [
      tool('list_users', 'Lists people', true),
      tool('add_user', 'Adds a person to the workspace', false),
    ],
    billing: (context) => [
      tool('list_invoices', 'Lists invoices', true, `invoices of ${String(context?.['accessToken'])}`),
    ],
  },
  startup: { mode: 'STATIC', toolsets: 'ALL' },
  context: { accessToken: 'the-server' },
  exposurePolicy: {},
};
const running = await serveHttp(new ToolRegistry({ name: 'acme' }), { port: 0, toolsets });
// #endregion serve

// #region client
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

type Headers = Readonly<Record<string, string>>;

async function connect(url: string, mode: 'auto' | 'legacy', headers: Headers = {}): Promise<Client> {
  const client = new Client({ name: 'example', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return client;
}

async function namesOf(client: Client): Promise<string> {
  return (await client.listTools()).tools.map(({ name }) => name).join(', ');
}

async function call(client: Client, name: string, args: Record<string, unknown> = {}): Promise<string> {
  const { content } = await client.callTool({ name, arguments: args });
  const [first] = content as { text?: string }[];
  return first?.text ?? '';
}
// #endregion client

// #region select
for (const [path, headers] of [
  ['', {}],
  ['/x/users', {}],
  ['/x/users/readonly', {}],
  ['/readonly', {}],
  ['', { 'X-MCP-Toolsets': 'billing' }],
  ['', { 'X-MCP-Tools': 'add_user,list_invoices' }],
  ['/x/users,billing', { 'X-MCP-Exclude-Tools': 'add_user' }],
] as [string, Headers][]) {
  const modern = await connect(`${running.url}${path}`, 'auto', headers);
  const legacy = await connect(`${running.url}${path}`, 'legacy', headers);
  assert.equal(await namesOf(modern), await namesOf(legacy));
  console.log(`/mcp${path}`, headers, '→', await namesOf(modern));
  await Promise.all([modern.close(), legacy.close()]);
}
// #endregion select

// #region unknown
const rejected = await fetch(`${running.url}/x/user`, {
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'example', version: '1' },
    },
  }),
});
assert.equal(rejected.status, 400);
console.log(rejected.status, ((await rejected.json()) as { error: { message: string } }).error.message);
await running.close();
// #endregion unknown

// #region dynamic
const discovering = await serveHttp(new ToolRegistry({ name: 'acme' }), {
  port: 0,
  toolsets: { ...toolsets, startup: { mode: 'DYNAMIC' } },
});
const [ada, bob] = [await connect(discovering.url, 'legacy'), await connect(discovering.url, 'legacy')];
let changes = 0;
ada.setNotificationHandler('notifications/tools/list_changed', () => void changes++);
console.log(await namesOf(ada));
console.log(await call(ada, 'enable_toolset', { toolset: 'users' }));
console.log('Ada:', await namesOf(ada));
console.log('Bob:', await namesOf(bob));
await call(ada, 'disable_toolset', { toolset: 'users' });
console.log('Ada:', await namesOf(ada));
const deadline = Date.now() + 10_000;
while (changes < 2 && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 10));
console.log('Ada was told', changes, 'times');
assert.equal(changes, 2);
await Promise.all([ada.close(), bob.close()]);
// #endregion dynamic

// #region search
const grace = await connect(discovering.url, 'auto');
console.log(await namesOf(grace));
console.log(await call(grace, 'search_tools', { query: 'add somebody', limit: 1 }));
console.log(await call(grace, 'call_write_tool', { address: 'add_user', arguments: {} }));
await grace.close();
await discovering.close();
// #endregion search

// #region session
const tenants = await serveHttp(new ToolRegistry({ name: 'acme' }), {
  port: 0,
  toolsets: {
    ...toolsets,
    sessionContext: {
      header: { name: 'mcp-session-config', encoding: 'base64', allowedKeys: ['accessToken'] },
      credentialKeys: ['accessToken'],
    },
  },
});
for (const mode of ['auto', 'legacy'] as const) {
  const own = { 'mcp-session-config': btoa(JSON.stringify({ accessToken: 'ada' })) };
  const [without, caller] = [await connect(tenants.url, mode), await connect(tenants.url, mode, own)];
  console.log(await call(without, 'list_invoices'), '|', await call(caller, 'list_invoices'));
  assert.equal(await call(without, 'list_invoices'), 'invoices of the-server');
  assert.equal(await call(caller, 'list_invoices'), 'invoices of ada');
  await Promise.all([without.close(), caller.close()]);
}
await tenants.close();
// #endregion session

// #region claims
const [keyOfAda, keyOfBob] = [crypto.randomUUID(), crypto.randomUUID()];
const guarded = await serveHttp(new ToolRegistry({ name: 'acme' }), {
  port: 0,
  auth: apiKeys({
    keys: [
      { key: keyOfAda, clientId: 'ada', scopes: ['users', 'write'] },
      { key: keyOfBob, clientId: 'bob', scopes: ['users'] },
    ],
  }),
  toolsets: {
    ...toolsets,
    select: (auth) => ({
      toolsets: auth?.scopes ?? [],
      readOnly: auth?.scopes?.includes('write') !== true,
    }),
  },
});
for (const [name, key] of Object.entries({ Ada: keyOfAda, Bob: keyOfBob })) {
  const client = await connect(guarded.url, 'auto', { 'x-api-key': key });
  console.log(`${name}:`, await namesOf(client));
  assert.equal(await namesOf(client), name === 'Ada' ? 'list_users, add_user' : 'list_users');
  await client.close();
}
await guarded.close();
// #endregion claims
