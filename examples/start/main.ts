/** Starts `server.ts`, asks it as a client of 2026-07-28 and as one of 2025, and ends it as an operator would. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const args = ['--import', 'tsx', fileURLToPath(new URL('server.ts', import.meta.url))];
const child = spawn(process.execPath, args, {
  env: { ...process.env, PORT: '0' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const [line] = (await once(child.stdout, 'data')) as [Buffer];
const url = new URL(line.toString().trim());
assert.equal(url.pathname, '/mcp');

for (const mode of ['auto', 'legacy'] as const) {
  const client = new Client(
    { name: 'example', version: '1.0.0' },
    { versionNegotiation: { mode }, capabilities: { elicitation: { form: {} } } },
  );
  client.setRequestHandler('elicitation/create', async () => ({
    action: 'accept',
    content: { name: 'Ada' },
  }));
  await client.connect(new StreamableHTTPClientTransport(url));
  const found = await client.callTool({ name: 'find_rooms', arguments: { seats: 4 } });
  const booked = await client.callTool({ name: 'book_room', arguments: { room: 'north' } });
  assert.deepEqual(booked.content, [{ type: 'text', text: 'north is booked for Ada.' }]);
  console.log(client.getNegotiatedProtocolVersion(), found.content, booked.content);
  await client.close();
}

child.kill('SIGTERM');
const [code] = (await once(child, 'exit')) as [number | null];
assert.equal(code, 0);
