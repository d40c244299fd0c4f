/**
 * A server from npm with 253 tools, served in every form to 2025 and 2026 clients with several concurrent callers.
 * Exits with an error if an assertion fails.
 */
import assert from 'node:assert/strict';
import { ToolRegistry } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import type { ServeHttpOptions } from 'toolfold/node';
import { connect, eras } from './clients.js';
import type { Caller } from './clients.js';
import { configure } from './server.js';
import { startUpstream } from './upstream.js';

const upstream = await startUpstream();

/** The calls that a client makes to look up the price of a share. */
type Ask = (caller: Caller) => Promise<string>;

async function serve(form: string, options: ServeHttpOptions, askOf: (era: string) => Ask): Promise<void> {
  const registry = new ToolRegistry({ name: 'finance', version: '1.0.0' });
  const running = await serveHttp(registry, { ...options, port: 0 });
  for (const era of eras) {
    const before = upstream.requests.length;
    const keys = [undefined, 'key-of-ada', 'key-of-grace'];
    const callers = await Promise.all(keys.map((key) => connect(running.url, era, key)));
    const lists = await Promise.all(callers.map((caller) => caller.list()));
    const answers = await Promise.all(callers.map(askOf(era)));
    for (const answer of answers) assert.match(answer, /Acme Anvils Inc\./);
    // Each caller reached the service with its own key, and callers without a key with the server's.
    const asked = upstream.requests.slice(before).map(({ apiKey }) => apiKey);
    assert.deepEqual(asked.toSorted(), ['key-of-ada', 'key-of-grace', 'key-of-the-server']);
    assert.deepEqual(lists[1], lists[0]);
    console.log(`${form}, ${era}: ${lists[0]?.length} tools`);
    await Promise.all(callers.map((caller) => caller.close()));
  }
  await running.close();
}

const directly: Ask = (caller) => caller.call('getQuote', { symbol: 'ACME' });
const asAction: Ask = (caller) => caller.call('quotes', { action: 'getQuote', symbol: 'ACME' });
const bySearch: Ask = async (caller) => {
  const found = await caller.call('search_tools', {
    query: 'what is the stock price of Acme right now',
  });
  assert.match(found, /getQuote/);
  return caller.call('call_read_tool', { address: 'getQuote', arguments: { symbol: 'ACME' } });
};
const byEnabling: Ask = async (caller) => {
  await caller.call('enable_toolset', { toolset: 'quotes' });
  assert((await caller.list()).includes('getQuote'));
  return caller.call('getQuote', { symbol: 'ACME' });
};

const all = configure(['--all-tools']);
const readOnly = { ...all, exposurePolicy: { ...all.exposurePolicy, readOnly: true } };
await serve('all tools', { toolsets: all }, () => directly);
await serve('read-only', { toolsets: readOnly }, () => directly);
await serve('one tool per module', { toolsets: configure(['--all-tools'], 'grouped') }, () => asAction);
await serve('two toolsets', { toolsets: configure(['--tool-sets=quotes,company']) }, () => directly);
await serve('search', { toolsets: all, view: { form: 'search' } }, () => bySearch);
await serve('dynamic', { toolsets: configure(['--dynamic-tool-discovery']) }, (era) =>
  era === '2026-07-28' ? bySearch : byEnabling,
);
upstream.close();
