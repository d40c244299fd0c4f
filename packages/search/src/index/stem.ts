/**
 * Reduces an English word to its stem, so that "listing", "lists" and "listed" match. The algorithm is Porter2, the English stemmer of
 * Snowball. A word with other letters than a to z or with more than 64 letters is returned unchanged.
 */
export function stemWord(word: string): string {
  if (word.length < 3 || !hasStem(word)) return word;
  const exception = wholeWords.get(word);
  if (exception !== undefined) return exception;
  const hasY = word.includes('y');
  // From here on, "Y" is a consonant and "y" is a vowel.
  let stem = hasY ? word.replace(/^y|(?<=[aeiouy])y/g, 'Y') : word;
  const first = firstRegion(stem);
  const second = regionAfter(stem, first);

  stem = dropPlural(stem);
  if (keptAfterPlural.has(stem)) return stem;
  stem = dropPastAndProgressive(stem, first);
  if (hasY) stem = stem.replace(/(?<=.[^aeiouy])[yY]$/, 'i');
  stem = replaceEnding(stem, longEndings, first);
  stem = replaceEnding(stem, middleEndings, first, second);
  stem = dropShortEnding(stem, second);
  stem = dropFinal(stem, first, second);
  return hasY ? stem.toLowerCase() : stem;
}

/** Longer words are not stemmed, because the time of some rules is quadratic in the length. */
const LONGEST = 64;

/** Whether a word may be English. */
export function hasStem(word: string): boolean {
  return word.length <= LONGEST && /^[a-z]+$/.test(word);
}

/** Exceptions that the rules would stem wrongly. */
const wholeWords = new Map<string, string>([
  ['skis', 'ski'],
  ['skies', 'sky'],
  ['dying', 'die'],
  ['lying', 'lie'],
  ['tying', 'tie'],
  ['idly', 'idl'],
  ['gently', 'gentl'],
  ['ugly', 'ugli'],
  ['early', 'earli'],
  ['only', 'onli'],
  ['singly', 'singl'],
  ...['sky', 'news', 'howe', 'atlas', 'cosmos', 'bias', 'andes'].map((word) => [word, word] as const),
]);

const keptAfterPlural = new Set([
  'inning',
  'outing',
  'canning',
  'herring',
  'earring',
  'proceed',
  'exceed',
  'succeed',
]);

/** An ending, its replacement, and a condition on the part before it. */
type Ending = readonly [ending: string, replacement: string, before?: RegExp];

/** Grouped by last letter, because most words have none of these letters. */
type Endings = ReadonlyMap<string, readonly Ending[]>;

function byLastLetter(endings: readonly Ending[]): Endings {
  const found = new Map<string, Ending[]>();
  for (const each of endings) {
    const last = each[0].slice(-1);
    found.set(last, [...(found.get(last) ?? []), each]);
  }
  return found;
}

// The longest matching ending applies, so longer endings come first.
const longEndings = byLastLetter([
  ['ization', 'ize'],
  ['ational', 'ate'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['iveness', 'ive'],
  ['tional', 'tion'],
  ['biliti', 'ble'],
  ['lessli', 'less'],
  ['entli', 'ent'],
  ['ation', 'ate'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['ousli', 'ous'],
  ['iviti', 'ive'],
  ['fulli', 'ful'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['abli', 'able'],
  ['izer', 'ize'],
  ['ator', 'ate'],
  ['alli', 'al'],
  ['bli', 'ble'],
  ['ogi', 'og', /l$/],
  ['li', '', /[cdeghkmnrt]$/],
]);

const middleEndings = byLastLetter([
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['alize', 'al'],
  ['icate', 'ic'],
  ['iciti', 'ic'],
  ['ative', ''],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
]);

const shortEndings = byLastLetter(
  [
    'ement',
    'ance',
    'ence',
    'able',
    'ible',
    'ment',
    'ant',
    'ent',
    'ism',
    'ate',
    'iti',
    'ous',
    'ive',
    'ize',
    'ion',
    'al',
    'er',
    'ic',
  ].map((ending) => [ending, '']),
);

/** Returns the index after the first consonant that follows a vowel. */
function regionAfter(word: string, start: number): number {
  const found = /[aeiouy][^aeiouy]/.exec(word.slice(start));
  return found ? start + found.index + 2 : word.length;
}

function firstRegion(word: string): number {
  const prefix = /^(?:gener|commun|arsen)/.exec(word);
  return prefix ? prefix[0].length : regionAfter(word, 0);
}

/** Whether a word is one short syllable: "hop", "bed", "at", but not "hope" or "rain". */
function isShort(word: string, first: number): boolean {
  return first >= word.length && /(?:[^aeiouy][aeiouy][^aeiouywxY]|^[aeiouy][^aeiouy])$/.test(word);
}

function dropPlural(word: string): string {
  if (word.endsWith('sses')) return word.slice(0, -2);
  if (/ie[sd]$/.test(word)) return word.slice(0, word.length > 4 ? -2 : -1);
  if (/(?:us|ss)$/.test(word)) return word;
  return /[aeiouy].+s$/.test(word) ? word.slice(0, -1) : word;
}

function dropPastAndProgressive(word: string, first: number): string {
  const agreed = /(?:eedly|eed)$/.exec(word);
  if (agreed) return agreed.index >= first ? `${word.slice(0, agreed.index)}ee` : word;
  const found = /(?:ingly|edly|ing|ed)$/.exec(word);
  if (!found || !/[aeiouy]/.test(word.slice(0, found.index))) return word;
  const rest = word.slice(0, found.index);
  if (/(?:at|bl|iz)$/.test(rest)) return `${rest}e`;
  if (/(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/.test(rest)) return rest.slice(0, -1);
  return isShort(rest, first) ? `${rest}e` : rest;
}

function replaceEnding(word: string, endings: Endings, first: number, second = 0): string {
  for (const each of endings.get(word.slice(-1)) ?? []) {
    if (!word.endsWith(each[0])) continue;
    const [ending, replacement, before] = each;
    const at = word.length - ending.length;
    const rest = word.slice(0, at);
    // Only "ative" requires the second region of the word.
    const isDeep = at >= (ending === 'ative' ? Math.max(first, second) : first);
    return isDeep && (before?.test(rest) ?? true) ? rest + replacement : word;
  }
  return word;
}

function dropShortEnding(word: string, second: number): string {
  const found = shortEndings.get(word.slice(-1))?.find(([each]) => word.endsWith(each));
  if (found === undefined) return word;
  const [ending] = found;
  const at = word.length - ending.length;
  const rest = word.slice(0, at);
  return at >= second && (ending !== 'ion' || /[st]$/.test(rest)) ? rest : word;
}

function dropFinal(word: string, first: number, second: number): string {
  const at = word.length - 1;
  const rest = word.slice(0, at);
  if (word.endsWith('e')) {
    const isShortBefore = /(?:[^aeiouy][aeiouy][^aeiouywxY]|^[aeiouy][^aeiouy])$/.test(rest);
    return at >= second || (at >= first && !isShortBefore) ? rest : word;
  }
  return word.endsWith('ll') && at >= second ? rest : word;
}
