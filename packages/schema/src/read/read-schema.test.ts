import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type } from 'arktype';
import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, expectTypeOf, it, vi } from 'vitest';
import * as z from 'zod';
import * as zm from 'zod/mini';
import { z as z3 } from 'zod3';
import { ErrExternalRef, ErrInvalidOptions, ErrInvalidSchema, ErrUnsupportedSchema } from '../errors.js';
import type { JsonSchema, JsonSchemaObject } from '../values/json-schema.js';
import { readSchema } from './read-schema.js';
import type { ReadSchema } from './checked-schema.js';
import type { SchemaSource } from './read-schema.js';
import { requiredFields, schemaFields } from './schema-fields.js';
import type { SchemaValidator } from '../validate/schema-validator.js';
import { json } from '../../test/read-schema-setup.js';

const properties = (schema: ReadSchema) => json(schema)['properties'] as Record<string, JsonSchema>;
const check = async (schema: ReadSchema, value: unknown) => (await schema.validate(value)).ok;

/** The same object, written in every supported library. */
const sources: Record<string, SchemaSource> = {
  'Zod 4': z.object({
    id: z.string().min(2).describe('Which'),
    limit: z.number().default(10),
    note: z.string().optional(),
    parent: z.string().nullable(),
  }),
  'Zod 4 mini': zm.object({
    id: zm.string().check(zm.minLength(2), zm.describe('Which')),
    limit: zm._default(zm.number(), 10),
    note: zm.optional(zm.string()),
    parent: zm.nullable(zm.string()),
  }),
  'a raw shape of Zod 4': {
    id: z.string().min(2).describe('Which'),
    limit: z.number().default(10),
    note: z.string().optional(),
    parent: z.string().nullable(),
  },
  'Zod 3': z3.object({
    id: z3.string().min(2).describe('Which'),
    limit: z3.number().default(10),
    note: z3.string().optional(),
    parent: z3.string().nullable(),
  }),
  'a raw shape of Zod 3': {
    id: z3.string().min(2).describe('Which'),
    limit: z3.number().default(10),
    note: z3.string().optional(),
    parent: z3.string().nullable(),
  },
  Valibot: toStandardJsonSchema(
    v.object({
      id: v.pipe(v.string(), v.minLength(2), v.description('Which')),
      limit: v.optional(v.number(), 10),
      note: v.optional(v.string()),
      parent: v.nullable(v.string()),
    }),
  ),
  ArkType: type({
    id: type('string >= 2').describe('Which'),
    limit: 'number = 10',
    'note?': 'string',
    parent: 'string | null',
  }),
  'JSON Schema': {
    type: 'object',
    properties: {
      id: { type: 'string', minLength: 2, description: 'Which' },
      limit: { type: 'number', default: 10 },
      note: { type: 'string' },
      parent: { type: ['string', 'null'] },
    },
    required: ['id', 'parent'],
  },
};

describe.each(Object.entries(sources))('a schema in %s', (name, source) => {
  const schema = readSchema(source);

  it('returns its fields, those with a default as optional [S000-77] [S000-78]', () => {
    expect([...schema.fields!.keys()].toSorted()).toEqual(['id', 'limit', 'note', 'parent']);
    expect(schema.required).toEqual(['id', 'parent']);
    expect(schema.fields!.get('id')).toMatchObject({
      name: 'id',
      required: true,
      schema: { type: 'string', minLength: 2 },
    });
    expect(schema.fields!.get('limit')).toMatchObject({ name: 'limit', required: false });
    expect(requiredFields(schema.fields)).toEqual(['id', 'parent']);
  });

  it('returns valid JSON Schema 2020-12 with an object at its root [S004-25]', () => {
    expect(json(schema)['type']).toBe('object');
    const ajv = new Ajv2020({ strict: false });
    expect(ajv.validateSchema(json(schema))).toBe(true);
    const validate = ajv.compile(json(schema));
    expect(validate({ id: 'ab', parent: null })).toBe(true);
    expect(validate({ id: 'a', parent: null })).toBe(false);
    expect(validate({ id: 'ab' })).toBe(false);
  });

  it('validates synchronously, and applies defaults if the library does', () => {
    const result = schema.validate({ id: 'ab', parent: null });
    expect(result).not.toBeInstanceOf(Promise);
    const filled =
      name === 'JSON Schema' ? { id: 'ab', parent: null } : { id: 'ab', limit: 10, parent: null };
    expect(result).toEqual({ ok: true, value: filled });
  });

  it('names every invalid field', () => {
    const result = schema.validate({ id: 7 });
    expect(result).toMatchObject({ ok: false });
    const paths = 'issues' in result ? result.issues.map(({ path }) => path.join('.')) : [];
    expect(paths.toSorted()).toEqual(['id', 'parent']);
  });

  it('is deeply frozen and independent of its source', () => {
    const frozen = (value: unknown): boolean =>
      typeof value !== 'object' ||
      value === null ||
      (Object.isFrozen(value) && Object.values(value).every(frozen));
    expect(frozen(schema.jsonSchema)).toBe(true);
    expect(Object.isFrozen(schema)).toBe(true);
    expect(schema.jsonSchema).not.toBe(source);
  });
});

