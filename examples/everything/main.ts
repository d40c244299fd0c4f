/**
 * Starts the server with all features, and calls it from a 2026 client and a 2025 client. Exits with an error if an
 * assertion fails.
 */
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { serveHttp } from 'toolfold/node';
import { createEverything } from './registry.js';

const running = await serveHttp(createEverything(), { port: 0 });

for (const mode of ['auto', 'legacy'] as const) {
  const client = new Client(
    { name: 'example', version: '1.0.0' },
    { versionNegotiation: { mode }, capabilities: { elicitation: { form: {} } } },
  );
  client.setRequestHandler('elicitation/create', async () => ({
    action: 'accept',
    content: { name: 'Ada' },
  }));
  await client.connect(new StreamableHTTPClientTransport(new URL(running.url)));
  const [{ tools }, { prompts }, { resources }] = await Promise.all([
    client.listTools(),
    client.listPrompts(),
    client.listResources(),
  ]);
  console.log(
    client.getNegotiatedProtocolVersion(),
    `${tools.length} tools, ${prompts.length} prompts, ${resources.length} resources`,
  );
  const { content } = await client.callTool({ name: 'test_input_required_result_elicitation' });
  console.log(content);
  assert.deepEqual(content, [{ type: 'text', text: 'Hello, Ada!' }]);
  await client.close();
}
await running.close();
