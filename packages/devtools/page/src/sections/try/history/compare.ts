import { isRecord, isSame } from '../form/json.js';

/** A place where two JSON values differ. A missing side is `undefined`. */
export interface Difference {
  readonly path: readonly (string | number)[];
  readonly before: unknown;
  readonly after: unknown;
}

const MAX_DIFFERENCES = 200;

/** Lists the deepest places at which two JSON values differ. */
export function compare(before: unknown, after: unknown): readonly Difference[] {
  const found: Difference[] = [];
  const walk = (one: unknown, other: unknown, path: Difference['path']): void => {
    if (found.length >= MAX_DIFFERENCES || isSame(one, other)) return;
    if (Array.isArray(one) && Array.isArray(other)) {
      for (let at = 0; at < Math.max(one.length, other.length); at++) walk(one[at], other[at], [...path, at]);
      return;
    }
    if (isRecord(one) && isRecord(other)) {
      for (const key of new Set([...Object.keys(one), ...Object.keys(other)]))
        walk(own(one, key), own(other, key), [...path, key]);
      return;
    }
    found.push({ path, before: one, after: other });
  };
  walk(before, after, []);
  return found;
}

function own(value: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}
