import assert from 'node:assert/strict';
import { Exposure } from 'toolfold/web';
import { measure, medianRatio, repeat } from '../measure.mjs';
import { figure, target } from '../report.mjs';
import {
  assertCalled,
  createConfig,
  createDefinitions,
  createEdge,
  createRegistry,
  createRequest,
} from '../toolset-servers.mjs';

const TOOLS = 100;
const TOOLSETS = 10;
const MANY = 10_000;
/** Each caller has 10 loaded modules and the cache holds 10,000, so this is three times its capacity. */
const OWN = 3_000;

/** @typedef {import('../toolset-servers.mjs').ToolsetConfig} ToolsetConfig */
/** @typedef {import('../toolset-servers.mjs').BenchRequest} BenchRequest */
/** @typedef {'tools/list' | 'tools/call'} Method */

const sessionContext = {
  header: { name: 'x-config', encoding: /** @type {const} */ ('json'), allowedKeys: ['accessToken'] },
};

/** Callers with different client ids, verified callers with one policy, and client ids with session contexts. */
const kinds = {
  'client ids': {
    config: {},
    headers: (/** @type {number} */ at) => ({ 'mcp-client-id': `client-${at}` }),
  },
  'callers of one policy': {
    config: {
      select: (/** @type {any} */ auth) => ({ toolsets: auth?.scopes ?? [], readOnly: true }),
    },
    auth: (/** @type {number} */ at) => ({
      token: `t${at}`,
      clientId: `client-${at}`,
      scopes: ['set_0', 'set_1'],
      extra: { sub: `user-${at}` },
    }),
  },
  'client ids, contexts read': {
    config: { sessionContext },
    headers: (/** @type {number} */ at) => ({ 'mcp-client-id': `client-${at}` }),
  },
};

export async function run({ quick = false } = {}) {
  const effort = { rounds: quick ? 21 : 101, sampleMs: 5, warmupMs: quick ? 200 : 500 };
  const lines = [];
  for (const [name, kind] of Object.entries(kinds)) lines.push(...(await compare(name, kind, effort)));
  lines.push(...(await weighOwn(effort)), countViews());
  return lines;
}

/**
 * @param {string} name
 * @param {{ config: object, headers?: (at: number) => Record<string, string>, auth?: (at: number) => object }} kind
 * @param {import('../measure.mjs').Effort} effort
 */
async function compare(name, { config, headers, auth }, effort) {
  const toolsets = createConfig(createDefinitions(TOOLS), TOOLSETS, config);
  const edge = createEdge(createRegistry(), { toolsets });
  const requests = (/** @type {Method} */ method) =>
    Array.from({ length: MANY }, (_, at) =>
      createRequest(method, {
        ...(headers ? { headers: headers(at) } : {}),
        ...(auth ? { auth: auth(at) } : {}),
      }),
    );
  const all = { 'tools/list': requests('tools/list'), 'tools/call': requests('tools/call') };
  await assertCalled(edge, /** @type {BenchRequest} */ (all['tools/call'][0]));
  // Warm-up, because the first callers also pay for compiled code.
  for (const request of all['tools/call'].slice(0, 100)) await edge.ask(request);
  const before = heap();
  for (const method of /** @type {const} */ (['tools/list', 'tools/call']))
    for (const request of all[method]) await edge.ask(request);
  const perCaller = (heap() - before) / MANY;
  const lines = [];
  for (const method of /** @type {const} */ (['tools/list', 'tools/call'])) {
    const samples = await measure(
      Object.fromEntries(
        [1, 100, MANY].map((count) => {
          let at = 0;
          return [
            String(count),
            { run: repeat(() => edge.ask(/** @type {BenchRequest} */ (all[method][at++ % count]))) },
          ];
        }),
      ),
      effort,
    );
    lines.push(
      target(
        `${method}: 10,000 ${name} / 1`,
        medianRatio(samples[String(MANY)] ?? [], samples['1'] ?? []),
        '<=',
        1.5,
      ),
      ...['1', '100', String(MANY)].map((count) =>
        figure(`  ${Number(count).toLocaleString('en')}`, samples[count] ?? []),
      ),
    );
  }
  await edge.close();
  return [...lines, target(`bytes of heap for each of 10,000 ${name}`, perCaller, '<=', 1_024)];
}

/**
 * Callers with a credential each have their own loaded modules, of which a limited number is cached.
 *
 * @param {import('../measure.mjs').Effort} effort
 */
async function weighOwn(effort) {
  const toolsets = createConfig(createDefinitions(10), 10, { sessionContext });
  const edge = createEdge(createRegistry(), { toolsets });
  const requests = Array.from({ length: OWN }, (_, at) =>
    createRequest('tools/call', {
      headers: {
        'mcp-client-id': `client-${at}`,
        'x-config': JSON.stringify({ accessToken: `token-${at}` }),
      },
    }),
  );
  await assertCalled(edge, /** @type {BenchRequest} */ (requests[0]));
  const samples = await measure(
    {
      one: { run: repeat(() => edge.ask(/** @type {BenchRequest} */ (requests[0]))) },
      hundred: { run: repeat((at) => edge.ask(/** @type {BenchRequest} */ (requests[at % 100]))) },
    },
    // Each of the 100 callers has its own tools, which must be called often enough to be optimised.
    { ...effort, warmupMs: 4 * (effort.warmupMs ?? 500) },
  );
  const ask = async (/** @type {number} */ from, /** @type {number} */ to) => {
    for (const request of requests.slice(from, to)) await edge.ask(request);
  };
  const before = heap();
  await ask(100, 600);
  const kept = (heap() - before) / 500;
  await ask(600, 2_500);
  const half = heap();
  await ask(2_500, OWN);
  const growth = (heap() - half) / (OWN - 2_500);
  let next = 0;
  const thrash = await measure(
    { all: { run: repeat(() => edge.ask(/** @type {BenchRequest} */ (requests[next++ % OWN]))) } },
    { rounds: 5, sampleMs: 20, warmupMs: 100 },
  );
  await edge.close();
  return [
    target('tools/call: 100 credentials / 1', medianRatio(samples.hundred, samples.one), '<=', 1.5),
    figure('  1', samples.one),
    figure('  100', samples.hundred),
    figure('  3,000 in turn, more than the cache holds: loaded and compiled again', thrash.all),
    /** @type {const} */ ({
      kind: 'figure',
      title: 'KB of heap for each credential with 10 modules of one tool',
      value: kept / 1_024,
      unit: 'KB',
    }),
    target('bytes of heap for each further credential, once as many are kept as may be', growth, '<=', 1_024),
  ];
}

/** Views of 10,000 callers that may see the same. */
function countViews() {
  const toolsets = createConfig(createDefinitions(10), 1, {
    sessionContext,
    select: (auth) => ({ toolsets: auth?.scopes ?? [] }),
  });
  const exposure = new Exposure(createRegistry(), { toolsets });
  const views = new Set();
  for (let at = 0; at < MANY; at++)
    views.add(
      exposure.viewFor({
        protocolVersion: '2026-07-28',
        clientId: `client-${at}`,
        caller: { auth: { token: `t${at}`, clientId: `client-${at}`, scopes: ['set_0'] } },
        selection: { readOnly: true },
      }),
    );
  assert(views.size > 0);
  return target('views of 10,000 callers of one policy', views.size, '<=', 1);
}

/** Bytes in use after a full garbage collection. */
function heap() {
  for (let pass = 0; pass < 4; pass++) globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
