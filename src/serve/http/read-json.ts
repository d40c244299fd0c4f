import { exceededLimit, exceededTextLimit } from '../../values/json-limits.js';
import type { JsonLimits } from '../../values/json-limits.js';
import { reject } from './edge.js';
import { PARSE_ERROR } from '../../protocol/rpc-codes.js';
import type { WholeAnswer } from './edge.js';

/** Parses JSON text. Returns the value, or the error response if the text is invalid or exceeds a limit. */
export function readJson(
  text: string,
  limits: JsonLimits,
): { readonly body?: unknown; readonly rejected?: WholeAnswer } {
  // Every value but the last needs two characters, so shorter text cannot hold too many.
  if (text.length > 2 * limits.maxValues) {
    const exceeded = exceededTextLimit(text, limits);
    if (exceeded) return { rejected: rejectJson(exceeded, limits) };
  }
  try {
    return { body: JSON.parse(text) as unknown };
  } catch {
    return { rejected: notJson() };
  }
}

export function notJson(): WholeAnswer {
  return reject(400, PARSE_ERROR, 'Parse error: the request body is not valid JSON');
}

/** The error response to a parsed body that exceeds a limit; `undefined` for all others. */
export function rejectLargeJson(body: unknown, limits: JsonLimits): WholeAnswer | undefined {
  const exceeded = exceededLimit(body, limits);
  return exceeded && rejectJson(exceeded, limits);
}

function rejectJson(exceeded: keyof JsonLimits, limits: JsonLimits): WholeAnswer {
  return reject(400, PARSE_ERROR, describeLimit(exceeded, limits));
}

export function describeLimit(exceeded: keyof JsonLimits, { maxDepth, maxValues }: JsonLimits): string {
  return exceeded === 'maxDepth'
    ? `The JSON is nested deeper than ${maxDepth} levels, which is the limit of this server (maxDepth).`
    : `The JSON has more than ${maxValues} values, which is the limit of this server (maxValues). Send less at once.`;
}
