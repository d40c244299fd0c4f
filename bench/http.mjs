import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { format } from './report.mjs';

/** @typedef {import('./http/lines.mjs').Line} Line */

const suites = {
  call: 'tools/call, 2026-07-28, 1 tool',
  scale: 'tools/call, 2026-07-28, 1,000 tools',
  list: 'tools/list, 2026-07-28, 1,000 tools',
  session: 'tools/call, session of 2025-11-25',
  peers: 'Peers',
  startup: 'Time from the start of the process to the first answer',
  memory: 'Idle sessions',
  rejections: 'Cost of rejecting a request',
  newer: 'Peers that need a newer Node',
};
/** Needs the packages of `bench/newer`: `npm --prefix bench/newer ci`. */
const onRequest = 'newer';

const help = `Loads servers over loopback HTTP with 16 connections, and checks Toolfold against its targets.

  node bench/http.mjs [options]

  --suite <name>  only this one, of ${Object.keys(suites).join(', ')}; may be repeated.
                  "${onRequest}" runs only if it is named, after: npm --prefix bench/newer ci
  --quick         run fewer and shorter rounds, for a first impression
  --json          print the results as JSON
  --help          show this text

Exits with 1 if a target is missed. Nothing else should run on the machine: the server uses one core and the client
another.`;

async function main() {
  const { values } = parseArgs({
    options: {
      suite: {
        type: 'string',
        multiple: true,
        default: Object.keys(suites).filter((name) => name !== onRequest),
      },
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(help);
  const unknown = values.suite.find((name) => !Object.hasOwn(suites, name));
  if (unknown !== undefined) throw new Error(`There is no suite "${unknown}".\n\n${help}`);

  const { quick } = values;
  const effort = quick
    ? { spawns: 1, rounds: 3, sampleMs: 500, warmMs: 1_500 }
    : { spawns: 3, rounds: 3, sampleMs: 1_000, warmMs: 3_000 };
  const machine = {
    date: new Date().toISOString(),
    node: process.version,
    cpu: `${cpus().length} × ${cpus()[0]?.model.trim()}`,
    load: loadavg().map((load) => Number(load.toFixed(1))),
  };
  if (!values.json) {
    const { date, node, cpu, load } = machine;
    console.log(`${date}, Node ${node}, ${cpu}, load ${load.join(' ')}${quick ? ', quick' : ''}`);
    if ((load[0] ?? 0) > 1)
      console.log('Something else is at work on this machine: do not trust what follows.');
  }
  /** @type {Record<string, Line[]>} */
  const results = {};
  for (const [name, title] of Object.entries(suites)) {
    if (!values.suite.includes(name)) continue;
    const { run } = await import(`./http/suites/${name}.mjs`);
    const lines = (results[name] = /** @type {Line[]} */ (await run({ quick, effort })));
    if (!values.json) console.log(`\n${title}\n${lines.map(format).join('\n')}`);
  }
  const missed = Object.values(results)
    .flat()
    .filter((line) => line.kind === 'target' && !line.ok).length;
  if (values.json) console.log(JSON.stringify({ machine, quick, results, missed }, undefined, 2));
  else console.log(missed === 0 ? '\nEvery target is met.' : `\n${missed} missed.`);
  process.exitCode = missed === 0 ? 0 : 1;
}

await main();
