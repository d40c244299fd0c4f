import type { Lexicon } from './lexicon.js';

/** Maximum length of a text, because longer texts add little and a query must stay cheap. */
const MAX_TEXT = 8_192;

/** Stop words. */
export const stopWords: ReadonlySet<string> = new Set(
  (
    'a about above after again against all am an and any are aren as at be because been before being below between ' +
    'both but by can cannot could couldn did didn do does doesn doing don down during each few for from further had ' +
    'hadn has hasn have haven having he her here hers herself him himself his how i if in into is isn it its itself ' +
    'just me more most must my myself no nor not now of off on once only or other our ours ourselves out over own ' +
    'same she should shouldn so some such than that the their theirs them themselves then there these they this ' +
    'those through to too under until up very was wasn we were weren what when where which while who whom why will ' +
    'with won would wouldn you your yours yourself yourselves'
  ).split(' '),
);

/** A word with an optional ending such as "'s", or a number. */
const TOKEN = /\p{L}+(?:['’]\p{L}+)?|\p{N}+/gu;

/** The words and numbers of a text as they are written, without accents. */
export function readTokens(text: string): readonly string[] {
  const start = text.slice(0, MAX_TEXT);
  // ASCII text has no accents.
  const plain = /[\u0080-\uffff]/.test(start) ? start.normalize('NFKD').replace(/\p{M}+/gu, '') : start;
  return plain.match(TOKEN) ?? [];
}

interface Reading {
  /** Whether the text is a name such as `listOpenIssues`, which is split into its parts. */
  readonly isName?: boolean;
  readonly knows: (word: string) => boolean;
}

/**
 * The words of a token in lower case. A part of a name such as `listOpenIssues` is split. In a sentence, "GitHub" is one word if
 * the lexicon knows it; otherwise it is the word and its parts.
 */
export function splitToken(token: string, { isName = false, knows }: Reading): string[] {
  const word = token.replace(/['’]\p{L}+$/u, '');
  const lower = word.toLowerCase();
  if (/^[A-Z]{2,}s$/.test(word)) return [lower.slice(0, -1)];
  const parts = /\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}/u.test(word) && !knows(lower) ? splitCase(word) : [word];
  if (parts.length === 1) return [lower];
  return isName ? parts : [lower, ...parts.filter((part) => part.length > 2)];
}

/** The words of a text in lower case: see `splitToken`. */
export function readWords(text: string, reading: Reading): string[] {
  return readTokens(text).flatMap((token) => splitToken(token, reading));
}

function splitCase(word: string): string[] {
  return word
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(' ');
}

const SHORTEST_PART = 3;
const LONGEST = 32;

/**
 * Splits an unknown compound such as "webhooks" or "keywordexplorer" into known words, as few as possible. Returns an empty list
 * if that is impossible.
 */
export function splitCompound(word: string, lexicon: Lexicon): string[] {
  if (
    word.length < 2 * SHORTEST_PART ||
    word.length > LONGEST ||
    !/^[a-z]+$/.test(word) ||
    lexicon.knows(word)
  )
    return [];
  // For each end, the best split up to it: the fewest parts, then the longest last part.
  const ways: (readonly string[] | undefined)[] = [[]];
  for (let end = SHORTEST_PART; end <= word.length; end++) {
    for (let start = 0; start <= end - SHORTEST_PART; start++) {
      const before = ways[start];
      if (!before || (ways[end]?.length ?? Infinity) <= before.length + 1) continue;
      const part = word.slice(start, end);
      if (lexicon.knows(part)) ways[end] = [...before, part];
    }
  }
  const way = ways[word.length] ?? [];
  return way.length <= 4 ? [...way] : [];
}

const SHORTEST = 4;
/** A word matches a word that contains it and is at most twice as long. */
const LEAST_PART = 0.5;

/**
 * The similarity of the spelling of two words, from 0 to 1, for words that the lexicon does not know. Words match if they differ by
 * one edit, or by two in a long word, but not in the first letter. They also match if one contains the other.
 */
export function compareSpelling(one: string, other: string): number {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (short.length < SHORTEST || long.length > LONGEST) return 0;
  const slips = long.length < 8 ? 1 : 2;
  if (long.length - short.length <= slips && short[0] === long[0]) {
    const distance = countSlips(short, long, slips);
    if (distance <= slips) return 1 - distance / long.length;
  }
  const part = short.length / long.length;
  return part >= LEAST_PART && long.includes(short) ? part : 0;
}

/** The number of substitutions, deletions, insertions and swaps between two words; counting stops above `most`. */
function countSlips(one: string, other: string, most: number): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      let slips = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]) {
        slips = Math.min(slips, (beforeLast[j - 2] ?? 0) + 1);
      }
      row.push(slips);
    }
    if (Math.min(...row) > most) return most + 1;
    beforeLast = last;
    last = row;
  }
  return last[other.length] ?? 0;
}
