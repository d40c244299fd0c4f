/** A stream of changes keeps only what takes effect of the request that opened it. */
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { ToolRegistry } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import type { RunningServer } from 'toolfold/node';
import { usedMemory } from '../used-memory.js';
import { modernRequest } from './raw-request.js';

const registry = new ToolRegistry({ name: 'acme', rateLimiter: false }).registerResource({
  name: 'memo',
  uriTemplate: 'memo://{id}',
  handler: () => '',
});
const uris = (count: number, length = 0): string[] =>
  Array.from({ length: count }, (_, at) => `memo://${at}${'x'.repeat(length)}`);

let server: RunningServer;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server.close();
});

/** Opens a stream from a socket, because `fetch` would keep its body in this process. Returns the beginning of the answer. */
async function listen(params: object, id: string | number = 1): Promise<string> {
  const { headers, body } = modernRequest('subscriptions/listen', params, { id });
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  sockets.push(socket);
  const head = Object.entries({ host: 'localhost', 'content-length': Buffer.byteLength(body), ...headers });
  socket.write(`POST /mcp HTTP/1.1\r\n${head.map((line) => line.join(': ')).join('\r\n')}\r\n\r\n${body}`);
  let text = '';
  while (!/subscriptions\/acknowledged|"error"/.test(text))
    text += String((await once(socket, 'data'))[0] as Buffer);
  return text;
}

it('takes no memory for the other content of its request', async () => {
  server = await serveHttp(registry, { port: 0, closeOnSignals: false });
  const filter = { notifications: { resourceSubscriptions: ['memo://1'] } };
  await listen(filter);
  const before = await usedMemory();
  const large = { ...filter, others: uris(19_000, 30) };
  for (let count = 0; count < 12; count++) expect(await listen(large)).toMatch(/^HTTP\/1.1 200/);
  // The values of each request take two megabytes.
  expect((await usedMemory()) - before).toBeLessThan(8_000_000);
});

it.each<[limit: string, params: object, id?: string]>([
  ['1,000 resources', { notifications: { resourceSubscriptions: uris(1_001) } }],
  ['128 KiB of URIs', { notifications: { resourceSubscriptions: uris(500, 300) } }],
  ['128 KiB of id', { notifications: {} }, 'x'.repeat(200_000)],
])('is refused for more than %s', async (_limit, params, id) => {
  server = await serveHttp(registry, { port: 0, closeOnSignals: false });
  expect(await listen(params, id)).toContain('There are too many subscriptions');
});

it('serves up to 1,000 resources', async () => {
  server = await serveHttp(registry, { port: 0, closeOnSignals: false });
  const text = await listen({
    notifications: { resourceSubscriptions: uris(1_000), toolsListChanged: true },
  });
  expect(text).toMatch(/^HTTP\/1.1 200/);
  expect(text).toContain('"memo://999"');
  expect(text).toContain('"toolsListChanged":true');
});
