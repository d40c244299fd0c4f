import { foldCase } from './segment.js';

export { readTokens } from './segment.js';

/** In Japanese, a single hiragana is a particle or an ending. */
const hiragana = Array.from({ length: 0x3096 - 0x3040 }, (_, at) => String.fromCharCode(0x3041 + at));

/** Other languages have no list here. Their stop words count little, because most tools have them. */
export const stopWords: ReadonlySet<string> = new Set([
  ...hiragana,
  ...(
    'a about above after again against all am an and any are aren as at be because been before being below between ' +
    'both but by can cannot could couldn did didn do does doesn doing don down during each few for from further had ' +
    'hadn has hasn have haven having he her here hers herself him himself his how i if in into is isn it its itself ' +
    'just me more most must my myself no nor not now of off on once only or other our ours ourselves out over own ' +
    'same she should shouldn so some such than that the their theirs them themselves then there these they this ' +
    'those through to too under until up very was wasn we were weren what when where which while who whom why will ' +
    'with won would wouldn you your yours yourself yourselves'
  ).split(' '),
]);

/** Frequent words of English map to 1, those of other languages to -1. No word is frequent in both. */
const languages = new Map<string, number>([
  ...'and are be by each from has if into it or that the their these this to when which with your'
    .split(' ')
    .map((word) => [word, 1] as const),
  ...(
    'der das und von ein eine einen einer dem den des oder nicht auf aus bei nach zum zur fur uber wird ' +
    'le les du une un et dans sur avec ou aux cette el los las del para por con que su al il gli della nel che di ' +
    'um uma em da ao nao het een van voor naar och att som ett med av det og til af oraz dla jest sie nie lub ' +
    've bir icin ile dan yang untuk dari pada ini tai din sau'
  )
    .split(' ')
    .map((word) => [word, -1] as const),
]);
const LONGEST_FREQUENT = 5;
const accents = /[\u0300-\u036F\u00C0-\u024F\u1E00-\u1EFF]/g;

export function languageOf(token: string): number {
  return token.length > LONGEST_FREQUENT ? 0 : (languages.get(token.toLowerCase()) ?? 0);
}

/**
 * Whether a sentence is English, judged by its accents and by the sum of `languageOf` of its words. The English stemmer would merge
 * different words of another language. A sentence without any sign is English, and so is one with a single "café".
 */
export function isEnglish(sentence: string, signs: number): boolean {
  if (sentence.search(accents) < 0) return signs >= 0;
  return (sentence.normalize('NFC').match(accents)?.length ?? 1) - 1 <= signs;
}

/** Matches a word of the letters a to z without parts, such as "list", "List" and "URL". */
const SINGLE_WORD = /^(?:[A-Za-z][a-z]*|[A-Z]+)$/;

/**
 * Splits a token into lower-case words. A part of a name such as `listOpenIssues` is split. In a sentence, "GitHub" yields the word and its
 * parts.
 */
