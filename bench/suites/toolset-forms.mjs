import assert from 'node:assert/strict';
import { measure, medianRatio, repeat } from '../measure.mjs';
import { figure, ratio, target } from '../report.mjs';
import {
  CALLED,
  assertCalled,
  calledArguments,
  copyFor,
  countTools,
  createConfig,
  createDefinitions,
  createEdge,
  createRegistry,
  createRequest,
  openSession,
  setName,
} from '../toolset-servers.mjs';

const TOOLS = 1_000;
const TOOLSETS = 100;

/** 1,000 tools in 100 toolsets in every form, against the same tools registered plainly and served in the same way. */
export async function run({ quick = false } = {}) {
  const definitions = createDefinitions(TOOLS);
  const config = (/** @type {object} */ more = {}) => createConfig(copyFor(definitions), TOOLSETS, more);
  const dynamic = {
    startup: { mode: /** @type {const} */ ('DYNAMIC'), toolsets: /** @type {const} */ ('ALL') },
  };
  const edges = {
    plain: createEdge(createRegistry(copyFor(definitions))),
    fixed: createEdge(createRegistry(), { toolsets: config() }),
    search: createEdge(createRegistry(), { toolsets: config(), view: { form: 'search' } }),
    dynamic: createEdge(createRegistry(), { toolsets: config(dynamic) }),
  };
  const sessions = { plain: await openSession(edges.plain), dynamic: await openSession(edges.dynamic) };
  const selecting = { headers: { 'x-mcp-toolsets': `${setName(0)},${setName(1)}` } };
  const searched = {
    params: { name: 'call_read_tool', arguments: { address: CALLED, arguments: calledArguments } },
  };
  const list = createRequest('tools/list');
  const call = createRequest('tools/call');
  const asked = {
    plainList: { edge: edges.plain, request: list, tools: TOOLS },
    fixedList: { edge: edges.fixed, request: list, tools: TOOLS },
    selectedList: { edge: edges.fixed, request: createRequest('tools/list', selecting), tools: 20 },
    searchList: { edge: edges.search, request: list, tools: 5 },
    plainCall: { edge: edges.plain, request: call },
    fixedCall: { edge: edges.fixed, request: call },
    selectedCall: { edge: edges.fixed, request: createRequest('tools/call', selecting) },
    searchCall: { edge: edges.search, request: createRequest('tools/call', searched) },
  };
  const inSessions = {
    plainList: {
      edge: edges.plain,
      request: createRequest('tools/list', { session: sessions.plain }),
      tools: TOOLS,
    },
    dynamicList: {
      edge: edges.dynamic,
      request: createRequest('tools/list', { session: sessions.dynamic }),
      tools: TOOLS + 5,
    },
    plainCall: { edge: edges.plain, request: createRequest('tools/call', { session: sessions.plain }) },
    dynamicCall: { edge: edges.dynamic, request: createRequest('tools/call', { session: sessions.dynamic }) },
  };
  const effort = { rounds: quick ? 21 : 101, sampleMs: 5, warmupMs: quick ? 200 : 500 };
  const samples = await measureAll(asked, effort);
  const legacy = await measureAll(inSessions, { ...effort, rounds: quick ? 11 : 41 });
  for (const edge of Object.values(edges)) await edge.close();
  return [
    target('tools/list: all toolsets / plain', medianRatio(samples.fixedList, samples.plainList), '<=', 1.5),
    target('tools/call: all toolsets / plain', medianRatio(samples.fixedCall, samples.plainCall), '<=', 1.3),
    target(
      'tools/list: two selected by header / plain',
      medianRatio(samples.selectedList, samples.plainList),
      '<=',
      2,
    ),
    target(
      'tools/call: two selected by header / plain',
      medianRatio(samples.selectedCall, samples.plainCall),
      '<=',
      1.5,
    ),
    ratio('tools/list: search / plain', samples.searchList, samples.plainList),
    ratio('tools/call: call_read_tool / plain', samples.searchCall, samples.plainCall),
    ratio('tools/list in a session: dynamic / plain', legacy.dynamicList, legacy.plainList),
    target(
      'tools/call in a session: dynamic / plain',
      medianRatio(legacy.dynamicCall, legacy.plainCall),
      '<=',
      1.5,
    ),
    ...Object.entries(samples).map(([name, each]) => figure(titleOf(name), each)),
    ...Object.entries(legacy).map(([name, each]) => figure(`session: ${titleOf(name)}`, each)),
  ];
}

/** @param {string} name */
const titleOf = (name) =>
  name.replace('fixed', 'all toolsets').replace(/List$/, ', tools/list').replace(/Call$/, ', tools/call');

/**
 * @template {string} Name
 * @param {Record<Name, { edge: import('../toolset-servers.mjs').BenchEdge, request: import('../toolset-servers.mjs').BenchRequest, tools?: number }>} asked
 * @param {import('../measure.mjs').Effort} effort
 */
async function measureAll(asked, effort) {
  /** @type {Record<string, import('../measure.mjs').Contender>} */
  const contenders = {};
  for (const [name, { edge, request, tools }] of /** @type {[string, any][]} */ (Object.entries(asked))) {
    if (tools === undefined) await assertCalled(edge, request);
    else assert.equal(await countTools(edge, request), tools, name);
    contenders[name] = { run: repeat(() => edge.ask(request)) };
  }
  return /** @type {Record<Name, number[]>} */ (await measure(contenders, effort));
}
