import { redis } from '@toolfold/redis';
import { ToolRegistry } from 'toolfold';
import * as z from 'zod';

const url = process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379';
const shared = redis({ url, secret: 'thirty-two bytes that all nodes have' });
const nodes = ['first', 'second'].map((node) =>
  new ToolRegistry({ name: 'acme', shared }).register({
    name: 'pay',
    description: 'Pays an amount',
    inputSchema: z.object({ amount: z.number(), request_id: z.string() }),
    idempotency: { field: 'request_id' },
    handler: ({ input }) => `The ${node} node paid ${input.amount}`,
  }),
);
const call = { name: 'pay', arguments: { amount: 20, request_id: 'r1' } };
for (const registry of nodes) console.log((await registry.executeTool(call)).content);
await shared.close();
