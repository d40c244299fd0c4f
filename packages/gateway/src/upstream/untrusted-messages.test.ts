import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ConnectionSettings } from './options.js';
import { createUpstreamFetch, readMessages } from './untrusted-messages.js';

const notice = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}';
const settings = () =>
  ({ name: 'loud', maxMessageBytes: 100_000, onError: () => {} }) as unknown as ConnectionSettings;

/** Milliseconds until this many messages have been read: a burst of 1,000, and then 1,000 in a second. */
const COUNT = 1_500;
const LEAST_MS = 450;

describe('a flood of messages is read no faster than the budget allows', () => {
  it('from the stream of a server at an address', async () => {
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`data: ${notice}\n\n`.repeat(COUNT));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const began = performance.now();
    const fetched = createUpstreamFetch(settings(), () => {});
    const text = await (await fetched(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)).text();
    expect(text.split('data:')).toHaveLength(COUNT + 1);
    expect(performance.now() - began).toBeGreaterThan(LEAST_MS);
  });

  it('from the standard output of a process', async () => {
    const began = performance.now();
    let read = 0;
    await readMessages(Readable.from([Buffer.from(`${notice}\n`.repeat(COUNT))]), settings(), () => read++);
    expect(read).toBe(COUNT);
    expect(performance.now() - began).toBeGreaterThan(LEAST_MS);
  });

  it('counting each question as ten messages, because the client answers it', async () => {
    const question = '{"jsonrpc":"2.0","id":1,"method":"roots/list"}';
    const began = performance.now();
    let read = 0;
    const questions = Readable.from([Buffer.from(`${question}\n`.repeat(COUNT / 10))]);
    await readMessages(questions, settings(), () => read++);
    expect(read).toBe(COUNT / 10);
    expect(performance.now() - began).toBeGreaterThan(LEAST_MS);
  });
});
