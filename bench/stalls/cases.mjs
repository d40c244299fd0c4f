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
 * }} StallCase `tools` are registered, and `prepare` registers what else there is; `request` gives the whole body or the
 *   method and params of a request, in a session of the revision `session` or else of 2026; `answer` must match the text
 *   of the answer, so that a case measures what it says.
 */

/** @type {readonly StallCase[]} */
export const cases = [...inputCases, ...entryCases, ...outputCases];
