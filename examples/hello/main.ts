import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import * as z from 'zod';

const platform = new GroupedToolBuilder('platform')
  .description('Users and billing')
  .commonSchema(z.object({ workspace_id: z.string().describe('Workspace') }))
  .group('users', 'People', (users) =>
    users
      .action({
        name: 'list',
        readOnly: true,
        inputSchema: z.object({ limit: z.number().max(100).optional() }),
        handler: ({ input }) => [`the first ${input.limit ?? 20} users of ${input.workspace_id}`],
      })
      .action({
        name: 'ban',
        destructive: true,
        inputSchema: z.object({ id: z.string() }),
        handler: ({ input }) => `banned ${input.id}`,
      }),
  );
const registry = new ToolRegistry({ name: 'acme', version: '1.0.0' });
registry.register(platform, { name: 'ping', description: 'Answers', inputSchema: {}, handler: () => 'pong' });

for (const form of ['grouped', 'flat'] as const) {
  console.log(
    `${form}:`,
    registry
      .view({ form })
      .listTools()
      .map(({ name }) => name)
      .join(', '),
  );
}
console.log(registry.listTools()[0]?.description);
for (const args of [
  { action: 'users.list', workspace_id: 'w1', limit: 5 },
  { action: 'users.ban', workspace_id: 'w1', user: 'u7' },
]) {
  const { content } = await registry.executeTool({ name: 'platform', arguments: args });
  console.log(content[0]);
}
