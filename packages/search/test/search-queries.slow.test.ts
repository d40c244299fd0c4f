import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveHttp } from 'toolfold/node';
import type { RunningServer } from 'toolfold/node';
import { createSearchedRegistry } from '../../../test/wire/searched-registry.js';

const program = fileURLToPath(new URL('../../../test/wire/programs/search-server.ts', import.meta.url));

interface Row {
  readonly query: number;
  readonly address: string;
  readonly signature: string;
  readonly kind: string;
}
interface Answer {
  readonly content: { text: string }[];
  readonly structuredContent?: { readonly tools: readonly Row[]; readonly next?: string };
  readonly isError?: boolean;
}

let running: RunningServer;
beforeAll(async () => {
  running = await serveHttp(createSearchedRegistry(), { port: 0, view: { form: 'search' } });
});
afterAll(() => running.close());

const overHttp = () => new StreamableHTTPClientTransport(new URL(running.url));
const overStdio = () =>
  new StdioClientTransport({ command: process.execPath, args: ['--import', 'tsx', program] });

describe.each([
  ['HTTP, 2026-07-28', overHttp, { versionNegotiation: { mode: { pin: '2026-07-28' } } }],
  ['HTTP, a 2025-11-25 session', overHttp, {}],
  ['stdio, 2026-07-28', overStdio, { versionNegotiation: { mode: { pin: '2026-07-28' } } }],
  ['stdio, 2025-11-25', overStdio, {}],
] as const)('several queries over %s', (_, connect, options) => {
  it('find the tools of all steps in one call, and their signatures are enough to call them', async () => {
    const client = new Client({ name: 'c', version: '1' }, options as never);
    await client.connect(connect());
    const call = async (name: string, args: Record<string, unknown>) =>
      (await client.callTool({ name, arguments: args })) as unknown as Answer;
    try {
      const queries = ['where is my parcel', 'refund an order', 'qzxqzx'];
      const { content, structuredContent, isError } = await call('search_tools', { queries, limit: 4 });
      expect(isError).not.toBe(true);
      const bestOf = (query: number) => structuredContent?.tools.find((row) => row.query === query);
      expect(bestOf(1)).toMatchObject({
        address: 'track_parcel',
        signature: '(number: string)',
        kind: 'read',
      });
      expect(bestOf(2)).toMatchObject({
        address: 'orders/refund',
        signature: "(order: integer, reason?: 'damaged'|'late', notify=true)",
        kind: 'write',
      });
      expect(structuredContent?.next).toContain('No tool matches query 3');
      expect(content[0]?.text).toContain(
        "orders/refund,\"(order: integer, reason?: 'damaged'|'late', notify=true)\"",
      );
      const refund = { address: 'orders/refund', arguments: { order: 7, reason: 'late' } };
      expect((await call('call_write_tool', refund)).content[0]?.text).toBe('refunded 7 late');
      const both = await call('search_tools', { query: 'a', queries });
      expect(both.isError).toBe(true);
      expect(both.content[0]?.text).toContain('Write all of them into queries');
    } finally {
      await client.close();
    }
  });
});
