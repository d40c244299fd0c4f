import { medianRatio } from '../../measure.mjs';
import { ratio, speedTarget } from '../../report.mjs';
import { compare } from '../compare.mjs';
import { cpuRatios, latencies, rates } from '../lines.mjs';

const session = /** @type {const} */ ('2025-11-25');

/** @param {{ effort: import('../compare.mjs').Effort }} options */
export async function run({ effort }) {
  const contenders = {
    Toolfold: { kind: 'toolfold', revision: session },
    SDK: { kind: 'sdk-session', revision: session },
  };
  const one = await compare(contenders, { method: 'tools/call', catalog: 'ordinary-1' }, effort);
  const many = await compare(contenders, { method: 'tools/call', catalog: 'ordinary-1000' }, effort);
  return [
    speedTarget('callSession', medianRatio(one.Toolfold.rate, one.SDK.rate)),
    ...cpuRatios({ 'SDK v2 session': one.SDK }, one.Toolfold),
    ...rates(one),
    ...latencies(one),
    ratio('with 1,000 tools: Toolfold / SDK', many.Toolfold.rate, many.SDK.rate),
  ];
}
