import * as fc from 'fast-check';
import { numbersFor, stringsFor } from '../../cli/src/test/scalars.js';
import { followPointer, isJsonObject } from '@toolfold/schema/internal';

type Schema = Readonly<Record<string, unknown>>;

/** Objects and lists below this depth are as small as their schema allows. */
const MAX_DEPTH = 4;
/** Below this depth, a required part of a recursive schema is given up. */
const LAST_DEPTH = 12;

/** Preparing the texts of a pattern takes milliseconds. */
const prepared = new WeakMap<object, unknown>();

function prepare(schema: Schema, make: () => unknown): unknown {
  const known = prepared.get(schema) ?? make();
  prepared.set(schema, known);
  return known;
}

/**
 * A value for a JSON Schema, chosen by a seed. Only the chosen branches of the schema are read, because the schemas of large APIs have
 * too many branches to prepare all of them.
 */
export function sampleOf(
  whole: unknown,
  { root, seed, least = false }: { root: Schema; seed: number; least?: boolean },
): unknown {
  let state = seed * 2_654_435_761;
  /** A number from 0 to below the limit. */
  const pick = (limit: number): number => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 374_761_393) >>> 0;
    return state % limit;
  };
  const one = <T>(list: readonly T[]): T => list[pick(list.length)] as T;
  const scalar = (arbitrary: unknown): unknown =>
    fc.sample(arbitrary as fc.Arbitrary<unknown>, { numRuns: 1, seed: pick(1_000_000) })[0];

  const make = (given: unknown, depth: number): unknown => {
    if (!isJsonObject(given)) return 'any';
    const resolved = resolve(given, root);
    if ('const' in resolved) return resolved['const'];
    if (Array.isArray(resolved['enum']) && resolved['enum'].length > 0)
      return one(resolved['enum'] as unknown[]);
    const branches = [resolved['anyOf'], resolved['oneOf']].find(
      (each) => Array.isArray(each) && each.length > 0,
    ) as unknown[] | undefined;
    if (branches) {
      const { anyOf: _, oneOf: __, ...rest } = resolved;
      // A null among the branches ends a recursion.
      const end = branches.find((each) => isJsonObject(each) && each['type'] === 'null');
      const branch = depth >= MAX_DEPTH && end !== undefined ? end : one(branches);
      return make(isJsonObject(branch) ? merge(rest, resolve(branch, root)) : rest, depth);
    }
    const types = typesOf(resolved);
    return ofType(depth >= MAX_DEPTH && types.includes('null') ? 'null' : one(types), resolved, depth);
  };

  const ofType = (type: string, schema: Schema, depth: number): unknown => {
    switch (type) {
      case 'string':
        return scalar(prepare(schema, () => stringsFor(fc, schema)));
      case 'integer':
      case 'number':
        return scalar(prepare(schema, () => numbersFor(fc, schema, type === 'integer')));
      case 'boolean':
        return pick(2) === 0;
      case 'array': {
        const min = countOf(schema['minItems'], 0);
        const max = Math.min(
          countOf(schema['maxItems'], Infinity),
          min + (least || depth >= MAX_DEPTH ? 0 : 2),
        );
        const length = depth > LAST_DEPTH ? 0 : Math.max(min, pick(max + 1));
        const items = Array.from({ length }, () => make(schema['items'], depth + 1));
        if (schema['uniqueItems'] !== true) return items;
        return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
      }
      case 'object':
        return ofObject(schema, depth);
      default:
        return null;
    }
  };

  const ofObject = (schema: Schema, depth: number): unknown => {
    const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
    const required = new Set(Array.isArray(schema['required']) ? schema['required'].map(String) : []);
    const names = [...new Set([...Object.keys(properties), ...required])].filter(
      (name) => depth <= LAST_DEPTH && (required.has(name) || (!least && depth < MAX_DEPTH && pick(2) === 0)),
    );
    const others = schema['additionalProperties'];
    const missing = Math.max(0, countOf(schema['minProperties'], 0) - names.length);
    const added =
      others === false || depth === 0 ? [] : Array.from({ length: missing }, (_, at) => `key${at}`);
    return Object.fromEntries(
      [...names, ...added].map((name) => [name, make(properties[name] ?? others, depth + 1)]),
    );
  };

  return make(whole, 0);
}

function typesOf(schema: Schema): readonly string[] {
  const { type } = schema;
  if (typeof type === 'string') return [type];
  if (Array.isArray(type) && type.length > 0) return type.map(String);
  if ('properties' in schema || 'required' in schema || 'additionalProperties' in schema) return ['object'];
  return 'items' in schema ? ['array'] : ['string'];
}

/** Follows references and joins `allOf`. */
function resolve(schema: Schema, root: Schema): Schema {
  let current = schema;
  for (let step = 0; step < 30; step++) {
    const { $ref, allOf, ...rest } = current;
    if (typeof $ref !== 'string' && !Array.isArray(allOf)) return current;
    const target = typeof $ref === 'string' ? followPointer(root, $ref) : undefined;
    const parts = [target, ...(Array.isArray(allOf) ? (allOf as unknown[]) : [])].filter(isJsonObject);
    current = parts.reduce<Schema>((joined, part) => merge(joined, resolve(part, root)), rest);
  }
  return current;
}

function merge(one: Schema, other: Schema): Schema {
  const objects = [one['properties'], other['properties']].filter(isJsonObject);
  const required = [one['required'], other['required']].flatMap((list) =>
    Array.isArray(list) ? (list as unknown[]) : [],
  );
  return {
    ...one,
    ...other,
    ...(objects.length > 0 ? { properties: Object.assign({}, ...objects) as object } : {}),
    ...(required.length > 0 ? { required } : {}),
  };
}

const countOf = (value: unknown, otherwise: number): number =>
  typeof value === 'number' && value >= 0 ? value : otherwise;
