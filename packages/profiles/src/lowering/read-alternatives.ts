import {
  choicesOf,
  followPointer,
  isSchema,
  namesIn,
  schemaEntries,
  schemasIn,
} from '@toolfold/schema/internal';
import type { JsonSchema, JsonSchemaObject } from '@toolfold/schema';
import { kindOf, kinds } from './codecs.js';
import type { Kind } from './codecs.js';
import { MAX_ALTERNATIVES } from './alternative.js';
import type { Alternative, ArrayFacts, ObjectFacts } from './alternative.js';
import { describeValues, mergeAlternatives } from './merge-alternatives.js';
import { schemaKey } from './schema-key.js';

const keywordsOf: Readonly<Record<Kind, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'pattern', 'format', 'contentEncoding', 'contentMediaType'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'format'],
  boolean: [],
  null: [],
  array: ['minItems', 'maxItems', 'uniqueItems'],
  object: ['minProperties', 'maxProperties', 'dependentRequired', 'propertyNames'],
};

/** Maximum nesting of references and compositions. */
const MAX_COMPOSITION = 16;

/**
 * Reads schemas as lists of alternatives. Keywords that do not fit this form are left out, so the alternatives may accept more
 * values than the schema.
 */
export class AlternativeReader {
  readonly #root: JsonSchemaObject;
  readonly isDraft7: boolean;
  /** Cached by schema and depth, because references can lead to one schema on exponentially many paths. */
  readonly #known = new WeakMap<JsonSchemaObject, (readonly Alternative[])[]>();

  constructor(root: JsonSchemaObject) {
    this.#root = root;
    this.isDraft7 = typeof root['$schema'] === 'string' && /draft-0[4-7]/.test(root['$schema']);
  }

  resolve(ref: unknown): JsonSchema | undefined {
    if (typeof ref !== 'string' || !ref.startsWith('#')) return undefined;
    const target = ref === '#' ? this.#root : followPointer(this.#root, ref);
    return isSchema(target) ? target : undefined;
  }

  /** The alternatives of a schema. Every value that the schema accepts fits one of them. */
  read(schema: JsonSchema, depth = 0): readonly Alternative[] {
    if (schema === false) return [];
    if (schema === true || depth > MAX_COMPOSITION) return anything;
    let byDepth = this.#known.get(schema);
    if (!byDepth) this.#known.set(schema, (byDepth = []));
    return (byDepth[depth] ??= this.#readObject(schema, depth));
  }

  #readObject(schema: JsonSchemaObject, depth: number): readonly Alternative[] {
    const { $ref, allOf, anyOf, oneOf } = schema;
    if ($ref !== undefined || schema['$dynamicRef'] !== undefined) {
      const target = this.resolve($ref);
      const alternatives = target === undefined ? anything : this.read(target, depth + 1);
      return this.isDraft7 ? alternatives : both(alternatives, this.#base(schema));
    }
    let alternatives = this.#base(schema);
    for (const part of schemasIn(allOf)) alternatives = both(alternatives, this.read(part, depth + 1));
    for (const branches of [schemasIn(anyOf), schemasIn(oneOf)]) {
      if (branches.length === 0) continue;
      alternatives = both(alternatives, dedupe(branches.flatMap((branch) => this.read(branch, depth + 1))));
    }
    return alternatives;
  }

  /** Reads the keywords other than references and compositions. */
  #base(schema: JsonSchemaObject): readonly Alternative[] {
    const { type } = schema;
    const values = choicesOf(schema);
    const types: readonly unknown[] = Array.isArray(type)
      ? (type as unknown[])
      : type === undefined
        ? kinds
        : [type];
    return kinds.flatMap((kind) => {
      const isInteger = kind === 'number' && !types.includes('number');
      if (!types.includes(kind) && !(kind === 'number' && types.includes('integer'))) return [];
      const own = values?.filter((value) => kindOf(value) === kind);
      if (own && own.length === 0) return [];
      return [
        {
          kind,
          isInteger: isInteger && types.includes('integer'),
          values: own,
          keywords: pickKeywords(schema, kind),
          object: kind === 'object' ? readObject(schema) : undefined,
          array: kind === 'array' ? this.#readArray(schema) : undefined,
        },
      ];
    });
  }

  #readArray({ items, prefixItems, additionalItems }: JsonSchemaObject): ArrayFacts | undefined {
    if (Array.isArray(items)) {
      return { first: schemasIn(items), rest: isSchema(additionalItems) ? additionalItems : true };
    }
    const first = this.isDraft7 ? [] : schemasIn(prefixItems);
    if (first.length === 0 && !isSchema(items)) return undefined;
    return { first, rest: isSchema(items) ? items : true };
  }
}

function readObject(schema: JsonSchemaObject): ObjectFacts {
  const { properties, required, additionalProperties, patternProperties } = schema;
  return {
    properties: new Map(schemaEntries(properties)),
    required: new Set(namesIn(required)),
    others: isSchema(additionalProperties) ? additionalProperties : true,
    patterns: schemaEntries(patternProperties),
  };
}

