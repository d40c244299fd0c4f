import { exceededLimit, exceededTextLimit } from '../../values/json-limits.js';
import type { JsonLimits } from '../../values/json-limits.js';
import { refuse } from './edge.js';
import { PARSE_ERROR } from '../../protocol/rpc-codes.js';
import type { WholeAnswer } from './edge.js';

/** Parses JSON text. Returns the value, or the error response if the text is invalid or exceeds a limit. */
export function readJson(
  text: string,
  limits: JsonLimits,
): { readonly body?: unknown; readonly refused?: WholeAnswer } {
  // Every value but the last needs two characters, so shorter text cannot hold too many.
  if (text.length > 2 * limits.maxValues) {
    const exceeded = exceededTextLimit(text, limits);
    if (exceeded) return { refused: refuseJson(exceeded, limits) };
  }
  try {
    return { body: JSON.parse(text) as unknown };
  } catch {
    return { refused: notJson() };
  }
}

export function notJson(): WholeAnswer {
  return refuse(400, PARSE_ERROR, 'Parse error: the request body is not valid JSON');
}

/** The error response to a parsed body that exceeds a limit; `undefined` for all others. */
export function refuseLargeJson(body: unknown, limits: JsonLimits): WholeAnswer | undefined {
  const exceeded = exceededLimit(body, limits);
  return exceeded && refuseJson(exceeded, limits);
}

function refuseJson(exceeded: keyof JsonLimits, limits: JsonLimits): WholeAnswer {
  return refuse(400, PARSE_ERROR, describeLimit(exceeded, limits));
}

export function describeLimit(exceeded: keyof JsonLimits, { maxDepth, maxValues }: JsonLimits): string {
  return exceeded === 'maxDepth'
    ? `The JSON is nested deeper than ${maxDepth} levels, which is the limit of this server (maxDepth).`
    : `The JSON has more than ${maxValues} values, which is the limit of this server (maxValues). Send less at once.`;
}
