import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { JsonSchemaObject } from '@toolfold/schema';
import { writeSignature } from './signature.js';

const object = (properties: Record<string, unknown>, required: readonly string[] = [], more: object = {}) =>
  ({ type: 'object', properties, required, ...more }) as JsonSchemaObject;
/** The signature of a tool with one required argument. */
const ofType = (schema: unknown, more: object = {}): string =>
  writeSignature(object({ a: schema }, ['a'], more)).replace(/^\(a: (.*)\)$/s, '$1');

describe('a signature', () => {
  it('shows required arguments first, optional ones with a question mark, and defaults', () => {
    const schema = z.object({
      memo: z.string().optional(),
      account: z.string(),
      status: z.enum(['cleared', 'uncleared']).optional(),
      amount: z.number(),
      dry: z.boolean().default(false),
      limit: z.int().min(1).max(200).default(50),
      sort: z.enum(['new', 'old']).default('new'),
    });
    const json = z.toJSONSchema(schema, { io: 'input' }) as JsonSchemaObject;
    expect(writeSignature(json)).toBe(
      "(account: string, amount: number, memo?: string, status?: 'cleared'|'uncleared', dry=false, limit?: integer 1..200=50, sort?: 'new'|'old'='new')",
    );
  });

  it.each<[string, unknown, string]>([
    ['text', { type: 'string' }, 'string'],
    [
      'a known format',
      { type: 'string', format: 'date', pattern: '^long pattern that Zod adds to its formats$' },
      'date',
    ],
    ['an unknown format', { type: 'string', format: 'iban' }, 'string'],
    ['a short pattern', { type: 'string', pattern: '^[A-Z]{3}$' }, 'string /^[A-Z]{3}$/'],
    ['a long pattern', { type: 'string', pattern: 'x'.repeat(80) }, 'string…'],
    ['a pattern with an example', { type: 'string', pattern: '^x', examples: ['EUR'] }, "string e.g. 'EUR'"],
    [
      'a pattern with a described example',
      { type: 'string', pattern: '^x', description: 'Month such as 2026-03. Or not' },
      "string e.g. '2026-03'",
    ],
    ['an integer', { type: 'integer', minimum: 1, maximum: 2_147_483_647 }, 'integer'],
    ['a range', { type: 'number', minimum: 0, maximum: 1 }, 'number 0..1'],
    ['an upper limit', { type: 'integer', maximum: 20 }, 'integer<=20'],
    ['an exclusive limit', { type: 'number', exclusiveMinimum: 0 }, 'number>0'],
    ['a flag', { type: 'boolean' }, 'boolean'],
    ['a constant', { const: 'x' }, "'x'"],
    ['choices of several types', { enum: ['a', 1, true, null] }, "'a'|1|true|null"],
    ['choices with quotes', { enum: ["it's", 'a"b', 'c\nd'] }, '"it\'s"|"a\\"b"|"c\\nd"'],
    ['choices that are objects', { enum: ['a', { b: 1 }] }, "'a'|…"],
    ['no choice', { enum: [] }, 'never'],
    ['a list', { type: 'array', items: { type: 'string' } }, 'string[]'],
    ['a list of anything', { type: 'array' }, 'any[]'],
    ['a list of choices', { type: 'array', items: { enum: ['a', 'b'] } }, "('a'|'b')[]"],
    [
      'a list of ranges',
      { type: 'array', items: { type: 'integer', minimum: 0, maximum: 9 } },
      '(integer 0..9)[]',
    ],
    ['lists in a list', { type: 'array', items: { type: 'array', items: { type: 'number' } } }, 'number[][]'],
    ['a tuple', { type: 'array', prefixItems: [{ type: 'number' }] }, 'array…'],
    ['several types', { type: ['string', 'null'] }, 'string|null'],
    [
      'alternatives',
      { anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'string' }] },
      'string|integer',
    ],
    [
      'alternatives of an object',
      { type: 'object', properties: { x: {} }, oneOf: [{ required: ['x'] }] },
      '{x?: any, …}',
    ],
    [
      'a list of alternatives',
      { type: 'array', items: { oneOf: [{ type: 'string' }, { type: 'null' }] } },
      '(string|null)[]',
    ],
    ['one part', { allOf: [{ type: 'string' }] }, 'string'],
    ['several parts', { allOf: [{ type: 'string' }, { minLength: 2 }] }, '…'],
    ['a negation', { type: 'string', not: { const: 'x' } }, 'string…'],
    ['anything', {}, 'any'],
    ['true', true, 'any'],
    ['false', false, 'never'],
    ['an unknown type', { type: 'date' }, '…'],
    ['a free object', { type: 'object' }, 'object'],
    ['an empty object', { type: 'object', properties: {}, additionalProperties: false }, '{}'],
    ['a map', { type: 'object', additionalProperties: { type: 'number' } }, '{[name]: number}'],
    ['a map by pattern', { type: 'object', patternProperties: { '^x': {} } }, 'object…'],
    [
      'a short object',
      object({ x: { type: 'number' }, y: { type: 'string' } }, ['x']),
      '{x: number, y?: string}',
    ],
    [
      'a list of objects',
      { type: 'array', items: object({ x: { type: 'number' } }, ['x']) },
      '{x: number}[]',
    ],
    ['an object in an object', object({ x: object({ y: {} }, ['y']) }, ['x']), '{x: {y: any}}'],
    [
      'an object in an object if the signature does not fit otherwise',
      object({ x: object({ y: { enum: Array.from({ length: 20 }, (_, at) => `choice ${at}`) } }, ['y']) }, [
        'x',
      ]),
      '{x: object…}',
    ],
  ])('shows %s', (_, schema, expected) => {
    expect(ofType(schema)).toBe(expected);
  });

  it('follows references within the schema, also circular and broken ones', () => {
    const $defs = {
      id: { type: 'string', format: 'uuid' },
      alias: { $ref: '#/$defs/id' },
      loop: { $ref: '#/$defs/loop' },
      node: object({ name: { type: 'string' }, next: { $ref: '#/$defs/node' } }, ['name']),
      list: { type: 'array', items: { $ref: '#/$defs/list' } },
      'a/b~c d': { type: 'boolean' },
    };
    const follow = (ref: string): string => ofType({ $ref: ref }, { $defs });
    expect(follow('#/$defs/alias')).toBe('uuid');
    expect(follow('#/$defs/a~1b~0c%20d')).toBe('boolean');
    expect(follow('#/$defs/loop')).toBe('…');
    expect(follow('#/$defs/node')).toBe('{name: string, next?: object…}');
    expect(follow('#/$defs/list')).toMatch(/^…(\[\])+$/);
    for (const ref of ['#/$defs/none', 'https://example.com/x.json', '#/__proto__', '#/%'])
      expect(follow(ref)).toBe('…');
    const root = { $ref: '#/$defs/node', $defs } as unknown as JsonSchemaObject;
    expect(writeSignature(root)).toBe('(name: string, next?: {name: string, next?: object…})');
  });

  it('shows names that are no identifiers, and names of Object', () => {
    const properties = Object.fromEntries([
      ['__proto__', { type: 'string' }],
      ['constructor', { type: 'number' }],
      ['filter[status]', { type: 'string' }],
      ['größe', { type: 'integer' }],
    ]);
    expect(writeSignature(object(properties, ['__proto__']))).toBe(
      '(__proto__: string, constructor?: number, "filter[status]"?: string, größe?: integer)',
    );
    expect(writeSignature(object({}, ['toString']))).toBe('(toString: any)');
  });

  it('is empty for a tool without arguments, and has one rule for free names', () => {
    expect(writeSignature({ type: 'object', properties: {}, additionalProperties: false })).toBe('()');
    expect(writeSignature({ type: 'object' })).toBe('()');
    expect(writeSignature({ type: 'object', additionalProperties: true })).toBe('([name]: any)');
  });

  it('marks rules of the root that it does not show', () => {
    const either = { anyOf: [{ required: ['a'] }, { required: ['b'] }] };
    expect(writeSignature(object({ a: { type: 'string' }, b: { type: 'string' } }, [], either))).toBe(
      '(a?: string, b?: string, …)',
    );
    const kinds = ['x', 'y'].map((kind) => object({ kind: { const: kind } }, ['kind']));
    const union = { type: 'object', oneOf: kinds } as JsonSchemaObject;
    expect(writeSignature(union)).toBe("({kind: 'x'}|{kind: 'y'})");
    expect(writeSignature({ ...union, anyOf: [{ required: ['z'] }] })).toBe('(object…)');
    expect(writeSignature({ ...union, oneOf: [{ required: ['a'] }, { required: ['b'] }] })).toBe(
      '({a: any}|{b: any})',
    );
    expect(writeSignature(union, 20)).toBe('(…)');
  });

  it.each<[string, unknown, string]>([
    ['a reference', { $ref: '#/properties/b', enum: ['x'] }, '…'],
    ['its only part', { allOf: [{ type: 'string' }], not: { const: 'x' } }, '…'],
    ['choices', { enum: ['x', 'y'], not: { const: 'x' } }, '…'],
    ['alternatives', { anyOf: [{ type: 'string' }, { type: 'null' }], minLength: 4 }, '…'],
    ['no type', { minimum: 3 }, '…'],
    ['a text', { type: 'string', minLength: 10 }, 'string…'],
    ['a number', { type: 'number', multipleOf: 5 }, 'number…'],
    ['a list', { type: 'array', items: { type: 'string' }, minItems: 2 }, 'array…'],
    ['a free object', { type: 'object', minProperties: 1 }, 'object…'],
  ])('marks rules beside %s that it does not show', (_, schema, expected) => {
    expect(ofType(schema)).toBe(expected);
  });

  it('does not take a reference to an anchor for one to the whole schema', () => {
    expect(ofType({ $ref: '#anchor' })).toBe('…');
    expect(writeSignature({ $ref: '#/$defs/a', required: ['b'], $defs: { a: object({}) } })).toBe('(…)');
  });

  it('shows the type of required arguments that are not among the properties', () => {
    const more = { additionalProperties: { type: 'integer' } };
    expect(writeSignature(object({}, ['a'], more))).toBe('(a: integer, [name]: integer)');
    expect(writeSignature(object({}, ['a'], { additionalProperties: false }))).toBe('(a: never)');
    expect(writeSignature(object({}, ['a'], { ...more, patternProperties: { '^a': true } }))).toBe(
      '(a: any, [name]: integer, …)',
    );
  });

  it('leaves out types of optional arguments first, then their names, then required ones', () => {
    const text = { type: 'string' };
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`argument_${at}`, text]));
    expect(writeSignature(object({ id: text, ...many(3) }, ['id']), 60)).toBe(
      '(id: string, argument_0?: string, …argument_1, …argument_2)',
    );
    expect(writeSignature(object({ id: text, ...many(30) }, ['id']), 60)).toBe(
      '(id: string, …argument_0, …argument_1, …argument_2, …)',
    );
    const all = many(30);
    expect(writeSignature(object(all, Object.keys(all)), 60)).toBe(
      '(argument_0: string, argument_1: …, 28 more required…)',
    );
    expect(ofType({ enum: Array.from({ length: 99 }, (_, at) => `choice_${at}`) })).toMatch(
      /^'choice_0'\|.*\|…$/,
    );
  });
});

