import { followPointer, isSchema, schemasIn } from '../../values/json-schema.js';
import { canonicalJson, isJsonObject } from '../../values/json-value.js';
import type { JsonSchema, JsonSchemaObject } from '../../values/json-schema.js';
import { kindOf, kinds } from './codecs.js';
import type { Kind } from './codecs.js';
import { MAX_ALTERNATIVES } from './alternative.js';
import type { Alternative, ArrayFacts, ObjectFacts } from './alternative.js';
import { mergeAlternatives } from './merge-alternatives.js';

const keywordsOf: Readonly<Record<Kind, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'pattern', 'format', 'contentEncoding', 'contentMediaType'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'format'],
  boolean: [],
  null: [],
  array: ['minItems', 'maxItems', 'uniqueItems'],
  object: ['minProperties', 'maxProperties', 'dependentRequired', 'propertyNames'],
};

/** Reads schemas as lists of alternatives. Keywords that cannot be read so are left out, so that the alternatives accept more. */
export class AlternativeReader {
  readonly #root: JsonSchemaObject;
  readonly isDraft7: boolean;

  constructor(root: JsonSchemaObject) {
    this.#root = root;
    this.isDraft7 = typeof root['$schema'] === 'string' && /draft-0[4-7]/.test(root['$schema']);
  }

  /** The schema that a reference points to. */
  resolve(ref: unknown): JsonSchema | undefined {
    if (typeof ref !== 'string' || !ref.startsWith('#')) return undefined;
    const target = ref === '#' ? this.#root : followPointer(this.#root, ref);
    return isSchema(target) ? target : undefined;
  }

  /** The alternatives of a schema. Every value that the schema accepts fits one of them. */
  read(schema: JsonSchema, depth = 0): readonly Alternative[] {
    if (schema === false) return [];
    if (schema === true || depth > 16) return anything;
    const { $ref, allOf, anyOf, oneOf } = schema;
    if ($ref !== undefined || schema['$dynamicRef'] !== undefined) {
      const target = this.resolve($ref);
      const alternatives = target === undefined ? anything : this.read(target, depth + 1);
      return this.isDraft7 ? alternatives : both(alternatives, this.#base(schema, depth));
    }
    let alternatives = this.#base(schema, depth);
    for (const part of schemasIn(allOf)) alternatives = both(alternatives, this.read(part, depth + 1));
    for (const branches of [schemasIn(anyOf), schemasIn(oneOf)]) {
      if (branches.length === 0) continue;
      alternatives = both(alternatives, dedupe(branches.flatMap((branch) => this.read(branch, depth + 1))));
    }
    return alternatives;
  }

  /** The alternatives of the keywords that are not composition. */
  #base(schema: JsonSchemaObject, _depth: number): readonly Alternative[] {
    const { type, enum: list } = schema;
    const values = Object.hasOwn(schema, 'const')
      ? [schema['const']]
      : Array.isArray(list)
        ? (list as unknown[])
        : undefined;
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
    required: new Set(Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []),
    others: isSchema(additionalProperties) ? additionalProperties : true,
    patterns: schemaEntries(patternProperties),
  };
}

function schemaEntries(map: unknown): [string, JsonSchema][] {
  const entries = isJsonObject(map) ? Object.entries(map) : [];
  return entries.flatMap(([name, part]) => (isSchema(part) ? [[name, part] as [string, JsonSchema]] : []));
}

function pickKeywords(schema: JsonSchemaObject, kind: Kind): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const keyword of [...keywordsOf[kind], 'title', 'description', 'default', 'examples']) {
    if (schema[keyword] !== undefined) picked[keyword] = schema[keyword];
  }
  return picked;
}

const nothingKnown = {
  isInteger: false,
  values: undefined,
  keywords: {},
  object: undefined,
  array: undefined,
};

/** Alternatives that accept every value. */
export const anything: readonly Alternative[] = kinds.map((kind) => ({
  ...nothingKnown,
  kind,
  object: kind === 'object' ? readObject({}) : undefined,
}));

/** Values that fit both lists. A list that would become too long is left out, which accepts more. */
function both(left: readonly Alternative[], right: readonly Alternative[]): readonly Alternative[] {
  if (isAnything(right)) return left;
  if (isAnything(left)) return right;
  const merged = left.flatMap((one) =>
    right.flatMap((other) => (one.kind === other.kind ? mergeAlternatives(one, other) : [])),
  );
  return merged.length > MAX_ALTERNATIVES ? left : dedupe(merged);
}

export function isAnything(alternatives: readonly Alternative[]): boolean {
  return alternatives.length === kinds.length && alternatives.every(isUnconstrained);
}

/** Whether an alternative accepts every value of its type. */
export function isUnconstrained({ isInteger, values, keywords, object, array }: Alternative): boolean {
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

export function isEmptySchema(schema: JsonSchema): boolean {
  return typeof schema === 'object' && Object.keys(schema).every((keyword) => annotations.has(keyword));
}

/** Leaves out alternatives that another one includes, and joins lists of values of one type. */
function dedupe(alternatives: readonly Alternative[]): readonly Alternative[] {
  if (alternatives.length < 2) return alternatives;
  const result: Alternative[] = [];
  const seen = new Set<string>();
  for (const alternative of alternatives) {
    const { kind, values } = alternative;
    const open = result.findIndex((other) => other.kind === kind && isUnconstrained(other));
    if (open >= 0) continue;
    if (isUnconstrained(alternative)) {
      const kept = result.filter((other) => other.kind !== kind);
      result.splice(0, result.length, ...kept, alternative);
      continue;
    }
    const same = values && result.findIndex((other) => other.kind === kind && other.values !== undefined);
    const earlier = same === undefined ? undefined : result[same];
    if (same !== undefined && earlier?.values && kind !== 'object' && kind !== 'array') {
      result[same] = joinValues(earlier, alternative);
      continue;
    }
    const key = canonicalJson([
      kind,
      alternative.isInteger,
      values,
      alternative.keywords,
      describeParts(alternative),
    ]);
    if (!seen.has(key)) result.push(alternative);
    seen.add(key);
  }
  return result.length > MAX_ALTERNATIVES ? anything : result;
}

function describeParts({ object, array }: Alternative): unknown {
  return [
    object && [[...object.properties], [...object.required], object.others, object.patterns],
    array && [array.first, array.rest],
  ];
}

function joinValues(one: Alternative, other: Alternative): Alternative {
  const texts = new Map<string, unknown>();
  for (const value of [...(one.values ?? []), ...(other.values ?? [])])
    texts.set(canonicalJson(value), value);
  const notes = [one, other].map((part) => part.keywords['description']);
  const descriptions = notes.filter((note) => typeof note === 'string');
  return {
    ...one,
    isInteger: one.isInteger && other.isInteger,
    values: [...texts.values()],
    keywords: descriptions.length > 0 ? { description: [...new Set(descriptions)].join(' ') } : {},
  };
}
