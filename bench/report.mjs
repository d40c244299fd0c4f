import { median, medianDifference, medianRatio } from './measure.mjs';
import { speedTargets } from './targets.mjs';

/**
 * @typedef {{
 *   kind: 'target',
 *   title: string,
 *   measured: number,
 *   wanted: number,
 *   relation: '<=' | '>=',
 *   unit: string,
 *   ok: boolean,
 *   name?: string,
 * }} Target targets of `targets.mjs` have a name
 */
/** @typedef {{ kind: 'figure', title: string, value: number, unit: string }} Figure */
/** @typedef {Target | Figure} Line */

/**
 * A target that only one suite has.
 *
 * @param {string} title
 * @param {number} measured
 * @param {'<=' | '>='} relation
 * @param {number} wanted
 * @param {string} [unit]
 * @returns {Target}
 */
export function target(title, measured, relation, wanted, unit = '') {
  const ok = relation === '<=' ? measured <= wanted : measured >= wanted;
  return { kind: 'target', title, measured, wanted, relation, unit, ok };
}

/**
 * A target of the project, from `targets.mjs`.
 *
 * @param {keyof typeof speedTargets} name
 * @param {number} measured
 * @param {string} [catalog] what was measured, if the target holds for several catalogs
 * @returns {Target}
 */
export function speedTarget(name, measured, catalog) {
  const { title, relation, wanted, unit } = speedTargets[name];
  const whole = catalog === undefined ? title : `${title}: ${catalog}`;
  return { ...target(whole, measured, relation, wanted, unit), name };
}

/**
 * The time of one run.
 *
 * @param {string} title
 * @param {readonly number[]} samples in microseconds
 * @returns {Figure}
 */
export function figure(title, samples) {
  return { kind: 'figure', title, value: median(samples), unit: 'µs' };
}

/**
 * A ratio without a target.
 *
 * @param {string} title
 * @param {readonly number[]} left
 * @param {readonly number[]} right
 * @returns {Figure}
 */
export function ratio(title, left, right) {
  return { kind: 'figure', title, value: medianRatio(left, right), unit: '×' };
}

/**
 * The difference between two contenders.
 *
 * @param {string} title
 * @param {readonly number[]} left
 * @param {readonly number[]} right
 * @returns {Figure}
 */
export function difference(title, left, right) {
  return { kind: 'figure', title, value: medianDifference(left, right), unit: 'µs' };
}

/** @param {Line} line */
export function format(line) {
  if (line.kind === 'figure')
    return `  ${line.title.padEnd(WIDTH)} ${number(line.value).padStart(9)} ${line.unit}`.trimEnd();
  const { title, measured, relation, wanted, unit } = line;
  const limit = `${relation === '<=' ? 'at most' : 'at least'} ${wanted.toLocaleString('en')}`;
  return `  ${title.padEnd(WIDTH)} ${number(measured).padStart(9)} ${unit.padEnd(2)} ${limit.padEnd(14)} ${verdict(line)}`;
}

/**
 * `met`, or `missed by` and the distance as a share of the target.
 *
 * @param {Target} target
 */
export function verdict({ ok, measured, wanted }) {
  if (ok) return 'met';
  if (wanted === 0) return `missed by ${number(measured)}`;
  const share = Math.abs(measured / wanted - 1) * 100;
  return `missed by ${share.toLocaleString('en', { maximumFractionDigits: share < 10 ? 1 : 0 })} %`;
}

const WIDTH = 66;

/** @param {number} value */
function number(value) {
  return value.toLocaleString('en', {
    maximumFractionDigits: value < 100 ? 2 : 0,
    minimumFractionDigits: value < 100 ? 2 : 0,
  });
}
