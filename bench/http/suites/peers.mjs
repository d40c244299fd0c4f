import { ratio } from '../../report.mjs';
import { compare } from '../compare.mjs';
import { ahead, measuredFigure } from '../lines.mjs';

const modern = /** @type {const} */ ('2026-07-28');
const session = /** @type {const} */ ('2025-11-25');

const works = /** @type {const} */ ([
  { title: 'call of 1 tool', method: 'tools/call', catalog: 'ordinary-1' },
  { title: 'call among 1,000', method: 'tools/call', catalog: 'ordinary-1000' },
  { title: 'list of 1,000', method: 'tools/list', catalog: 'ordinary-1000' },
]);

/** @param {{ effort: import('../compare.mjs').Effort }} options */
export async function run({ effort }) {
  const lines = [];
  for (const { title, ...work } of works) {
    const { Toolfold, modernToolfold, fastmcp, tmcp } = await compare(
      {
        Toolfold: { kind: 'toolfold', revision: session },
        modernToolfold: { kind: 'toolfold', revision: modern },
        fastmcp: { kind: 'fastmcp', revision: session },
        tmcp: { kind: 'tmcp', revision: session },
      },
      work,
      effort,
    );
    lines.push(
      ahead(`${title}: Toolfold / fastmcp, sessions of both`, Toolfold, fastmcp, 1),
      ahead(`${title}: Toolfold / tmcp, sessions of both`, Toolfold, tmcp, 1),
      ratio(`${title}: Toolfold, 2026-07-28 / tmcp`, modernToolfold.rate, tmcp.rate),
      measuredFigure(`${title}: Toolfold, requests in a second`, Toolfold.rate, ''),
      measuredFigure(`${title}: fastmcp`, fastmcp.rate, ''),
      measuredFigure(`${title}: tmcp`, tmcp.rate, ''),
    );
  }
  return lines;
}
