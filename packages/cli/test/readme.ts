import { ToolRegistry } from 'toolfold';
import * as z from 'zod';

export const registry = new ToolRegistry({ name: 'acme' }).register({
  name: 'greet',
  description: 'Greets a person',
  readOnly: true,
  inputSchema: z.object({ name: z.string().describe('Name of the person') }),
  handler: ({ input }) => `Hello, ${input.name}!`,
});
