// Compares the forms on ten tasks, and measures what running code costs.
import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { codeTasks } from '../test/showcase/code/code-tasks.js';
import { codeTaskForms } from '../test/showcase/code/form-client.js';
import { runCodeTasks } from '../test/showcase/code/run-code-tasks.js';
import { report } from './code/child.mjs';
import { measureStalls } from './code/measure-stalls.mjs';
import { median } from './code/registry.mjs';

const WANTED_MS = 50;
const parts = ['tasks', 'overhead', 'memory', 'stalls'];

const help = `Compares the forms grouped, flat, search and code on ten tasks, and measures what running code costs.

  npm run bench:code -- [options]

  --only <part>  only this part: ${parts.join(', ')}; may be repeated
  --rounds <n>   rounds of the tasks and of new processes. Default: 3
  --json         print the results as JSON
  --help         show this text

tasks: scripted clients perform ten tasks of the showcase in each form. "read" are the tokens (o200k_base) of instructions, tool list and
answers, "written" those of calls and programs. A round trip is a message of the model with calls; calls that do not depend on each other
share one. "sent" is the context of all messages of a model, added up: what a host without a prompt cache sends. Times exclude the model.
overhead: a run of \`1\`, calls inside a run beside the same calls without code, 40 calls in one run, and snapshots.
memory: resident memory of threads that wait for calls, and of idle threads.
stalls: a caller makes calls while another one runs hostile code, and while four others run it four times each. Exits with 1 if a call of the
first one takes, or the event loop is blocked, longer than ${WANTED_MS} ms.`;

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    rounds: { type: 'string', default: '3' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (options.help) {
  console.log(help);
  process.exit();
}
const unknown = options.only.find((part) => !parts.includes(part));
const rounds = /^[1-9]\d?$/.test(options.rounds) ? Number(options.rounds) : 0;
if (unknown !== undefined || rounds === 0) {
  const problem =
    rounds === 0
      ? `--rounds must be a whole number from 1 to 99, and is "${options.rounds}".`
      : `There is no part "${unknown}".`;
  console.error(`${problem}\n\n${help}`);
  process.exit(2);
}
const isWanted = (/** @type {string} */ part) => options.only.length === 0 || options.only.includes(part);
const print = (/** @type {string} */ line) => {
  if (!options.json) console.log(line);
};
const round = (/** @type {number} */ value, digits = 0) =>
  value.toLocaleString('en', { maximumFractionDigits: digits });
const row = (/** @type {readonly (string | number)[]} */ cells) => print(`| ${cells.join(' | ')} |`);
const head = (/** @type {readonly string[]} */ cells) => {
  row(cells);
  print(`|${'---|'.repeat(cells.length)}`);
};

/** @type {Record<string, unknown>} */
const results = {};
let missed = 0;
const load = loadavg().map((each) => each.toFixed(1));
print(
  `${new Date().toISOString()}, Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}, load ${load.join(' ')}`,
);

if (isWanted('tasks')) {
  /** @type {import('../test/showcase/code/run-code-tasks.js').TaskRun[]} */
  const runs = [];
  for (const form of codeTaskForms) {
    const all = [];
    for (let done = 0; done < rounds; done++) all.push(await runCodeTasks(form, codeTasks));
    const [first = []] = all;
    for (const [index, run] of first.entries()) {
      missed += run.problems.length;
      for (const problem of run.problems) console.error(`${form}, ${run.title}: ${problem}`);
      runs.push({ ...run, ms: median(all.map((each) => each[index]?.ms ?? 0)) });
    }
  }
  results['tasks'] = runs;
  const cells = (/** @type {(form: string) => (number | undefined)[]} */ pick) =>
    codeTaskForms.map((form) =>
      pick(form)
        .map((value) => round(value ?? 0))
        .join(' / '),
    );
  print('\nread / written / round trips / ms\n');
  head(['task', 'calls of actions', ...codeTaskForms]);
  for (const { title } of codeTasks) {
    const find = (/** @type {string} */ form) => runs.find((run) => run.title === title && run.form === form);
    row([
      title,
      find('grouped')?.actions ?? 0,
      ...cells((form) => {
        const run = find(form);
        return [run?.read, run?.written, run?.roundTrips, run?.ms];
      }),
    ]);
  }
  const sum = (
    /** @type {string} */ form,
    /** @type {'read' | 'written' | 'sent' | 'roundTrips' | 'calls' | 'actions' | 'ms'} */ key,
  ) => runs.filter((run) => run.form === form).reduce((total, run) => total + run[key], 0);
  row([
    'all',
    sum('grouped', 'actions'),
    ...cells((form) => [sum(form, 'read'), sum(form, 'written'), sum(form, 'roundTrips'), sum(form, 'ms')]),
  ]);
  print('');
  head(['all ten tasks', ...codeTaskForms]);
  row(['tokens read', ...cells((form) => [sum(form, 'read')])]);
  row(['tokens written', ...cells((form) => [sum(form, 'written')])]);
  row(['tokens sent by a host without a prompt cache', ...cells((form) => [sum(form, 'sent')])]);
  row(['round trips', ...cells((form) => [sum(form, 'roundTrips')])]);
  row(['requests to the server', ...cells((form) => [sum(form, 'calls')])]);
  row(['ms, without the model', ...cells((form) => [sum(form, 'ms')])]);
}

if (isWanted('overhead')) {
  const cold = [];
  for (let done = 0; done < rounds + 2; done++) cold.push(await report('cold-process.mjs'));
  const measured = await report('overhead-process.mjs');
  const coldRun = median(cold.map(({ first }) => first));
  results['overhead'] = { coldRun, ...measured };
  print('');
  head(['overhead', 'measured']);
  row(['first run of `1` in a new process', `${round(coldRun)} ms`]);
  row(['warm run of `1`, in process', `${round(measured.run, 1)} ms`]);
  row(['warm run of `1`, over HTTP', `${round(measured.runOverHttp, 1)} ms`]);
  row(['a call inside a run, one after the other', `${round(measured.callInRun * 1_000)} µs`]);
  row(['a call inside a run, 40 at once', `${round(measured.callInRunAtOnce * 1_000)} µs`]);
  row(['the same call with call_read_tool, in process', `${round(measured.callInProcess * 1_000)} µs`]);
  row([
    'the same call directly, over HTTP, one after the other',
    `${round(measured.callOverHttp * 1_000)} µs`,
  ]);
  row(['the same call directly, over HTTP, 40 at once', `${round(measured.callOverHttpAtOnce * 1_000)} µs`]);
  row(['a run with 40 calls, one after the other', `${round(measured.sequential, 1)} ms`]);
  row(['a run with 40 calls in `Promise.all`', `${round(measured.atOnce, 1)} ms`]);
  row(['the same with calls of 5 ms, one after the other', `${round(measured.sequentialOfSlow)} ms`]);
  row(['the same with calls of 5 ms in `Promise.all`, 8 at once', `${round(measured.atOnceOfSlow)} ms`]);
  row([
    'snapshot of a waiting run',
    `${round(measured.snapshot, 1)} ms, ${round(measured.snapshotBytes / 1_024)} kB`,
  ]);
  row(['the same, gzipped', `${round(measured.gzip, 1)} ms, ${round(measured.gzippedBytes / 1_024)} kB`]);
  row(['restore of the snapshot, to the end of the run', `${round(measured.restore, 1)} ms`]);
}

if (isWanted('memory')) {
  const memory = await report('memory-process.mjs');
  results['memory'] = memory;
  const { threads, before, one, busy, idle, closed } = memory;
  print('');
  head(['resident memory', 'MB']);
  row(['of the process before the first run', round(before)]);
  row(['after the first run, with one thread', round(one)]);
  row([`while ${threads} runs with 10,000 rows wait for a call`, round(busy)]);
  row(['for each of these threads', round((busy - before) / threads, 1)]);
  row([`after their end, with ${threads} idle threads`, round(idle)]);
  row(['for each idle thread', round((idle - before) / threads, 1)]);
  row(['after closing the server', round(closed)]);
}

if (isWanted('stalls')) {
  /** @type {Record<string, object[]>} */
  const stalls = {};
  for (const { title, callers, runs } of [
    { title: 'one hostile run', callers: 1, runs: 1 },
    { title: '16 hostile runs of four callers', callers: 4, runs: 4 },
  ]) {
    print('');
    head([title, 'event loop blocked, ms', 'calls of another caller, ms: median', 'longest', 'calls', '']);
    /** @type {object[]} */
    const measured = (stalls[title] = []);
    await measureStalls({ callers, runs }, (stall) => {
      const isMet = stall.block <= WANTED_MS && stall.longest <= WANTED_MS;
      if (!isMet) missed += 1;
      measured.push({ ...stall, isMet });
      row([
        stall.title,
        round(stall.block, 1),
        round(stall.median, 1),
        round(stall.longest, 1),
        stall.calls,
        isMet ? 'met' : 'MISSED',
      ]);
    });
  }
  results['stalls'] = stalls;
  print(missed === 0 ? `\nEvery call stays within ${WANTED_MS} ms.` : `\n${missed} missed.`);
}

if (options.json) console.log(JSON.stringify({ wantedMs: WANTED_MS, ...results, missed }, undefined, 2));
process.exitCode = missed === 0 ? 0 : 1;
