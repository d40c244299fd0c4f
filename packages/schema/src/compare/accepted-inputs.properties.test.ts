import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { DefaultValidator } from '../validate/default-validator.js';
import type { JsonSchema, JsonSchemaObject } from '../values/json-schema.js';
import { readSchema } from '../read/read-schema.js';
import type { ReadSchema } from '../read/checked-schema.js';
import type { SchemaSource } from '../read/read-schema.js';
import { generateFlatSchema } from '../../../toolfold/src/compile/input-schema/flat-schema.js';
import { generateInputSchema } from 'toolfold';
import { isOpen, undeclaredFields } from '../validate/input-validator.js';
import { enough, runs } from '../../../../test/runs.js';

type Arguments = Readonly<Record<string, unknown>>;

/** A field in Zod and in JSON Schema, and valid values. */
interface Kind {
  readonly zod: z.ZodType;
  readonly json: JsonSchema;
  readonly values: fc.Arbitrary<unknown>;
}

/** The input schema of an action, and arguments of which many are valid. */
interface Source {
  readonly schema: ReadSchema;
  readonly sample: fc.Arbitrary<Arguments>;
}

const tree = z.object({
  name: z.string(),
  get children() {
    return z.array(tree).optional();
  },
});
const user = z.object({ id: z.int() }).meta({ id: 'User' });
const trees = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.record(
    { name: fc.string(), children: fc.array(tie('tree'), { maxLength: 2 }) },
    { requiredKeys: ['name'] },
  ),
})).tree;

const kind = (zod: z.ZodType, json: JsonSchema, values: fc.Arbitrary<unknown>): Kind => ({
  zod,
  json,
  values,
});

const kinds: readonly Kind[] = [
  kind(z.string(), { type: 'string' }, fc.string()),
  kind(
    z.string().max(3).describe('Short'),
    { type: 'string', maxLength: 3, description: 'Short' },
    fc.string({ maxLength: 3 }),
  ),
  kind(z.int(), { type: 'integer' }, fc.integer()),
  kind(z.number().min(0), { type: 'number', minimum: 0 }, fc.double({ min: 0, max: 1e9, noNaN: true })),
  kind(z.boolean().default(true), { type: 'boolean', default: true }, fc.boolean()),
  kind(z.enum(['a', 'b']), { type: 'string', enum: ['a', 'b'] }, fc.constantFrom('a', 'b')),
  kind(
    z.enum(['b', 'c']).default('c'),
    { type: 'string', enum: ['b', 'c'], default: 'c' },
    fc.constantFrom('b', 'c'),
  ),
  kind(z.literal('d'), { const: 'd' }, fc.constant('d')),
  kind(z.literal(1), { type: 'integer', const: 1 }, fc.constant(1)),
  kind(z.string().nullable(), { type: ['string', 'null'] }, fc.oneof(fc.string(), fc.constant(null))),
  kind(z.enum(['a']).nullable(), { type: ['string', 'null'], enum: ['a', null] }, fc.constantFrom('a', null)),
  kind(z.array(z.string()), { type: 'array', items: { type: 'string' } }, fc.array(fc.string())),
  kind(
    z.object({ x: z.number() }),
    { type: 'object', properties: { x: { type: 'number' } }, required: ['x'], additionalProperties: false },
    fc.record({ x: fc.integer() }),
  ),
  kind(
    z.record(z.string(), z.number()),
    { type: 'object', additionalProperties: { type: 'number' } },
    fc.dictionary(fc.constantFrom('p', 'q', 'valueOf'), fc.integer()),
  ),
  kind(
    z.union([z.string(), z.int()]),
    { anyOf: [{ type: 'string' }, { type: 'integer' }] },
    fc.oneof(fc.string(), fc.integer()),
  ),
  kind(
    z.discriminatedUnion('t', [z.object({ t: z.literal(1) }), z.object({ t: z.literal(2), u: z.string() })]),
    { oneOf: [{ required: ['t'] }, { required: ['v'] }] },
    fc.constantFrom({ t: 1 }, { t: 2, u: '' }),
  ),
  kind(
    z.intersection(z.object({ x: z.number() }), z.object({ y: z.string() })),
    { allOf: [{ required: ['x'] }, { required: ['y'] }] },
    fc.record({ x: fc.integer(), y: fc.string() }),
  ),
  kind(z.unknown(), true, fc.jsonValue()),
  kind(z.never(), false, fc.string()),
  kind(tree, { $ref: '#/$defs/tree' }, trees),
  kind(
    z.array(tree).max(2),
    { type: 'array', items: { $ref: '#tree' }, maxItems: 2 },
    fc.array(trees, { maxLength: 2 }),
  ),
  kind(user, { $ref: '#/$defs/a~1b%20%25', description: 'Who' }, fc.record({ id: fc.integer() })),
  kind(user.optional(), { $ref: '#/x-parts/0' }, fc.record({ id: fc.integer() })),
];

