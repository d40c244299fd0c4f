/** One of several nodes. All state of clients and calls is in Redis, so any other node can continue. */
// #region node
import { ToolRegistry } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import { redis } from '@toolfold/redis';
import * as z from 'zod';
import type { Ledger } from './ledger.js';

export async function startNode({ url, ledger, port = 0 }: { url: string; ledger: Ledger; port?: number }) {
  const shared = redis({ url, prefix: 'acme', secret: 'thirty-two bytes that all nodes have' });
  const registry = new ToolRegistry({
    name: 'acme',
    version: '1.0.0',
    shared,
    rateLimiter: { calls: 20, windowMs: 60_000 },
  }).register({
    name: 'pay',
    description: 'Pay an amount into an account',
    inputSchema: z.object({ account: z.string(), amount: z.number(), request_id: z.string() }),
    idempotency: { field: 'request_id' },
    handler: ({ input, context }) => ledger.pay(input.account, input.amount, context.fencingToken ?? 0),
  });
  const running = await serveHttp(registry, { port });
  return { ...running, shared };
}
// #endregion node