const names = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'id', 'a b', 'x…', "it's"),
  fc.string({ minLength: 1, maxLength: 40 }),
);
const scalars: fc.Arbitrary<unknown> = fc.constantFrom<unknown>(
  { type: 'string' },
  { type: 'integer', maximum: 9, default: 3 },
  { type: 'boolean', default: false },
  { enum: ['a', 'b'] },
  { anyOf: [{ type: 'string' }, { type: 'null' }] },
  { type: 'string', pattern: 'x'.repeat(99) },
  { $ref: '#/$defs/none' },
  true,
);
const schemas: fc.Arbitrary<JsonSchemaObject> = fc
  .uniqueArray(
    fc.tuple(
      names,
      fc.oneof(
        scalars,
        scalars.map((items) => ({ type: 'array', items })),
        fc
          .dictionary(names, scalars, { maxKeys: 4 })
          .map((fields) => object(fields, Object.keys(fields).slice(0, 1))),
      ),
      fc.boolean(),
    ),
    { selector: ([name]) => name, maxLength: 30 },
  )
  .map((fields) =>
    object(
      Object.fromEntries(fields.map(([name, schema]) => [name, schema])),
      fields.filter(([, , isRequired]) => isRequired).map(([name]) => name),
    ),
  );

/** A signature without the text in quotes. */
const unquoted = (signature: string): string => signature.replaceAll(/'[^']*'|"(?:[^"\\]|\\.)*"/g, '""');
const written = (name: string): string =>
  /^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(name) ? name : JSON.stringify(name);

