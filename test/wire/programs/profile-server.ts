import * as z from 'zod';
import { ToolRegistry } from 'toolfold';
import { serveStdio } from 'toolfold/node';

/** A tool with an open object, which the profile `gemini` lists as JSON text. */
export const createRegistry = () =>
  new ToolRegistry({ name: 'profiles' }).register({
    name: 'save',
    description: 'Saves',
    inputSchema: z.object({ data: z.record(z.string(), z.unknown()) }),
    handler: ({ input }) => JSON.stringify(input),
  });

if (process.argv[2] === 'serve') serveStdio(createRegistry());
