/**
 * An MCP Fusion server in Toolfold, attached to a server of SDK v1 and called by a real client. Exits with an error if
 * an assertion fails.
 */
import assert from 'node:assert/strict';

// #region builder
import { error, initToolfold } from 'toolfold';
import { ErrToolFailed } from 'toolfold/errors';
import * as z from 'zod';

interface App {
  readonly role: 'admin' | 'guest';
  readonly users: Map<string, string>;
}

const f = initToolfold<App>();

const requireAdmin = f.middleware((call, next) =>
  call.context.app.role === 'admin' ? next() : error('Forbidden: only admins may do this.'),
);

const platform = f
  .group('platform')
  .description('People and what they pay')
  .tags('core')
  .commonSchema(z.object({ workspace_id: z.string().describe('Workspace') }))
  .group('users', 'People', (users) =>
    users
      .action({
        name: 'list',
        readOnly: true,
        inputSchema: z.object({ limit: z.int().max(100).optional() }),
        handler: ({ input, context }) => [...context.app.users.values()].slice(0, input.limit),
      })
      .action({
        name: 'ban',
        destructive: true,
        middleware: [requireAdmin],
        inputSchema: z.object({ id: z.string() }),
        handler: ({ input, context }) => {
          if (!context.app.users.delete(input.id)) throw new ErrToolFailed(`There is no user ${input.id}.`);
          return `banned ${input.id}`;
        },
      }),
  );
// #endregion builder

// #region registry
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';

const users = new Map([
  ['u1', 'Ada'],
  ['u2', 'Grace'],
]);
const registry = f.registry({
  name: 'acme',
  version: '1.0.0',
  contextFactory: ({ caller }) => ({ role: caller?.client?.name === 'console' ? 'admin' : 'guest', users }),
});
registry.register(
  platform,
  f
    .group('internal')
    .tags('hidden')
    .action({ name: 'reset', handler: () => 'reset' }),
);
const server = new McpServer({ name: registry.name, version: registry.version });
const detach = registry.attachToServer(server, { view: { excludeTags: ['hidden'] } });
// #endregion registry

// #region calls
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';

async function connect(name: string): Promise<Client> {
  const client = new Client({ name, version: '1.0.0' });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  return client;
}

const guest = await connect('somebody');
const { tools } = await guest.listTools();
console.log(tools.map(({ name }) => name));
for (const args of [
  { action: 'users.list', workspace_id: 'w1', limit: 1 },
  { workspace_id: 'w1' },
  { action: 'users.bann', workspace_id: 'w1' },
  { action: 'users.list', workspace_id: 'w1', max: 1 },
  { action: 'users.ban', workspace_id: 'w1', id: 'u2' },
]) {
  const { content } = await guest.callTool({ name: 'platform', arguments: args });
  console.log((content as { text: string }[])[0]?.text);
}
const hidden = await guest.callTool({ name: 'internal', arguments: { action: 'reset' } }).catch(String);
console.log(hidden);
// #endregion calls
assert.match(String(hidden), /Unknown tool "internal"/);
assert.equal(users.size, 2);
await guest.close();

const admin = await connect('console');
const ban = (id: string) =>
  admin.callTool({ name: 'platform', arguments: { action: 'users.ban', workspace_id: 'w1', id } });
console.log(((await ban('u2')).content as { text: string }[])[0]?.text);
console.log(((await ban('u9')).content as { text: string }[])[0]?.text);
assert.deepEqual([...users.keys()], ['u1']);
await admin.close();
detach();
