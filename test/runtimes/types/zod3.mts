import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import { z } from 'zod';

const users = new GroupedToolBuilder('users').commonSchema(z.object({ workspace: z.string() })).action({
  name: 'ban',
  inputSchema: z.object({ id: z.string(), days: z.number().optional() }),
  handler: ({ input }) => {
    const [id, days, workspace]: [string, number | undefined, string] = [
      input.id,
      input.days,
      input.workspace,
    ];
    // @ts-expect-error: the input has no such field.
    void input.reason;
    return `${id} ${days} ${workspace}`;
  },
});

export const registry = new ToolRegistry({ name: 'acme' }).register(users, {
  name: 'count',
  description: 'Counts',
  inputSchema: z.object({ upTo: z.number() }),
  handler: ({ input }) => `${input.upTo.toFixed(0)}`,
});
