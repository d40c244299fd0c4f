import { measuredFigure } from './http/lines.mjs';
import { median, medianRatio } from './measure.mjs';
import { ratio, speedTarget } from './report.mjs';
import { runSuites } from './run-suites.mjs';
import { measureStarts } from './start/first-answer.mjs';
import { catalogs } from './http/work.mjs';

/** @typedef {import('./report.mjs').Line} Line */
/** @typedef {import('./start/first-answer.mjs').Starts} Starts */

const modern = /** @type {const} */ ('2026-07-28');
const Toolfold = { kind: 'toolfold', revision: modern };
const SDK = { kind: 'sdk', revision: modern };
const tmcp = { kind: 'tmcp', revision: modern };
const floor = { kind: 'floor', revision: modern };
const fastmcp = { kind: 'fastmcp', revision: /** @type {const} */ ('2025-11-25') };

/**
 * All servers have the same tools with the same schemas, and answer the same requests. "call" and "list" are the first
 * request to a process, so each is measured in processes that answered nothing else.
 *
 * @type {Record<string, (rounds: number) => Promise<Line[]>>}
 */
const suites = {
  'call-one': async (rounds) => {
    const contenders = { Toolfold, SDK, tmcp, floor, 'fastmcp, in a session': fastmcp };
    const starts = await measureStarts(contenders, { method: 'tools/call', catalog: 'ordinary-1' }, rounds);
    return [speedTarget('startOne', againstFastest(starts)), ...ratios(starts), ...figures(starts)];
  },
  'call-many': (rounds) =>
    forEachCatalog(async (catalog, title) => {
      const contenders = { Toolfold, SDK, tmcp, floor };
      const starts = await measureStarts(contenders, { method: 'tools/call', catalog }, rounds);
      const target = speedTarget('startCall', againstFastest(starts), title);
      return [target, ...ratios(starts), ...figures(starts)];
    }),
  'list-many': (rounds) =>
    forEachCatalog(async (catalog, title) => {
      const contenders = { Toolfold, SDK, tmcp };
      const starts = await measureStarts(contenders, { method: 'tools/list', catalog }, rounds);
      const target = speedTarget('startList', againstFastest(starts), title);
      return [target, ...ratios(starts), ...figures(starts)];
    }),
};

/** @param {(catalog: string, title: string) => Promise<Line[]>} measure */
async function forEachCatalog(measure) {
  const lines = [];
  for (const [catalog, title] of Object.entries(catalogs))
    for (const line of await measure(catalog, title))
      lines.push(line.kind === 'figure' ? { ...line, title: `${catalog}: ${line.title}` } : line);
  return lines;
}

/** @param {Record<'Toolfold' | 'SDK' | 'tmcp', Starts>} starts */
function againstFastest({ Toolfold: ours, SDK: sdk, tmcp: other }) {
  const fastest = median(sdk.answered) < median(other.answered) ? sdk : other;
  return medianRatio(ours.answered, fastest.answered);
}

/** @param {Record<'Toolfold' | 'SDK' | 'tmcp', Starts>} starts */
function ratios({ Toolfold: ours, SDK: sdk, tmcp: other }) {
  return [
    ratio('time: Toolfold / SDK', ours.answered, sdk.answered),
    ratio('time: Toolfold / tmcp', ours.answered, other.answered),
    ratio('processor time: Toolfold / SDK', ours.cpu, sdk.cpu),
    ratio('processor time: Toolfold / tmcp', ours.cpu, other.cpu),
    ratio('RSS: Toolfold / SDK', ours.rss, sdk.rss),
    ratio('RSS: Toolfold / tmcp', ours.rss, other.rss),
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
    'call-many': 'Start to first call, each catalog',
    'list-many': 'Start to first list, each catalog',
  },
  runSuite: async (name, quick) => (await suites[name]?.(quick ? 5 : 15)) ?? [],
});
