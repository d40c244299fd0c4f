import { isJsonObject, canonicalJson } from '../values/json-value.js';
import type { JsonSchema, JsonSchemaObject } from '../values/json-schema.js';
import type { NormalSchema } from '../check/normal-schema.js';
import { toMatcher } from '../patterns/patterns.js';
import { choicesOf, mapIn, typesOf } from '../visit/own-facts.js';
import { valueTypes } from '../visit/value-types.js';
import { schemasIn } from '../values/json-schema.js';

/** Schemas that all hold for a value. */
export type Facts = readonly JsonSchemaObject[];

/** One object for each type, because facts are compared by identity. */
export const typeFacts = {
  null: { type: 'null' },
  boolean: { type: 'boolean' },
  object: { type: 'object' },
  array: { type: 'array' },
  number: { type: 'number' },
  string: { type: 'string' },
} as const;
export type TypeName = keyof typeof typeFacts;
const allTypes = Object.keys(typeFacts) as TypeName[];

/** Whether every value that satisfies the facts also satisfies the limit. */
export function isBounded(keyword: string, limit: number, facts: Facts): boolean {
  const has = (name: string, accepts: (own: number) => boolean): boolean =>
    facts.some((fact) => typeof fact[name] === 'number' && accepts(fact[name]));
  switch (keyword) {
    case 'minimum':
      return has('minimum', (own) => own >= limit) || has('exclusiveMinimum', (own) => own >= limit);
    case 'exclusiveMinimum':
      return has('minimum', (own) => own > limit) || has('exclusiveMinimum', (own) => own >= limit);
    case 'maximum':
      return has('maximum', (own) => own <= limit) || has('exclusiveMaximum', (own) => own <= limit);
    case 'exclusiveMaximum':
      return has('maximum', (own) => own < limit) || has('exclusiveMaximum', (own) => own <= limit);
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return limit <= 0 || has(keyword, (own) => own >= limit);
    case 'maxLength':
    case 'maxItems':
    case 'maxProperties':
      return has(keyword, (own) => own <= limit);
    default:
      return false;
  }
}

export function allowsType(demand: JsonSchemaObject, name: TypeName, facts: Facts): boolean {
  const names = typesOf(demand);
  if (!names || names.includes(name)) return true;
  return name === 'number' && names.includes('integer') && facts.some(isInteger);
}

function isInteger(fact: JsonSchemaObject): boolean {
  const names = typesOf(fact);
  return names !== undefined && names.includes('integer') && !names.includes('number');
}

export function typesIn(facts: Facts): TypeName[] {
  return allTypes.filter((name) =>
    facts.every((fact) => {
      const names = typesOf(fact);
      return !names || names.includes(name) || (name === 'number' && names.includes('integer'));
    }),
  );
}

/** Returns the values that all facts allow, if at least one of them has `enum` or `const`; otherwise `undefined`. */
export function choicesIn(facts: Facts): readonly unknown[] | undefined {
  const lists = facts.flatMap((fact): (readonly unknown[])[] => [
    ...(Array.isArray(fact['enum']) ? [fact['enum'] as unknown[]] : []),
    ...('const' in fact ? [[fact['const']]] : []),
  ]);
  return lists.reduce<readonly unknown[] | undefined>((choices, list) => {
    const texts = new Set(list.map(canonicalJson));
    return choices ? choices.filter((choice) => texts.has(canonicalJson(choice))) : list;
  }, undefined);
}

/** Returns the schemas that apply to a field with this name. */
export function schemasFor(name: string, schema: JsonSchemaObject): unknown[] {
  const properties = mapIn(schema['properties']);
  const found = Object.hasOwn(properties, name) ? [properties[name]] : [];
  for (const [pattern, each] of Object.entries(mapIn(schema['patternProperties']))) {
    if (toMatcher(pattern).test(name)) found.push(each);
  }
  return found.length > 0 ? found : [schema['additionalProperties'] ?? true];
}

/**
 * Returns the schema that a fact sets for undeclared fields whose names match a pattern. Returns `true` if the fact has other
 * patterns, because they may match these names too.
 */
