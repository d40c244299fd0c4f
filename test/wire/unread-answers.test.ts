/** Answers that a client does not read take bounded memory. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { ToolRegistry } from 'toolfold';
import { toNodeListener } from 'toolfold/node';
import type { NodeRequest } from 'toolfold/node';
import { createHandler } from 'toolfold/web';
import { modernRequest } from './raw-request.js';

const TEXT = 'x'.repeat(12 * 1024 * 1024);

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

/** Serves large answers. `ended` are the numbers of the connections that the server has closed. */
async function start() {
  const registry = new ToolRegistry({ name: 'acme', rateLimiter: false }).register({
    name: 'large',
    description: 'Returns much text',
    inputSchema: {},
    handler: async ({ context }) => {
      await context.progress(1);
      return TEXT;
    },
  });
  const handler = createHandler(registry);
  const listener = toNodeListener(handler);
  const server = createServer((request: NodeRequest, response) => {
    const sub = String(request.headers['x-user']);
    request.auth = { token: sub, clientId: 'test', scopes: [], extra: { sub } };
    listener(request, response);
  });
  const ended: number[] = [];
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    const number = connections++;
    socket.once('close', () => ended.push(number));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUps.push(() => new Promise((resolve) => server.close(resolve)));
  return { port: (server.address() as AddressInfo).port, ended };
}

/** Sends a call, and resolves when the answer has begun. The rest is not read. */
async function callWithoutReading(port: number, user: string, meta: object): Promise<Socket> {
  const request = modernRequest('tools/call', { name: 'large' }, { headers: { 'x-user': user }, meta });
  const socket = connect(port, '127.0.0.1');
  cleanUps.unshift(() => socket.destroy());
  const head = Object.entries({
    host: 'localhost',
    'content-length': request.body.length,
    ...request.headers,
  });
  socket.write(
    `POST / HTTP/1.1\r\n${head.map((line) => line.join(': ')).join('\r\n')}\r\n\r\n${request.body}`,
  );
  await once(socket, 'readable');
  return socket;
}

it.each([
  ['JSON', {}],
  ['streams', { progressToken: 1 }],
])('of one caller are cut off above 64 MiB, the oldest first, as %s', async (_name, meta) => {
  const { port, ended } = await start();
  const others = await callWithoutReading(port, 'bob', meta);
  let last!: Socket;
  for (let count = 0; count < 9; count++) last = await callWithoutReading(port, 'eve', meta);
  await expect.poll(() => ended).toEqual([1, 2, 3, 4]);
  for (const socket of [others, last]) {
    let length = 0;
    for await (const chunk of socket) {
      length += (chunk as Buffer).length;
      if (length > TEXT.length) break;
    }
    expect(length).toBeGreaterThan(TEXT.length);
  }
});
