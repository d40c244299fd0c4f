import { LRUCache } from 'lru-cache';
import type * as LinearPatterns from './linear-pattern.js';
import { fromRegExp } from './pattern.js';
import type { Pattern } from './pattern.js';

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

let linear: typeof LinearPatterns | undefined;

/**
 * Makes all patterns linear that can be. Most servers have no schemas but their own, so what that takes is loaded with the
 * first server that is a stranger.
 */
export async function loadLinearPatterns(): Promise<void> {
  if (linear) return;
  linear = await import('./linear-pattern.js');
  matchers.clear();
}

/** By the patterns as they are written, with the `u` flag. */
const matchers = new LRUCache<string, Pattern>({ maxSize: 500_000, sizeCalculation: ({ size }) => size });

/**
 * A pattern that is one, compiled once. Those that cannot be linear are left to `RegExp`, since an author chose them:
 * strangers' are refused before, by `patternProblem`.
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

/** Why a pattern cannot be matched in linear time, as the end of a sentence about it; `undefined` where it can. */
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

/** Says which pattern of a schema cannot be matched in linear time, and why. */
export function patternProblem(schema: unknown): string | undefined {
  if (typeof schema !== 'object' || schema === null) return undefined;
  for (const [keyword, value] of Object.entries(schema) as [string, unknown][]) {
    const patterns = keyword === 'patternProperties' ? Object.keys(Object(value)) : [];
    if (keyword === 'pattern' && typeof value === 'string') patterns.push(value);
    for (const pattern of patterns) {
      // What is no pattern at all is found when the schema is read.
      const problem = linearProblem(toUnicodePattern(pattern) ?? '');
      if (problem !== undefined) return `its pattern ${JSON.stringify(pattern).slice(0, 100)} ${problem}`;
    }
    const inner = patternProblem(value);
    if (inner !== undefined) return inner;
  }
  return undefined;
}
