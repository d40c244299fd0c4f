import { medianRatio } from '../measure.mjs';
import { target } from '../report.mjs';
import { compare } from '../http/compare.mjs';
import { measuredFigure } from '../http/lines.mjs';

const modern = /** @type {const} */ ('2026-07-28');
const legacy = /** @type {const} */ ('2025-11-25');
const catalog = 'plain-1000';
const headers = { 'x-mcp-toolsets': 'set_0,set_1' };

/** 1,000 tools in 100 toolsets over loopback HTTP, by the processor time of the server for a request. */
export async function run({ quick = false } = {}) {
  const effort = quick
    ? { spawns: 1, rounds: 3, sampleMs: 500, warmMs: 1_500 }
    : { spawns: 2, rounds: 3, sampleMs: 1_000, warmMs: 3_000 };
  const call = await compare(
    {
      plain: { kind: 'toolfold', revision: modern },
      'all toolsets': { kind: 'toolsets', revision: modern },
      'two selected by header': { kind: 'toolsets', revision: modern, headers },
    },
    { method: 'tools/call', catalog },
    effort,
  );
  const list = await compare(
    {
      plain: { kind: 'toolfold', revision: modern },
      'all toolsets': { kind: 'toolsets', revision: modern },
      'two selected by header': { kind: 'toolsets', revision: modern, headers, listed: 20 },
      search: { kind: 'toolsets-search', revision: modern, listed: 5 },
    },
    { method: 'tools/list', catalog },
    effort,
  );
  const session = await compare(
    {
      plain: { kind: 'toolfold', revision: legacy },
      dynamic: { kind: 'toolsets-dynamic', revision: legacy },
    },
    { method: 'tools/call', catalog },
    effort,
  );
  return [
    target(
      'tools/call: all toolsets / plain',
      medianRatio(call['all toolsets'].cpu, call.plain.cpu),
      '<=',
      1.3,
    ),
    target(
      'tools/list: all toolsets / plain',
      medianRatio(list['all toolsets'].cpu, list.plain.cpu),
      '<=',
      1.3,
    ),
    target(
      'tools/call in a session: dynamic / plain',
      medianRatio(session.dynamic.cpu, session.plain.cpu),
      '<=',
      1.3,
    ),
    ...figures('tools/call', call),
    ...figures('tools/list', list),
    ...figures('tools/call in a session', session),
  ];
}

/**
 * @param {string} work
 * @param {Record<string, import('../http/compare.mjs').Measured>} measured
 */
function figures(work, measured) {
  return Object.entries(measured).flatMap(([name, { cpu, rate }]) => [
    measuredFigure(`${work}, ${name}: processor time`, cpu, 'µs'),
    measuredFigure(`${work}, ${name}: requests in a second`, rate, ''),
  ]);
}
