/**
 * The pattern as a regular expression with the `u` flag, which JSON Schema asks for, or `undefined` when it
 * is none. Authors also write `\-` or `\:` where that flag wants `-` or `:`; these mean the same.
 */
export function toUnicodePattern(pattern: string): string | undefined {
  for (const candidate of [pattern, dropNeedlessEscapes(pattern)]) {
    try {
      void new RegExp(candidate, 'u');
      return candidate;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return undefined;
}

function dropNeedlessEscapes(pattern: string): string {
  let inClass = false;
  // A hyphen after a class such as \w cannot be a range, so it is the character.
  const ranged = pattern.replace(/(\\[wdsWDS])-(?!\])/g, '$1\\-');
  return ranged.replace(/\\(.)|[[\]]/gsu, (text, escaped: string | undefined) => {
    if (escaped === undefined) {
      inClass = text === '[';
      return text;
    }
    // Letters, digits and syntax keep their backslash; inside a class "-" is syntax too.
    if (/[\w^$\\.*+?()[\]{}|/]/u.test(escaped) && escaped !== '_') return text;
    return inClass && escaped === '-' ? text : escaped;
  });
}
