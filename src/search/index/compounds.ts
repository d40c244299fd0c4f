import type { Lexicon } from './lexicon.js';

const SHORTEST_PART = 3;
const LONGEST = 32;

/**
 * The words that a word such as "webhooks" or "keywordexplorer" is made of, where it is not known itself: as few as
 * possible, all of them known. Empty when there is no such way.
 */
export function splitCompound(word: string, lexicon: Lexicon): string[] {
  if (
    word.length < 2 * SHORTEST_PART ||
    word.length > LONGEST ||
    !/^[a-z]+$/.test(word) ||
    lexicon.knows(word)
  )
    return [];
  // For each end, the best way to get there: the fewest parts, then the one with the longest last part.
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