export function schemaForMatches(pattern: string, fact: JsonSchemaObject): unknown {
  const patterns = mapIn(fact['patternProperties']);
  if (Object.hasOwn(patterns, pattern)) return patterns[pattern];
  return Object.keys(patterns).length === 0 ? fact['additionalProperties'] : true;
}

/**
 * Returns the schema that a fact sets for undeclared fields whose names match none of the patterns. Returns `true` if the fact
 * has further patterns, because they may match these names.
 */
export function schemaForOthers(patterns: readonly string[], fact: JsonSchemaObject): unknown {
  const own = Object.keys(mapIn(fact['patternProperties']));
  return own.every((pattern) => patterns.includes(pattern)) ? fact['additionalProperties'] : true;
}

/**
 * Returns the schemas of the first items and of the rest. Draft-07 calls them `items` and `additionalItems`, 2020-12
 * `prefixItems` and `items`.
 */
export function itemsOf({ prefixItems, items, additionalItems }: JsonSchemaObject): {
  first: readonly unknown[];
  rest: unknown;
} {
  if (Array.isArray(items)) return { first: items, rest: additionalItems ?? true };
  return { first: Array.isArray(prefixItems) ? prefixItems : [], rest: items ?? true };
}

/** Keywords that are compared by their meaning, or together with another keyword. */
export const structuralKeywords: ReadonlySet<string> = new Set(
  (
    '$ref allOf anyOf oneOf type required properties patternProperties additionalProperties propertyNames items ' +
    'prefixItems additionalItems then else minContains maxContains'
  ).split(' '),
);

/** Keywords that are compared together with others. */
export const togetherKeywords: Readonly<Record<string, readonly string[]>> = {
  if: ['if', 'then', 'else'],
  contains: ['contains', 'minContains', 'maxContains'],
};

export const typeOfKeyword: Readonly<Record<string, TypeName>> = Object.fromEntries(
  (
    [
      ['string', 'minLength maxLength pattern'],
      ['number', 'minimum exclusiveMinimum maximum exclusiveMaximum multipleOf'],
      ['array', 'minItems maxItems uniqueItems contains unevaluatedItems'],
      [
        'object',
        'minProperties maxProperties dependentRequired dependentSchemas dependencies unevaluatedProperties',
      ],
    ] as const
  ).flatMap(([type, keywords]) => keywords.split(' ').map((keyword) => [keyword, type])),
);

/** Collects all schemas that a value must match, through references and `allOf`. Returns `undefined` if no value can match. */
export function expand(
  schemas: readonly JsonSchema[],
  { targets }: NormalSchema,
  skips: (node: JsonSchemaObject) => boolean = () => false,
): JsonSchemaObject[] | undefined {
  const nodes = new Set<JsonSchemaObject>();
  const waiting = [...schemas];
  for (let node = waiting.shift(); node !== undefined; node = waiting.shift()) {
    if (node === true || (node !== false && (nodes.has(node) || skips(node)))) continue;
    if (node === false || isEmpty(node['not'])) return undefined;
    nodes.add(node);
    if (typeof node['$ref'] === 'string') waiting.push(targets.get(node['$ref']) ?? true);
    waiting.push(...schemasIn(node['allOf']));
  }
  return [...nodes];
}

function isEmpty(schema: unknown): boolean {
  return schema === true || (isJsonObject(schema) && Object.keys(schema).length === 0);
}

/** Whether no value can be valid for both schemas, because their types or their enums have nothing in common. */
export function isContradiction(
  left: readonly [JsonSchema, JsonSchemaObject],
  right: readonly [JsonSchema, JsonSchemaObject],
): boolean {
  const types = valueTypes(...right);
  if (![...valueTypes(...left)].some((type) => types.has(type))) return true;
  const [choices, others] = [left, right].map(([schema]) =>
    typeof schema === 'boolean' ? undefined : choicesOf(schema)?.map(canonicalJson),
  );
  return choices !== undefined && others !== undefined && !choices.some((choice) => others.includes(choice));
}
