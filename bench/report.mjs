import { median, medianDifference, medianRatio } from './measure.mjs';

/** @typedef {{ kind: 'target', title: string, measured: number, wanted: number, relation: '<=' | '>=', ok: boolean }} Target */
/** @typedef {{ kind: 'figure', title: string, value: number, unit: string }} Figure */

/**
 * @param {string} title
 * @param {number} measured
 * @param {'<=' | '>='} relation
 * @param {number} wanted
 * @returns {Target}
 */
export function target(title, measured, relation, wanted) {
  const ok = relation === '<=' ? measured <= wanted : measured >= wanted;
  return { kind: 'target', title, measured, wanted, relation, ok };
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

/** @param {Target | Figure} line */
export function format(line) {
  if (line.kind === 'figure')
    return `  ${line.title.padEnd(WIDTH)} ${number(line.value)} ${line.unit}`.trimEnd();
  const { title, measured, relation, wanted, ok } = line;
  const limit = `${relation === '<=' ? 'at most' : 'at least'} ${wanted}`;
  return `  ${title.padEnd(WIDTH)} measured ${number(measured)} wanted ${limit} ${ok ? 'ok' : 'MISSED'}`;
}

const WIDTH = 62;

/** @param {number} value */
function number(value) {
  return value.toLocaleString('en', {
    maximumFractionDigits: value < 100 ? 2 : 0,
    minimumFractionDigits: value < 100 ? 2 : 0,
  });
}
