/** Longer texts are cut, because they add little and a query must stay cheap. */
export const MAX_TEXT = 8_192;

/** Texts are segmented in pieces, because the segmenter reads its whole input before it returns the first word. */
const PIECE = 512;

/** Scripts that put no spaces between words. */
const UNSPACED = String.raw`\p{sc=Han}\p{sc=Hira}\p{sc=Kana}ー\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}`;
const SPACED = String.raw`(?![${UNSPACED}\p{sc=Hang}])`;
/** Endings that English puts after an apostrophe. Any other apostrophe separates words, as in "l'utilisateur". */
const ENDING = String.raw`['’](?:s|t|d|m|re|ve|ll|S|T|D|M|RE|VE|LL)(?![\p{L}\p{M}])`;

/**
 * Matches a run of a script without spaces, a run of Hangul, a word of other letters, or a number. Hangul is apart, because Korean
 * particles follow Latin words without a space, as in "GitHub에서".
 */
const TOKEN = new RegExp(
  String.raw`[${UNSPACED}]+|\p{sc=Hang}+|${SPACED}\p{L}(?:${SPACED}[\p{L}\p{M}])*(?:${ENDING})?|\p{N}+`,
  'gu',
);
const PLAIN_TOKEN = /[a-z]+(?:['’](?:s|t|d|m|re|ve|ll)(?![a-z]))?|[0-9]+/gi;
const hasUnspaced = new RegExp(`[${UNSPACED}]`, 'u');

/** Matches text without letters beyond ASCII. Typographic quotes, dashes and bullets are allowed. */
const isPlain = /^[\0-\x7F\u2010-\u2027\u2030-\u205E]*$/;

/** Letters of scripts in which marks are accents or optional vowels. In other scripts they make another letter: "が" is not "か". */
const ACCENTED = /([\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{sc=Arab}\p{sc=Hebr}])\p{M}+/gu;
const BREVE = '\u0306';

/** Removes the marks of a letter. The Cyrillic й keeps its mark, because it is not a variant of и. */
const dropMarks = (marked: string, letter: string): string =>
  (letter === 'и' || letter === 'И') && marked.includes(BREVE) ? letter + BREVE : letter;

/**
 * Unifies the spellings of a text: compatibility forms such as full-width letters become the usual ones, and accents, invisible characters
 * and direction controls are removed. Upper case stays, because it separates the parts of names.
 */
export function normalizeText(text: string): string {
  const given = text.slice(0, 4 * MAX_TEXT);
  if (isPlain.test(given)) return given.slice(0, MAX_TEXT);
  return (
    given
      // The time to normalise a run of marks is quadratic in its length. 30 marks are the limit of Unicode's stream-safe text.
      .replace(/(\p{M}{30})\p{M}+/gu, '$1')
      .normalize('NFC')
      // The composed form is cut, so that the composed and the decomposed form of a text end with the same letter.
      .slice(0, MAX_TEXT)
      .normalize('NFKD')
      // One compatibility character can become 18 characters.
      .slice(0, 4 * MAX_TEXT)
      // A zero-width space separates words in Thai and Khmer.
      .replaceAll('\u200B', ' ')
      .replace(/[\p{DI}\u0640]+/gu, '')
      .replace(ACCENTED, dropMarks)
      // The segmenter knows these vowels of Thai and Lao in one piece.
      .replaceAll('\u0E4D\u0E32', '\u0E33')
      .replaceAll('\u0ECD\u0EB2', '\u0EB3')
      .normalize('NFC')
  );
}

/** Letters that no normalisation replaces, and their usual spelling. */
const spellings = new Map(
  Object.entries({ ς: 'σ', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ħ: 'h', ŧ: 't' }),
);

/** Lowercases a word and unifies all forms of a letter: "STRASSE" and "Straße" are the same. */
export function foldCase(word: string): string {
  const lower = word.toLowerCase();
  if (isPlain.test(lower)) return lower;
  return lower
    .toUpperCase()
    .toLowerCase()
    .replace(/[ςæœøłđðþħŧ]/g, (letter) => spellings.get(letter) ?? letter);
}

/** Returns at most `most` words and numbers of a text, with normalised letters. */
export function readTokens(text: string, most = Infinity): readonly string[] {
  const normal = normalizeText(text);
  if (isPlain.test(normal)) return normal.match(PLAIN_TOKEN) ?? [];
  if (!hasUnspaced.test(normal)) return normal.match(TOKEN) ?? [];
  const tokens: string[] = [];
  for (const token of segmentRuns(normal)) {
    if (tokens.length >= most) break;
    tokens.push(token);
  }
  return tokens;
}

function* segmentRuns(text: string): Generator<string> {
  for (const [token] of text.matchAll(TOKEN)) {
    if (!hasUnspaced.test(token)) yield token;
    else
      for (let from = 0, end = 0; from < token.length; from = end) {
        end = from + PIECE;
        if (isLowSurrogate(token.charCodeAt(end))) end += 1;
        yield* segment(token.slice(from, end));
      }
  }
}

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

let segmenter: Intl.Segmenter | undefined;

/** Segments a run without spaces into words. All locales share the same dictionaries. */
function* segment(run: string): Generator<string> {
  const { Segmenter } = Intl as { readonly Segmenter?: typeof Intl.Segmenter };
  if (!Segmenter) return yield* pairsOf(run);
  segmenter ??= new Segmenter('en', { granularity: 'word' });
  for (const { segment: word } of segmenter.segment(run)) if (/[\p{L}\p{N}]/u.test(word)) yield word;
}

/** Pairs neighbouring characters, for runtimes without a segmenter. */
function* pairsOf(run: string): Generator<string> {
  const characters = [...run];
  if (characters.length === 1) yield run;
  for (let at = 1; at < characters.length; at++) yield `${characters[at - 1]}${characters[at]}`;
}

const characterWord = new RegExp(String.raw`^[${UNSPACED}\p{sc=Hang}]`, 'u');

/** Whether the words of a script are compared by their characters, because no stemmer knows their endings. */
export function isComparedByCharacters(word: string): boolean {
  return characterWord.test(word);
}

const LONGEST = 32;

/**
 * Compares two such words by their longest common part, from 0 to 1. This finds "会议" for "会", words with other endings, and words that were
 * segmented differently.
 */
export function compareCharacters(one: string, other: string): number {
  if (one.length > LONGEST || other.length > LONGEST) return one === other ? 1 : 0;
  const [from, length] = findCommonPart(one, other);
  const isEnough = length > 2 || (length > 0 && length >= leastPart(one.slice(from, from + length)));
  return isEnough ? length / Math.sqrt(one.length * other.length) : 0;
}

/**
 * Returns the parts by which similar words are looked up: each Chinese character, and each other character with the next one. Words without
 * a common part are not similar.
 */
export function partsOf(word: string): ReadonlySet<string> {
  const parts = new Set<string>();
  if (word.length > LONGEST) return parts;
  const characters = [...word];
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] ?? '';
    if (isHan.test(character)) parts.add(character);
    else if (at + 1 < characters.length) parts.add(`${character}${characters[at + 1]}`);
  }
  return parts;
}

const isHan = /\p{sc=Han}/u;

/** Returns how many characters carry a meaning together: a Chinese one is a word by itself, and a letter of Thai is not. */
function leastPart(part: string): number {
  if (isHan.test(part)) return 1;
  return /[\p{sc=Hang}\p{sc=Hira}\p{sc=Kana}]/u.test(part) ? 2 : 3;
}

/** Returns where the longest common part of two words starts in the first word, and its length. */
function findCommonPart(one: string, other: string): readonly [from: number, length: number] {
  const lengths = new Uint8Array(other.length + 1);
  let from = 0;
  let longest = 0;
  for (let at = 0; at < one.length; at++) {
    for (let end = other.length; end > 0; end--) {
      const length = one.charCodeAt(at) === other.charCodeAt(end - 1) ? (lengths[end - 1] ?? 0) + 1 : 0;
      lengths[end] = length;
      if (length <= longest) continue;
      longest = length;
      from = at + 1 - length;
    }
  }
  return [from, longest];
}