export function splitToken(token: string, isName: boolean): string[] {
  // Fast path: most tokens are one word, and the first use of a pattern with classes of Unicode takes milliseconds.
  if (SINGLE_WORD.test(token)) return [token.toLowerCase()];
  const word = token.replace(/['’].*$/u, '');
  const lower = foldCase(word);
  if (/^[A-Z]{2,}s$/.test(word)) return [lower.slice(0, -1)];
  if (!/\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}/u.test(word)) return [lower];
  const parts = splitCase(word);
  // A name of stop words only would have no words.
  const hasOwnParts = isName && !parts.every((part) => stopWords.has(part));
  return [...new Set(hasOwnParts ? parts : [lower, ...parts.filter((part) => part.length > 1)])];
}

/** Splits a name into lower-case parts. A single letter also belongs to the next part: "OAuth" is "oauth" and "auth". */
function splitCase(word: string): string[] {
  const parts = word
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .split(' ')
    .map(foldCase);
  return parts.flatMap((part, at) => {
    const next = parts[at + 1];
    return part.length === 1 && next !== undefined ? [`${part}${next}`] : [part];
  });
}

/** A part of a compound has at least 3 letters, and words of more than 32 letters are not compared. */
const SHORTEST_PART = 3;
const LONGEST = 32;

/**
 * Splits an unknown compound such as "webhooks" or "keywordexplorer" into as few known words as possible. Returns an empty list if that is
 * impossible.
 */
export function splitCompound(word: string, knows: (word: string) => boolean): string[] {
  if (word.length < 2 * SHORTEST_PART || word.length > LONGEST || !/^[a-z]+$/.test(word) || knows(word))
    return [];
  // For each end, the best split up to it: the fewest parts, then the longest last part.
  const ways: (readonly string[] | undefined)[] = [[]];
  for (let end = SHORTEST_PART; end <= word.length; end++) {
    for (let start = 0; start <= end - SHORTEST_PART; start++) {
      const before = ways[start];
      if (!before || (ways[end]?.length ?? Infinity) <= before.length + 1) continue;
      const part = word.slice(start, end);
      if (knows(part)) ways[end] = [...before, part];
    }
  }
  const way = ways[word.length] ?? [];
  return way.length <= 4 ? [...way] : [];
}

/** Shorter words are never misspelt, because short words differ by one letter. */
const SHORTEST = 4;
/** A word matches a word that contains it and is at most twice as long. */
const LEAST_PART = 0.5;

/**
 * Compares the spelling of two different words, from 0 to 1. Words match if they differ by one edit, or by two in a long word, but not in
 * the first letter. They also match if one contains the other.
 */
export function compareSpelling(one: string, other: string): number {
  const short = one.length <= other.length ? one : other;
  const long = short === one ? other : one;
  if (short.length < SHORTEST || long.length > LONGEST) return 0;
  const slips = long.length < 8 ? 1 : 2;
  if (long.length - short.length <= slips && short.charCodeAt(0) === long.charCodeAt(0)) {
    const distance = countSlips(short, long, slips);
    if (distance <= slips) return 1 - distance / long.length;
  }
  const part = short.length / long.length;
  return part >= LEAST_PART && long.includes(short) ? part : 0;
}

/** The rows of the table of `countSlips` are reused, because an unknown word is compared with thousands of words. */
const rows = [new Uint8Array(LONGEST + 1), new Uint8Array(LONGEST + 1), new Uint8Array(LONGEST + 1)] as const;

/** Counts the substitutions, deletions, insertions and swaps between two words, and stops above `most`. */
function countSlips(one: string, other: string, most: number): number {
  let [beforeLast, last, row]: [Uint8Array, Uint8Array, Uint8Array] = [...rows];
  for (let j = 0; j <= other.length; j++) last[j] = j;
  for (let i = 1; i <= one.length; i++) {
    const letter = one.charCodeAt(i - 1);
    row[0] = i;
    let least = i;
    for (let j = 1; j <= other.length; j++) {
      const isSame = letter === other.charCodeAt(j - 1);
      let slips = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (isSame ? 0 : 1));
      if (
        i > 1 &&
        j > 1 &&
        letter === other.charCodeAt(j - 2) &&
        one.charCodeAt(i - 2) === other.charCodeAt(j - 1)
      )
        slips = Math.min(slips, (beforeLast[j - 2] ?? 0) + 1);
      row[j] = slips;
      if (slips < least) least = slips;
    }
    if (least > most) return most + 1;
    [beforeLast, last, row] = [last, row, beforeLast];
  }
  return last[other.length] ?? 0;
}

/** Two words without stems match if they share at least 4 letters and differ in endings of at most 3. */
const LEAST_COMMON = 4;
const LONGEST_ENDING = 3;

/** Compares two words of a language without a stemmer, from 0 to 1. They match if only their endings differ. */
export function compareEndings(one: string, other: string): number {
  const longest = Math.max(one.length, other.length);
  let common = 0;
  while (common < longest && one.charCodeAt(common) === other.charCodeAt(common)) common += 1;
  if (common === longest) return 1;
  if (common < LEAST_COMMON || longest - common > LONGEST_ENDING) return 0;
  return common / Math.sqrt(one.length * other.length);
}
