import { fork } from 'node:child_process';
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { format } from './report.mjs';

/** @typedef {import('./report.mjs').Target | import('./report.mjs').Figure} Line */

/**
 * Runs suites of `suites/`, each in a separate process, so that they do not affect each other. Exits with 1 if a target
 * is missed.
 *
 * @param {{ command: string, purpose: string, notes?: string, suites: Readonly<Record<string, string>> }} options
 */
export async function runSuites({ command, purpose, notes = '', suites }) {
  const help = `${purpose}

  node ${command} [options]

  --suite <name>  only this one, of ${Object.keys(suites).join(', ')}; may be repeated
  --quick         run fewer rounds, for a first impression
  --json          print the results as JSON
  --help          show this text

Exits with 1 if a target is missed.${notes}`;
  const { values } = parseArgs({
    options: {
      suite: { type: 'string', multiple: true, default: Object.keys(suites) },
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(help);
  const unknown = values.suite.find((name) => !Object.hasOwn(suites, name));
  if (unknown !== undefined) throw new Error(`There is no suite "${unknown}".\n\n${help}`);

  const machine = {
    date: new Date().toISOString(),
    node: process.version,
    cpu: `${cpus().length} × ${cpus()[0]?.model.trim()}`,
    load: loadavg().map((load) => Number(load.toFixed(1))),
  };
  if (!values.json) {
    const { date, node, cpu, load } = machine;
    console.log(`${date}, Node ${node}, ${cpu}, load ${load.join(' ')}${values.quick ? ', quick' : ''}`);
  }
  /** @type {Record<string, Line[]>} */
  const results = {};
  for (const [name, title] of Object.entries(suites)) {
    if (!values.suite.includes(name)) continue;
    const lines = (results[name] = await runSuite(name, values.quick));
    if (!values.json) console.log(`\n${title}\n${lines.map(format).join('\n')}`);
  }
  const missed = Object.values(results)
    .flat()
    .filter((line) => line.kind === 'target' && !line.ok).length;
  if (values.json)
    console.log(JSON.stringify({ machine, quick: values.quick, results, missed }, undefined, 2));
  else console.log(missed === 0 ? '\nEvery target is met.' : `\n${missed} missed.`);
  process.exitCode = missed === 0 ? 0 : 1;
}

/**
 * @param {string} name
 * @param {boolean} quick
 * @returns {Promise<Line[]>}
 */
function runSuite(name, quick) {
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
