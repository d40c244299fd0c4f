import type { ContentBlock } from '../../protocol/tool-result.js';
import { assertOptions, callback, count, invalidOption } from '@toolfold/schema/internal';
import type { Rules } from '@toolfold/schema/internal';

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

export function assertBudget(budget: OutputBudget, where: string): void {
  assertOptions(where, budget, rules, { nameOf: (name) => `${where}.${name}` });
  if (budget.bytes === undefined && budget.tokens === undefined)
    throw invalidOption(where, 'an object with bytes or tokens');
}

const utf8 = new TextEncoder();
/** Models charge about this many tokens for an image of usual size. */
const BINARY_TOKENS = 1600;

/** The default estimate counts one token for this many letters. */
const TOKEN_LENGTH = 4;

/** Estimates how many characters fit into a budget. */
export function roomOf({ bytes = Infinity, tokens = Infinity }: OutputBudget): number {
  return Math.min(bytes, tokens * TOKEN_LENGTH);
}

/** Returns the used fraction of the budget. A result fits if it is at most 1. */
export function usageOf(
  budget: OutputBudget,
  texts: readonly string[],
  binaries: readonly string[] = [],
): number {
  const { bytes, tokens, countTokens = estimateTokens } = budget;
  let usage = 0;
  if (bytes !== undefined) {
    let used = 0;
    for (const text of texts) used += utf8.encode(text).length;
    for (const data of binaries) used += data.length;
    usage = used / bytes;
  }
  // Counting tokens can be slow, so it is skipped if the bytes alone exceed the budget.
  if (tokens === undefined || usage > 1) return usage;
  let used = binaries.length * BINARY_TOKENS;
  for (const text of texts) if (text !== '') used += countTokens(text);
  return Math.max(usage, used / tokens);
}

export function usageOfContent(budget: OutputBudget, content: readonly ContentBlock[]): number {
  const parts = content.map(countedParts);
  return usageOf(
    budget,
    parts.flatMap(({ texts }) => texts),
    parts.flatMap(({ binaries }) => binaries),
  );
}

/** Returns the texts and the base64 data of a block that count towards the budget. */
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

/** Computes the default estimate that `OutputBudget` documents, in twelfths of a token so that the sum stays exact. */
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
