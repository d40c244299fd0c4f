import { ToolRegistry } from 'toolfold';
import { serveStdio } from 'toolfold/node';
import * as z from 'zod';

const registry = new ToolRegistry({ name: 'acme', version: '1.0.0' }).register({
  name: 'greet',
  description: 'Greets somebody',
  readOnly: true,
  inputSchema: z.object({ who: z.string() }),
  handler: ({ input }) => `Hello ${input.who}`,
});
serveStdio(registry);
