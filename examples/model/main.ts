/**
 * Builds a tree of groups with one tool in two places, converts the tree to JSON and back and a tool from and to MCP
 * fields, and serves model objects from a registry. Exits with an error if an assertion fails.
 */
import assert from 'node:assert/strict';
import { ErrGroupCycle } from 'toolfold/errors';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import {
  Group,
  GroupTreeConverter,
  McpToolConverter,
  Prompt,
  Resource,
  Tool,
  ToolAnnotations,
  fromMCPJSON,
} from 'toolfold/model';

// #region tree
const search = new Tool({
  name: 'search',
  description: 'Finds people and invoices',
  inputSchema: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
  annotations: new ToolAnnotations({ readOnlyHint: true }),
  namespace: 'acme',
  tags: ['Full Text', 'read-only'],
});

const platform = new Group({ name: 'platform' });
const users = new Group({ name: 'users' });
const admin = new Group({ name: 'admin' });
platform.add(users).add(admin);
users.add(search);
admin.add(search);

console.log(search.getFullyQualifiedNames());
console.log(search.toolID(), search.tags);
// #endregion
assert.deepEqual(search.getFullyQualifiedNames(), ['platform.users.search', 'platform.admin.search']);
assert.deepEqual(search.parentGroups, [users, admin]);

// #region cycle
try {
  admin.add(platform);
} catch (error) {
  console.log(String(error));
}
// #endregion
assert.throws(() => admin.add(platform), ErrGroupCycle);

// #region json
const converter = new GroupTreeConverter();
const tree = converter.convertFrom(platform);
console.log(JSON.stringify(tree.groups?.[1]));
// #endregion
const back = converter.convertTo(JSON.parse(JSON.stringify(tree)));
assert.deepEqual(converter.convertFrom(back), tree);
assert.equal(back.childGroups[0]?.childTools[0], back.childGroups[1]?.childTools[0]);

// #region ingest
const upstream = fromMCPJSON('{"name":"get_file","inputSchema":{"type":"object"},"_meta":{"vendor/x":1}}');
upstream.namespace = 'files';
upstream.setTags(['Files']);
console.log(upstream.toolID(), JSON.stringify(new McpToolConverter().convertFrom(upstream)));
// #endregion
assert.equal(upstream.toolID(), 'files:get_file');

// #region serve
const registry = new ToolRegistry({ name: 'desk' })
  .register(search, ({ input }) => `Looked for ${String(input['query'])}`, { scopes: ['people:read'] })
  .registerPrompt(new Prompt({ name: 'greet' }), () => 'Say hello')
  .registerResource(new Resource({ name: 'motd', uri: 'motd://today' }), () => 'All is well');
console.log(registry.listTools().map(({ name }) => name));
// #endregion
assert.ok(registry.has(search.toolID()));
const result = await registry.executeTool({
  name: 'acme_search',
  arguments: { query: 'Ada' },
  caller: { auth: { scopes: ['people:read'] } },
});
assert.deepEqual(result.content, [{ type: 'text', text: 'Looked for Ada' }]);

// #region view
registry.register(
  new GroupedToolBuilder('rooms', { version: '2.0.0' }).group('bookings', 'Who has which room', (group) =>
    group.action({ name: 'list', description: 'Lists bookings', readOnly: true, handler: () => [] }),
  ),
);
const { root } = registry.view();
const bookings = root.childGroups.find(({ name }) => name === 'rooms')?.childGroups[0];
console.log(bookings?.description, bookings?.childTools[0]?.getFullyQualifiedName());
// #endregion
assert.equal(bookings?.childTools[0]?.version, '2.0.0');
assert.deepEqual(
  [...root.childPrompts, ...root.childResources].map((item) => item.getFullyQualifiedName()),
  ['desk.greet', 'desk.motd'],
);
