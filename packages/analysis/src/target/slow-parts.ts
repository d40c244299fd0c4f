import { canVary, isComputed, isJsonObject, joinPointer, templateParts } from '@toolfold/schema/internal';

/**
 * A part of a schema whose validation time grows faster than its input, so that large values are rejected early, or a default that
 * no list shows.
 */
export interface SlowPart {
  /** JSON pointer into the tool, or into the definition of the action. */
  readonly pointer: string;
  readonly reason: string;
  readonly isDefault?: boolean;
}

interface Schema {
  readonly _zod: { readonly def: Readonly<Record<string, unknown>>; readonly innerType?: unknown };
}

/**
 * Minimum number of branches of a slow union. Smaller unions are validated fast enough at the default request limits.
 */
export const MANY_BRANCHES = 8;

/** Finds the slow parts of a Zod 4 schema, including those that its JSON Schema does not show. Returns `undefined` for other schemas. */
export function slowPartsOf(source: unknown, pointer: string): SlowPart[] | undefined {
  if (!isZod4(source)) return undefined;
  const parts: SlowPart[] = [];
  const seen = new Set<Schema>();
  const visit = (schema: Schema, place: string, isRepeated: boolean): void => {
    if (seen.has(schema)) return;
    seen.add(schema);
    const reason = reasonOf(schema, isRepeated);
    if (reason !== undefined) parts.push({ pointer: place, reason });
    const { def } = schema._zod;
    if (def['type'] === 'default' && isComputed(def))
      parts.push({
        pointer: place,
        reason: 'A function computes the default, so clients do not see it.',
        isDefault: true,
      });
    for (const [key, child] of childrenOf(schema))
      visit(child, `${place}${stepTo(key)}`, isRepeated || repeating.has(key));
  };
  visit(source, pointer, false);
  return parts;
}

function isZod4(value: unknown): value is Schema {
  return isJsonObject(value) && isJsonObject(value['_zod']) && isJsonObject(value['_zod']['def']);
}

function reasonOf({ _zod: { def } }: Schema, isRepeated: boolean): string | undefined {
  const { type, left, right, parts, options, discriminator } = def;
  if (type === 'intersection' && isZod4(left) && isZod4(right) && holdsMap(left) && holdsMap(right))
    return 'The objects of this intersection may have any number of keys, and merging them compares each key with each other.';
  if (type === 'template_literal' && templateParts(parts as unknown[]).filter(canVary).length > 1)
    return 'This template literal has several open parts, and its regular expression tries all ways to divide a text between them.';
  const isLong = Array.isArray(options) && options.length >= MANY_BRANCHES && options.some(holdsObject);
  if (isRepeated && isLong && discriminator === undefined) return describeUnion(options.length);
  return undefined;
}

export function describeUnion(branches: number): string {
  return `Each value may be tried with all ${branches} branches of this union.`;
}

function holdsObject(schema: unknown): boolean {
  return isZod4(schema) && schema._zod.def['type'] === 'object';
}

function holdsMap(schema: Schema, seen = new Set<Schema>()): boolean {
  if (seen.has(schema)) return false;
  seen.add(schema);
  const { type, catchall } = schema._zod.def;
  if (type === 'record' || catchall !== undefined) return true;
  return childrenOf(schema).some(([, child]) => holdsMap(child, seen));
}

/** Keys of Zod definitions whose schema is applied to each of many values. */
const repeating = new Set(['element', 'rest', 'valueType', 'catchall']);

/** Lists the schemas inside a schema. The key of a field is a `.` and its name. */
function childrenOf({ _zod: { def, innerType } }: Schema): (readonly [string, Schema])[] {
  const fields = Object.entries((def['shape'] ?? {}) as object).map(
    ([name, field]) => [`.${name}`, field] as const,
  );
  const others = Object.entries({ ...def, innerType: def['innerType'] ?? innerType }).flatMap(
    ([key, value]) => [value].flat().map((child) => [key, child] as const),
  );
  return [...fields, ...others].filter((entry): entry is readonly [string, Schema] => isZod4(entry[1]));
}

/** Returns the step of a JSON pointer. It is empty for schemas that apply to the same value. */
function stepTo(key: string): string {
  if (key.startsWith('.')) return joinPointer('/properties', key.slice(1));
  if (key === 'element' || key === 'rest') return '/items';
  return key === 'valueType' || key === 'catchall' ? '/additionalProperties' : '';
}
