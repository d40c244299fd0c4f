import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/client';
import { InMemoryTransport, McpServer, Server } from '@modelcontextprotocol/server';
import { ToolRegistry } from 'toolfold';
import { measure, medianRatio, repeat } from '../measure.mjs';
import { figure, ratio, target } from '../report.mjs';
import { createDefinition, createSchemas } from '../subjects.mjs';

const TOOLS = 1_000;
const info = { name: 'bench', version: '0.0.0' };

/** `tools/list` of the same 1,000 tools through both servers. */
export async function run({ quick = false } = {}) {
  const definitions = createSchemas(TOOLS).map((schema, index) => createDefinition(index, schema));

  const sdk = () => {
    const server = new McpServer(info);
    for (const { name, description, readOnly, inputSchema, handler } of definitions) {
      const annotations = { readOnlyHint: readOnly, ...(readOnly ? { destructiveHint: false } : {}) };
      server.registerTool(name, { description, inputSchema, annotations }, async (input) => ({
        content: [{ type: 'text', text: await handler({ input }) }],
      }));
    }
    return server;
  };
  const registry = new ToolRegistry();
  registry.register(...definitions);
  const ours = () => {
    const server = new Server(info, { capabilities: {} });
    registry.attachToServer(server);
    return server;
  };

  const peers = { sdk: await connectPeer(sdk()), ours: await connectPeer(ours()) };
  const clients = { sdk: await connectClient(sdk()), ours: await connectClient(ours()) };
  const lists = [await peers.sdk(), await peers.ours(), await clients.sdk(), await clients.ours()].map(names);
  assert.equal(lists[0].length, TOOLS);
  for (const list of lists) assert.deepEqual(list, lists[0]);

  const toText = (/** @type {() => Promise<unknown>} */ ask) => async () => JSON.stringify(await ask());
  const samples = await measure(
    {
      sdk: { times: 1, run: repeat(peers.sdk) },
      ours: { times: 200, run: repeat(peers.ours) },
      sdkText: { times: 1, run: repeat(toText(peers.sdk)) },
      oursText: { times: 30, run: repeat(toText(peers.ours)) },
      sdkClient: { times: 1, run: repeat(clients.sdk) },
      oursClient: { times: 5, run: repeat(clients.ours) },
    },
    { rounds: quick ? 7 : 25, warmupMs: quick ? 300 : 1_000 },
  );
  const speedup = medianRatio(samples.sdk, samples.ours);
  return [
    target('McpServer / Server with a registry, 1,000 tools', speedup, '>=', 40),
    ratio('the same, with the answer written as JSON text', samples.sdkText, samples.oursText),
    ratio('the same, asked by the official client, which checks it', samples.sdkClient, samples.oursClient),
    figure('McpServer', samples.sdk),
    figure('Server with a registry', samples.ours),
    figure('McpServer, to JSON text', samples.sdkText),
    figure('Server with a registry, to JSON text', samples.oursText),
    figure('McpServer, asked by the official client', samples.sdkClient),
    figure('Server with a registry, asked by the official client', samples.oursClient),
  ];
}

/**
 * A peer that sends JSON-RPC and ignores the answers, so that only the server is measured.
 *
 * @param {McpServer | Server} server
 */
async function connectPeer(server) {
  const [near, far] = InMemoryTransport.createLinkedPair();
  /** @type {Map<unknown, (result: any) => void>} */
  const waiting = new Map();
  near.onmessage = (message) => {
    if (!('id' in message)) return;
    if ('error' in message) throw new Error(message.error.message);
    if ('result' in message) waiting.get(message.id)?.(message.result);
    waiting.delete(message.id);
  };
  await Promise.all([near.start(), server.connect(far)]);
  let id = 0;
  const ask = (/** @type {string} */ method, /** @type {Record<string, unknown>} */ params) =>
    new Promise((resolve, reject) => {
      waiting.set(++id, resolve);
      near.send({ jsonrpc: '2.0', id, method, params }).catch(reject);
    });
  await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: info });
  await near.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return () => ask('tools/list', {});
}

/** @param {McpServer | Server} server */
async function connectClient(server) {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new Client(info);
  await Promise.all([server.connect(far), client.connect(near)]);
  return () => client.request({ method: 'tools/list' });
}

/** @param {any} list */
function names(list) {
  return list.tools.map((/** @type {{ name: string }} */ { name }) => name);
}
