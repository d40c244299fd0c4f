import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import * as z from 'zod';

const users = new GroupedToolBuilder('users')
  .description('People of a workspace')
  .commonSchema(z.object({ workspace: z.string() }))
  .action({ name: 'list', readOnly: true, handler: ({ input }) => [`Ada of ${input.workspace}`] })
  .action({
    name: 'ban',
    destructive: true,
    inputSchema: z.object({ id: z.string() }),
    handler: ({ input }) => `banned ${input.id}`,
  });
export const registry = new ToolRegistry({ name: 'acme', version: '1.0.0' }).register(users);

for (const form of ['grouped', 'flat'] as const)
  for (const { name, description } of registry.view({ form }).listTools())
    console.log(`${form}: ${name}: ${description}`);
for (const call of [{ action: 'list' }, { action: 'ban', user: 'u7' }]) {
  const answer = await registry.executeTool({ name: 'users', arguments: { workspace: 'w1', ...call } });
  console.log(answer.content[0]);
}
