// How a server grows with its tools: registration, first list, call and memory, for 10 to 10,000 tools with ordinary schemas.
// --write stores the figures, and the chart and the table of docs/reference/performance.md.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { drawGrowth, tabulateGrowth } from './growth-chart.mjs';
import { median } from './measure.mjs';
import { format, target } from './report.mjs';
import { load } from './http/load.mjs';
import { assertRight, modernRequest, openConnection } from './http/requests.mjs';
import { loadCatalog } from './http/work.mjs';

/** @typedef {{ tools: number, register: number, list: number, call: number, memory: number }} Row */

const COUNTS = [10, 100, 1_000, 10_000];
const PROCESSES = 3;
const CONNECTIONS = 16;
const WARM_MS = 2_000;
const LOAD_MS = 2_000;
const MEGABYTE = 1_024 * 1_024;

/**
 * Milliseconds of processor time for the registration and for the first list, microseconds for a call, megabytes of heap.
 *
 * @param {number} tools
 * @returns {Promise<Row>}
 */
async function measure(tools) {
  const catalog = await loadCatalog(`ordinary-${tools}`);
  const child = fork(new URL('growth-process.mjs', import.meta.url), [String(tools)], {
    execArgv: ['--expose-gc'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const hear = async () => (await once(child, 'message'))[0];
  const read = async (/** @type {'cpu' | 'memory'} */ what) => {
    child.send(what);
    return (await hear()).value;
  };
  try {
    const { port, register } = await hear();
    const connection = openConnection(port);
    const beforeList = await read('cpu');
    assertRight(
      await connection.ask(modernRequest(port, 'tools/list', catalog.sample)),
      'tools/list',
      catalog,
    );
    const list = ((await read('cpu')) - beforeList) / 1_000;
    connection.close();
    const requests = Array.from({ length: CONNECTIONS }, () =>
      modernRequest(port, 'tools/call', catalog.sample),
    );
    await load(port, requests, WARM_MS);
    const beforeCalls = await read('cpu');
    const { answers } = await load(port, requests, LOAD_MS);
    const call = ((await read('cpu')) - beforeCalls) / answers;
    return {
      tools,
      register: register / 1_000,
      list,
      call,
      memory: (await read('memory')) / MEGABYTE,
    };
  } finally {
    child.kill('SIGKILL');
  }
}

/** @type {Row[]} */
const rows = [];
for (const tools of COUNTS) {
  /** @type {Row[]} */
  const runs = [];
  for (let run = 0; run < PROCESSES; run++) runs.push(await measure(tools));
  const of = (/** @type {keyof Row} */ key) => Number(median(runs.map((each) => each[key])).toFixed(2));
  rows.push({ tools, register: of('register'), list: of('list'), call: of('call'), memory: of('memory') });
}
const measured = {
  node: process.version,
  cpu: `${cpus().length} × ${cpus()[0]?.model.trim()}`,
  load: loadavg().map((each) => Number(each.toFixed(1))),
  rows,
};
console.log(JSON.stringify({ ...measured, rows: undefined }));
for (const { tools, register, list, call, memory } of rows)
  console.log(
    `${tools} tools: register ${register} ms, first list ${list} ms, call ${call} µs, ${memory} MB of heap`,
  );
/**
 * The cost of each tool from 1,000 to 10,000 tools, relative to that of each tool from 100 to 1,000.
 *
 * @param {'register' | 'list' | 'memory'} key
 */
function growthOf(key) {
  const [, few, some, many] = rows.map((row) => row[key]);
  return ((many ?? 0) - (some ?? 0)) / 9_000 / (((some ?? 0) - (few ?? 0)) / 900);
}

/** Growth that is linear, within the spread of these measurements. */
const MOST = 1.3;
const targets = [
  target('register(), each tool above 1,000 / above 100', growthOf('register'), '<=', MOST),
  target('first list, each tool above 1,000 / above 100', growthOf('list'), '<=', MOST),
  target('heap, each tool above 1,000 / above 100', growthOf('memory'), '<=', MOST),
  target('a call, 10,000 tools / 10', (rows.at(-1)?.call ?? 0) / (rows[0]?.call ?? 1), '<=', MOST),
];
console.log(targets.map(format).join('\n'));
if (!targets.every(({ ok }) => ok)) process.exitCode = 1;
if (process.argv.includes('--write')) {
  const at = (/** @type {string} */ file) => new URL(file, import.meta.url);
  writeFileSync(at('growth.json'), `${JSON.stringify(measured, undefined, 2)}\n`);
  writeFileSync(at('../docs/pictures/growth.svg'), drawGrowth(rows));
  const page = at('../docs/reference/performance.md');
  const table = /(?<=<!-- growth -->\n)(?:\|.*\n)*/;
  writeFileSync(page, readFileSync(page, 'utf8').replace(table, tabulateGrowth(rows)));
}
