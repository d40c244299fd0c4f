import { measuredFigure } from './http/lines.mjs';
import { medianRatio } from './measure.mjs';
import { ratio, speedTarget } from './report.mjs';
import { runSuites } from './run-suites.mjs';
import { measureStarts } from './start/first-answer.mjs';

/** @typedef {import('./report.mjs').Line} Line */
/** @typedef {import('./start/first-answer.mjs').Starts} Starts */

const modern = /** @type {const} */ ('2026-07-28');
const Toolfold = { kind: 'toolfold', revision: modern };
const SDK = { kind: 'sdk', revision: modern };
const tmcp = { kind: 'tmcp', revision: modern };
const floor = { kind: 'floor', revision: modern };
const fastmcp = { kind: 'fastmcp', revision: /** @type {const} */ ('2025-11-25') };

/**
 * All servers have the same tools with the same Zod schemas, and answer the same requests. "call" and "list" are the first
 * request to a process, so each is measured in processes that answered nothing else.
 *
 * @type {Record<string, (rounds: number) => Promise<Line[]>>}
 */
const suites = {
  'call-one': async (rounds) => {
    const contenders = { Toolfold, SDK, tmcp, floor, 'fastmcp, in a session': fastmcp };
    const starts = await measureStarts(contenders, { method: 'tools/call', count: 1 }, rounds);
    return [
      speedTarget('startOne', medianRatio(starts.Toolfold.answered, starts.tmcp.answered)),
      ...ratios(starts),
      ...figures(starts),
    ];
  },
  'call-many': async (rounds) => {
    const contenders = { Toolfold, SDK, tmcp, floor };
    const starts = await measureStarts(contenders, { method: 'tools/call', count: 1_000 }, rounds);
    return [
      speedTarget('startCall', medianRatio(starts.Toolfold.answered, starts.tmcp.answered)),
      speedTarget('startMemoryCall', medianRatio(starts.Toolfold.rss, starts.SDK.rss)),
      ...ratios(starts),
      ...figures(starts),
    ];
  },
  'list-many': async (rounds) => {
    const contenders = { Toolfold, SDK, tmcp };
    const starts = await measureStarts(contenders, { method: 'tools/list', count: 1_000 }, rounds);
    return [
      speedTarget('startList', medianRatio(starts.Toolfold.answered, starts.SDK.answered)),
      speedTarget('startMemoryList', medianRatio(starts.Toolfold.rss, starts.SDK.rss)),
      ...ratios(starts),
      ...figures(starts),
    ];
  },
};

/** @param {Record<'Toolfold' | 'SDK' | 'tmcp', Starts>} starts */
function ratios({ Toolfold: ours, SDK: sdk, tmcp: other }) {
  return [
    ratio('time: Toolfold / SDK', ours.answered, sdk.answered),
    ratio('time: Toolfold / tmcp', ours.answered, other.answered),
    ratio('processor time: Toolfold / SDK', ours.cpu, sdk.cpu),
    ratio('processor time: Toolfold / tmcp', ours.cpu, other.cpu),
  ];
}

/** @param {Record<string, Starts>} starts */
function figures(starts) {
  return Object.entries(starts).flatMap(([name, { listening, answered, cpu, rss }]) => [
    measuredFigure(`${name}, listening`, listening, 'ms'),
    measuredFigure(`${name}, first answer`, answered, 'ms'),
    measuredFigure(`${name}, processor time until then`, cpu, 'ms'),
    measuredFigure(`${name}, RSS`, rss, 'MB'),
  ]);
}

await runSuites({
  command: 'bench/start.mjs',
  bench: 'start',
  purpose:
    'Starts servers in new processes, measures the time until the first answer over HTTP, and checks Toolfold against its targets.',
  suites: {
    'call-one': 'Start to first call, 1 tool',
    'call-many': 'Start to first call, 1,000 tools',
    'list-many': 'Start to first list, 1,000 tools',
  },
  runSuite: async (name, quick) => (await suites[name]?.(quick ? 5 : 15)) ?? [],
});
