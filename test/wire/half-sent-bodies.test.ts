/** Bodies that are still arriving do not affect other callers. */
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { ToolRegistry } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import type { RunningServer, ServeHttpOptions } from 'toolfold/node';
import { modernRequest } from './raw-request.js';

let running: RunningServer | undefined;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  running?.server.closeAllConnections();
  await running?.close();
});

async function start(options: ServeHttpOptions = {}): Promise<RunningServer> {
  const registry = new ToolRegistry({ name: 'acme', rateLimiter: false }).register({
    name: 'size',
    description: 'Says how long a text is',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
    handler: ({ input }) => String((input['text'] as string).length),
  });
  running = await serveHttp(registry, { port: 0, closeOnSignals: false, ...options });
  return running;
}

async function sendHalf({ url }: RunningServer, bytes: number): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => {});
  await once(socket, 'connect');
  const head = 'POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n';
  socket.write(`${head}content-length: ${2 * bytes}\r\n\r\n${' '.repeat(bytes)}`);
  return socket;
}

async function call({ url }: RunningServer, text: string): Promise<string> {
  const response = await fetch(url, modernRequest('tools/call', { name: 'size', arguments: { text } }));
  return `${response.status} ${await response.text()}`;
}

it.each([
  ['5 bytes', 5],
  ['200 KiB', 200 * 1024],
])('1,000 half-sent bodies of %s do not lock other callers out', async (_name, bytes) => {
  const server = await start({ maxRequests: 50 });
  for (let count = 0; count < 1_000; count++) await sendHalf(server, bytes);
  expect(await call(server, 'x')).toMatch(/^200 .*"1"/);
  expect(await call(server, 'x'.repeat(900_000))).toMatch(/^200 .*"900000"/);
});

it('a body that does not arrive in time is answered with 408, and its connection closed', async () => {
  const server = await start({ bodyTimeoutMs: 100 });
  const socket = await sendHalf(server, 10);
  let text = '';
  socket.on('data', (chunk) => (text += String(chunk)));
  await once(socket, 'close');
  expect(text).toMatch(/^HTTP\/1.1 408 /);
  expect(text).toContain('did not arrive within 100 ms');
  await vi.waitFor(async () => expect(await call(server, 'x')).toMatch(/^200 /));
});

it('accepts bodies of up to 1 MiB by default', async () => {
  const server = await start();
  expect(await call(server, 'x'.repeat(1_048_000))).toMatch(/^200 /);
  expect(await call(server, 'x'.repeat(1_048_577))).toMatch(/^413 /);
});
