import { fork } from 'node:child_process';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { format, verdict } from './report.mjs';
import { speedTargets } from './targets.mjs';

/** @typedef {import('./report.mjs').Line} Line */
/** @typedef {import('./report.mjs').Target} Target */

/**
 * Runs the suites of a benchmark. At the end, prints each speed target as met or missed, and the other targets that are
 * missed. Exits with 1 if a target is missed.
 *
 * @param {{
 *   command: string,
 *   purpose: string,
 *   suites: Readonly<Record<string, string>>,
 *   notes?: string,
 *   onRequest?: readonly string[],
 *   bench?: import('./targets.mjs').SpeedTarget['bench'],
 *   runSuite?: (name: string, quick: boolean) => Promise<Line[]>,
 * }} options `onRequest` are the suites that run only if they are named. `bench` has targets in `targets.mjs`.
 */
export async function runSuites({
  command,
  purpose,
  suites,
  notes = '',
  onRequest = [],
  bench,
  runSuite = forkSuite,
}) {
  const help = `${purpose}

  node ${command} [options]

  --suite <name>  only this one, of ${Object.keys(suites).join(', ')}; may be repeated
  --quick         run fewer rounds, for a first impression
  --json          print the results as JSON
  --help          show this text

Exits with 1 if a target is missed.${notes}`;
  const { values } = parseArgs({
    options: {
      suite: {
        type: 'string',
        multiple: true,
        default: Object.keys(suites).filter((name) => !onRequest.includes(name)),
      },
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(help);
  const unknown = values.suite.find((name) => !Object.hasOwn(suites, name));
  if (unknown !== undefined) throw new Error(`There is no suite "${unknown}".\n\n${help}`);
  const print = (/** @type {string} */ text) => values.json || console.log(text);

  const machine = readMachine();
  const { date, node, cpu, load } = machine;
  print(`${date}, Node ${node}, ${cpu}, load ${load.join(' ')}${values.quick ? ', quick' : ''}`);
  if ((load[0] ?? 0) > 1)
    print('Other processes are running on this machine, so do not trust the figures below.');
  /** @type {Record<string, Line[]>} */
  const results = {};
  for (const [name, title] of Object.entries(suites)) {
    if (!values.suite.includes(name)) continue;
    const lines = (results[name] = await runSuite(name, values.quick));
    print(`\n${title}\n${lines.map(format).join('\n')}`);
  }

  const targets = Object.entries(results).flatMap(([suite, lines]) =>
    lines
      .filter((line) => line.kind === 'target')
      .map((each) => ({ suite, ...each, verdict: verdict(each) })),
  );
  const missed = targets.filter(({ ok }) => !ok).length;
  const unmeasured = Object.entries(speedTargets)
    .filter(([name, each]) => each.bench === bench && !targets.some((known) => known.name === name))
    .map(([, { title }]) => title);
  if (values.json) {
    const report = { machine, quick: values.quick, results, targets, unmeasured, missed };
    console.log(JSON.stringify(report, undefined, 2));
  } else {
    const speed = targets.filter(({ name }) => name !== undefined);
    const others = targets.filter(({ name }) => name === undefined);
    const notMet = others
      .filter(({ ok }) => !ok)
      .map((each) => ({ ...each, title: `${each.suite}: ${each.title}` }));
    if (speed.length > 0) console.log(`\nSpeed targets\n${speed.map(format).join('\n')}`);
    for (const title of unmeasured) console.log(`  ${title}: not measured in this run`);
    if (others.length > 0) {
      console.log(`\nOther targets: ${others.length - notMet.length} of ${others.length} met`);
      for (const each of notMet) console.log(format(each));
    }
  }
  process.exitCode = missed === 0 ? 0 : 1;
}

export function readMachine() {
  return {
    date: new Date().toISOString(),
    node: process.version,
    cpu: `${cpus().length} × ${cpus()[0]?.model.trim()}`,
    load: loadavg().map((load) => Number(load.toFixed(1))),
  };
}

/**
 * Runs a suite of `suites/` in a separate process, so that suites do not affect each other.
 *
 * @param {string} name
 * @param {boolean} quick
 * @returns {Promise<Line[]>}
 */
function forkSuite(name, quick) {
  return new Promise((resolve, reject) => {
    const child = fork(new URL('suite-process.mjs', import.meta.url), [name, ...(quick ? ['--quick'] : [])], {
      execArgv: ['--expose-gc'],
    });
    /** @type {Line[] | undefined} */
    let lines;
    child.on('message', (message) => (lines = /** @type {Line[]} */ (message)));
    child.on('error', reject);
    child.on('exit', (code) =>
      lines ? resolve(lines) : reject(new Error(`The suite "${name}" ended with ${code}.`)),
    );
  });
}
