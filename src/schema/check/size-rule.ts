import { countValues } from '../../values/json-limits.js';
import type { JsonSchema } from '../../values/json-schema.js';
import { forEachSubschema, keywords } from './keywords.js';
import type { NormalSchema } from './normal-schema.js';

/**
 * Returns a test for values on which a schema cannot spend many steps. Only these are validated without counting steps, by
 * generated code if available. Larger values are always walked with a step limit, so the result does not depend on which
 * engine is ready.
 */
export function createSizeRule(schema: NormalSchema, maxSteps: number): (value: unknown) => boolean {
  let maxValues: number | undefined;
  return (value) => {
    maxValues ??= Math.floor(maxSteps / countApplications(schema));
    return countValues(value, maxValues, CHARS_PER_VALUE) <= maxValues;
  };
}

/** Checking text of this length takes about as long as one step. */
const CHARS_PER_VALUE = 200;

/** Longer chains of references count as recursive. */
const MAX_CHAIN = 100;

/**
 * The maximum number of subschemas that apply to one value: the number of subschemas with every reference replaced by its
 * target. Infinite for recursive schemas.
 */
function countApplications({ dialect, root, targets }: NormalSchema): number {
  const known = new Map<string, number>();
  let chain = 0;

  const count = (node: JsonSchema): number => {
    if (typeof node === 'boolean') return 1;
    let total = 1;
    for (const [keyword, value] of Object.entries(node)) {
      if (keyword === '$ref') total += countTarget(value as string);
      const form = keywords[dialect].get(keyword);
      forEachSubschema(form, value, (child) => {
        total += count(child);
      });
    }
    return total;
  };
  const countTarget = (name: string): number => {
    const found = known.get(name);
    if (found !== undefined) return found;
    if (chain >= MAX_CHAIN) return Infinity;
    // A target that refers to itself before it is counted is recursive.
    known.set(name, Infinity);
    chain++;
    const total = count(targets.get(name) ?? true);
    chain--;
    known.set(name, total);
    return total;
  };
  return count(root);
}