function pickKeywords(schema: JsonSchemaObject, kind: Kind): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const keyword of [...keywordsOf[kind], 'title', 'description', 'default', 'examples']) {
    if (schema[keyword] !== undefined) picked[keyword] = schema[keyword];
  }
  return picked;
}

export const nothingKnown = {
  isInteger: false,
  values: undefined,
  keywords: {},
  object: undefined,
  array: undefined,
};

export const anything: readonly Alternative[] = kinds.map((kind) => ({
  ...nothingKnown,
  kind,
  object: kind === 'object' ? readObject({}) : undefined,
}));

/** Returns the values that fit both lists. If the result would be too long, returns the left list, which accepts more. */
function both(left: readonly Alternative[], right: readonly Alternative[]): readonly Alternative[] {
  if (isAnything(right)) return left;
  if (isAnything(left)) return right;
  // Counted first, because merging costs more than counting.
  if (countPairs(left, right) > MAX_PAIRS) return left;
  const merged = left.flatMap((one) =>
    right.flatMap((other) => (one.kind === other.kind ? mergeAlternatives(one, other) : [])),
  );
  return merged.length > MAX_ALTERNATIVES ? left : dedupe(merged);
}

const MAX_PAIRS = 8 * MAX_ALTERNATIVES;

function countPairs(left: readonly Alternative[], right: readonly Alternative[]): number {
  let count = 0;
  for (const kind of kinds) {
    const ofKind = (list: readonly Alternative[]): number => list.filter((each) => each.kind === kind).length;
    count += ofKind(left) * ofKind(right);
  }
  return count;
}

export function isAnything(alternatives: readonly Alternative[]): boolean {
  return alternatives.length === kinds.length && alternatives.every(isUnconstrained);
}

/** Whether an alternative accepts every value of its type. */
function isUnconstrained({ isInteger, values, keywords, object, array }: Alternative): boolean {
  return (
    !isInteger &&
    values === undefined &&
    array === undefined &&
    (object === undefined || isOpen(object)) &&
    Object.keys(keywords).every((keyword) => annotations.has(keyword))
  );
}

const annotations = new Set([
  'title',
  'description',
  'default',
  'examples',
  'contentEncoding',
  'contentMediaType',
]);

function isOpen({ properties, required, others, patterns }: ObjectFacts): boolean {
  return (
    properties.size === 0 &&
    required.size === 0 &&
    patterns.length === 0 &&
    (others === true || isEmptySchema(others))
  );
}

function isEmptySchema(schema: JsonSchema): boolean {
  return typeof schema === 'object' && Object.keys(schema).every((keyword) => annotations.has(keyword));
}

/** Removes alternatives that another one includes, and joins lists of values of one type. */
function dedupe(alternatives: readonly Alternative[]): readonly Alternative[] {
  if (alternatives.length < 2) return alternatives;
  const open = new Set<Kind>();
  for (const alternative of alternatives) if (isUnconstrained(alternative)) open.add(alternative.kind);
  const result: Alternative[] = [];
  const listed = new Map<Kind, { readonly at: number; readonly parts: Alternative[] }>();
  const seen = new Set<string>();
  for (const alternative of alternatives) {
    const { kind, values } = alternative;
    if (open.has(kind) && !isUnconstrained(alternative)) continue;
    if (values && kind !== 'object' && kind !== 'array') {
      const earlier = listed.get(kind);
      if (earlier) {
        earlier.parts.push(alternative);
        continue;
      }
      listed.set(kind, { at: result.length, parts: [alternative] });
    } else {
      const key = open.has(kind) ? kind : keyOf(alternative);
      if (seen.has(key)) continue;
      seen.add(key);
    }
    result.push(alternative);
    if (result.length > MAX_ALTERNATIVES) return anything;
  }
  for (const { at, parts } of listed.values()) if (parts.length > 1) result[at] = joinValues(parts);
  return result;
}

function keyOf(alternative: Alternative): string {
  const { kind, isInteger, values, keywords } = alternative;
  return schemaKey([kind, isInteger, values, keywords, describeParts(alternative)]);
}

function describeParts({ object, array }: Alternative): unknown {
  return [
    object && [[...object.properties], [...object.required], object.others, object.patterns],
    array && [array.first, array.rest],
  ];
}

function joinValues(parts: readonly Alternative[]): Alternative {
  const texts = new Map<string, unknown>();
  for (const { values = [] } of parts) for (const value of values) texts.set(schemaKey(value), value);
  const description = describeValues(parts);
  return {
    ...(parts[0] as Alternative),
    isInteger: parts.every(({ isInteger }) => isInteger),
    values: [...texts.values()],
    keywords: description === undefined ? {} : { description },
  };
}
