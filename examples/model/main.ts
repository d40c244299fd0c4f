/**
 * A tree of groups: one tool in two places, its identity beside the MCP fields, and the tree as JSON that
 * reads back. Exits with an error when anything is not as it says.
 */
import assert from 'node:assert/strict';
import {
  ErrGroupCycle,
  Group,
  GroupTreeConverter,
  McpToolConverter,
  Tool,
  ToolAnnotations,
  fromMCPJSON,
} from 'toolfold';

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
