/**
 * A server from npm with 253 tools, served in every form to callers with keys of their own. Exits with an error when
 * anything is not as it says.
 */
import assert from 'node:assert/strict';
import { ToolRegistry, Toolsets } from 'toolfold';
import type { ToolsetConfig } from 'toolfold';
import { configure } from './server.js';
import { startUpstream } from './upstream.js';

const upstream = await startUpstream();

/** Three callers at once, each of whom reaches the service with the right key. */
async function ask(form: string, config: ToolsetConfig, call: { name: string; arguments: object }) {
  const registry = new ToolRegistry({ name: 'finance', version: '1.0.0' });
  const toolsets = new Toolsets(registry, config);
  const before = upstream.requests.length;
  const sizes = await Promise.all(
    [undefined, 'key-of-ada', 'key-of-grace'].map(async (key) => {
      const written = key && btoa(JSON.stringify({ FMP_ACCESS_TOKEN: key }));
      const caller = toolsets.contextOf({ query: () => [], header: () => written });
      const view = await toolsets.view(toolsets.startup, caller);
      const request = { name: call.name, arguments: { ...call.arguments } };
      const result = await registry.executeTool(request, view);
      assert.equal(result.isError, undefined);
      assert.match(JSON.stringify(result), /Acme Anvils Inc\./);
      return view.tools.size;
    }),
  );
  const asked = upstream.requests.slice(before);
  assert.deepEqual(asked.map(({ apiKey }) => apiKey).toSorted(), [
    'key-of-ada',
    'key-of-grace',
    'key-of-the-server',
  ]);
  console.log(`${form}: ${sizes[0]} tools`);
}

const quote = { name: 'getQuote', arguments: { symbol: 'ACME' } };
await ask('all tools', configure(['--all-tools']), quote);
await ask('two toolsets', configure(['--tool-sets=quotes,company']), quote);
await ask('one tool a module', configure(['--all-tools'], 'grouped'), {
  name: 'quotes',
  arguments: { action: 'getQuote', symbol: 'ACME' },
});
const all = configure(['--all-tools']);
await ask('read-only', { ...all, exposurePolicy: { ...all.exposurePolicy, readOnly: true } }, quote);
upstream.close();
