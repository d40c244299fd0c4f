import { ToolRegistry } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import * as z from 'zod';

const registry = new ToolRegistry({ name: 'acme' }).register({
  name: 'greet',
  description: 'Greets a person',
  inputSchema: z.object({ name: z.string() }),
  handler: ({ input }) => `Hello, ${input.name}!`,
});
const running = await serveHttp(registry, { port: 0 });
const answer = await registry.executeTool({ name: 'greet', arguments: { name: 'Ada' } });
console.log(answer.content);
await running.close();
