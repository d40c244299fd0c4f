/**
 * Reduces an English word to its stem, so that "listing", "lists" and "listed" match. The algorithm is Porter2, the English
 * stemmer of Snowball. The lexicon holds stems of this function, so a change of it requires a new lexicon.
 */
export function stemWord(word: string): string {
  if (word.length < 3) return word;
  const exception = wholeWords.get(word);
  if (exception !== undefined) return exception;
  // From here on, "Y" is a consonant and "y" is a vowel.
  let stem = word.replace(/^y|(?<=[aeiouy])y/g, 'Y');
  const first = firstRegion(stem);
  const second = regionAfter(stem, first);

  stem = dropPlural(stem);
  if (keptAfterPlural.has(stem)) return stem;
  stem = dropPastAndProgressive(stem, first);
  stem = stem.replace(/(?<=.[^aeiouy])[yY]$/, 'i');
  stem = replaceEnding(stem, longEndings, first);
  stem = replaceEnding(stem, middleEndings, first, second);
  stem = dropShortEnding(stem, second);
  stem = dropFinal(stem, first, second);
  return stem.toLowerCase();
}

/** Words that the rules would stem wrongly. */
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

// The longest matching ending applies, so longer endings come first.
const longEndings: readonly Ending[] = [
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
];

const middleEndings: readonly Ending[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['alize', 'al'],
  ['icate', 'ic'],
  ['iciti', 'ic'],
  ['ative', ''],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
];

const shortEndings = [
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
];

/** The index after the first consonant that follows a vowel. */
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

function replaceEnding(word: string, endings: readonly Ending[], first: number, second = 0): string {
  for (const each of endings) {
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
  const ending = shortEndings.find((each) => word.endsWith(each));
  if (ending === undefined) return word;
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