/** The definitions that the kinds refer to. */
const parts = {
  $defs: {
    tree: {
      $anchor: 'tree',
      type: 'object',
      properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#tree' } } },
      required: ['name'],
    },
    'a/b %': { type: 'object', properties: { id: { type: 'integer' } } },
  },
  'x-parts': [{ type: 'object', required: ['id'] }],
} satisfies JsonSchemaObject;

const zodName = fc.constantFrom('a', 'b', 'c', 'constructor', 'toString', 'x-y');
const jsonName = fc.oneof(zodName, fc.constant('__proto__'));
const aKind = fc.constantFrom(...kinds);
const anyValue = fc.oneof(...kinds.map(({ values }) => values));

/** Arguments with some of the fields, mostly with values of their kind. */
function argumentsOf(fields: readonly (readonly [string, Kind])[]): fc.Arbitrary<Arguments> {
  const entries = fields.map(([name, { values }]) =>
    fc.tuple(
      fc.constant(name),
      fc.oneof({ weight: 12, arbitrary: values }, { weight: 1, arbitrary: anyValue }),
      fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
    ),
  );
  return fc
    .tuple(...entries)
    .map((drawn) =>
      Object.fromEntries(drawn.filter(([, , isGiven]) => isGiven).map(([name, value]) => [name, value])),
    );
}

const join = (left: fc.Arbitrary<Arguments>, right: fc.Arbitrary<Arguments>) =>
  fc.tuple(left, right).map(([first, second]) => ({ ...first, ...second }));

const withOthers = (sample: fc.Arbitrary<Arguments>, name: fc.Arbitrary<string>) =>
  join(fc.dictionary(name, anyValue, { maxKeys: 2 }), sample);

const from = (source: SchemaSource, sample: fc.Arbitrary<Arguments>): Source => ({
  schema: readSchema(source),
  sample,
});

const zodShape = (names: fc.Arbitrary<string>) =>
  fc
    .uniqueArray(fc.tuple(names, aKind, fc.boolean()), { maxLength: 4, selector: ([name]) => name })
    .map((fields) => ({
      shape: Object.fromEntries(
        fields.map(([name, { zod }, isOptional]) => [name, isOptional ? zod.optional() : zod]),
      ),
      sample: argumentsOf(fields.map(([name, field]) => [name, field] as const)),
    }));
const shape = zodShape(zodName);
// An intersection in Zod 4.6 treats inherited properties as fields.
const ordinaryShape = zodShape(fc.constantFrom('a', 'b', 'c', 'x-y'));
const numbers = fc.dictionary(zodName, fc.integer(), { maxKeys: 3 });

const zodSource: fc.Arbitrary<Source> = fc.oneof(
  shape.map(({ shape: fields, sample }) =>
    from(
      z.object(fields).refine(() => true),
      sample,
    ),
  ),
  shape.map(({ shape: fields, sample }) => from(z.strictObject(fields), sample)),
  shape.map(({ shape: fields, sample }) => from(z.looseObject(fields), withOthers(sample, zodName))),
  shape.map(({ shape: fields, sample }) =>
    from(z.object(fields).catchall(z.number()), withOthers(sample, zodName)),
  ),
  fc.constant(from(z.record(z.string(), z.number()), numbers)),
  fc
    .tuple(shape, shape)
    .map(([left, right]) =>
      from(z.union([z.object(left.shape), z.object(right.shape)]), fc.oneof(left.sample, right.sample)),
    ),
  fc
    .tuple(shape, shape)
    .map(([left, right]) =>
      from(
        z.discriminatedUnion('kind', [
          z.object({ ...left.shape, kind: z.literal('one') }),
          z.object({ ...right.shape, kind: z.literal('two') }),
        ]),
        fc.oneof(
          join(left.sample, fc.constant({ kind: 'one' })),
          join(right.sample, fc.constant({ kind: 'two' })),
        ),
      ),
    ),
  fc
    .tuple(ordinaryShape, ordinaryShape)
    .map(([left, right]) =>
      from(z.intersection(z.object(left.shape), z.object(right.shape)), join(left.sample, right.sample)),
    ),
);