describe('Zod 4', () => {
  it('is converted by its own toJSONSchema, including annotations [S004-23] [S004-24]', () => {
    const source = z.object({
      age: z
        .int()
        .min(1)
        .max(99)
        .meta({ examples: [7], deprecated: true }),
    });
    const schema = readSchema(source);
    expect(schema.jsonSchema).toEqual(z.toJSONSchema(source, { io: 'input' }));
    expect(json(schema)['$schema']).toBe('https://json-schema.org/draft/2020-12/schema');
    expect(properties(schema)['age']).toMatchObject({
      minimum: 1,
      maximum: 99,
      examples: [7],
      deprecated: true,
    });
  });

  it('returns its JSON Schema only, and leaves the source unchanged', () => {
    const example = { tags: ['a'] };
    const source = z.object({
      filter: z.object({ tags: z.array(z.string()) }).meta({ examples: [example] }),
    });
    const { jsonSchema } = readSchema(source);
    expect(Reflect.ownKeys(jsonSchema)).toEqual(['$schema', 'type', 'properties', 'required']);
    expect(Object.isFrozen(example) || Object.isFrozen(example.tags)).toBe(false);
    expect(readSchema(source).jsonSchema).toEqual(jsonSchema);
  });

  it('is subject to the schema limits', () => {
    const source = z.object({ a: z.object({ b: z.string() }) });
    expect(() => readSchema(source, { limits: { depth: 3 } })).toThrow('more than 3 levels deep');
    expect(() => readSchema(source, { limits: { size: 30 } })).toThrow('larger than 30 characters');
    expect(() => readSchema(source, { limits: { subschemas: 2 } })).toThrow('more than 2 subschemas');
  });

  it.each([
    [{ side: 'x' }, 'readSchema: side must be "input" or "output".'],
    [{ sides: 'output' }, 'readSchema has no option "sides". Did you mean "side"?'],
    [{ validator: {} }, 'readSchema: validator must be an object with the methods compile().'],
    [{ limits: { depth: -1 } }, 'limits.depth must be a number above 0.'],
    [{ limits: { dept: 3 } }, 'limits has no option "dept". Did you mean "depth"?'],
    [{ limits: 3 }, 'limits must be an object with depth, size, subschemas, steps.'],
    [null, 'readSchema must be an object'],
  ])('is not read with the invalid options %j', (options, message) => {
    expect(() => readSchema(z.object({}), options as never)).toThrow(ErrInvalidOptions);
    expect(() => readSchema(z.object({}), options as never)).toThrow(message);
  });

  it('describes the input or the output', () => {
    const source = z.object({ n: z.number().default(1), s: z.string().transform(Number).pipe(z.number()) });
    expect(readSchema(source).required).toEqual(['s']);
    expect(properties(readSchema(source))['s']).toEqual({ type: 'string' });
    const output = readSchema(source, { side: 'output' });
    expect(output.required).toEqual(['n', 's']);
    expect(properties(output)['s']).toEqual({ type: 'number' });
  });

  it('omits a pattern with flags, which JSON Schema would read without them', () => {
    const schema = readSchema(z.object({ code: z.string().regex(/^ab$/i), plain: z.string().regex(/^ab$/) }));
    expect(properties(schema)).toMatchObject({ code: { type: 'string' }, plain: { pattern: '^ab$' } });
    expect(properties(schema)['code']).not.toHaveProperty('pattern');
    expect(schema.validate({ code: 'AB', plain: 'ab' })).toMatchObject({ ok: true });
    expect(schema.validate({ code: 'x', plain: 'ab' })).toMatchObject({ ok: false });
  });

  it('supports refinements, transforms and asynchronous checks', async () => {
    const refined = readSchema(
      z
        .object({ a: z.string(), b: z.string() })
        .refine(({ a, b }) => a !== b, { path: ['b'], message: 'must differ from a' }),
    );
    expect(refined.required).toEqual(['a', 'b']);
    expect(refined.validate({ a: 'x', b: 'x' })).toEqual({
      ok: false,
      issues: [{ path: ['b'], message: 'must differ from a' }],
    });
    const transformed = readSchema(z.object({ n: z.string().transform((text) => text.length) }));
    expect(transformed.validate({ n: 'four' })).toEqual({ ok: true, value: { n: 4 } });
    const slow = readSchema(z.object({ n: z.string().refine(async (text) => text === 'yes') }));
    const pending = slow.validate({ n: 'no' });
    expect(pending).toBeInstanceOf(Promise);
    expect(await pending).toMatchObject({ ok: false });
    expect(await slow.validate({ n: 'yes' })).toEqual({ ok: true, value: { n: 'yes' } });
  });

  it('describes the input of a codec or a preprocess', () => {
    const schema = readSchema(
      z.object({
        when: z.codec(z.iso.datetime(), z.date(), {
          decode: (text) => new Date(text),
          encode: (date) => date.toISOString(),
        }),
        n: z.preprocess(Number, z.number()),
        c: z.coerce.number(),
      }),
    );
    expect(properties(schema)['when']).toMatchObject({ type: 'string', format: 'date-time' });
    expect(schema.validate({ when: '2026-07-28T00:00:00Z', n: '4', c: '5' })).toEqual({
      ok: true,
      value: { when: new Date('2026-07-28T00:00:00Z'), n: 4, c: 5 },
    });
  });
});

