import { entryCases } from './entry-cases.mjs';
import { inputCases } from './input-cases.mjs';
import { outputCases } from './output-cases.mjs';

/**
 * One request designed to keep a server busy, with default limits and a body of at most 1 MiB.
 *
 * @typedef {{
 *   title: string,
 *   tools: () => any[],
 *   request: () => string | {
 *     method?: string,
 *     params?: Record<string, any>,
 *     body?: string,
 *     headers?: Record<string, string>,
 *   },
 *   answer: RegExp,
 *   prepare?: (registry: any) => void,
 *   session?: string,
 *   registry?: object,
 *   server?: object,
 * }} StallCase `tools` and `prepare` fill the registry. `request` returns the body, or the method and params, of a
 *   request in a session of the revision `session`, or of a 2026 request by default. `answer` must match the answer's
 *   text, which proves that the case measures what its title says.
 */

/** @type {readonly StallCase[]} */
export const cases = [...inputCases, ...entryCases, ...outputCases];