const object = fc
  .uniqueArray(fc.tuple(jsonName, aKind, fc.boolean()), { maxLength: 4, selector: ([name]) => name })
  .map((fields) => ({
    root: {
      ...parts,
      type: 'object',
      properties: Object.fromEntries(fields.map(([name, { json }]) => [name, json])),
      required: fields.filter(([, , isOptional]) => !isOptional).map(([name]) => name),
    },
    sample: argumentsOf(fields.map(([name, field]) => [name, field] as const)),
  }));
/** The fields of an object without their definitions. */
const bare = ({ properties, required }: JsonSchemaObject) => ({ type: 'object', properties, required });

const jsonSource: fc.Arbitrary<Source> = fc.oneof(
  object.map(({ root, sample }) => from(root, sample)),
  object.map(({ root, sample }) => from({ ...root, type: undefined }, sample)),
  object.map(({ root, sample }) => from({ ...root, additionalProperties: false }, sample)),
  object.map(({ root, sample }) =>
    from({ ...root, additionalProperties: { $ref: '#/$defs/tree' } }, withOthers(sample, jsonName)),
  ),
  object.map(({ root, sample }) =>
    from(
      { ...root, patternProperties: { '^x-|^c': true }, additionalProperties: false },
      withOthers(sample, jsonName),
    ),
  ),
  object.map(({ root, sample }) =>
    from({ ...root, anyOf: [{ required: ['a'] }, { minProperties: 2 }] }, sample),
  ),
  object.map(({ root, sample }) =>
    from({ ...parts, $ref: '#/$defs/root', $defs: { ...parts.$defs, root: bare(root) } }, sample),
  ),
  object.map(({ root, sample }) =>
    from(
      { ...root, properties: { ...root.properties, next: { $ref: '#' } } },
      fc.oneof(sample, join(sample, fc.record({ next: sample }))),
    ),
  ),
  fc
    .tuple(fc.constantFrom('allOf', 'anyOf', 'oneOf'), object, object)
    .map(([keyword, left, right]) =>
      from(
        { ...parts, [keyword]: [bare(left.root), bare(right.root)] },
        fc.oneof(left.sample, right.sample, join(left.sample, right.sample)),
      ),
    ),
);

/** Draft-07 has other keywords for some rules, and ignores some keywords of 2020-12. */
const draft07Source: fc.Arbitrary<Source> = fc.boolean().map((isClosed) => ({
  schema: readSchema({
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: {
      a: { items: [{ type: 'string' }], additionalItems: { type: 'integer' } },
      b: { $ref: '#/definitions/tree', maxLength: 0 },
      c: {
        dependencies: { x: ['y'], z: { required: ['w'] } },
        unevaluatedProperties: false,
        prefixItems: [false],
      },
    },
    patternProperties: { '^x-': { type: 'string' } },
    additionalProperties: isClosed ? false : { $ref: '#/definitions/tree' },
    definitions: {
      tree: {
        $id: '#tree',
        type: 'object',
        properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#tree' } } },
      },
    },
  }),
  sample: fc.record(
    {
      a: fc.tuple(fc.string(), fc.integer()),
      b: trees,
      c: fc.oneof(fc.constant({ x: 1, y: 2 }), fc.constant({ z: 1, w: 1 }), fc.constant([1]), anyValue),
      'x-y': fc.string(),
      toString: fc.oneof(trees, fc.string()),
    },
    { requiredKeys: [] },
  ),
}));

const source = fc.oneof(
  { weight: 5, arbitrary: zodSource },
  { weight: 5, arbitrary: jsonSource },
  { weight: 1, arbitrary: draft07Source },
);
/** The common schema is closed: it accepts only its declared fields. */
const commonSource = shape.map(({ shape: fields, sample }) => from(z.strictObject(fields), sample));

