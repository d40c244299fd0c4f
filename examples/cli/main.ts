/** The server that docs/reference/cli.md inspects and calls, here used without the command line. */
import assert from 'node:assert/strict';
import { registry } from './registry.js';

const { content } = await registry.executeTool({
  name: 'notes',
  arguments: { action: 'text.add', text: 'Feed the cat' },
});
assert.deepEqual(content, [{ type: 'text', text: 'added "Feed the cat"' }]);
console.log(registry.listTools().map(({ name }) => name));
