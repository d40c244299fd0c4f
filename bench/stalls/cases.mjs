import { inputCases } from './input-cases.mjs';
import { outputCases } from './output-cases.mjs';

/**
 * One request that is meant to keep a server busy, with default limits and a body of at most 1 MiB.
 *
 * @typedef {{
 *   title: string,
 *   tools: () => any[],
 *   request: () => string | { method: string, params: object },
 *   answer: RegExp,
 *   registry?: object,
 *   server?: object,
 * }} StallCase `tools` are registered; `request` gives the whole body or the method and params of a 2026 request;
 *   `answer` must match the text of the answer, so that a case measures what it says.
 */

/** @type {readonly StallCase[]} */
export const cases = [...inputCases, ...outputCases];
