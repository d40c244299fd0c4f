/**
 * The speed targets of the project. The suites measure them, the reports print each as met or missed, and README.md
 * shows them.
 *
 * @typedef {{ bench: 'http' | 'core' | 'start', title: string, relation: '<=' | '>=', wanted: number, unit: string }} SpeedTarget
 */

/** @type {(title: string, relation: '<=' | '>=', wanted: number, unit?: string) => SpeedTarget} */
const http = (title, relation, wanted, unit = '×') => ({ bench: 'http', title, relation, wanted, unit });
/** @type {typeof http} */
const core = (...target) => ({ ...http(...target), bench: 'core' });
/** @type {typeof http} */
const start = (...target) => ({ ...http(...target), bench: 'start' });

export const speedTargets = {
  // Requests per second, except for p99.
  callFloor: http('call, 1 tool / floor of node:http', '>=', 0.75),
  callSdk: http('call, 1 tool / SDK v2 handler', '>=', 7),
  callTmcp: http('call, 1 tool / tmcp', '>=', 3),
  callP99: http('p99 of a call, 1 tool / floor', '<=', 2),
  callSession: http('call in a 2025 session / SDK v2 session', '>=', 2.5),
  manyFloor: http('call / floor', '>=', 0.7),
  manyP99: http('p99 of a call / floor', '<=', 2),
  manyMemory: http('RSS under load / lightest peer', '<=', 1.1),
  listSession: http('list of 1,000 tools in a 2025 session / SDK v2 handler', '>=', 300),
  list: http('list of 1,000 tools, 2026 / SDK v2 handler', '>=', 300),

  // Processor time, except for the longest block.
  executeToolPlain: core('registry.executeTool / safeParse + handler, six plain fields', '<=', 4),
  builderExecutePlain: core('builder.execute / safeParse + handler, six plain fields', '<=', 4),
  executeToolChecked: core('registry.executeTool / safeParse + handler, six checked fields', '<=', 4),
  builderExecuteChecked: core('builder.execute / safeParse + handler, six checked fields', '<=', 4),
  register: core('register() in a loop, 4,000 tools / toJSONSchema of Zod', '<=', 1.5),
  registerList: core('register() and first list, 1,000 ordinary tools / toJSONSchema of Zod', '<=', 2),
  registerGrowth: core('register() in a loop, per tool of 10,000 / of 1,000', '<=', 1.3),
  viewLookup: core('view lookup with a policy', '<=', 0.1, 'µs'),
  firstSearch: core('first search over 10,000 tools', '<=', 400, 'ms'),
  firstSearchBlock: core('first search over 10,000 tools, longest block', '<=', 50, 'ms'),

  // Milliseconds from the start of the process.
  startOne: start('start to first call, 1 tool / fastest peer', '<=', 0.9),
  startCall: start('start to first call / fastest peer', '<=', 1),
  startList: start('start to first list / fastest peer', '<=', 1),
};
