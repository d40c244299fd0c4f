/** The server for many concurrent callers, in a separate process. */
import { setTimeout as pause } from 'node:timers/promises';
import { ToolRegistry } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import * as z from 'zod';
import { reportServer } from '../live/report-server.js';

const registry = new ToolRegistry({ name: 'soak', version: '1.0.0', rateLimiter: false }).register(
  {
    name: 'echo',
    description: 'Repeats a text after some time',
    inputSchema: z.object({ text: z.string(), ms: z.number().int() }),
    handler: async ({ input }) => {
      if (input.ms > 0) await pause(input.ms);
      return input.text;
    },
  },
  {
    name: 'steps',
    description: 'Says the text with every step',
    inputSchema: z.object({ text: z.string(), count: z.number().int() }),
    handler: async ({ input, context }) => {
      for (let step = 1; step <= input.count; step++) {
        await context.progress(step, input.count, input.text);
        await pause(1);
      }
      return input.text;
    },
  },
  {
    name: 'ask',
    description: 'Asks for the name that goes with the text',
    inputSchema: z.object({ text: z.string() }),
    handler: async ({ input, context }) => {
      const { who } = await context.requestInput({
        who: { message: input.text, schema: z.object({ name: z.string() }) },
      });
      return `${input.text} ${String(who.content?.['name'])}`;
    },
  },
);

reportServer(await serveHttp(registry, { port: 0, requestLimit: false }));