describe('composition', () => {
  it('of a discriminated union has all its fields, required if every branch requires them', async () => {
    const schema = readSchema(
      z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('card'), number: z.string() }),
        z.object({ kind: z.literal('cash'), amount: z.number(), note: z.string().optional() }),
      ]),
    );
    expect([...schema.fields!.keys()]).toEqual(['kind', 'number', 'amount', 'note']);
    expect(schema.required).toEqual(['kind']);
    expect(schema.fields!.get('kind')!.schema).toEqual({
      anyOf: [
        { type: 'string', const: 'card' },
        { type: 'string', const: 'cash' },
      ],
    });
    expect(await check(schema, { kind: 'cash', amount: 3 })).toBe(true);
    expect(await check(schema, { kind: 'card', amount: 3 })).toBe(false);
  });

  it.each<[string, SchemaSource]>([
    ['Zod 4', z.intersection(z.object({ a: z.string() }), z.object({ b: z.number().optional() }))],
    ['Zod 3', z3.intersection(z3.object({ a: z3.string() }), z3.object({ b: z3.number().optional() }))],
    [
      'Valibot',
      toStandardJsonSchema(
        v.intersect([v.object({ a: v.string() }), v.object({ b: v.optional(v.number()) })]),
      ),
    ],
    ['ArkType', type({ a: 'string' }).and({ 'b?': 'number' })],
    [
      'JSON Schema',
      {
        allOf: [
          { properties: { a: { type: 'string' } }, required: ['a'] },
          { properties: { b: { type: 'number' } } },
        ],
      },
    ],
  ])('of an intersection in %s has the fields of both', async (_name, source) => {
    const schema = readSchema(source);
    expect([...schema.fields!.keys()]).toEqual(['a', 'b']);
    expect(schema.required).toEqual(['a']);
    expect(await check(schema, { a: 'x', b: 1 })).toBe(true);
    expect(await check(schema, { a: 'x', b: 'y' })).toBe(false);
  });

  it('of a field in both parts keeps both shapes', () => {
    const fields = schemaFields({
      allOf: [{ properties: { a: { minimum: 1 } } }, { properties: { a: { maximum: 9 } } }],
    });
    expect(fields!.get('a')!.schema).toEqual({ allOf: [{ minimum: 1 }, { maximum: 9 }] });
  });

  it.each<[string, JsonSchemaObject, string[], string[]]>([
    [
      'a part that only requires',
      { type: 'object', properties: { a: {}, b: {} }, allOf: [{ required: ['a'] }] },
      ['a', 'b'],
      ['a'],
    ],
    [
      'branches that only require',
      { properties: { a: {}, b: {} }, anyOf: [{ required: ['a'] }, { required: ['a', 'b'] }] },
      ['a', 'b'],
      ['a'],
    ],
    [
      'conditions',
      {
        properties: { a: {} },
        if: { required: ['a'] },
        then: { properties: { b: {} }, required: ['b'] },
        else: { properties: { c: {} } },
        dependentSchemas: { a: { properties: { d: {} } } },
      },
      ['a', 'b', 'c', 'd'],
      [],
    ],
    ['an object or null', { type: ['object', 'null'], properties: { a: {} }, required: ['a'] }, ['a'], ['a']],
    [
      'an anchor',
      { allOf: [{ $ref: '#x' }], $defs: { x: { $anchor: 'x', properties: { a: {} } } } },
      ['a'],
      [],
    ],
    [
      'a reference in draft-07, whose siblings have no effect',
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        $ref: '#/definitions/x',
        properties: { ignored: {} },
        required: ['ignored'],
        definitions: { x: { type: 'object', properties: { a: {} }, required: ['a'] } },
      },
      ['a'],
      ['a'],
    ],
    [
      'a reference inside an embedded resource',
      {
        allOf: [
          {
            $id: 'https://acme.example/inner',
            $ref: '#/$defs/s',
            $defs: { s: { properties: { right: {} } } },
          },
        ],
        $defs: { s: { properties: { wrong: {} } } },
      },
      ['right'],
      [],
    ],
  ])('is resolved: %s', (_what, source, names, required) => {
    const schema = readSchema(source);
    expect([...(schema.fields?.keys() ?? [])]).toEqual(names);
    expect(schema.required).toEqual(required);
  });

  it('of a field that one branch narrows does not narrow it for other branches', () => {
    const fields = schemaFields({
      properties: { a: { type: 'string' }, b: {} },
      anyOf: [{ properties: { a: { const: 'x' } } }, { required: ['b'] }],
    });
    expect(fields!.get('a')!.schema).toEqual({ type: 'string' });
  });

  it('resolves references, and stops at circular ones', () => {
    const fields = schemaFields({
      $ref: '#/$defs/user',
      $defs: {
        user: {
          type: 'object',
          properties: { name: {} },
          required: ['name', 'id'],
          anyOf: [{ $ref: '#/$defs/user' }],
        },
      },
    });
    expect([...fields!.values()].map(({ name, required }) => [name, required])).toEqual([
      ['name', true],
      ['id', true],
    ]);
    expect(schemaFields(true)).toBeUndefined();
    expect(schemaFields({ type: 'string' })).toBeUndefined();
    expect(
      schemaFields({ anyOf: [{ type: 'string' }, { type: 'object', required: ['a'] }] })!.get('a')!.required,
    ).toBe(false);
  });
});

