/** Sends requests to the worker without a network. Exits with an error if an assertion fails. */
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import worker from './worker.js';

for (const mode of ['auto', 'legacy'] as const) {
  const client = new Client({ name: 'example', version: '1.0.0' }, { versionNegotiation: { mode } });
  const transport = new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), {
    fetch: async (url, init) => worker.fetch(new Request(url, init)),
  });
  await client.connect(transport);
  const booked = await client.callTool({
    name: 'rooms',
    arguments: { action: 'book', room: 'Ada', hours: 2 },
  });
  console.log(client.getNegotiatedProtocolVersion(), booked.content);
  assert.deepEqual(booked.content, [{ type: 'text', text: 'Ada is yours for 2 hours' }]);
  const { isError } = await client.callTool({ name: 'convert', arguments: { minutes: 'ninety' } });
  assert.equal(isError, true);
  await client.close();
}
