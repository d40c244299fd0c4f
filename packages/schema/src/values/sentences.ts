/** Words with a period that ends no sentence. */
const ABBREVIATION = /\b(?:e\.g|i\.e|etc|vs|cf|approx)\.$/i;

/** Splits a text after sentences and at line breaks. */
export function splitSentences(text: string): string[] {
  const sentences: string[] = [];
  for (const part of text.trim().split(/(?<=[.!?])\s+|\s*\n\s*/)) {
    const last = sentences.at(-1);
    if (part === '') continue;
    if (last !== undefined && ABBREVIATION.test(last)) sentences[sentences.length - 1] = `${last} ${part}`;
    else sentences.push(part);
  }
  return sentences;
}

/** Joins texts with spaces. Each but the last gets a period if it ends without punctuation. */
export function joinSentences(...texts: readonly string[]): string {
  const parts = texts.filter((text) => text !== '');
  return parts
    .map((text, index) =>
      index + 1 === parts.length || '.!?'.includes(text.at(-1) ?? '') ? text : `${text}.`,
    )
    .join(' ');
}

/** Normalizes a sentence for comparison: case, white space, articles and a final period do not matter. */
export function comparable(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/\b(?:the|an?) /g, '')
    .replace(/\s+/g, ' ')
    .replace(/\.$/, '');
}