describe('recursion', () => {
  const zodTree = z.object({
    name: z.string(),
    get children() {
      return z.array(zodTree);
    },
  });
  interface Tree {
    name: string;
    children: Tree[];
  }
  const zod3Tree: z3.ZodType<Tree> = z3.object({
    name: z3.string(),
    children: z3.array(z3.lazy(() => zod3Tree)),
  });
  const valibotTree: v.GenericSchema<Tree> = v.object({
    name: v.string(),
    children: v.array(v.lazy(() => valibotTree)),
  });

  it.each<[string, SchemaSource]>([
    ['Zod 4', z.object({ tree: zodTree, other: zodTree })],
    ['Zod 3', z3.object({ tree: zod3Tree, other: zod3Tree })],
    ['Valibot', toStandardJsonSchema(v.object({ tree: valibotTree, other: valibotTree }))],
    [
      'ArkType',
      type.module({ tree: { name: 'string', children: 'tree[]' }, both: { tree: 'tree', other: 'tree' } })
        .both,
    ],
  ])('in %s keeps references below $defs', async (_name, source) => {
    const schema = readSchema(source);
    const references = JSON.stringify(schema.jsonSchema).match(/"\$ref":"[^"]*"/g) ?? [];
    expect(references.length).toBeGreaterThan(0);
    for (const reference of references) expect(reference).toMatch(/"#\/\$defs\/[^/]+"$/);
    const tree = { name: 'a', children: [{ name: 'b', children: [] }] };
    const wrong = { name: 'a', children: [{ name: 'b', children: [{ name: 7, children: [] }] }] };
    const validate = new Ajv2020({ strict: false }).compile(json(schema));
    expect(validate({ tree, other: tree })).toBe(true);
    expect(validate({ tree, other: wrong })).toBe(false);
    expect(await check(schema, { tree, other: tree })).toBe(true);
    expect(await check(schema, { tree: wrong, other: tree })).toBe(false);
  });

  it('does not overflow the stack when the data nests too deeply', async () => {
    let deep: Tree = { name: 'x', children: [] };
    for (let level = 0; level < 50_000; level++) deep = { name: 'x', children: [deep] };
    expect(await check(readSchema(zodTree), deep)).toBe(false);
  });
});

