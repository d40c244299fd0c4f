import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { createToolSearch } from '@toolfold/search';
import { format, target } from './report.mjs';
import { createSegmentedBm25, createStemmedBm25 } from './search-baselines.mjs';
import { cjk, gitHub, gitHubTasks, toolE, withKeywords } from './search-data.mjs';
import { searchFirst } from './search-first.mjs';
import { compareSearches, createOurs, rateHalves, rateSearch } from './search-quality.mjs';
import { rateRefusal } from './search-refusal.mjs';
import { formatHalves, formatQuality, formatRefusal, formatTasks, formatTimes } from './search-tables.mjs';
import { rateTasks, toAnswers } from './search-tasks.mjs';
import { timeSearch } from './search-times.mjs';

/** @typedef {import('./search-data.mjs').Tool} Tool */
/** @typedef {import('./search-data.mjs').QuestionSet} QuestionSet */
/** @typedef {import('./search-refusal.mjs').Refusal} Refusal */

const help = `Measures what tool search finds, what it refuses, and how fast it is, and compares it with stemmed BM25 and with targets.

  npm run bench:search -- [options]

  --quick  measure times in fewer rounds
  --json   print the results as JSON
  --help   show this text

Exits with 1 if a target is missed.`;

const languages = { zh: 'Chinese', ja: 'Japanese', ko: 'Korean', th: 'Thai' };

function rateLanguages() {
  const searches = {
    'stemmed BM25': createStemmedBm25(cjk.tools),
    'BM25, Intl.Segmenter': createSegmentedBm25(cjk.tools),
    Toolfold: createOurs(cjk.tools),
  };
  return Object.fromEntries(
    Object.entries(searches).flatMap(([name, search]) => [
      [name, rateSearch(search, cjk.questions)],
      ...Object.entries(languages).map(([code, language]) => [
        `${name}, ${language}`,
        rateSearch(
          search,
          cjk.questions.filter((question) => question.language === code),
        ),
      ]),
    ]),
  );
}

function rateAllTasks() {
  const full = withKeywords(gitHub);
  const answersOf = (/** @type {readonly Tool[]} */ tools) => {
    const search = createToolSearch(tools);
    return (/** @type {string} */ query, /** @type {number} */ limit) => search.answer(query, { limit });
  };
  const answers = {
    'stemmed BM25': toAnswers(createStemmedBm25(gitHub.tools)),
    Toolfold: answersOf(gitHub.tools),
    'stemmed BM25, keywords': toAnswers(createStemmedBm25(full)),
    'Toolfold, keywords': answersOf(full),
  };
  return Object.fromEntries(
    [5, 10].flatMap((shown) =>
      Object.entries(answers).map(([name, answer]) => [
        `${name}, ${shown} tools`,
        rateTasks(answer, gitHubTasks, shown),
      ]),
    ),
  );
}

/**
 * @param {string} name
 * @param {Refusal} refusal
 */
function refusalTargets(name, { answerable, near, far }) {
  const weak = near.weak === 0 ? 0 : near.weak / answerable.weak;
  return [
    target(`${name}: AUC of far questions`, far.auc ?? 0, '>=', 0.92),
    target(`${name}: far questions refused, percent`, far.refused, '>=', 50),
    target(`${name}: answerable questions refused, percent`, answerable.refused, '<=', 2),
    target(`${name}: near questions marked weak / answerable ones`, weak, '>=', 2),
  ];
}

async function main() {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(help);
  const print = (/** @type {readonly string[]} */ lines) => values.json || console.log(lines.join('\n'));

  const machine = {
    date: new Date().toISOString(),
    node: process.version,
    cpu: `${cpus().length} × ${cpus()[0]?.model.trim()}`,
    load: loadavg().map((load) => Number(load.toFixed(1))),
  };
  print([`${machine.date}, Node ${machine.node}, ${machine.cpu}, load ${machine.load.join(' ')}`]);

  const describe = (/** @type {QuestionSet} */ { name, tools, questions }) =>
    `${name}: ${tools.length} tools, ${questions.length} questions, percent`;
  const quality = { toolE: compareSearches(toolE), gitHub: compareSearches(gitHub), cjk: rateLanguages() };
  print(formatQuality(describe(toolE), quality.toolE));
  print(formatQuality(describe(gitHub), quality.gitHub));
  print(
    formatQuality(
      `Other scripts: ${cjk.tools.length} tools, ${cjk.questions.length} questions, percent`,
      quality.cjk,
    ),
  );

  const halves = {
    'ToolE, BM25': rateHalves(toolE, createStemmedBm25),
    ToolE: rateHalves(toolE, createOurs),
    'GitHub, BM25': rateHalves(gitHub, createStemmedBm25),
    GitHub: rateHalves(gitHub, createOurs),
  };
  print(formatHalves(halves));
  const tasks = rateAllTasks();
  print(formatTasks(tasks));

  const refusal = Object.fromEntries(
    [gitHub, toolE].flatMap((set) => [
      [set.name, rateRefusal(set, set.tools)],
      [`${set.name}, keywords`, rateRefusal(set, withKeywords(set))],
    ]),
  );
  print(formatRefusal(refusal));

  const rounds = values.quick ? 1 : 3;
  timeSearch(100, 1);
  const times = [timeSearch(1_000, rounds), timeSearch(10_000, rounds)];
  print(formatTimes(times));
  const first = {
    thousand: await searchFirst(values.quick ? 3 : 7, ['--tools', '1000']),
    listed: await searchFirst(values.quick ? 3 : 7, ['--tools', '1000', '--listed']),
    tenThousand: await searchFirst(values.quick ? 1 : 5, []),
  };
  const ours = quality.gitHub['Toolfold, keywords'];
  const targets = [
    target('GitHub with keywords: among five, percent', ours?.five ?? 0, '>=', 88),
    target('GitHub with keywords: first, percent', ours?.first ?? 0, '>=', 55),
    target('other scripts: among five, percent', quality.cjk['Toolfold']?.five ?? 0, '>=', 80),
    ...Object.entries(refusal).flatMap(([name, rated]) => refusalTargets(name, rated)),
    target('1,000 tools: a question with new words', times[0]?.cold ?? Infinity, '<=', 500, 'µs'),
    target('1,000 tools: first question, right after the start', first.thousand.thread, '<=', 50, 'ms'),
    target('1,000 tools: first question, a second after a list', first.listed.thread, '<=', 50, 'ms'),
    target('10,000 tools: longest block while indexing', first.tenThousand.longest, '<=', 50, 'ms'),
  ];
  print([
    '',
    `  first question of a process, 1,000 tools, time: ${first.thousand.wall.toFixed(1)} ms; ` +
      `a second after a list: ${first.listed.wall.toFixed(1)} ms`,
  ]);
  print(['', 'Targets', ...targets.map(format)]);
  if (values.json) {
    const report = { machine, quality, halves, tasks, refusal, times, first, targets };
    console.log(JSON.stringify(report, undefined, 2));
  }
  process.exitCode = targets.every(({ ok }) => ok) ? 0 : 1;
}

await main();
