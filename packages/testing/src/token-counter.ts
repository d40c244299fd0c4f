import { createRequire } from 'node:module';
import type { McpTool } from '@toolfold/profiles';
import type * as Tokenizer from 'gpt-tokenizer/encoding/o200k_base';

/** The tokenizer of OpenAI's models since GPT-4o. */
export const TOKENIZER = 'o200k';

/**
 * Maximum length of a run of one kind of character. The tokenizer takes quadratic time for a run: 8 s for 100,000 repeated letters.
 * Longer runs are counted in pieces.
 */
const MAX_RUN = 128;
/** Matches a run of letters, spaces or signs. The tokenizer itself ends a run where the kind changes, and after three digits. */
const longRun = new RegExp(
  [String.raw`[\p{L}\p{M}]`, String.raw`\s`, String.raw`[^\s\p{L}\p{N}]`]
    .map((kind) => `${kind}{${MAX_RUN}}`)
    .join('|'),
  'gu',
);
/** Maximum number of counted characters of one text. The rest is extrapolated. */
const MAX_TEXT = 500_000;
/** Maximum number of tokens that one counter counts. Later texts are estimated. */
const MAX_TOKENS = 10_000_000;
/** Characters after which the tokenizer's cache of words is cleared, because a full cache is slow. */
const CACHED_CHARACTERS = 200_000;
/** Characters of JSON per token, to estimate texts that are not counted. */
const CHARACTERS_PER_TOKEN = 4.5;

// Loaded on first use, and without a promise, because describeSurface returns a text.
const require = createRequire(import.meta.url);

/** Treats text such as `<|endoftext|>` in a description as ordinary text. */
const ordinary = { disallowedSpecial: new Set<string>() };

/** Counts the tokens of texts, and remembers the counts of equal texts. */
export interface TokenCounter {
  readonly count: (text: string) => number;
  /** Whether every count is exact. Huge texts and long runs of one kind of character are approximated. */
  readonly isExact: () => boolean;
}

/** The fields of a tool that reach a model. */
export interface CountedTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema?: McpTool['inputSchema'] | undefined;
}

export const countedFields = 'name, description and inputSchema of each tool, as compact JSON';

/** The tokens of a tool. Every command, the page and the test client count with this function. */
export function countTool({ name, description, inputSchema }: CountedTool, { count }: TokenCounter): number {
  return count(JSON.stringify({ name, description, inputSchema }));
}

/** Loads the tokenizer with the first counter, which takes about 0.2 s. */
export function createTokenCounter(): TokenCounter {
  const { clearMergeCache, countTokens, setMergeCacheSize } =
    require('gpt-tokenizer/encoding/o200k_base') as typeof Tokenizer;
  setMergeCacheSize(Number.MAX_SAFE_INTEGER);
  const known = new Map<string, number>();
  let isExact = true;
  let counted = 0;
  let cached = 0;

  const countPiece = (text: string): number => {
    cached += text.length;
    if (cached > CACHED_CHARACTERS) {
      clearMergeCache();
      cached = text.length;
    }
    const tokens = countTokens(text, ordinary);
    counted += tokens;
    return tokens;
  };

  const countText = (text: string): number => {
    let tokens = 0;
    let start = 0;
    for (const { 0: run, index } of text.matchAll(longRun)) {
      isExact = false;
      tokens += countPiece(text.slice(start, index + run.length));
      start = index + run.length;
    }
    return tokens + countPiece(text.slice(start));
  };

  const approximate = (text: string): number => {
    isExact = false;
    if (counted > MAX_TOKENS) return Math.ceil(text.length / CHARACTERS_PER_TOKEN);
    return Math.ceil((countText(text.slice(0, MAX_TEXT)) * text.length) / MAX_TEXT);
  };

  return {
    count: (text) => {
      const found = known.get(text);
      if (found !== undefined) return found;
      const tokens = text.length > MAX_TEXT || counted > MAX_TOKENS ? approximate(text) : countText(text);
      known.set(text, tokens);
      return tokens;
    },
    isExact: () => isExact,
  };
}
