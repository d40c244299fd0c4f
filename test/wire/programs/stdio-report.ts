/** Serves on standard input and output, and reports on standard error as lines of JSON. */
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { ToolRegistry } from '../../../src/index.js';
import { serveStdio } from '../../../src/node.js';

const report = (line: object): void => void process.stderr.write(`${JSON.stringify(line)}\n`);

const registry = new ToolRegistry({ name: 'report', version: '1.0.0' }).register(
  { name: 'ping', description: 'Answers', inputSchema: {}, handler: () => 'pong' },
  {
    name: 'repeat',
    description: 'Answers with a text of a given length',
    inputSchema: z.object({ length: z.number() }),
    handler: ({ input }) => {
      report({ call: 'repeat' });
      return 'x'.repeat(input.length);
    },
  },
  {
    name: 'wait',
    description: 'Answers after a while',
    inputSchema: z.object({ ms: z.number() }),
    handler: async ({ input, context }) => {
      report({ call: 'started' });
      try {
        await sleep(input.ms, undefined, { signal: context.signal });
      } finally {
        report({ call: context.signal.aborted ? 'aborted' : 'finished' });
      }
      return `waited ${input.ms}`;
    },
  },
  {
    name: 'ask',
    description: 'Asks the person a question',
    inputSchema: {},
    handler: async ({ context }) => {
      const { who } = await context.requestInput({
        who: { message: 'Who?', schema: z.object({ name: z.string() }) },
      });
      return `Hello ${String(who.content?.['name'])}`;
    },
  },
);
const running = serveStdio(registry, {
  ...(JSON.parse(process.argv[2] ?? '{}') as object),
  onError: (error) => report({ error: error instanceof Error ? error.message : String(error) }),
});
process.on('exit', () => report({ peakMb: Math.round(process.resourceUsage().maxRSS / 1024) }));
await running.ended;
report({ ended: true });
