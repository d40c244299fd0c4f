import { ratio } from '../../report.mjs';
import { compare } from '../compare.mjs';
import { ahead, latencies, measuredFigure, rates } from '../lines.mjs';

const modern = /** @type {const} */ ('2026-07-28');

/** @param {{ effort: import('../compare.mjs').Effort }} options */
export async function run({ effort }) {
  const measured = await compare(
    {
      Toolfold: { kind: 'toolfold', revision: modern },
      SDK: { kind: 'sdk', revision: modern },
      floor: { kind: 'floor', revision: modern },
      'floor with events': { kind: 'floor-events', revision: modern },
    },
    { method: 'tools/call', count: 1 },
    effort,
  );
  const { Toolfold, SDK, floor } = measured;
  return [
    ahead('Toolfold / createMcpHandler of the SDK', Toolfold, SDK, 5),
    ahead('Toolfold / floor of node:http', Toolfold, floor, 0.7),
    ratio('Toolfold / floor that reads with events', Toolfold.rate, measured['floor with events'].rate),
    ...rates(measured),
    ...latencies({ Toolfold, SDK, floor }),
    measuredFigure('load of the client, Toolfold', percent(Toolfold.asker), '%'),
    measuredFigure('load of the client, floor', percent(floor.asker), '%'),
  ];
}

/** @param {readonly number[]} shares */
const percent = (shares) => shares.map((share) => share * 100);
