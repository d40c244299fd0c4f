/** Serves `server.ts`, and calls it as two clients. Exits with an error if an assertion fails. */
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { serveHttp } from 'toolfold/node';
import server from './server.js';

const running = await serveHttp(server.registry, { ...server.http, port: 0 });
for (const mode of ['auto', 'legacy'] as const) {
  const client = new Client({ name: 'example', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(running.url)));
  console.log(client.getNegotiatedProtocolVersion());
  const { tools } = await client.listTools();
  console.log(tools[0]?.description);
  const { content } = await client.callTool({
    name: 'users',
    arguments: { action: 'ban', workspace: 'w1', user: 'u7' },
  });
  assert.match(JSON.stringify(content), /user: is not a known field/);
  console.log(content);
  await client.close();
}
await running.close();
