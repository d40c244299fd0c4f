import { medianRatio } from '../../measure.mjs';
import { ratio, speedTarget } from '../../report.mjs';
import { compare } from '../compare.mjs';
import { cpuRatios, measuredFigure, rates } from '../lines.mjs';

const modern = /** @type {const} */ ('2026-07-28');
const session = /** @type {const} */ ('2025-11-25');

/** @param {{ effort: import('../compare.mjs').Effort }} options */
export async function run({ effort }) {
  const measured = await compare(
    {
      Toolfold: { kind: 'toolfold', revision: modern },
      'Toolfold, session': { kind: 'toolfold', revision: session },
      SDK: { kind: 'sdk', revision: modern },
      'SDK, session': { kind: 'sdk-session', revision: session },
    },
    { method: 'tools/list', catalog: 'ordinary-1000' },
    effort,
  );
  const { Toolfold, SDK } = measured;
  const [ours, theirs] = [measured['Toolfold, session'], measured['SDK, session']];
  return [
    speedTarget('list', medianRatio(Toolfold.rate, SDK.rate)),
    speedTarget('listSession', medianRatio(ours.rate, SDK.rate)),
    ratio('list in a 2025 session / SDK v2 session', ours.rate, theirs.rate),
    ...cpuRatios({ 'SDK v2 handler': SDK }, Toolfold),
    ...cpuRatios({ 'SDK v2 handler': SDK, 'SDK v2 session': theirs }, ours, ', in a 2025 session'),
    ...rates(measured),
    // The client reads as many bytes as the server writes, and may be the slower of the two.
    ...Object.entries({ Toolfold, 'Toolfold, session': ours }).map(([name, { asker }]) =>
      measuredFigure(
        `load of the client, ${name}`,
        asker.map((share) => share * 100),
        '%',
      ),
    ),
    ...(await others('github', effort)),
    ...(await others('finance', effort)),
  ];
}

/**
 * Lists of the smaller catalogs. The SDK converts each schema for each list, so the ratio grows with the number of tools.
 *
 * @param {keyof typeof import('../work.mjs').catalogs} catalog
 * @param {import('../compare.mjs').Effort} effort
 */
async function others(catalog, effort) {
  const { Toolfold, SDK } = await compare(
    { Toolfold: { kind: 'toolfold', revision: modern }, SDK: { kind: 'sdk', revision: modern } },
    { method: 'tools/list', catalog },
    effort,
  );
  return [ratio(`list of the catalog ${catalog}: Toolfold / SDK v2 handler`, Toolfold.rate, SDK.rate)];
}
