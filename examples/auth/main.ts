/**
 * A server that accepts access tokens, and one that also accepts API keys. Exits with an error if an assertion fails.
 */
import assert from 'node:assert/strict';
import { Client, InsufficientScopeError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { RunningServer } from 'toolfold/node';
import { startAuthorizationServer } from './authorization-server.js';

const { issuer, grant, close } = await startAuthorizationServer();

// #region registry
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import type { Caller } from 'toolfold';
import * as z from 'zod';

const subjectOf = ({ auth: verified }: Caller) => String(verified?.extra?.['sub'] ?? 'nobody');
const users = new GroupedToolBuilder('users')
  .action({
    name: 'me',
    readOnly: true,
    handler: ({ context }) => `You are ${subjectOf(context.caller)}`,
  })
  .action({
    name: 'ban',
    destructive: true,
    scopes: ['users:write'],
    inputSchema: z.object({ who: z.string() }),
    handler: ({ input }) => `${input.who} is banned`,
  });
const registry = new ToolRegistry({ name: 'acme', version: '1.0.0' }).register(users);
// #endregion registry

// #region oauth
import { serveHttp } from 'toolfold/node';
import { oauth, apiKeys } from 'toolfold/web';

const resource = 'https://mcp.example.com/mcp'; // the public address of the server
const tokens = oauth({ issuer, resource, requiredScopes: ['mcp'] });
const running = await serveHttp(registry, { port: 0, auth: tokens });
// #endregion oauth

const rejected = await fetch(running.url, { method: 'POST' });
assert.equal(rejected.status, 401);
console.log(rejected.status, rejected.headers.get('www-authenticate'));

const metadata = await fetch(new URL('/.well-known/oauth-protected-resource/mcp', running.url));
const { authorization_servers: servers, ...rest } = (await metadata.json()) as Record<string, unknown>;
assert.deepEqual(servers, [issuer]);
console.log(metadata.status, rest);

const connect = async ({ url }: RunningServer, headers: Record<string, string>): Promise<Client> => {
  const client = new Client({ name: 'example', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return client;
};
const textOf = async (call: ReturnType<Client['callTool']>) => (await call).content[0];

const ada = await connect(running, { authorization: `Bearer ${await grant('ada', 'mcp', resource)}` });
console.log(await textOf(ada.callTool({ name: 'users', arguments: { action: 'me' } })));
const ban = { name: 'users', arguments: { action: 'ban', who: 'Eve' } };
await assert.rejects(ada.callTool(ban), (error: unknown) => {
  assert(error instanceof InsufficientScopeError);
  console.log('403', error.errorDescription);
  return error.requiredScope === 'users:write';
});
await ada.close();

const grace = await connect(running, {
  authorization: `Bearer ${await grant('grace', 'mcp users:write', resource)}`,
});
console.log(await textOf(grace.callTool(ban)));
await grace.close();
await running.close();

// #region both
import type { Authenticator } from 'toolfold/web';

const secret = crypto.randomUUID();
const keys = apiKeys({
  keys: [{ key: secret, clientId: 'nightly', scopes: ['users:write'] }],
  header: 'x-api-key',
});
const auth: Authenticator = {
  ...tokens,
  headers: ['authorization', 'x-api-key'],
  authenticate: (header) => (header('x-api-key') ? keys : tokens).authenticate(header),
};
const both = await serveHttp(registry, {
  port: 0,
  auth,
  cors: { origins: ['https://app.example.com'] },
});
// #endregion both

const nightly = await connect(both, { 'x-api-key': secret });
console.log(await textOf(nightly.callTool({ name: 'users', arguments: { action: 'me' } })));
await nightly.close();

const preflight = await fetch(both.url, {
  method: 'OPTIONS',
  headers: { origin: 'https://app.example.com', 'access-control-request-method': 'POST' },
});
assert.equal(preflight.headers.get('access-control-allow-origin'), 'https://app.example.com');
assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /x-api-key/);
const elsewhere = await fetch(both.url, { method: 'OPTIONS', headers: { origin: 'https://evil.example' } });
assert.equal(elsewhere.status, 403);
await both.close();
close();
