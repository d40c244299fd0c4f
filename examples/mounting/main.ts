/**
 * Mounts a registry in existing servers: `node:http`, Express, Fastify and Hono. A 2026 client and a 2025 client call
 * each of them; plain requests read its metadata and check what it rejects. Exits with an error if an assertion fails.
 */
import assert from 'node:assert/strict';
import type { AddressInfo, Server } from 'node:net';
import { serve } from '@hono/node-server';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { startAuthorizationServer } from '../auth/authorization-server.js';

const { issuer, grant, close } = await startAuthorizationServer();

// #region handler
import { ToolRegistry } from 'toolfold';
import { toNodeListener } from 'toolfold/node';
import { createHandler, oauth } from 'toolfold/web';
import * as z from 'zod';

const registry = new ToolRegistry({ name: 'acme', version: '1.0.0' }).register({
  name: 'greet',
  description: 'Greets somebody',
  readOnly: true,
  inputSchema: z.object({ who: z.string() }),
  handler: ({ input }) => `Hello ${input.who.slice(0, 20)}`,
});
const resource = 'https://mcp.example.com/mcp'; // the public address of the server
const handler = createHandler(registry, { auth: oauth({ issuer, resource }) });
const listener = toNodeListener(handler);
// The path for calls, and the path where clients look up the authorization server.
const paths = ['/mcp', '/.well-known/oauth-protected-resource/mcp'];
// #endregion handler

const authorization = `Bearer ${await grant('ada', '', resource)}`;

async function ask(what: string, server: Server): Promise<void> {
  if (!server.listening) await new Promise((resolve) => server.once('listening', resolve));
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
  for (const mode of ['auto', 'legacy'] as const) {
    const client = new Client({ name: 'example', version: '1.0.0' }, { versionNegotiation: { mode } });
    const requestInit = { headers: { authorization } };
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
    const { content } = await client.callTool({ name: 'greet', arguments: { who: what } });
    assert.deepEqual(content, [{ type: 'text', text: `Hello ${what}` }]);
    console.log(what, client.getNegotiatedProtocolVersion(), JSON.stringify(content));
    // This body is larger than the limit of Express's body parser.
    const large = await client.callTool({ name: 'greet', arguments: { who: 'x'.repeat(900_000) } });
    assert.equal(large.isError, undefined);
    await client.close();
  }
  const metadata = await fetch(new URL('/.well-known/oauth-protected-resource/mcp', url));
  assert.deepEqual(
    [metadata.status, ((await metadata.json()) as { resource: string }).resource],
    [200, resource],
  );

  const post = async (body: string, headers: Record<string, string>): Promise<unknown[]> => {
    const init = { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } };
    const answer = await fetch(url, init);
    return [answer.status, ((await answer.json()) as { error: { code: number } }).error.code];
  };
  assert.deepEqual(await post('{', {}), [401, -32_000]);
  assert.deepEqual(await post('{', { authorization }), [400, -32_700]);
  assert.deepEqual(await post('x'.repeat(5_000_000), { authorization }), [413, -32_000]);
}

// #region node
import { createServer } from 'node:http';

const node = createServer((request, response) => {
  if (paths.includes(request.url ?? '')) listener(request, response);
  else response.writeHead(404).end();
}).listen(0, '127.0.0.1');
// #endregion node
await ask('node:http', node);

// #region express
import express from 'express';

const app = express();
app.all(paths, listener);
app.use(express.json()); // for the routes below
// #endregion express
const expressServer = app.listen(0, '127.0.0.1');
await ask('Express', expressServer);

// #region fastify
import fastify from 'fastify';

const server = fastify();
server.register(async (scope) => {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
  for (const path of paths) {
    scope.all(path, (request, reply) => {
      reply.hijack();
      listener(request.raw, reply.raw);
    });
  }
});
// #endregion fastify
await server.listen({ port: 0, host: '127.0.0.1' });
await ask('Fastify', server.server);

// #region hono
import { Hono } from 'hono';

const hono = new Hono();
hono.on('ALL', paths, (context) => handler.fetch(context.req.raw));
// #endregion hono
const honoServer = serve({ fetch: hono.fetch, port: 0, hostname: '127.0.0.1' }) as Server;
await ask('Hono', honoServer);

await handler.close();
await server.close();
for (const each of [node, expressServer, honoServer]) each.close();
close();
