/** Starts `server.ts` and calls it from a 2026 client and a 2025 client. */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const args = ['--import', 'tsx', fileURLToPath(new URL('server.ts', import.meta.url))];
for (const mode of ['auto', 'legacy'] as const) {
  const client = new Client({ name: 'example', version: '1.0.0' }, { versionNegotiation: { mode } });
  await client.connect(new StdioClientTransport({ command: process.execPath, args }));
  const { content } = await client.callTool({ name: 'greet', arguments: { who: 'Ada' } });
  console.log(client.getNegotiatedProtocolVersion(), content);
  assert.deepEqual(content, [{ type: 'text', text: 'Hello Ada' }]);
  await client.close();
}
