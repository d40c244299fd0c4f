/** The memory of a body that arrives in small chunks stays near its bytes, which are what the limits count. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { ToolRegistry } from 'toolfold';
import { toNodeListener } from 'toolfold/node';
import { createHandler } from 'toolfold/web';
import type { McpHandler } from 'toolfold/web';
import { usedMemory } from '../used-memory.js';
import { modernRequest } from './raw-request.js';

const CHUNKS = 60_000;
const { headers, body } = modernRequest('tools/call', { name: 'size', arguments: { text: 'a' } });
const decoder = new TextDecoder();

/** Sends most of a body in chunks, and resolves to a function that sends the rest and resolves to the whole answer. */
type SendHalf = (handler: McpHandler, chunks: readonly Uint8Array[]) => Promise<() => Promise<string>>;

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

function frame(chunks: readonly Uint8Array[]): string {
  return chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${decoder.decode(chunk)}\r\n`).join('');
}

const overHttp: SendHalf = async (handler, chunks) => {
  const server = createServer(toNodeListener(handler)).listen(0, '127.0.0.1');
  cleanUps.push(() => new Promise((resolve) => server.close(resolve)));
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  cleanUps.unshift(() => socket.destroy());
  const head = Object.entries({ host: 'localhost', 'transfer-encoding': 'chunked', ...headers });
  socket.write(`POST /mcp HTTP/1.1\r\n${head.map((line) => line.join(': ')).join('\r\n')}\r\n\r\n`);
  await new Promise((resolve) => socket.write(frame(chunks), resolve));
  return async () => {
    socket.write('0\r\n\r\n');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    return answer.toString();
  };
};

const throughFetch: SendHalf = async (handler, chunks) => {
  let end!: () => void;
  const ended = new Promise<void>((resolve) => (end = resolve));
  let next = 0;
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const chunk = chunks[next++];
      if (chunk) return controller.enqueue(Uint8Array.from(chunk));
      await ended;
      controller.close();
    },
  });
  const request = new Request('http://localhost/mcp', {
    method: 'POST',
    headers,
    body: stream,
    duplex: 'half',
  } as RequestInit);
  const answered = handler.fetch(request);
  return async () => {
    end();
    return (await answered).text();
  };
};

it.each([
  ['1 byte over HTTP/1.1', 1, overHttp],
  ['2 bytes over HTTP/1.1', 2, overHttp],
  ['16 bytes over HTTP/1.1', 16, overHttp],
  ['1 byte through createHandler', 1, throughFetch],
  ['2 bytes through createHandler', 2, throughFetch],
  ['16 bytes through createHandler', 16, throughFetch],
])('a body in chunks of %s takes no more memory than its bytes', async (_name, size, sendHalf) => {
  const handler = createHandler(
    new ToolRegistry({ rateLimiter: false }).register({
      name: 'size',
      description: 'Says how long a text is',
      inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
      handler: ({ input }) => `${(input['text'] as string).length} character`,
    }),
  );
  cleanUps.push(() => handler.close());
  const bytes = Buffer.from(' '.repeat(CHUNKS * size - Buffer.byteLength(body)) + body);
  const chunks = Array.from({ length: CHUNKS }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
  const { counts } = handler.edge.capacity;
  const before = await usedMemory();
  const end = await sendHalf(handler, chunks);
  await vi.waitFor(() => expect(counts.bodyBytes).toBe(16 * 1024 + bytes.length), { timeout: 20_000 });
  // An object for each chunk would take 15 MB.
  expect((await usedMemory()) - before).toBeLessThan(5_000_000);
  expect(await end()).toContain('1 character');
});
