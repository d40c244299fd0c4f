import assert from 'node:assert/strict';
import { measure, medianRatio, repeat } from '../measure.mjs';
import { figure, target } from '../report.mjs';
import {
  assertCalled,
  copyFor,
  countTools,
  createConfig,
  createDefinitions,
  createEdge,
  createRegistry,
  createRequest,
  setName,
} from '../toolset-servers.mjs';

/** The same requests among more and more toolsets, and among more and more tools. */
export async function run({ quick = false } = {}) {
  const effort = { rounds: quick ? 21 : 101, sampleMs: 5, warmupMs: quick ? 200 : 500 };
  const definitions = createDefinitions(10_000);
  const thousand = definitions.slice(0, 1_000);
  return [
    ...(await grow('toolsets', [1, 10, 100], (count) => createConfig(copyFor(thousand), count), effort)),
    ...(await grow(
      'tools',
      [10, 100, 1_000, 10_000],
      (count) => createConfig(copyFor(definitions.slice(0, count)), 10),
      effort,
    )),
  ];
}

/**
 * @param {string} what
 * @param {readonly number[]} counts
 * @param {(count: number) => import('../toolset-servers.mjs').ToolsetConfig} configOf
 * @param {import('../measure.mjs').Effort} effort
 */
async function grow(what, counts, configOf, effort) {
  const edges = counts.map((count) => {
    const toolsets = configOf(count);
    const dynamic = { ...toolsets, startup: { mode: /** @type {const} */ ('DYNAMIC') } };
    return {
      count,
      fixed: createEdge(createRegistry(), { toolsets }),
      dynamic: createEdge(createRegistry(), { toolsets: dynamic }),
    };
  });
  const selecting = { headers: { 'x-mcp-toolsets': setName(0) } };
  const requests = {
    'tools/list': { edge: 'fixed', request: createRequest('tools/list') },
    'tools/call': { edge: 'fixed', request: createRequest('tools/call') },
    'tools/list, one selected': { edge: 'fixed', request: createRequest('tools/list', selecting) },
    'tools/call, one selected': { edge: 'fixed', request: createRequest('tools/call', selecting) },
    'tools/list, search': { edge: 'dynamic', request: createRequest('tools/list') },
  };
  const lines = [];
  for (const [title, { edge: name, request }] of Object.entries(requests)) {
    /** @type {Record<string, import('../measure.mjs').Contender>} */
    const contenders = {};
    for (const each of edges) {
      const edge = name === 'fixed' ? each.fixed : each.dynamic;
      if (title.startsWith('tools/call')) await assertCalled(edge, request);
      else assert((await countTools(edge, request)) > 0);
      contenders[String(each.count)] = { run: repeat(() => edge.ask(request)) };
    }
    const samples = await measure(contenders, effort);
    const [least, most] = [counts[0], counts.at(-1)].map(String);
    lines.push(
      target(
        `${title}: ${shown(most)} ${what} / ${shown(least)}`,
        medianRatio(samples[most ?? ''] ?? [], samples[least ?? ''] ?? []),
        '<=',
        1.3,
      ),
      ...counts.map((count) => figure(`  ${shown(count)} ${what}`, samples[String(count)] ?? [])),
    );
  }
  for (const { fixed, dynamic } of edges) {
    await fixed.close();
    await dynamic.close();
  }
  return lines;
}

/** @param {unknown} count */
const shown = (count) => Number(count).toLocaleString('en');
