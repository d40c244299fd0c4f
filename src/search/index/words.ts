/** Longer texts say no more about a tool; a bound keeps any question cheap. */
const MAX_TEXT = 8_192;

/** Words that say nothing about a topic. */
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

/**
 * The words of a text in lower case. Of a name like `listOpenIssues` the parts count; in a sentence, "GitHub" counts as
 * the word that it is, if it is known, and as a word and its parts if not.
 */
export function readWords(
  text: string,
  { isName = false, knows }: { isName?: boolean; knows: (word: string) => boolean },
): string[] {
  const words: string[] = [];
  const plain = text
    .slice(0, MAX_TEXT)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '');
  for (const [found] of plain.matchAll(/\p{L}+(?:['’]\p{L}+)?|\p{N}+/gu)) {
    const word = found.replace(/['’]\p{L}+$/u, '');
    const lower = word.toLowerCase();
    if (/^[A-Z]{2,}s$/.test(word)) {
      words.push(lower.slice(0, -1));
      continue;
    }
    const parts = /\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}/u.test(word) && !knows(lower) ? splitCase(word) : [word];
    if (parts.length === 1 || !isName) words.push(lower);
    if (parts.length > 1) words.push(...parts.filter((part) => isName || part.length > 2));
  }
  return words;
}

function splitCase(word: string): string[] {
  return word
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(' ');
}
