import type { ContentBlock } from '../../protocol/tool-result.js';
import { assertOptions, callback, count, invalidOption } from '../../values/options.js';
import type { Rules } from '../../values/options.js';
import { isHighSurrogate, isLowSurrogate } from './shrink-value.js';

/** The maximum size of a result. If both limits are set, both apply. */
export interface OutputBudget {
  /** Maximum size in bytes of UTF-8. */
  readonly bytes?: number;
  /** Maximum size in tokens, as counted by `countTokens`. */
  readonly tokens?: number;
  /**
   * Counts the tokens of a text. Default: an estimate of 4 letters or 3 digits per token, half a token for any other
   * ASCII character, and half a token, one or two for a character of two, three or four bytes of UTF-8.
   */
  readonly countTokens?: (text: string) => number;
}

const rules: Rules<keyof OutputBudget> = { bytes: count, tokens: count, countTokens: callback };

/** Throws unless at least one limit is set and all settings are valid. */
export function assertBudget(budget: OutputBudget, where: string): void {
  assertOptions(where, budget, rules, { nameOf: (name) => `${where}.${name}` });
  if (budget.bytes === undefined && budget.tokens === undefined)
    throw invalidOption(where, 'an object with bytes or tokens');
}

/** Tokens that models charge for an image of usual size. */
const BINARY_TOKENS = 1600;

/** Characters of plain text per token, according to the default estimate. */
const TOKEN_LENGTH = 4;

/** Approximate number of characters that fit into a budget. */
export function roomOf({ bytes = Infinity, tokens = Infinity }: OutputBudget): number {
  return Math.min(bytes, tokens * TOKEN_LENGTH);
}

/** The used fraction of the budget. A result fits if it is at most 1. */
export function usageOf(
  budget: OutputBudget,
  texts: readonly string[],
  binaries: readonly string[] = [],
): number {
  const { bytes, tokens, countTokens = estimateTokens } = budget;
  let usage = 0;
  if (bytes !== undefined) {
    let used = 0;
    for (const text of texts) used += countBytes(text);
    for (const data of binaries) used += data.length;
    usage = used / bytes;
  }
  // Counting tokens can be slow, so it is skipped if the bytes alone exceed the budget.
  if (tokens === undefined || usage > 1) return usage;
  let used = binaries.length * BINARY_TOKENS;
  for (const text of texts) if (text !== '') used += countTokens(text);
  return Math.max(usage, used / tokens);
}

/** The fraction of the budget that content blocks use together. */
export function usageOfContent(budget: OutputBudget, content: readonly ContentBlock[]): number {
  const parts = content.map(countedParts);
  return usageOf(
    budget,
    parts.flatMap(({ texts }) => texts),
    parts.flatMap(({ binaries }) => binaries),
  );
}

/** The texts and the base64 data of a block that count towards the budget. */
export function countedParts(block: ContentBlock): { texts: string[]; binaries: string[] } {
  switch (block.type) {
    case 'text':
      return { texts: [block.text], binaries: [] };
    case 'image':
    case 'audio':
      return { texts: [], binaries: [block.data] };
    case 'resource':
      return 'text' in block.resource
        ? { texts: [block.resource.uri, block.resource.text], binaries: [] }
        : { texts: [block.resource.uri], binaries: [block.resource.blob] };
    case 'resource_link':
      return { texts: [JSON.stringify(block)], binaries: [] };
  }
}

export function isBinary(block: ContentBlock): boolean {
  return countedParts(block).binaries.length > 0;
}

/** Counts the bytes of a text in UTF-8. */
function countBytes(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x80) continue;
    bytes += code < 0x800 ? 1 : 2;
    // A surrogate pair takes four bytes together. A lone surrogate is sent as U+FFFD, which takes three.
    if (isHighSurrogate(code) && isLowSurrogate(text.charCodeAt(index + 1))) index++;
  }
  return bytes;
}

/** The default token estimate that `OutputBudget` documents, in twelfths so that the sum stays exact. */
function estimateTokens(text: string): number {
  let twelfths = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code >= 0x800) twelfths += 12;
    else if (code >= 0x80) twelfths += 6;
    else if ((code | 32) >= 97 && (code | 32) <= 122) twelfths += 3;
    else if (code === 32) twelfths += 3;
    else twelfths += code >= 48 && code <= 57 ? 4 : 6;
  }
  return Math.ceil(twelfths / 12);
}