describe('a type that JSON Schema cannot express', () => {
  it.each<[string, () => SchemaSource, string, string]>([
    ['a date in Zod 4', () => z.object({ from: z.object({ day: z.date() }) }), 'from.day', 'ISO 8601'],
    ['a date in Zod 3', () => z3.object({ from: z3.object({ day: z3.date() }) }), 'from.day', 'ISO 8601'],
    [
      'a date in Valibot',
      () => toStandardJsonSchema(v.object({ from: v.object({ day: v.date() }) })),
      'from.day',
      'ISO 8601',
    ],
    ['a date in ArkType', () => type({ from: { day: 'Date' } }), 'from.day', 'ISO 8601'],
    ['a bigint in a list', () => z.object({ ids: z.array(z.bigint()) }), 'ids[]', 'integer'],
    ['a bigint in ArkType', () => type({ ids: 'bigint[]' }), 'ids[]', 'integer'],
    ['a bigint literal', () => z.object({ id: z.literal(1n) }), 'id', 'integer'],
    ['a bigint literal in Zod 3', () => z3.object({ id: z3.literal(1n) }), 'id', 'integer'],
    ['a map', () => z.object({ a: z.map(z.string(), z.string()) }), 'a', 'record'],
    ['a map in Zod 3', () => z3.object({ a: z3.map(z3.string(), z3.string()) }), 'a', 'record'],
    ['a set in a union', () => z.object({ a: z.union([z.string(), z.set(z.string())]) }), 'a', 'array'],
    ['a set in Zod 3', () => z3.object({ a: z3.set(z3.string()).optional() }), 'a', 'array'],
    ['a file', () => z.object({ a: z.file() }), 'a', 'base64'],
    ['a promise', () => z.object({ a: z.promise(z.string()) }), 'a', 'JSON'],
    ['a function', () => z3.object({ a: z3.function() }), 'a', 'JSON'],
    ['a symbol', () => z.object({ a: z.symbol() }), 'a', 'JSON'],
    ['undefined', () => z.object({ a: z.undefined() }), 'a', 'optional'],
    ['a custom check without a type', () => z.object({ a: z.custom(() => true) }), 'a', 'refine'],
    ['a custom check in Zod 3', () => z3.object({ a: z3.custom(() => true) }), 'a', 'refine'],
    ['an instance in Zod 3', () => z3.object({ a: z3.array(z3.instanceof(Date)) }), 'a[]', 'refine'],
    ['a literal undefined in Zod 3', () => z3.object({ a: z3.literal(undefined) }), 'a', 'optional'],
    ['a literal symbol in Zod 3', () => z3.object({ a: z3.literal(Symbol.for('x')) }), 'a', 'JSON'],
    ['an instance', () => z.object({ a: z.record(z.string(), z.instanceof(URL)) }), 'a{}', 'refine'],
  ])('is rejected with field and remedy: %s', (_what, source, field, remedy) => {
    let error: unknown;
    try {
      readSchema(source());
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(ErrInvalidSchema);
    expect((error as Error).message).toContain(`The field "${field}"`);
    expect((error as Error).message).toContain(remedy);
    expect((error as ErrInvalidSchema).details).toMatchObject({ field });
  });

  it.each<[string, SchemaSource]>([
    ['Zod 4', z.object({ a: z.string().transform(Number) })],
    ['Zod 3', z3.object({ a: z3.string().transform(Number) })],
    ['Valibot', toStandardJsonSchema(v.object({ a: v.pipe(v.string(), v.transform(Number)) }))],
  ])('may be the output of a transform in %s, but not the input', (_name, source) => {
    expect(properties(readSchema(source))['a']).toEqual({ type: 'string' });
    expect(() => readSchema(source, { side: 'output' })).toThrow('The field "a" has the type "transform"');
  });

  it('is rejected as a default, and the field is named', () => {
    const source = z.object({ limits: z.object({ max: z.any().default(1n) }) });
    expect(() => readSchema(source)).toThrow('"zod" cannot convert the field "limits.max" to JSON Schema');
  });

  it('does not include refinements, which are checked and not described', async () => {
    for (const source of [
      z.object({ a: z.string().refine((text) => text !== 'no') }),
      z3.object({ a: z3.string().refine((text) => text !== 'no') }),
      toStandardJsonSchema(
        v.object({
          a: v.pipe(
            v.string(),
            v.check((text) => text !== 'no'),
          ),
        }),
      ),
      type({ a: type('string').narrow((text) => text !== 'no') }),
    ]) {
      const schema = readSchema(source);
      expect(properties(schema)['a']).toEqual({ type: 'string' });
      expect(await check(schema, { a: 'yes' })).toBe(true);
      expect(await check(schema, { a: 'no' })).toBe(false);
    }
  });
});

describe('an invalid schema', () => {
  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['text', 'string'],
    ['a list', []],
    ['a list of schemas', [z.string()]],
    ['a class', URL],
  ])('is rejected: %s', (_what, source) => {
    expect(() => readSchema(source as SchemaSource)).toThrow(ErrInvalidSchema);
  });

  it('is a shape that mixes schema libraries', () => {
    expect(() => readSchema({ a: z.string(), b: z3.string() })).toThrow('at "b"');
    expect(() => readSchema({ a: z.string(), type: 'object' } as never)).toThrow('at "type"');
    expect(() => readSchema({ type: 'object', properties: { a: z.string() } })).toThrow('#/properties/a');
  });

  it('is a Valibot schema without its adapter, and the error names the adapter', () => {
    expect(() => readSchema(v.object({ a: v.string() }))).toThrow(ErrUnsupportedSchema);
    expect(() => readSchema(v.object({ a: v.string() }))).toThrow('toStandardJsonSchema');
  });

  it('is a library schema whose conversion fails, and the error contains its message', () => {
    const broken = {
      '~standard': {
        version: 1 as const,
        vendor: 'acme',
        validate: (value: unknown) => ({ value }),
        jsonSchema: {
          input: () => {
            throw new Error('no can do');
          },
          output: () => ({}),
        },
      },
    };
    expect(() => readSchema(broken)).toThrow('"acme" cannot convert this schema to JSON Schema: no can do');
    const external = {
      '~standard': { ...broken['~standard'], jsonSchema: { input: () => ({ $ref: 'https://x.example/' }) } },
    };
    expect(() => readSchema(external as SchemaSource)).toThrow(ErrExternalRef);
  });

  it('is not {}, the shape without fields', () => {
    const schema = readSchema({});
    expect(json(schema)['type']).toBe('object');
    expect([...schema.fields!.keys()]).toEqual([]);
    expect(schema.validate({})).toEqual({ ok: true, value: {} });
    expect(schema.validate('text')).toMatchObject({ ok: false });
  });

  it('is not a library that supports only draft-07', () => {
    const older = {
      '~standard': {
        version: 1 as const,
        vendor: 'acme',
        validate: (value: unknown) => ({ value }),
        jsonSchema: {
          input: ({ target }: { target: string }) => {
            if (target !== 'draft-07') throw new Error('unsupported target');
            return { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', required: ['a'] };
          },
        },
      },
    };
    expect(readSchema(older as SchemaSource).required).toEqual(['a']);
  });
});

