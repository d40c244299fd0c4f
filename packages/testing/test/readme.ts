import { createTestClient } from '@toolfold/testing';
import { ToolRegistry } from 'toolfold';

const registry = new ToolRegistry({ name: 'acme' }).register({
  name: 'greet',
  description: 'Greets a person',
  inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  handler: ({ input }) => `Hello, ${String(input['name'])}!`,
});
const client = await createTestClient(registry);
const { content } = await client.call('greet', { name: 'Ada' });
console.log(content);
await client.close();
