import { canonicalJson, isJsonObject } from '../../values/json-value.js';
import type { NormalSchema } from '../../check/normal-schema.js';
import { CandidateValues } from './candidate-values.js';

const MAX_CANDIDATES = 2_000;
const MAX_SHRINKS = 300;

interface Search {
  /** The schema that a witness matches, and the one that it does not match, both in canonical form. */
  readonly inner: NormalSchema;
  readonly outer: NormalSchema;
  /** Whether validators of both schemas confirm a value. */
  readonly isWitness: (value: unknown) => boolean;
  readonly isOver: () => boolean;
}

/** Searches for a value that one schema accepts and another rejects, and makes it small. */
export function findWitness({
  inner,
  outer,
  isWitness,
  isOver,
}: Search): { readonly value: unknown } | undefined {
  const seen = new Set<string>();
  for (const value of new CandidateValues(inner, outer, isOver).all()) {
    const text = canonicalJson(value);
    if (seen.has(text)) continue;
    seen.add(text);
    if (isWitness(value)) return { value: shrink(value, isWitness) };
    if (seen.size >= MAX_CANDIDATES || isOver()) return undefined;
  }
  return undefined;
}

function shrink(value: unknown, isWitness: (value: unknown) => boolean): unknown {
  let current = value;
  let left = MAX_SHRINKS;
  for (let isSmaller = true; isSmaller && left > 0;) {
    isSmaller = false;
    for (const smaller of simpler(current)) {
      if (--left < 0) break;
      if (!isWitness(smaller)) continue;
      current = smaller;
      isSmaller = true;
      break;
    }
  }
  return current;
}

/** Generates values that are one step simpler: without one field or item, or with a simpler one. */
function* simpler(value: unknown): Generator<unknown, void, undefined> {
  if (typeof value === 'string') {
    if (value.length > 1)
      yield* [value.slice(0, 1), value.slice(0, Math.floor(value.length / 2)), value.slice(1)];
  } else if (Array.isArray(value)) {
    const items = value as unknown[];
    yield* items.map((_, index) => items.toSpliced(index, 1));
    for (const [index, item] of items.entries())
      for (const smaller of simpler(item)) yield items.toSpliced(index, 1, smaller);
  } else if (isJsonObject(value)) {
    const entries = Object.entries(value);
    yield* entries.map((_, index) => Object.fromEntries(entries.toSpliced(index, 1)));
    for (const [index, [name, entry]] of entries.entries())
      for (const smaller of simpler(entry))
        yield Object.fromEntries(entries.toSpliced(index, 1, [name, smaller]));
  }
}
