import { median, medianRatio } from '../measure.mjs';
import { ratio, target } from '../report.mjs';

/** @typedef {import('../report.mjs').Line} Line */
/** @typedef {import('./compare.mjs').Measured} Measured */

/**
 * The ratio of the request rates of two contenders.
 *
 * @param {string} title
 * @param {Measured} left
 * @param {Measured} right
 * @param {number} wanted
 */
export function ahead(title, left, right, wanted) {
  return target(title, medianRatio(left.rate, right.rate), '>=', wanted);
}

/**
 * @param {string} title
 * @param {readonly number[]} values
 * @param {string} unit
 * @returns {Line}
 */
export function measuredFigure(title, values, unit) {
  return { kind: 'figure', title, value: median(values), unit };
}

/**
 * The processor time of others for a request, relative to Toolfold. Other work on the machine affects it less than the
 * request rate.
 *
 * @param {Record<string, Measured>} others
 * @param {Measured} Toolfold
 * @param {string} [where]
 * @returns {Line[]}
 */
export function cpuRatios(others, Toolfold, where = '') {
  return Object.entries(others).map(([name, { cpu }]) =>
    ratio(`processor time of ${name} / of Toolfold${where}`, cpu, Toolfold.cpu),
  );
}

/**
 * @param {Record<string, Measured>} contenders
 * @returns {Line[]}
 */
export function rates(contenders) {
  return Object.entries(contenders).flatMap(([name, { rate, cpu }]) => [
    measuredFigure(`${name}, requests per second`, rate, ''),
    measuredFigure(`${name}, processor time of the server per request`, cpu, 'µs'),
  ]);
}

/**
 * @param {Record<string, Measured>} contenders
 * @returns {Line[]}
 */
export function latencies(contenders) {
  return Object.entries(contenders).flatMap(([name, { p50, p99 }]) => [
    measuredFigure(`${name}, p50`, p50, 'ms'),
    measuredFigure(`${name}, p99`, p99, 'ms'),
  ]);
}
