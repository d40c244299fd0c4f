import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { ToolRegistry } from 'toolfold';
import { serveStdio } from 'toolfold/node';

const registry = new ToolRegistry({ name: 'stdio', version: '1.0.0' }).register(
  { name: 'ping', description: 'Answers', inputSchema: {}, handler: () => 'pong' },
  {
    name: 'wait',
    description: 'Takes a while',
    inputSchema: z.object({ ms: z.number() }),
    handler: async ({ input, context }) => {
      await context.progress(1);
      await sleep(input.ms, undefined, { signal: context.signal });
      return 'waited';
    },
  },
  {
    name: 'job',
    description: 'Takes longer',
    inputSchema: {},
    task: true,
    handler: async () => {
      await sleep(20);
      return 'done';
    },
  },
  {
    name: 'whoami',
    description: 'Needs a scope',
    inputSchema: {},
    scopes: ['write'],
    handler: ({ context }) => context.caller.auth?.clientId,
  },
);
const scopes = process.argv[2]?.split(',');
const running = serveStdio(registry, {
  graceMs: 2_000,
  ...(scopes ? { auth: { clientId: 'ada', scopes } } : {}),
});
await running.ended;
process.stderr.write('ended\n');
