import assert from 'node:assert/strict';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import { z } from 'zod';

const users = new GroupedToolBuilder('users')
  .commonSchema(z.object({ workspace: z.string().describe('Workspace') }))
  .action({
    name: 'invite',
    inputSchema: z.object({ email: z.string().email(), role: z.enum(['guest', 'member']).default('guest') }),
    handler: ({ input }) => `${input.email} ${input.role} ${input.workspace}`,
  });
const registry = new ToolRegistry({ name: 'zod3' }).register(users, {
  name: 'count',
  description: 'Counts',
  inputSchema: { upTo: z.number().int().max(3) },
  outputSchema: z.object({ counted: z.number() }),
  handler: ({ input }) => ({ counted: input.upTo }),
});

const [listed] = registry.listTools();
assert.deepEqual(Object.keys(listed.inputSchema.properties), ['action', 'workspace', 'email', 'role']);
const call = (name, args) => registry.executeTool({ name, arguments: args });
const invited = await call('users', { action: 'invite', workspace: 'w', email: 'a@b.de' });
assert.equal(invited.content[0].text, 'a@b.de guest w');
const wrong = await call('users', { action: 'invite', workspace: 'w', email: 'a', role: 'x' });
assert.equal(wrong.isError, true);
assert.match(wrong.content[0].text, /email: .*; role: /s);
assert.deepEqual((await call('count', { upTo: 2 })).structuredContent, { counted: 2 });
assert.equal((await call('count', { upTo: 4 })).isError, true);
console.log('ok');