describe('Zod 3', () => {
  it('before 3.24, without Standard Schema, works as well', async () => {
    const modern = z3.object({ a: z3.string().refine(async (text) => text === 'yes') });
    const old = {
      _def: modern._def,
      safeParse: modern.safeParse.bind(modern),
      safeParseAsync: modern.safeParseAsync.bind(modern),
    };
    const schema = readSchema(old as unknown as SchemaSource);
    expect(schema.required).toEqual(['a']);
    expect(await check(schema, { a: 'yes' })).toBe(true);
    expect(await schema.validate({ a: 'no' })).toMatchObject({ ok: false, issues: [{ path: ['a'] }] });
    const plain = z3.object({ a: z3.string() });
    const oldPlain = { _def: plain._def, safeParse: plain.safeParse.bind(plain) };
    expect(readSchema(oldPlain as unknown as SchemaSource).validate({ a: 1 })).toMatchObject({ ok: false });
  });

  it('requires fields with a default in the output', () => {
    const source = z3.object({ a: z3.string().default('x'), b: z3.string().optional() });
    expect(readSchema(source).required).toEqual([]);
    expect(readSchema(source, { side: 'output' }).required).toEqual(['a']);
  });

  it('is converted to 2020-12: tuples, pattern flags, unknown keys', () => {
    const schema = readSchema(
      z3.object({
        pair: z3.tuple([z3.string(), z3.number()]).rest(z3.boolean()),
        code: z3.string().regex(/^a\-b$/i),
        closed: z3.object({ x: z3.string() }).strict(),
      }),
    );
    expect(properties(schema)['pair']).toMatchObject({
      prefixItems: [{ type: 'string' }, { type: 'number' }],
      items: { type: 'boolean' },
    });
    const validate = new Ajv2020({ strict: false, unicodeRegExp: false }).compile(json(schema));
    const value = { pair: ['a', 1, true], code: 'A-B', closed: { x: 'y' } };
    expect(validate(value)).toBe(true);
    expect(validate({ ...value, extra: 1 })).toBe(true);
    expect(validate({ ...value, closed: { x: 'y', z: 1 } })).toBe(false);
    expect(validate({ ...value, pair: ['a', 1, 'no'] })).toBe(false);
  });
});

describe('JSON Schema', () => {
  it('is validated by the given validator [S002-28]', () => {
    const validate = vi.fn<(value: unknown) => { ok: true; value: unknown }>((value) => ({
      ok: true,
      value,
    }));
    const validator: SchemaValidator = {
      compile: () => validate,
      validateInput: () => ({ ok: true, value: undefined }),
      validateOutput: () => ({ ok: true, value: undefined }),
    };
    const schema = readSchema({ $schema: 'https://acme.example/dialect', $ref: 'elsewhere' }, { validator });
    expect(schema.validate('anything').valueOf()).toEqual({ ok: true, value: 'anything' });
    expect(validate).toHaveBeenCalledWith('anything');
  });

  it('has limits that can be changed', () => {
    const wide = { anyOf: Array.from({ length: 20 }, () => ({ type: 'string' })) };
    expect(() => readSchema(wide, { limits: { subschemas: 10 } })).toThrow(ErrInvalidSchema);
    expect(readSchema(wide).validate('x')).toEqual({ ok: true, value: 'x' });
  });
});

