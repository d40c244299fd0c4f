/** A node of the tested fleet, as a separate process. Prints its URL. */
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { ToolRegistry } from 'toolfold';
import { redis } from '@toolfold/redis';
import { serveHttp } from 'toolfold/node';
import { apiKeys } from 'toolfold/web';

const { FLEET_REDIS = '', FLEET_LEDGER = '', FLEET_USERS = '' } = process.env;
const keys = FLEET_USERS.split(',').map((user) => ({
  key: `key-of-${user}`.padEnd(40, 'x'),
  clientId: user,
  extra: { sub: user },
}));
const shared = redis({
  url: FLEET_REDIS,
  prefix: 'fleet',
  secret: 'thirty-two bytes that all nodes have in common',
});
const registry = new ToolRegistry({
  name: 'fleet',
  version: '1.0.0',
  shared,
  rateLimiter: { calls: 5_000, windowMs: 3_600_000 },
}).register(
  {
    name: 'pay',
    description: 'Writes to the ledger',
    inputSchema: z.object({ key: z.string(), ms: z.number() }),
    idempotency: { field: 'key' },
    handler: async ({ input, context }) => {
      const account = String(context.caller.auth?.['clientId']);
      await sleep(input.ms);
      const body = JSON.stringify({ account, key: input.key, token: context.fencingToken });
      const { status } = await fetch(FLEET_LEDGER, { method: 'POST', body });
      if (status !== 200) throw new Error('The ledger rejected the write.');
      return `${account} ${input.key}`;
    },
  },
  {
    name: 'work',
    description: 'Says which process it is, and works for a minute',
    inputSchema: {},
    task: true,
    timeoutMs: 120_000,
    handler: async ({ context }) => {
      await context.progress(1, 2, String(process.pid));
      await sleep(60_000, undefined, { signal: context.signal });
      return 'done';
    },
  },
  {
    name: 'count',
    description: 'Counts against the limit, a hundredth of it each time',
    inputSchema: {},
    cost: 100,
    handler: () => 'counted',
  },
);
const { url } = await serveHttp(registry, { port: 0, auth: apiKeys({ keys }) });
process.stdout.write(`${url}\n`);
