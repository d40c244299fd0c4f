import assert from 'node:assert/strict';
import { ToolRegistry } from 'toolfold';
import { Exposure } from 'toolfold/web';
import { measure, median } from '../measure.mjs';
import { figure, speedTarget } from '../report.mjs';
import { actionName } from '../subjects.mjs';
import { createConfig, createDefinitions } from '../toolset-servers.mjs';

const TOOLS = 1_000;

/** A lookup of a view that is compiled and cached. The policies are objects that the author creates once. */
export async function run({ quick = false } = {}) {
  const definitions = createDefinitions(TOOLS);
  const registry = new ToolRegistry({ name: 'bench' });
  registry.register(.../** @type {any[]} */ (definitions));
  const short = { readOnly: true };
  const long = {
    readOnly: true,
    excludeTags: ['internal', 'beta'],
    exclude: Array.from({ length: 10 }, (_, index) => actionName(index * 10)),
  };
  assert(registry.view(short).tools.size > 0);
  assert(registry.view(long).tools.size < registry.view(short).tools.size);
  assert.equal(registry.view({ ...long }), registry.view(long));

  const exposures = [1, 100].map((toolsets) => {
    const config = createConfig(createDefinitions(TOOLS), toolsets);
    return new Exposure(new ToolRegistry({ name: 'bench' }), { toolsets: config });
  });
  const request = { protocolVersion: /** @type {const} */ ('2026-07-28') };
  for (const exposure of exposures) await exposure.viewFor(request);
  const [one, hundred] = exposures;

  const samples = await measure(
    {
      short: { run: repeatSync(() => registry.view(short)) },
      long: { run: repeatSync(() => registry.view(long)) },
      equal: { run: repeatSync(() => registry.view({ ...long })) },
      whole: { run: repeatSync(() => registry.view()) },
      one: { run: repeatSync(() => one?.viewFor(request)) },
      hundred: { run: repeatSync(() => hundred?.viewFor(request)) },
    },
    { rounds: quick ? 21 : 101, sampleMs: 5, warmupMs: quick ? 200 : 500 },
  );
  return [
    speedTarget('viewLookup', median(samples.long)),
    figure('view lookup with a policy of one field', samples.short),
    figure('view lookup with a policy that is a new object each time', samples.equal),
    figure('view lookup without a policy', samples.whole),
    figure('view of a request, 1,000 tools in 1 toolset', samples.one),
    figure('view of a request, 1,000 tools in 100 toolsets', samples.hundred),
  ];
}

/** The last result, kept so that the work cannot be optimised away. */
export let last = /** @type {unknown} */ (undefined);

/**
 * @param {() => unknown} work
 * @returns {(times: number) => void}
 */
function repeatSync(work) {
  return (times) => {
    for (let at = 0; at < times; at++) last = work();
  };
}
