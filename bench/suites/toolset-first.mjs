import assert from 'node:assert/strict';
import { actionName } from '../subjects.mjs';
import { measure, medianRatio } from '../measure.mjs';
import { figure, ratio, target } from '../report.mjs';
import {
  copyFor,
  countTools,
  createConfig,
  createDefinitions,
  createEdge,
  createRegistry,
  createRequest,
} from '../toolset-servers.mjs';

const COUNTS = [100, 1_000, 10_000];
const TOOLSETS = 10;

/** The time of the first list of a new selection, and of the first list after a server start. */
export async function run({ quick = false } = {}) {
  const definitions = createDefinitions(10_000);
  /** @type {import('../report.mjs').Figure[]} */
  const lines = [];
  /** @type {Record<string, Record<'plain' | 'toolsets', number[]>>} */
  const all = {};
  for (const count of COUNTS) {
    const tools = definitions.slice(0, count);
    const plain = createEdge(createRegistry(copyFor(tools)));
    const toolsets = createEdge(createRegistry(), { toolsets: createConfig(copyFor(tools), TOOLSETS) });
    for (const edge of [plain, toolsets])
      assert.equal(await countTools(edge, createRequest('tools/list')), count);
    const samples = (all[String(count)] = await measure(
      { plain: selecting(plain, count), toolsets: selecting(toolsets, count) },
      { rounds: quick ? 5 : 15, warmupMs: quick ? 100 : 500 },
    ));
    const started = await measure(
      {
        plain: starting(() => createEdge(createRegistry(copyFor(tools)))),
        toolsets: starting(() =>
          createEdge(createRegistry(), { toolsets: createConfig(copyFor(tools), TOOLSETS) }),
        ),
      },
      { rounds: quick || count > 1_000 ? 3 : 9, warmupMs: 1 },
    );
    const shown = count.toLocaleString('en');
    lines.push(
      figure(`${shown} tools: the first list of a selection`, samples.toolsets),
      ratio('  / the same of a registry without toolsets', samples.toolsets, samples.plain),
      figure(`${shown} tools: the first list of a server`, started.toolsets),
      ratio('  / the same of a registry without toolsets', started.toolsets, started.plain),
    );
    await plain.close();
    await toolsets.close();
  }
  const growth = medianRatio(all['10000']?.toolsets ?? [], all['1000']?.toolsets ?? []) / 10;
  return [
    target('the first list of a selection, for each tool: 10,000 / 1,000', growth, '<=', 1.5),
    ...lines,
  ];
}

/**
 * Creates a server and lists its tools.
 *
 * @param {() => import('../toolset-servers.mjs').BenchEdge} create
 * @returns {import('../measure.mjs').Contender}
 */
function starting(create) {
  return {
    times: 1,
    run: async () => {
      const edge = create();
      await edge.ask(createRequest('tools/list'));
      await edge.close();
    },
  };
}

/**
 * Lists all tools except two, which differ each time.
 *
 * @param {import('../toolset-servers.mjs').BenchEdge} edge
 * @param {number} count
 * @returns {import('../measure.mjs').Contender}
 */
function selecting(edge, count) {
  let next = 0;
  return {
    times: 1,
    run: async () => {
      next += 1;
      const left = [next % count, Math.floor(next / count) + (next % count) + 1].map((at) =>
        actionName(at % count),
      );
      await edge.ask(createRequest('tools/list', { headers: { 'x-mcp-exclude-tools': left.join() } }));
    },
  };
}
