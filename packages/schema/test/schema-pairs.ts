import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import fc from 'fast-check';
import type { JsonSchema, JsonSchemaObject } from '@toolfold/schema';

const options = {
  strict: false,
  logger: false,
  formats: fullFormats,
  ownProperties: true,
  addUsedSchema: false,
  // Optimizing a check takes longer than the few values that it judges.
  code: { optimize: false },
} as const;
const ajv = { draft07: new Ajv(options), modern: new Ajv2020(options) };

/** Compiles a schema with Ajv; `undefined` if Ajv rejects it. */
export function compileWithAjv(schema: JsonSchema): ((value: unknown) => boolean) | undefined {
  const isDraft07 = typeof schema === 'object' && String(schema['$schema']).includes('draft-07');
  try {
    const check = (isDraft07 ? ajv.draft07 : ajv.modern).compile(schema);
    return (value) => check(value) === true;
  } catch {
    return undefined;
  }
}

const names = ['a', 'b', 'c'];
const small = fc.integer({ min: 0, max: 3 });

/** Small values that reach every keyword of the generated schemas. */
export const anyValue: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  leaf: fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    1,
    2,
    3,
    4,
    -1,
    0.5,
    '',
    'a',
    'ab',
    'abc',
    'abcd',
    '2026-01-02',
  ),
  any: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('leaf'),
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...names, 'z'), tie('any'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).any;

export const anyFields = fc.dictionary(fc.constantFrom(...names, 'z'), anyValue, {
  maxKeys: 4,
  noNullPrototype: true,
});

const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });
const rarely = (arbitrary: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
const record = (model: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<JsonSchemaObject> =>
  fc.record(model).map((each) => JSON.parse(JSON.stringify(each)) as JsonSchemaObject);

const { any: anySchema, fields } = fc.letrec<{ leaf: JsonSchema; any: JsonSchema; fields: JsonSchemaObject }>(
  (tie) => ({
    leaf: fc.oneof(
      fc.boolean(),
      fc.constant({}),
      record({
        type: fc.constantFrom(
          'string',
          'number',
          'integer',
          'boolean',
          'null',
          ['string', 'number'],
          ['integer', 'null'],
        ),
      }),
      record({ enum: fc.subarray([null, true, 1, 2, 'a', 'ab'], { minLength: 1 }) }),
      record({ const: fc.constantFrom(1, 'a', {}, [1]) }),
      record({
        type: fc.constantFrom('number', 'integer', ['number', 'string']),
        minimum: optional(small),
        exclusiveMaximum: optional(small),
        maximum: optional(small),
        exclusiveMinimum: optional(fc.constantFrom(0, 0.5, 1)),
        multipleOf: optional(fc.constantFrom(1, 2, 0.5)),
      }),
      record({
        type: optional(fc.constant('string')),
        minLength: optional(small),
        maxLength: optional(small),
        pattern: optional(fc.constantFrom('a', '^ab', '^[a-c]{2}$', 'b|c$')),
        format: optional(fc.constantFrom('date', 'email', 'x-unknown')),
      }),
    ),
    any: fc.oneof(
      { depthSize: 'small', maxDepth: 3 },
      tie('leaf'),
      tie('fields'),
      record({
        type: optional(fc.constant('array')),
        items: optional(tie('any')),
        prefixItems: optional(fc.array(tie('any'), { minLength: 1, maxLength: 2 })),
        minItems: optional(small),
        maxItems: optional(small),
        uniqueItems: optional(fc.boolean()),
      }),
      record({ anyOf: fc.array(tie('any'), { minLength: 1, maxLength: 3 }), maxLength: optional(small) }),
      record({ oneOf: fc.array(tie('any'), { minLength: 1, maxLength: 3 }) }),
      record({ allOf: fc.array(tie('any'), { minLength: 1, maxLength: 2 }) }),
      record({ not: tie('leaf') }),
      record({ if: tie('leaf'), then: optional(tie('leaf')), else: optional(tie('leaf')) }),
      record({ $ref: fc.constantFrom('#/$defs/x', '#/$defs/y'), minLength: optional(small) }),
    ),
    fields: record({
      type: fc.constant('object'),
      properties: optional(fc.dictionary(fc.constantFrom(...names), tie('any'), { maxKeys: 3 })),
      required: optional(fc.subarray(names, { maxLength: 2 })),
      additionalProperties: optional(fc.oneof(fc.boolean(), tie('any'))),
      patternProperties: optional(fc.dictionary(fc.constantFrom('a', 'b|c'), tie('any'), { maxKeys: 1 })),
      minProperties: optional(small),
      maxProperties: optional(small),
      propertyNames: rarely(fc.constantFrom({ maxLength: 1 }, { enum: ['a', 'b'] }, { pattern: 'a' })),
      dependentRequired: rarely(fc.constantFrom({ a: ['b'] }, { c: ['a', 'b'] })),
      unevaluatedProperties: rarely(fc.boolean()),
    }),
  }),
);

/** The input schema of a tool, with references of which one is recursive. */
export const toolSchema = fc.tuple(fields, anySchema, anySchema).map(([own, x, y]): JsonSchemaObject => ({
  ...own,
  $defs: {
    x: { type: ['array', 'string'], items: x },
    y: { properties: { a: y, b: { $ref: '#/$defs/y' } } },
  },
}));

/** Changes one keyword or value somewhere in a schema. */
function change(node: unknown, next: () => number): unknown {
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node) as [string, unknown][];
  const at = next() % Math.max(1, entries.length);
  const [key, value] = entries[at] ?? ['minLength', 1];
  const isLeaf = typeof value !== 'object' || value === null;
  if (!isLeaf && next() % 4 > 0) {
    const changed = change(value, next);
    if (Array.isArray(node)) return (node as unknown[]).toSpliced(at, 1, changed);
    return { ...node, [key]: changed };
  }
  if (Array.isArray(node)) return node.length > 1 ? (node as unknown[]).toSpliced(at, 1) : node;
  if (typeof value === 'number' && next() % 2 > 0)
    return { ...node, [key]: Math.max(0, value + (next() % 2 > 0 ? 1 : -1)) };
  return Object.fromEntries(entries.filter(([name]) => name !== key));
}

/** One schema and a similar one, changed in one place, or an unrelated one. */
export const schemaPair: fc.Arbitrary<readonly [JsonSchemaObject, JsonSchemaObject]> = fc.oneof(
  { weight: 1, arbitrary: fc.tuple(toolSchema, toolSchema) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(toolSchema, fc.infiniteStream(fc.nat({ max: 1000 })), fc.boolean())
      .map(([given, stream, isReversed]) => {
        const changed = change(given, () => Number(stream.next().value)) as JsonSchemaObject;
        return isReversed ? ([changed, given] as const) : ([given, changed] as const);
      }),
  },
);