/** Interprets, because generating code for a few values is slow. */
const validator = new DefaultValidator({ engine: 'interpreted' });
const fits = (schema: JsonSchemaObject, value: unknown): boolean => validator.compile(schema)(value).ok;

/** Whether the JSON Schema of an action accepts arguments and declares each of them. */
function accepts({ jsonSchema }: ReadSchema, value: Arguments): boolean {
  const isDraft07 = String(jsonSchema['$schema']).includes('draft-07');
  return fits(isDraft07 ? jsonSchema : { ...jsonSchema, unevaluatedProperties: false }, value);
}

const pick = (value: Arguments, isWanted: (name: string) => boolean): Arguments =>
  Object.fromEntries(Object.entries(value).filter(([name]) => isWanted(name)));

/** Each schema gets its declared arguments; the schema of the action gets all others. */
function acceptsWithCommon(action: ReadSchema, common: ReadSchema | undefined, value: Arguments): boolean {
  if (!common) return accepts(action, value);
  const isCommon = (name: string) => common.fields!.has(name);
  return (
    accepts(common, pick(value, isCommon)) &&
    accepts(
      action,
      pick(value, (name) => !isCommon(name) || action.fields!.has(name)),
    )
  );
}

const ajv = new Ajv2020({ strict: false });

function expectSound(schema: JsonSchemaObject): void {
  expect(ajv.validateSchema(schema), JSON.stringify(ajv.errors)).toBe(true);
  expect(schema['type']).toBe('object');
  for (const keyword of ['allOf', 'anyOf', 'oneOf', 'not', 'if', '$ref', '$dynamicRef', '$schema']) {
    expect(schema).not.toHaveProperty([keyword]);
  }
}

const tool = fc
  .tuple(fc.array(source, { minLength: 1, maxLength: 4 }), fc.option(commonSource, { nil: undefined }))
  .chain(([sources, common]) =>
    fc.record({
      actions: fc.constant(sources.map(({ schema }, index) => ({ key: `action${index}`, input: schema }))),
      common: fc.constant(common?.schema),
      inputs: fc.tuple(
        ...sources.map(({ sample }) =>
          fc.array(common ? join(sample, common.sample) : sample, { minLength: 2, maxLength: 4 }),
        ),
      ),
    }),
  );

describe('input that an action accepts', () => {
  it('is accepted by the schema of all actions with that action selected', () => {
    let accepted = 0;
    fc.assert(
      fc.property(tool, ({ actions, common, inputs }) => {
        const rejectsUnknown = !actions.some(({ input }) => isOpen(input));
        const schema = generateInputSchema({
          name: 'tool',
          discriminator: 'do',
          actions,
          common,
          rejectsUnknown,
        });
        expectSound(schema);
        for (const [index, { key, input }] of actions.entries()) {
          // A field keeps the shape that actions declare, although an open action accepts more for its name.
          const isBorrowed = (name: string) =>
            !input.fields?.has(name) && actions.some((other) => other.input.fields?.has(name));
          for (const value of inputs[index] ?? []) {
            if (Object.keys(value).some(isBorrowed) || !acceptsWithCommon(input, common, value)) continue;
            accepted++;
            expect(fits(schema, { ...value, do: key }), JSON.stringify({ input, schema, value })).toBe(true);
          }
        }
      }),
      { numRuns: runs(500) },
    );
    expect(accepted).toBeGreaterThan(enough(500));
  });

  it('is accepted by the schema of that action as a flat tool', () => {
    let accepted = 0;
    fc.assert(
      fc.property(tool, ({ actions, common, inputs }) => {
        for (const [index, { input }] of actions.entries()) {
          const undeclared = undeclaredFields(input, common, 'strict');
          const schema = generateFlatSchema(input, { common, undeclared });
          if (undeclared === 'rejected') expect(schema['additionalProperties']).toBe(false);
          expectSound(schema);
          for (const value of inputs[index] ?? []) {
            if (!acceptsWithCommon(input, common, value)) continue;
            accepted++;
            expect(fits(schema, value), JSON.stringify({ input, schema, value })).toBe(true);
          }
        }
      }),
      { numRuns: runs(300) },
    );
    expect(accepted).toBeGreaterThan(enough(500));
  });
});