describe('the signature of any schema', () => {
  it('is one short line, and marks every argument that it does not show', () => {
    fc.assert(
      fc.property(schemas, fc.integer({ min: 40, max: 400 }), (schema, maxLength) => {
        const signature = writeSignature(schema, maxLength);
        expect(signature.length).toBeLessThanOrEqual(maxLength);
        expect(signature).not.toMatch(/[\n\r]/);
        const properties = Object.keys(schema['properties'] as object);
        const required = schema['required'] as string[];
        const missing = Number(/(\d+) more required…\)$/.exec(signature)?.[1] ?? 0);
        const shown = required.filter((name) => signature.includes(`${written(name)}: `));
        expect(shown.length).toBeGreaterThanOrEqual(required.length - missing);
        if (unquoted(signature).includes('…')) return;
        // Nothing is marked, so everything is shown.
        for (const name of properties)
          expect(signature).toMatch(required.includes(name) ? `${written(name)}: ` : written(name));
        expect(JSON.stringify(schema)).not.toMatch(/\$ref|xxx/);
      }),
      { numRuns: 500 },
    );
  });

  it('is bounded for any JSON, however deep or wrong', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
        const schema = {
          type: 'object',
          properties: { a: value },
          required: value,
          anyOf: value,
        } as JsonSchemaObject;
        expect(writeSignature(schema).length).toBeLessThanOrEqual(200);
        if (typeof value === 'object' && value !== null && !Array.isArray(value))
          expect(writeSignature(value as JsonSchemaObject).length).toBeLessThanOrEqual(200);
      }),
      { numRuns: 500 },
    );
    let deep: unknown = { type: 'string' };
    for (let level = 0; level < 10_000; level++) deep = { anyOf: [deep, { type: 'array', items: deep }] };
    expect(ofType(deep)).toContain('…');
    const wide = Object.fromEntries(
      Array.from({ length: 100_000 }, (_, at) => [`f${at}`, { type: 'string' }]),
    );
    expect(writeSignature(object(wide)).length).toBeLessThanOrEqual(200);
    expect(writeSignature(object(wide, Object.keys(wide)))).toMatch(
      /9999\d more required…\)$|999\d\d more required…\)$/,
    );
  });
});
