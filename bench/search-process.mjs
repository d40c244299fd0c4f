/**
 * Serves 10,000 tools in the search form, searches them once, and reports the cost of that request. With `--few-words`, the
 * tools share 50 words. `--tools` sets another number of tools. With `--listed`, a client lists the tools a second before.
 */
import assert from 'node:assert/strict';
import { parseArgs } from 'node:util';
import { createHandler } from 'toolfold/web';
import { readThreadTime, watchBlocking } from './blocking.mjs';
import { inventTools } from './search-data.mjs';
import { createDefinitions, createRegistry } from './toolset-servers.mjs';

const { values: flags } = parseArgs({
  options: {
    tools: { type: 'string', default: '10000' },
    'few-words': { type: 'boolean', default: false },
    listed: { type: 'boolean', default: false },
  },
});
const TOOLS = Number(flags.tools);
// The descriptions use the words of real tools and questions, because the index grows with the vocabulary.
const invented = flags['few-words'] ? [] : inventTools(TOOLS);
const definitions = createDefinitions(TOOLS).map((each, index) => ({
  ...each,
  description: invented[index]?.description ?? each.description,
}));
const handler = createHandler(createRegistry(definitions), { view: { form: 'search' } });
const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
/** @param {string} method @param {{ name?: string, arguments?: object }} params */
const send = (method, params) =>
  handler.fetch(
    new Request('http://localhost/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(params.name === undefined ? {} : { 'mcp-name': params.name }),
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method,
        params: { ...params, _meta: meta },
      }),
    }),
  );
/** @param {string} name @param {object} args */
const call = (name, args) => send('tools/call', { name, arguments: args });
// Another search tool is called first, so that the cost of the first request does not count.
const listed = await (await call('list_toolsets', {})).text();
assert(!listed.includes('"isError":true'), listed);
if (flags.listed) {
  const tools = await (await send('tools/list', {})).text();
  assert(tools.includes('"search_tools"'), tools);
  await new Promise((resolve) => setTimeout(resolve, 1_000));
}

const readLongest = watchBlocking();
await new Promise((resolve) => setTimeout(resolve, 20));
readLongest();
const cpuBefore = process.cpuUsage();
const threadBefore = readThreadTime();
const start = performance.now();
const answer = await (await call('search_tools', { query: 'get a milestone' })).text();
const wall = performance.now() - start;
const thread = readThreadTime() - threadBefore;
const { user, system } = process.cpuUsage(cpuBefore);
const longest = readLongest();
assert.match(answer, /get_milestone_\d+/);
process.send?.({ cpu: (user + system) / 1_000, thread, wall, longest });
