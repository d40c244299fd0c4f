import { compare } from '../compare.mjs';
import { ahead, rates } from '../lines.mjs';

const modern = /** @type {const} */ ('2026-07-28');

/** @param {{ effort: import('../compare.mjs').Effort }} options */
export async function run({ effort }) {
  const measured = await compare(
    {
      Toolfold: { kind: 'toolfold', revision: modern },
      SDK: { kind: 'sdk', revision: modern },
      floor: { kind: 'floor', revision: modern },
    },
    { method: 'tools/call', count: 1_000 },
    effort,
  );
  const { Toolfold, SDK, floor } = measured;
  return [
    ahead('Toolfold / createMcpHandler of the SDK', Toolfold, SDK, 45),
    ahead('Toolfold / floor of node:http', Toolfold, floor, 0.7),
    ...rates(measured),
  ];
}
