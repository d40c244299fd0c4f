/**
 * Starts the server that shows everything, and asks it as a client of 2026-07-28 and one of 2025 does. Exits with an
 * error when anything is not as it says.
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
