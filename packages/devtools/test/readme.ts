import { devtools } from '@toolfold/devtools';
import { ToolRegistry } from 'toolfold';

const registry = new ToolRegistry({ name: 'acme' }).register({
  name: 'ping',
  description: 'Answers',
  inputSchema: {},
  handler: () => 'pong',
});
const page = await devtools(registry, { port: 0 });
console.log(page.url?.replace(/:\d+.*/, ''));
await page.close();
