/** Serves on standard input and output, and reports on standard error as lines of JSON. */
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { ToolRegistry } from 'toolfold';
import { serveStdio } from 'toolfold/node';

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
process.on('exit', () => report({ peakMb: Math.round(peakKilobytes() / 1024) }));

/** `maxRSS` begins with the memory of the process that started this one, so Linux is asked instead. */
function peakKilobytes(): number {
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? process.resourceUsage().maxRSS);
}
await running.ended;
report({ ended: true });
