import { compare } from '../compare.mjs';
import { ahead, measuredFigure, rates } from '../lines.mjs';

const modern = /** @type {const} */ ('2026-07-28');

/** @param {{ effort: import('../compare.mjs').Effort }} options */
export async function run({ effort }) {
  const measured = await compare(
    { Toolfold: { kind: 'toolfold', revision: modern }, SDK: { kind: 'sdk', revision: modern } },
    { method: 'tools/list', count: 1_000 },
    effort,
  );
  const { Toolfold, SDK } = measured;
  return [
    ahead('Toolfold / createMcpHandler of the SDK', Toolfold, SDK, 100),
    ...rates(measured),
    measuredFigure(
      'load of the client, Toolfold',
      Toolfold.asker.map((share) => share * 100),
      '%',
    ),
  ];
}
