import { countBytes, estimateTokens } from './measure-text.js';
import type { OutputBudget } from './output-budget.js';
import type { ContentBlock } from '../../protocol/tool-result.js';

/** What models take for an image of usual size. */
const BINARY_TOKENS = 1600;

/** How many characters of plain text take one token, by the estimate of `OutputBudget`. */
const TOKEN_LENGTH = 4;

/** About how many characters a budget has room for. */
export function roomOf({ bytes = Infinity, tokens = Infinity }: OutputBudget): number {
  return Math.min(bytes, tokens * TOKEN_LENGTH);
}

/** What part of the budget is used; up to 1 is within. */
export function loadOf(
  budget: OutputBudget,
  texts: readonly string[],
  binaries: readonly string[] = [],
): number {
  const { bytes, tokens, countTokens = estimateTokens } = budget;
  let load = 0;
  if (bytes !== undefined) {
    let used = 0;
    for (const text of texts) used += countBytes(text);
    for (const data of binaries) used += data.length;
    load = used / bytes;
  }
  // Counting tokens may be slow, so it is left out where the answer is known.
  if (tokens === undefined || load > 1) return load;
  let used = binaries.length * BINARY_TOKENS;
  for (const text of texts) if (text !== '') used += countTokens(text);
  return Math.max(load, used / tokens);
}

/** What part of the budget blocks use together. */
export function loadOfContent(budget: OutputBudget, content: readonly ContentBlock[]): number {
  const weights = content.map(weigh);
  return loadOf(
    budget,
    weights.flatMap(({ texts }) => texts),
    weights.flatMap(({ binaries }) => binaries),
  );
}

/** What of a block counts. */
export function weigh(block: ContentBlock): { texts: string[]; binaries: string[] } {
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
  return weigh(block).binaries.length > 0;
}
