/**
 * Attaches a registry with tools, a prompt and a resource to a server of the official SDK, and calls it from a real
 * client. Exits with an error if an assertion fails.
 */
import assert from 'node:assert/strict';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import * as z from 'zod';

// #region registry
const notes = new Map([['1', 'Buy milk']]);
const registry = new ToolRegistry({ name: 'notes', version: '1.0.0' })
  .register(
    new GroupedToolBuilder('notes')
      .action({ name: 'list', readOnly: true, handler: () => Object.fromEntries(notes) })
      .action({
        name: 'write',
        destructive: false,
        inputSchema: z.object({ id: z.string(), text: z.string().min(1) }),
        handler: ({ input }) => {
          notes.set(input.id, input.text);
          registry.notifyResourceUpdated(`note://${input.id}`);
          return 'written';
        },
      }),
  )
  .registerPrompt({
    name: 'summarize',
    inputSchema: z.object({ style: z.string().describe('Such as "one line"') }),
    complete: { style: (typed) => ['one line', 'a table'].filter((style) => style.startsWith(typed)) },
    handler: ({ input }) => `Summarize my notes as ${input.style}.`,
  })
  .registerResource({
    name: 'note',
    uriTemplate: 'note://{id}',
    mimeType: 'text/plain',
    handler: ({ variables }) => notes.get(variables['id'] ?? '') ?? '',
  })
  .registerResource({
    name: 'minute',
    uri: 'time://minute',
    subscribe: ({ uri }) => {
      const timer = setInterval(() => registry.notifyResourceUpdated(uri), 60_000);
      return () => clearInterval(timer);
    },
    handler: () => new Date().toISOString().slice(0, 16),
  });
// #endregion

// #region attach
const server = new McpServer({ name: registry.name, version: registry.version });
const detach = registry.attachToServer(server);
// #endregion

const client = new Client({ name: 'example', version: '1.0.0' });
const [near, far] = InMemoryTransport.createLinkedPair();
await Promise.all([server.connect(far), client.connect(near)]);

// #region use
const { tools } = await client.listTools();
console.log(tools.map(({ name }) => name));
const written = await client.callTool({
  name: 'notes',
  arguments: { action: 'write', id: '2', text: 'Call Ada' },
});
console.log(written.content);
const read = await client.readResource({ uri: 'note://2' });
console.log(read.contents);
const prompt = await client.getPrompt({ name: 'summarize', arguments: { style: 'one line' } });
console.log(prompt.messages[0]?.content);
// #endregion
assert.deepEqual(
  tools.map(({ name }) => name),
  ['notes'],
);
assert.deepEqual(written.content, [{ type: 'text', text: 'written' }]);
assert.deepEqual(read.contents, [{ uri: 'note://2', mimeType: 'text/plain', text: 'Call Ada' }]);
assert.equal(
  (await client.callTool({ name: 'notes', arguments: { action: 'write', id: '3' } })).isError,
  true,
);

detach();
assert.deepEqual((await client.listTools()).tools, []);
await assert.rejects(client.callTool({ name: 'notes', arguments: { action: 'write', id: '3', text: '' } }));
await client.close();
