import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import { defineServer } from 'toolfold/node';
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

export default defineServer({
  registry: new ToolRegistry({ name: 'acme', version: '1.0.0' }).register(users),
  view: { form: 'grouped' },
});
