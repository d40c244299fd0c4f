/**
 * Writes a value as JSON in one line, for a question to a person. Invisible characters and those that change the direction of text are
 * escaped, so that a value cannot look like part of the question. A text with more than `max` characters is cut.
 */
export function showValue(value: unknown, max = Infinity): string {
  const json = JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? `${each}` : each));
  const text = (json ?? 'null')
    .replace(INVISIBLE, escape)
    // A long gap could look like the end of a line.
    .replace(/ {3,}/g, escape);
  // The cut must not leave half of a surrogate pair.
  return text.length <= max ? text : `${text.slice(0, max).replace(/\p{Cs}$/u, '')}…`;
}

/** Fillers, selectors and the empty Braille pattern count as letters and marks, but are invisible. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

function escape(characters: string): string {
  return Array.from(
    { length: characters.length },
    (_, index) => `\\u${characters.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('');
}
