import { medianRatio } from '../../measure.mjs';
import { ratio, speedTarget } from '../../report.mjs';
import { compare } from '../compare.mjs';
import { cpuRatios, latencies, measuredFigure, rates } from '../lines.mjs';

const modern = /** @type {const} */ ('2026-07-28');

/**
 * tmcp answers faster in 2025 sessions than it answers 2026 requests, so the target is set against its sessions.
 *
 * @param {{ effort: import('../compare.mjs').Effort }} options
 */
export async function run({ effort }) {
  const measured = await compare(
    {
      Toolfold: { kind: 'toolfold', revision: modern },
      SDK: { kind: 'sdk', revision: modern },
      tmcp: { kind: 'tmcp', revision: '2025-11-25' },
      'tmcp, 2026': { kind: 'tmcp', revision: modern },
      floor: { kind: 'floor', revision: modern },
      'floor with events': { kind: 'floor-events', revision: modern },
    },
    { method: 'tools/call', catalog: 'ordinary-1' },
    effort,
  );
  const { Toolfold, SDK, tmcp, floor } = measured;
  return [
    speedTarget('callFloor', medianRatio(Toolfold.rate, floor.rate)),
    speedTarget('callSdk', medianRatio(Toolfold.rate, SDK.rate)),
    speedTarget('callTmcp', medianRatio(Toolfold.rate, tmcp.rate)),
    speedTarget('callP99', medianRatio(Toolfold.p99, floor.p99)),
    ...cpuRatios({ floor, 'SDK v2 handler': SDK, tmcp }, Toolfold),
    ratio('Toolfold / floor that reads with events', Toolfold.rate, measured['floor with events'].rate),
    ...rates(measured),
    ...latencies({ Toolfold, SDK, tmcp, floor }),
    measuredFigure('garbage collection per call, Toolfold', Toolfold.gc, 'µs'),
    measuredFigure('garbage collection per call, floor', floor.gc, 'µs'),
    measuredFigure('load of the client, Toolfold', percent(Toolfold.asker), '%'),
    measuredFigure('load of the client, floor', percent(floor.asker), '%'),
  ];
}

/** @param {readonly number[]} shares */
const percent = (shares) => shares.map((share) => share * 100);
