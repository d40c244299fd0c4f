/**
 * Three nodes that share their state in Redis: a session continues on any node, a payment that is sent to all three
 * runs once, and one rate limit applies to all of them. Exits with an error if an assertion fails. With `--stay` the
 * nodes run until Ctrl+C.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { startRedis } from '../../test/stores/redis-server.js';
import { Ledger } from './ledger.js';
import { startNode } from './node.js';

const isStaying = process.argv.includes('--stay');
const server = await startRedis();
if (!server) {
  console.log('SKIPPED: there is no redis-server on the PATH, and no REDIS_URL.');
  process.exit(isStaying || process.env['CI'] === 'true' ? 1 : 0);
}

const ledger = new Ledger();
const nodes = await Promise.all([1, 2, 3].map(() => startNode({ url: server.url, ledger })));

const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
const post = (node: number, method: string, params: object, session?: string): Promise<Response> =>
  fetch(nodes[node]?.url ?? '', {
    method: 'POST',
    headers: { ...headers, ...(session === undefined ? {} : { 'mcp-session-id': session }) },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });

const opened = await post(0, 'initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'example', version: '1.0.0' },
});
const session = opened.headers.get('mcp-session-id') ?? '';
const pay = async (node: number, account: string, request_id: string): Promise<string> => {
  const call = { name: 'pay', arguments: { account, amount: 5, request_id } };
  const answer = (await (await post(node, 'tools/call', call, session)).json()) as {
    result: { content: [{ text: string }] };
  };
  return answer.result.content[0].text;
};

// The payment is sent to all nodes at once, and one node makes it.
const answers = await Promise.all([0, 1, 2].map((node) => pay(node, 'ada', 'first')));
console.log('three times the same payment:', answers);
assert.deepEqual(answers, ['ada: 5', 'ada: 5', 'ada: 5']);
assert.equal(ledger.balanceOf('ada'), 5);

// All nodes share one limit: three of the twenty calls are used up.
const many = await Promise.all(
  Array.from({ length: 30 }, (_, call) => pay(call % 3, `account ${call}`, `pay ${call}`)),
);
const made = many.filter((text) => text.startsWith('account')).length;
console.log('payments of thirty that the limit let through:', made);
assert.equal(made, 17);

if (isStaying) {
  console.log(`Serving until Ctrl+C: ${nodes.map(({ url }) => url).join(' ')}`);
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
}
await Promise.all(nodes.map(async ({ close, shared }) => close().then(() => shared.close())));
await server.stop();
