/**
 * A registry inside servers that are there already: `node:http`, Express, Fastify and Hono. Each is asked by a client of
 * 2026-07-28 and one of 2025. Exits with an error when anything is not as it says.
 */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { serve } from '@hono/node-server';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { ToolRegistry } from 'toolfold';
import { createHandler, toNodeListener } from 'toolfold/node';
import * as z from 'zod';

// #region handler
const registry = new ToolRegistry({ name: 'acme', version: '1.0.0' }).register({
  name: 'greet',
  description: 'Greets somebody',
  readOnly: true,
  inputSchema: z.object({ who: z.string() }),
  handler: ({ input }) => `Hello ${input.who}`,
});
const handler = createHandler(registry);
// #endregion handler

async function ask(what: string, server: Server): Promise<void> {
  if (!server.listening) await new Promise((resolve) => server.once('listening', resolve));
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
  for (const mode of ['auto', 'legacy'] as const) {
    const client = new Client({ name: 'example', version: '1.0.0' }, { versionNegotiation: { mode } });
    await client.connect(new StreamableHTTPClientTransport(url));
    const { content } = await client.callTool({ name: 'greet', arguments: { who: what } });
    assert.deepEqual(content, [{ type: 'text', text: `Hello ${what}` }]);
    console.log(what, client.getNegotiatedProtocolVersion(), JSON.stringify(content));
    await client.close();
  }
}

// #region node
const listener = toNodeListener(handler);
const node = createServer((request, response) => {
  if (request.url === '/mcp') listener(request, response);
  else response.writeHead(404).end();
}).listen(0, '127.0.0.1');
// #endregion node
await ask('node:http', node);

// #region express
const app = express();
app.use(express.json());
app.all('/mcp', toNodeListener(handler));
// #endregion express
const expressServer = app.listen(0, '127.0.0.1');
await ask('Express', expressServer);

// #region fastify
const server = fastify();
server.all('/mcp', (request, reply) => {
  reply.hijack();
  toNodeListener(handler)(Object.assign(request.raw, { body: request.body }), reply.raw);
});
// #endregion fastify
await server.listen({ port: 0, host: '127.0.0.1' });
await ask('Fastify', server.server);

// #region hono
const hono = new Hono();
hono.all('/mcp', (context) => handler.fetch(context.req.raw));
// #endregion hono
const honoServer = serve({ fetch: hono.fetch, port: 0, hostname: '127.0.0.1' }) as Server;
await ask('Hono', honoServer);

await handler.close();
await server.close();
for (const each of [node, expressServer, honoServer]) each.close();
