import assert from 'node:assert/strict';
import { ToolRegistry } from 'toolfold';
import { createHandler } from 'toolfold/web';

const registry = new ToolRegistry({ name: 'no-zod' }).register({
  name: 'count',
  description: 'Counts',
  inputSchema: { type: 'object', properties: { upTo: { type: 'integer', maximum: 3 } }, required: ['upTo'] },
  handler: ({ input }) => `${input.upTo}`,
});
createHandler(registry);
const call = (args) => registry.executeTool({ name: 'count', arguments: args });
assert.equal((await call({ upTo: 2 })).content[0].text, '2');
assert.equal((await call({ upTo: 4 })).isError, true);
console.log('ok');
