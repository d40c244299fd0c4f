/** @typedef {import('./search-quality.mjs').Quality} Quality */
/** @typedef {import('./search-refusal.mjs').Judged} Judged */
/** @typedef {import('./search-refusal.mjs').Refusal} Refusal */

const WIDTH = 40;

const percent = (/** @type {number} */ value) => value.toFixed(1).padStart(8);
const row = (/** @type {string} */ name, /** @type {readonly string[]} */ cells) =>
  `  ${name.padEnd(WIDTH)} ${cells.map((cell) => cell.padStart(8)).join(' ')}`;

/**
 * @param {string} title
 * @param {Record<string, Quality>} rows
 */
export function formatQuality(title, rows) {
  return [
    '',
    title,
    row('', ['first', 'five', 'MRR']),
    ...Object.entries(rows).map(([name, { first, five, reciprocal }]) =>
      row(name, [percent(first), percent(five), percent(reciprocal)]),
    ),
  ];
}

/** @param {Record<string, ReturnType<typeof import('./search-quality.mjs').rateHalves>>} rows */
export function formatHalves(rows) {
  return [
    '',
    'Keywords for half of the tools, percent among five; the same questions with keywords for none, half and all',
    row('', ['none', 'half', 'all']),
    ...Object.entries(rows).flatMap(([name, { having, lacking }]) => [
      row(`${name}, tools with keywords`, [having.none, having.half, having.all].map(percent)),
      row(`${name}, tools without`, [lacking.none, lacking.half, lacking.all].map(percent)),
    ]),
  ];
}

/** @param {Record<string, ReturnType<typeof import('./search-tasks.mjs').rateTasks>>} rows */
export function formatTasks(rows) {
  return [
    '',
    'Tasks over GitHub’s tools: needed tools found, percent, with the same number of tools shown',
    row('', ['one', 'several']),
    ...Object.entries(rows).map(([name, { one, several }]) => row(name, [percent(one), percent(several)])),
  ];
}

/** @param {Record<string, Refusal>} rows */
export function formatRefusal(rows) {
  const cells = (/** @type {Judged} */ { auc, refused, weak }) => [
    auc === undefined ? '' : auc.toFixed(3),
    percent(refused),
    percent(weak),
  ];
  return [
    '',
    'Questions that no tool answers: AUC against the answerable ones; percent refused, and percent with a weak first hit',
    row('', ['AUC', 'refused', 'weak']),
    ...Object.entries(rows).flatMap(([name, { answerable, near, far }]) => [
      row(`${name}: ${answerable.count} answerable`, cells(answerable)),
      row(`${name}: ${near.count} near`, cells(near)),
      row(`${name}: ${far.count} far`, cells(far)),
    ]),
  ];
}

/** @param {readonly ReturnType<typeof import('./search-times.mjs').timeSearch>[]} rows */
export function formatTimes(rows) {
  const whole = (/** @type {number} */ value) => Math.round(value).toLocaleString('en');
  return [
    '',
    'Processor time; a question with new words, and with words met before',
    row('', ['index ms', 'new µs', 'met µs']),
    ...rows.map(({ count, index, cold, warm }) =>
      row(`${whole(count)} tools`, [index, cold, warm].map(whole)),
    ),
  ];
}
