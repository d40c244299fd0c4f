import type { AddressInfo } from 'node:net';
import express from 'express';
import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ToolRegistry } from 'toolfold';
import { serveHttp, toNodeListener } from 'toolfold/node';
import { createHandler } from 'toolfold/web';
import type { RunningServer, ServeHttpOptions } from 'toolfold/node';
import { modernRequest } from './raw-request.js';

const registry = new ToolRegistry({ name: 'acme', rateLimiter: false }).register({
  name: 'count',
  description: 'Counts items',
  inputSchema: z.object({ items: z.array(z.unknown()) }),
  handler: ({ input }) => String(input.items.length),
});

/** A call whose only argument has this JSON text. */
const callWith = (items: string): RequestInit => {
  const request = modernRequest('tools/call', { name: 'count', arguments: { items: 'ITEMS' } });
  return { ...request, body: request.body.replace('"ITEMS"', items) };
};
const list = (count: number, item: string): string => `[${Array(count).fill(item).join(',')}]`;

interface Answer {
  readonly result?: { readonly isError?: boolean; readonly content: readonly { readonly text: string }[] };
  readonly error?: { readonly code: number; readonly message: string };
}

describe('a request with many JSON values', () => {
  let server: RunningServer | undefined;
  afterEach(() => server?.close());
  const ask = async (items: string, options: ServeHttpOptions = {}): Promise<[number, Answer]> => {
    server = await serveHttp(registry, { port: 0, closeOnSignals: false, ...options });
    const response = await fetch(server.url, callWith(items));
    return [response.status, (await response.json()) as Answer];
  };

  it('is rejected, with the limit and its option in the message', async () => {
    const [status, { error }] = await ask(list(20_000, '{}'));
    expect(status).toBe(400);
    expect(error).toMatchObject({ code: -32_700, message: expect.stringMatching(/20000 values.*maxValues/) });
  });

  it('is rejected before its text is parsed if that would take long', async () => {
    // Parsing this text would exceed the depth limit, and it is not JSON.
    const [status, { error }] = await ask(`${list(300_000, '1')}${'['.repeat(500)}`);
    expect(status).toBe(400);
    expect(error?.message).toContain('maxValues');
  });

  it('is served up to the limit, and beyond the default if an option allows it', async () => {
    expect((await ask(list(19_900, '1')))[1].result?.content).toEqual([{ type: 'text', text: '19900' }]);
    await server?.close();
    const [, { result }] = await ask(list(30_000, '1'), { maxValues: 40_000 });
    expect(result?.content).toEqual([{ type: 'text', text: '30000' }]);
  });

  it('is rejected in the same way if a body parser has read it, and by fetch', async () => {
    const handler = createHandler(registry, { maxValues: 50 });
    const response = await handler.fetch(new Request('http://localhost/mcp', callWith(list(60, '{}'))));
    expect(response.status).toBe(400);
    expect(((await response.json()) as Answer).error?.message).toContain('maxValues');
    const listener = toNodeListener(handler);
    const app = express().use(express.json());
    app.post('/mcp', (request, answer) => listener(request, answer));
    const http = app.listen(0);
    const { port } = http.address() as AddressInfo;
    const parsed = await fetch(`http://localhost:${port}/mcp`, callWith(list(60, '{}')));
    expect(parsed.status).toBe(400);
    expect(((await parsed.json()) as Answer).error?.message).toContain('maxValues');
    http.close();
    await handler.close();
  });

  it('is rejected with the depth limit in the message if it is too deep', async () => {
    for (const levels of [150, 400_000]) {
      const [status, { error }] = await ask(`${'['.repeat(levels)}${']'.repeat(levels)}`);
      await server?.close();
      expect([status, error?.message]).toEqual([400, expect.stringMatching(/100 levels.*maxDepth/)]);
    }
  });
});
