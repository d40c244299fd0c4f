/**
 * Sixty tools, flat and grouped into four, and the size of `tools/list` in both forms. Exits with an error if an
 * assertion fails.
 */
// #region imports
import assert from 'node:assert/strict';
import { getEncoding } from 'js-tiktoken';
import { ErrFieldConflict } from 'toolfold/errors';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import type { ViewPolicy } from 'toolfold';
import type { McpTool } from 'toolfold/model';
import * as z from 'zod';
import { families, operationsOf, workspace } from './kinds.js';
// #endregion imports

// #region flat
const flat = new ToolRegistry({ name: 'workspace' });
for (const kind of Object.values(families).flat()) {
  for (const operation of operationsOf(kind)) {
    flat.register({
      ...operation,
      name: `${operation.name}_${operation.name === 'list' ? kind.many : kind.one}`,
      inputSchema: operation.inputSchema.extend(workspace),
    });
  }
}
// #endregion flat

// #region grouped
const about = {
  work: 'Projects and the tasks in them',
  people: 'Who works here and what they may do',
  content: 'Documents and remarks on them',
  billing: 'What customers pay',
};
const registry = new ToolRegistry({ name: 'workspace' });
for (const [name, description] of Object.entries(about)) {
  const builder = new GroupedToolBuilder(name).description(description).commonSchema(z.object(workspace));
  for (const kind of families[name] ?? []) {
    builder.group(kind.many, kind.about, (group) => {
      for (const operation of operationsOf(kind)) group.action(operation);
      return group;
    });
  }
  registry.register(builder);
}
// #endregion grouped

// #region measure
const encoding = getEncoding('o200k_base');
function measure(what: string, tools: readonly McpTool[]): number {
  const text = JSON.stringify({ tools });
  const tokens = encoding.encode(text).length;
  console.log(`${what}: ${tools.length} tools, ${Buffer.byteLength(text)} bytes, ${tokens} tokens`);
  return tokens;
}
const before = measure('flat', flat.listTools());
const after = measure('grouped', registry.listTools());
measure('split by risk', registry.view({ split: 'risk' }).listTools());
measure('grouped, read-only', registry.view({ readOnly: true }).listTools());
// #endregion measure
assert.equal(flat.listTools().length, 60);
assert(after < before, 'folding should save something');

// #region sees
const [, people] = registry.listTools();
console.log(people?.description);
const fields = people?.inputSchema['properties'] as Record<string, { description?: string }>;
for (const name of ['workspace_id', 'id', 'name', 'limit'])
  console.log(`${name}: ${fields[name]?.description}`);
// #endregion sees

// #region calls
for (const args of [
  { action: 'users.list', workspace_id: 'w1', limit: 5 },
  { action: 'users.create', workspace_id: 'w1', mail: 'ada@example.com' },
  { action: 'user.list', workspace_id: 'w1' },
]) {
  const { content } = await registry.executeTool({ name: 'people', arguments: args });
  console.log(content[0]?.type === 'text' ? content[0].text : content);
}
// #endregion calls

// #region split
const hints = (policy: ViewPolicy) =>
  registry
    .view(policy)
    .listTools()
    .slice(0, 2)
    .map(({ name, annotations }) => [name, JSON.stringify(annotations)].join(' '));
console.log(hints({}));
console.log(hints({ split: 'risk' }));
// #endregion split

// #region conflict
const work = registry.listTools()[0]?.inputSchema['properties'] as Record<string, unknown>;
console.log(work['status'], work['priority']);

const strict = new GroupedToolBuilder('work').onConflict('throw');
for (const kind of families['work'] ?? []) {
  strict.group(kind.many, (group) => {
    for (const operation of operationsOf(kind)) group.action(operation);
    return group;
  });
}
try {
  strict.buildToolDefinition();
  assert.fail('it should have been rejected');
} catch (error) {
  assert(error instanceof ErrFieldConflict, String(error));
  console.log(`${error.name}: ${error.message}`);
}
// #endregion conflict

// #region discriminator
const audit = new GroupedToolBuilder('audit')
  .description('Who did what')
  .discriminator('operation')
  .action({
    name: 'list',
    readOnly: true,
    inputSchema: z.object({ action: z.string().describe('Such as "login"').optional() }),
    handler: ({ input }) => `every ${input.action ?? 'event'}`,
  })
  .action({ name: 'count', readOnly: true, handler: () => 7 });
const logins = await audit.execute({ operation: 'list', action: 'login' });
console.log(logins.content[0]);
// #endregion discriminator
assert.deepEqual(logins.content, [{ type: 'text', text: 'every login' }]);

// #region aliases
const directory = new GroupedToolBuilder('directory', { aliases: ['people_admin'] })
  .description('Who works here')
  .action({ name: 'suspend', aliases: ['ban'], handler: () => 'suspended' })
  .action({ name: 'list', readOnly: true, handler: () => 'everybody' });
const renamed = new ToolRegistry({ name: 'workspace' }).register(directory);
const banned = await renamed.executeTool({ name: 'people_admin', arguments: { action: 'ban' } });
console.log(banned.content[0], JSON.stringify(renamed.listTools()).includes('ban'));
// #endregion aliases
assert.deepEqual(banned.content, [{ type: 'text', text: 'suspended' }]);

// All sixty operations can be called in both forms.
for (const [name, kinds] of Object.entries(families)) {
  for (const kind of kinds) {
    for (const operation of operationsOf(kind)) {
      const args = { workspace_id: 'w1', ...sample(operation.inputSchema) };
      const flatName = `${operation.name}_${operation.name === 'list' ? kind.many : kind.one}`;
      const key = `${kind.many}.${operation.name}`;
      const [one, other] = await Promise.all([
        flat.executeTool({ name: flatName, arguments: args }),
        registry.executeTool({ name, arguments: { action: key, ...args } }),
      ]);
      assert.equal(one.isError, undefined, JSON.stringify(one));
      assert.deepEqual(one.content, other.content);
    }
  }
}

/** Returns values for the required fields. */
function sample(schema: z.ZodObject): Record<string, unknown> {
  const values: Record<string, unknown> = {
    email: 'ada@example.com',
    starts: '2026-01-30',
    due: '2026-01-30',
  };
  const required = Object.entries(schema.shape).filter(([, field]) => !z.safeParse(field, undefined).success);
  return Object.fromEntries(
    required.map(([name, field]) => [
      name,
      values[name] ?? [['x'], 1, 'x'].find((value) => z.safeParse(field, value).success),
    ]),
  );
}
