import { cpus, loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { readLexicon } from '../src/search/index/lexicon.js';
import { searchParameters } from '../src/search/index/search-index.js';
import { createToolSearch } from '../src/search/index/tool-search.js';
import { format, target } from './report.mjs';
import { baselines } from './search-baselines.mjs';
import { createRandom, gitHub, inventTools, toolE } from './search-data.mjs';

/** @typedef {import('./search-baselines.mjs').Search} Search */
/** @typedef {import('./search-data.mjs').Tool} Tool */
/** @typedef {import('./search-data.mjs').Question} Question */
/** @typedef {import('../src/search/index/search-index.js').SearchParameters} Parameters */
/** @typedef {{ first: number, five: number, reciprocal: number }} Quality */

const FOLDS = 5;
const DEPTH = 100;

const help = `Measures the quality and speed of tool search, and compares them with baselines and targets.

  npm run bench:search -- [options]

  --quick  try fewer settings, and measure times in one round
  --json   print the results as JSON
  --help   show this text

Exits with 1 if a target is missed.`;

/** The lexicon without its words, which leaves stems, stop words, fields and spelling. */
const noWords = { ...readLexicon(), find: () => -1, knows: () => false };

/**
 * @param {readonly Tool[]} tools
 * @param {{ parameters?: Parameters, lexicon?: typeof noWords }} [options]
 * @returns {Search}
 */
function createOurs(tools, options) {
  const search = createToolSearch(tools, options);
  return (query, limit) => search.search(query, { limit }).map(({ address }) => address);
}

/**
 * The rank of the right tool for every question, from 0; Infinity if it was not found.
 *
 * @param {Search} search
 * @param {readonly Question[]} questions
 */
function findPlaces(search, questions) {
  return questions.map(({ query, answers }) => {
    const place = search(query, DEPTH).findIndex((address) => answers.includes(address));
    return place < 0 ? Infinity : place;
  });
}

/**
 * @param {readonly number[]} places
 * @returns {Quality}
 */
function rate(places) {
  const share = (/** @type {(place: number) => number} */ value) =>
    (100 * places.reduce((sum, place) => sum + value(place), 0)) / places.length;
  return {
    first: share((place) => Number(place === 0)),
    five: share((place) => Number(place < 5)),
    reciprocal: share((place) => 1 / (place + 1)),
  };
}

/** Random settings, each number drawn from a wide range around the shipped one. */
function drawSettings(/** @type {number} */ count) {
  const random = createRandom(7);
  const draw = (/** @type {number[]} */ ...values) => values[Math.floor(random() * values.length)] ?? 0;
  return Array.from({ length: count }, () => ({
    ...searchParameters,
    fields: { ...searchParameters.fields, name: draw(1, 2, 3, 4) },
    saturation: draw(0.5, 1, 1.5, 2),
    lengthPenalty: draw(0, 0.2, 0.4, 0.75),
    unknown: draw(0.75, 1, 1.5, 2, 3),
    alike: draw(0.1, 0.2, 0.3, 0.4),
    topic: draw(0.05, 0.1, 0.2, 0.4),
    coverage: draw(0.05, 0.1, 0.2, 0.4),
  }));
}

/**
 * Cross-validation by tools: the questions of a fifth of the tools are answered with the setting that does best on the
 * other questions. All tools stay in the index, as in real use.
 *
 * @param {number} settings
 */
function holdBack(settings) {
  const { tools, questions } = toolE;
  const random = createRandom(11);
  const shuffled = tools.map(({ address }) => ({ address, at: random() })).toSorted((a, b) => a.at - b.at);
  const foldOf = new Map(shuffled.map(({ address }, at) => [address, at % FOLDS]));
  const folds = questions.map(({ answers }) => foldOf.get(answers[0] ?? '') ?? 0);
  const tried = drawSettings(settings).map((parameters) =>
    findPlaces(createOurs(tools, { parameters }), questions),
  );
  const shipped = findPlaces(createOurs(tools), questions);
  /** @type {number[]} */
  const held = [];
  const byFold = Array.from({ length: FOLDS }, (_, fold) => {
    const part = (/** @type {readonly number[]} */ places, /** @type {boolean} */ isHeld) =>
      rate(places.filter((__, at) => (folds[at] === fold) === isHeld));
    const merit = (/** @type {readonly number[]} */ places) => {
      const { first, five } = part(places, false);
      return first + five;
    };
    const best = tried.reduce((one, other) => (merit(other) > merit(one) ? other : one));
    best.forEach((place, at) => {
      if (folds[at] === fold) held[at] = place;
    });
    return part(shipped, true);
  });
  return { held: rate(held), byFold, tried: tried.map(rate) };
}

/**
 * The minimum processor time of several rounds, so that other work on the machine does not count. Every round creates a
 * new index: the first pass sees each word for the first time, the second is cached.
 *
 * @param {number} count
 * @param {number} rounds
 */
function time(count, rounds) {
  const tools = inventTools(count);
  const asked = toolE.questions.slice(0, count > 1_000 ? 500 : 2_000);
  const clock = (/** @type {() => void} */ work) => {
    const start = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(start);
    return user + system;
  };
  const least = { index: Infinity, cold: Infinity, warm: Infinity };
  for (let round = 0; round < rounds; round++) {
    let search = createToolSearch([]);
    const ask = () => {
      for (const { query } of asked) search.search(query);
    };
    least.index = Math.min(least.index, clock(() => (search = createToolSearch(tools))) / 1_000);
    least.cold = Math.min(least.cold, clock(ask) / asked.length);
    least.warm = Math.min(least.warm, clock(ask) / asked.length);
  }
  return { count, ...least };
}

const percent = (/** @type {number} */ value) => value.toFixed(1).padStart(6);

/** @param {Record<string, Quality>} table */
function formatQuality(table) {
  return Object.entries(table).map(
    ([name, { first, five, reciprocal }]) =>
      `  ${name.padEnd(46)} ${percent(first)} ${percent(five)} ${percent(reciprocal)}`,
  );
}

function main() {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(help);
  const print = (/** @type {string[]} */ ...lines) => values.json || console.log(lines.join('\n'));

  const machine = {
    date: new Date().toISOString(),
    node: process.version,
    cpu: `${cpus().length} × ${cpus()[0]?.model.trim()}`,
    load: loadavg().map((load) => Number(load.toFixed(1))),
  };
  print(`${machine.date}, Node ${machine.node}, ${machine.cpu}, load ${machine.load.join(' ')}`);

  const contenders = {
    ...baselines,
    'Toolfold without its lexicon': (/** @type {readonly Tool[]} */ tools) =>
      createOurs(tools, { lexicon: noWords }),
    Toolfold: (/** @type {readonly Tool[]} */ tools) => createOurs(tools),
  };
  const compare = (/** @type {typeof toolE} */ { tools, questions }) =>
    Object.fromEntries(
      Object.entries(contenders).map(([name, create]) => [name, rate(findPlaces(create(tools), questions))]),
    );
  const head = `${' '.repeat(49)} first   five    MRR`;
  const quality = compare(toolE);
  print('', `ToolE: ${toolE.tools.length} tools, ${toolE.questions.length} questions, percent`, head);
  print(...formatQuality(quality));

  const { held, byFold, tried } = holdBack(values.quick ? 15 : 60);
  const range = (/** @type {readonly Quality[]} */ all) => {
    const spread = (/** @type {readonly number[]} */ numbers) =>
      `${Math.min(...numbers).toFixed(1)}–${Math.max(...numbers).toFixed(1)}`;
    return `first ${spread(all.map(({ first }) => first))}, five ${spread(all.map(({ five }) => five))}`;
  };
  print('', `Tools held back, ${FOLDS} folds, the setting for each chosen on the others`, head);
  print(...formatQuality({ 'Toolfold on tools it was not tuned on': held }));
  print(`  shipped setting, by fold: ${range(byFold)}`, `  ${tried.length} random settings: ${range(tried)}`);

  const gitHubQuality = compare(gitHub);
  print(
    '',
    `GitHub: ${gitHub.tools.length} tools, ${gitHub.questions.length} questions of our own, percent`,
    head,
  );
  print(...formatQuality(gitHubQuality));

  time(100, 1);
  const times = [100, 1_000, 10_000].map((count) => time(count, values.quick ? 1 : 3));
  print(
    '',
    'Processor time; a question with new words, and with words met before',
    '   tools    index ms     new µs     met µs',
  );
  for (const { count, index, cold, warm } of times) {
    print(
      `  ${[count, index, cold, warm]
        .map((value) => Math.round(value).toLocaleString('en').padStart(10))
        .join(' ')
        .trimStart()
        .padStart(42)}`,
    );
  }

  const ours = quality['Toolfold'];
  const targets = [
    target('first, percent', ours?.first ?? 0, '>=', 55),
    target('first five, percent', ours?.five ?? 0, '>=', 75),
    target('first, percent, tools held back', held.first, '>=', 55),
    target('first five, percent, tools held back', held.five, '>=', 75),
    target('a question among 1,000 tools, µs', times[1]?.cold ?? Infinity, '<=', 1_000),
    target('10,000 tools indexed, ms', times[2]?.index ?? Infinity, '<=', 2_000),
  ];
  print('', 'Targets', ...targets.map(format));
  if (values.json) {
    console.log(
      JSON.stringify(
        { machine, quality, held, byFold, tried, gitHub: gitHubQuality, times, targets },
        undefined,
        2,
      ),
    );
  }
  process.exitCode = targets.every(({ ok }) => ok) ? 0 : 1;
}

main();
