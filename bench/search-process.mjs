/**
 * Serves 10,000 tools in the search form, searches them once, and reports the cost of that request. With `--few-words`, the
 * tools share 50 words.
 */
import assert from 'node:assert/strict';
import { createHandler } from 'toolfold/web';
import { watchBlocking } from './blocking.mjs';
import { inventTools } from './search-data.mjs';
import { createDefinitions, createRegistry } from './toolset-servers.mjs';

const TOOLS = 10_000;
// The descriptions use the words of real tools and questions, because the index grows with the vocabulary.
const invented = process.argv.includes('--few-words') ? [] : inventTools(TOOLS);
const definitions = createDefinitions(TOOLS).map((each, index) => ({
  ...each,
  description: invented[index]?.description ?? each.description,
}));
const handler = createHandler(createRegistry(definitions), { view: { form: 'search' } });
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
/** @param {string} name @param {object} args */
const call = (name, args) =>
  handler.fetch(
    new Request('http://localhost/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': name,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name, arguments: args, _meta: meta },
      }),
    }),
  );
// Another search tool is called first, so that the cost of the first request does not count.
const listed = await (await call('list_toolsets', {})).text();
assert(!listed.includes('"isError":true'), listed);

const readLongest = watchBlocking();
await new Promise((resolve) => setTimeout(resolve, 20));
readLongest();
const cpuBefore = process.cpuUsage();
const start = performance.now();
const answer = await (await call('search_tools', { query: 'get a milestone' })).text();
const wall = performance.now() - start;
const { user, system } = process.cpuUsage(cpuBefore);
const longest = readLongest();
assert.match(answer, /get_milestone_\d+/);
process.send?.({ cpu: (user + system) / 1_000, wall, longest });
