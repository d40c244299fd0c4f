import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import express from 'express';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { ToolRegistry } from 'toolfold';
import { toNodeListener } from 'toolfold/node';
import { createHandler } from 'toolfold/web';

it.each(['auto', 'legacy'] as const)('serves a body that a parser has already read (%s)', async (mode) => {
  const registry = new ToolRegistry({ name: 'acme', version: '1.0.0' }).register({
    name: 'greet',
    description: 'Greets somebody',
    inputSchema: z.object({ who: z.string() }),
    handler: ({ input }) => `Hello ${input.who}`,
  });
  const handler = createHandler(registry);
  const app = express();
  app.use(express.json());
  app.all('/mcp', toNodeListener(handler));
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode } });
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
  await client.connect(new StreamableHTTPClientTransport(url));
  const { content } = await client.callTool({ name: 'greet', arguments: { who: 'Ada' } });
  expect(content).toEqual([{ type: 'text', text: 'Hello Ada' }]);
  await client.close();
  await handler.close();
  server.close();
});
