import { ToolRegistry } from 'toolfold';
import * as z from 'zod';

export const registry = new ToolRegistry({ name: 'my-server', version: '1.0.0' }).register({
  name: 'greet',
  description: 'Greets somebody',
  readOnly: true,
  inputSchema: z.object({ who: z.string() }),
  // A generator reports progress, which needs a stream.
  handler: async function* ({ input }) {
    yield 'thinking';
    return `Hello ${input.who}`;
  },
});
