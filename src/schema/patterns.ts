/**
 * The pattern as a regular expression with the `u` flag, which JSON Schema asks for, or `undefined` when it
 * is none. Authors also write `\-` or `\:` where that flag wants `-` or `:`; these mean the same.
 */
export function toUnicodePattern(pattern: string): string | undefined {
  if (spellings.has(pattern)) return spellings.get(pattern);
  const respelled = isPattern(pattern) ? pattern : dropNeedlessEscapes(pattern);
  const spelling = isPattern(respelled) ? respelled : undefined;
  if (spellings.size >= MAX_REMEMBERED) spellings.clear();
  spellings.set(pattern, spelling);
  return spelling;
}

/** Compiling a pattern takes longer than all other checks of a field, and few patterns stand in many schemas. */
const spellings = new Map<string, string | undefined>();
const MAX_REMEMBERED = 1000;

function isPattern(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
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

/** By the patterns as they are written, with the `u` flag. */
const expressions = new Map<string, RegExp>();

/** A pattern that is one, compiled once. */
export function toRegExp(pattern: string): RegExp {
  let known = expressions.get(pattern);
  if (!known) {
    if (expressions.size > 10_000) expressions.clear();
    expressions.set(pattern, (known = new RegExp(pattern, 'u')));
  }
  return known;
}