describe('names that every object inherits', () => {
  const names = ['constructor', 'toString', 'hasOwnProperty', 'valueOf'];

  it.each<[string, SchemaSource]>([
    ['Zod 4', z.object({ constructor: z.string(), toString: z.number().optional() })],
    ['Zod 3', z3.object({ constructor: z3.string(), toString: z3.number().optional() })],
    [
      'Valibot',
      toStandardJsonSchema(v.object({ constructor: v.string(), toString: v.optional(v.number()) })),
    ],
    ['ArkType', type({ constructor: 'string', 'toString?': 'number' })],
    [
      'JSON Schema',
      {
        type: 'object',
        properties: { constructor: { type: 'string' }, toString: { type: 'number' } },
        required: ['constructor'],
      },
    ],
  ])('are ordinary fields in %s', async (_name, source) => {
    const schema = readSchema(source);
    expect([...schema.fields!.keys()].toSorted()).toEqual(['constructor', 'toString']);
    expect(schema.required).toEqual(['constructor']);
    expect(await schema.validate({ constructor: 'x' })).toMatchObject({
      ok: true,
      value: { constructor: 'x' },
    });
    expect(await check(schema, { constructor: 'x', toString: 1 })).toBe(true);
    expect(await check(schema, { constructor: 'x', toString: 'y' })).toBe(false);
    expect(await check(schema, {})).toBe(false);
  });

  it.each<[string, () => SchemaSource, string]>([
    ['Zod 4', () => z.object({ a: z.object({ ['__proto__']: z.string().optional() }) }), 'a.__proto__'],
    ['Zod 3', () => z3.object({ a: z3.object({ ['__proto__']: z3.string().optional() }) }), 'a.__proto__'],
    [
      'Valibot',
      () => toStandardJsonSchema(v.object({ a: v.object({ ['__proto__']: v.optional(v.string()) }) })),
      'a.__proto__',
    ],
    ['ArkType', () => type({ a: type({ ['__proto__?']: 'string' }) }), '__proto__'],
    ['a raw shape', () => ({ ['__proto__']: z.string() }), '__proto__'],
  ])('are rejected if %s would lose the value: __proto__', (_name, source, field) => {
    expect(() => readSchema(source())).toThrow(`The field "${field}" would be lost.`);
  });

  it('may be __proto__ in JSON Schema', () => {
    const source = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"}},"required":["__proto__"],"additionalProperties":false}',
    ) as JsonSchemaObject;
    const schema = readSchema(source);
    expect(schema.required).toEqual(['__proto__']);
    expect(JSON.stringify(schema.jsonSchema)).toBe(JSON.stringify(source));
    const value: unknown = JSON.parse('{"__proto__":"x"}');
    expect(schema.validate(value)).toEqual({ ok: true, value });
    expect(schema.validate(JSON.parse('{"__proto__":1}'))).toMatchObject({
      ok: false,
      issues: [{ path: ['__proto__'] }],
    });
    expect(schema.validate({})).toMatchObject({ ok: false });
  });

  it('are not lost from maps: a schema whose library drops them is rejected', () => {
    for (const source of [
      z.object({ map: z.record(z.string(), z.number()) }),
      z3.object({ map: z3.record(z3.number()) }),
      toStandardJsonSchema(v.object({ map: v.record(v.string(), v.number()) })),
    ]) {
      const schema = readSchema(source);
      expect(schema.validate(JSON.parse('{"map":{"a":1,"__proto__":2}}'))).toEqual({
        ok: false,
        issues: [{ path: ['map', '__proto__'], message: 'is not an allowed name' }],
      });
      expect(schema.validate({ map: { a: 1 } })).toEqual({ ok: true, value: { map: { a: 1 } } });
    }
  });

  it('never pollute a prototype, for any input', () => {
    const schemas = [...Object.values(sources), z.record(z.string(), z.unknown()), z.looseObject({})].map(
      (source) => readSchema(source),
    );
    const key = fc.constantFrom('id', 'parent', '__proto__', ...names);
    fc.assert(
      fc.property(fc.dictionary(key, fc.oneof(fc.string(), fc.dictionary(key, fc.string()))), (data) => {
        const value: unknown = JSON.parse(JSON.stringify(data));
        for (const schema of schemas) void schema.validate(value);
        expect(Object.keys(Object.prototype)).toEqual([]);
        expect(({} as Record<string, unknown>)['id']).toBeUndefined();
        expect({}.toString()).toBe('[object Object]');
      }),
    );
  });
});

