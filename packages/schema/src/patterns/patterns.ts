import { LRUCache } from 'lru-cache';
import type { linearEngine } from './linear-engine.js';
import { fromRegExp } from './pattern.js';
import type { Pattern } from './pattern.js';

/**
 * Rewrites a pattern to the syntax of the `u` flag, which JSON Schema requires; `undefined` if it is invalid. Removes escapes
 * such as `\-` and `\:`, which authors write and that flag rejects.
 */
export function toUnicodePattern(pattern: string): string | undefined {
  if (spellings.has(pattern)) return spellings.get(pattern);
  const respelled = isPattern(pattern) ? pattern : dropNeedlessEscapes(pattern);
  const spelling = isPattern(respelled) ? respelled : undefined;
  if (spellings.size >= MAX_REMEMBERED) spellings.clear();
  spellings.set(pattern, spelling);
  return spelling;
}

/**
 * A cache, because compiling a pattern takes longer than all other checks of a field, and many schemas contain the same few
 * patterns.
 */
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
  // A hyphen after a class such as \w cannot form a range, so it means the character.
  const ranged = pattern.replace(/(\\[wdsWDS])-(?!\])/g, '$1\\-');
  return ranged.replace(/\\(.)|[[\]]/gsu, (text, escaped: string | undefined) => {
    if (escaped === undefined) {
      inClass = text === '[';
      return text;
    }
    // Letters, digits and syntax characters keep their backslash. Inside a class, "-" is syntax too.
    if (/[\w^$\\.*+?()[\]{}|/]/u.test(escaped) && escaped !== '_') return text;
    return inClass && escaped === '-' ? text : escaped;
  });
}

let linear: typeof linearEngine | undefined;

/**
 * Makes all patterns linear if possible. Loaded with the first upstream server, because most servers only have schemas of their
 * own authors.
 */
export async function loadLinearPatterns(): Promise<void> {
  if (!linear) useLinearPatterns((await import('./linear-engine.js')).linearEngine);
}

/** Makes all patterns linear if possible, for code that has loaded the engine itself. */
export function useLinearPatterns(engine: typeof linearEngine): void {
  linear = engine;
  matchers.clear();
}

const matchers = new LRUCache<string, Pattern>({ maxSize: 500_000, sizeCalculation: ({ size }) => size });

/**
 * Compiles a valid pattern once. Patterns that cannot be linear use `RegExp`, because the server's author chose them; those of
 * upstream servers are rejected before, by `patternProblem`.
 */
export function toMatcher(pattern: string): Pattern {
  let known = matchers.get(pattern);
  if (!known) {
    known =
      linear && linearProblem(pattern) === undefined ? linear.toLinearPattern(pattern) : fromRegExp(pattern);
    matchers.set(pattern, known);
  }
  return known;
}

/** Says why a pattern cannot be matched in linear time, as the predicate of a sentence; `undefined` if it can. */
function linearProblem(pattern: string): string | undefined {
  if (!linear) return 'cannot be checked before loadLinearPatterns()';
  try {
    linear.toLinearPattern(pattern);
    return undefined;
  } catch (error) {
    if (!(error instanceof linear.UnsupportedPattern)) throw error;
    return error.message;
  }
}

/** Describes the first pattern of a schema that cannot be matched in linear time. */
export function patternProblem(schema: unknown): string | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined;
  for (const [keyword, value] of Object.entries(schema) as [string, unknown][]) {
    const patterns = keyword === 'patternProperties' ? Object.keys(Object(value)) : [];
    if (keyword === 'pattern' && typeof value === 'string') patterns.push(value);
    for (const pattern of patterns) {
      // Invalid patterns are reported when the schema is read.
      const problem = linearProblem(toUnicodePattern(pattern) ?? '');
      if (problem !== undefined) return `its pattern ${JSON.stringify(pattern).slice(0, 100)} ${problem}`;
    }
    const inner = patternProblem(value);
    if (inner !== undefined) return inner;
  }
  return undefined;
}
