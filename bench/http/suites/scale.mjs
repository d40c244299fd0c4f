import { median, medianRatio } from '../../measure.mjs';
import { ratio, speedTarget } from '../../report.mjs';
import { compare } from '../compare.mjs';
import { latencies, measuredFigure, rates } from '../lines.mjs';
import { catalogs } from '../work.mjs';

const modern = /** @type {const} */ ('2026-07-28');

/**
 * A call among the tools of each catalog. tmcp answers faster in 2025 sessions than it answers 2026 requests.
 *
 * @param {{ effort: import('../compare.mjs').Effort }} options
 */
export async function run({ effort }) {
  const lines = [];
  for (const [catalog, title] of Object.entries(catalogs)) {
    const measured = await compare(
      {
        Toolfold: { kind: 'toolfold', revision: modern },
        SDK: { kind: 'sdk', revision: modern },
        tmcp: { kind: 'tmcp', revision: '2025-11-25' },
        floor: { kind: 'floor', revision: modern },
      },
      { method: 'tools/call', catalog },
      effort,
    );
    const { Toolfold, SDK, tmcp, floor } = measured;
    const lightest = median(SDK.rss) < median(tmcp.rss) ? SDK : tmcp;
    const named = Object.fromEntries(
      Object.entries(measured).map(([name, all]) => [`${title}: ${name}`, all]),
    );
    lines.push(
      speedTarget('manyFloor', medianRatio(Toolfold.rate, floor.rate), title),
      speedTarget('manyP99', medianRatio(Toolfold.p99, floor.p99), title),
      speedTarget('manyMemory', medianRatio(Toolfold.rss, lightest.rss), title),
      ratio(`${title}: Toolfold / SDK`, Toolfold.rate, SDK.rate),
      ratio(`${title}: Toolfold / tmcp`, Toolfold.rate, tmcp.rate),
      ...rates(named),
      ...latencies(named),
      ...Object.entries(named).flatMap(([name, { gc, rss }]) => [
        measuredFigure(`${name}, garbage collection per call`, gc, 'µs'),
        measuredFigure(`${name}, RSS under load`, rss, 'MB'),
      ]),
    );
  }
  return lines;
}