describe('types', () => {
  it('accept every kind of source', () => {
    expectTypeOf<z.ZodType>().toExtend<SchemaSource>();
    expectTypeOf<z3.ZodTypeAny>().toExtend<SchemaSource>();
    expectTypeOf(type({ a: 'string' })).toExtend<SchemaSource>();
    expectTypeOf<{ type: 'object' }>().toExtend<SchemaSource>();
    expectTypeOf<string>().not.toExtend<SchemaSource>();
  });
});

describe('details that do not help a model', () => {
  const described = (schema: z.ZodType) =>
    readSchema(z.object({ field: schema })).fields?.get('field')?.schema;

  it('are omitted: the range of safe integers, and the pattern of a named format', () => {
    expect(described(z.int())).toEqual({ type: 'integer' });
    expect(described(z.number().int().min(1))).toEqual({ type: 'integer', minimum: 1 });
    expect(described(z.int().max(50))).toEqual({ type: 'integer', maximum: 50 });
    for (const [format, schema] of Object.entries({
      email: z.email(),
      uuid: z.uuid(),
      date: z.iso.date(),
      ipv4: z.ipv4(),
      ipv6: z.ipv6(),
    }))
      expect(described(schema)).toEqual({ type: 'string', format });
    expect(described(z.email().max(20).describe('Work'))).toEqual({
      type: 'string',
      format: 'email',
      maxLength: 20,
      description: 'Work',
    });
  });

  it('do not include ranges and patterns of the author, nor patterns stricter than their format', () => {
    expect(described(z.int32())).toEqual({ type: 'integer', minimum: -2147483648, maximum: 2147483647 });
    expect(described(z.email({ pattern: /@acme\.com$/ }))).toMatchObject({ pattern: '@acme\\.com$' });
    expect(described(z.email().regex(/acme/))).toMatchObject({ allOf: [{}, { pattern: 'acme' }] });
    expect(described(z.uuidv4())).toHaveProperty('pattern');
    expect(described(z.iso.datetime())).toHaveProperty('pattern');
    const written = { type: 'object', properties: { field: { type: 'integer', maximum: 2 ** 53 - 1 } } };
    expect(readSchema(written).jsonSchema).toEqual(written);
  });

  it('are still validated', () => {
    const { validate } = readSchema(z.object({ n: z.int(), mail: z.email(), day: z.iso.date() }));
    const good = { n: 1, mail: 'ada@example.com', day: '2026-02-28' };
    expect(validate(good)).toMatchObject({ ok: true });
    for (const bad of [{ n: 2 ** 53 }, { n: 0.5 }, { mail: 'ada' }, { day: '2026-02-30' }])
      expect(validate({ ...good, ...bad })).toMatchObject({ ok: false });
  });
});

describe('a default that a function computes', () => {
  it.each([
    ['the time', () => new Date().toISOString(), z.string()],
    ['the date', () => new Date().toISOString().slice(0, 10), z.string()],
    ['milliseconds', () => Date.now(), z.number()],
    ['an id', () => crypto.randomUUID(), z.uuid()],
  ])('is applied, and not listed: %s', async (_, compute, type) => {
    for (const field of [
      (type as z.ZodString).default(compute as () => string),
      (type as z.ZodString).prefault(compute as () => string),
    ]) {
      const read = readSchema(z.object({ at: field, other: z.number().default(10) }));
      expect(properties(read)['at']).not.toHaveProperty('default');
      expect(properties(read)['other']).toHaveProperty('default', 10);
      const checked = await read.validate({});
      expect(checked.ok && checked.value).toHaveProperty('at');
    }
  });

  it('is listed if the function returns the same value for each call', () => {
    const read = readSchema(z.object({ size: z.number().default(() => 10) }));
    expect(properties(read)['size']).toHaveProperty('default', 10);
  });
});

describe('a format of Zod', () => {
  it.each([
    [z.iso.datetime(), { format: 'date-time', pattern: 'Z$' }],
    [z.iso.datetime({ offset: true }), { format: 'date-time' }],
    [z.iso.duration(), { format: 'duration' }],
    [z.email().optional(), { format: 'email' }],
  ])('is listed without the part of its pattern that the format already says: %#', (field, listed) => {
    expect(properties(readSchema(z.object({ at: field })))['at']).toEqual({ type: 'string', ...listed });
  });

  it('is listed with a pattern that says more than the format', () => {
    const local = readSchema(z.object({ at: z.iso.datetime({ local: true }) }));
    expect(properties(local)['at']).toHaveProperty('pattern', expect.stringContaining('(?::[0-5]'));
  });
});
