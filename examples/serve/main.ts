/**
 * Serves a registry over HTTP and calls it from a 2026 client and a 2025 client. Exits with an error if an assertion
 * fails.
 */
// #region serve
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import * as z from 'zod';

const users = new GroupedToolBuilder('users')
  .description('People')
  .action({ name: 'list', readOnly: true, handler: () => ['Ada', 'Grace'] })
  .action({
    name: 'greet',
    readOnly: true,
    inputSchema: z.object({ who: z.string() }),
    handler: ({ input }) => `Hello ${input.who}`,
  });
const registry = new ToolRegistry({ name: 'acme', version: '1.0.0' }).register(users);
const running = await serveHttp(registry, { port: 0 });
// #endregion serve

// #region ask
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

for (const mode of ['auto', 'legacy'] as const) {
  const client = new Client({ name: 'example', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL(running.url)));
  const { content } = await client.callTool({ name: 'users', arguments: { action: 'greet', who: 'Ada' } });
  console.log(client.getNegotiatedProtocolVersion(), content);
  assert.deepEqual(content, [{ type: 'text', text: 'Hello Ada' }]);
  await client.close();
}
await running.close();
// #endregion ask
