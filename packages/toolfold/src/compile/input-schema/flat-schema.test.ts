import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { DefaultValidator, readSchema } from '@toolfold/schema';
import type { JsonSchemaObject, SchemaSource, SchemaValidator } from '@toolfold/schema';
import { deepFreeze } from '@toolfold/schema/internal';
import { generateFlatSchema } from './flat-schema.js';

/** The schema of a flat tool, after checking that every client accepts it. */
function flatten(action: SchemaSource, common?: SchemaSource): JsonSchemaObject {
  const schema = generateFlatSchema(readSchema(action), { common: common && readSchema(common) });
  const ajv = new Ajv2020({ strict: false });
  expect(ajv.validateSchema(schema), JSON.stringify(ajv.errors)).toBe(true);
  ajv.compile(schema);
  expect(schema['type']).toBe('object');
  for (const keyword of ['allOf', 'anyOf', 'oneOf', 'not', 'if', '$ref', '$schema']) {
    expect(Object.keys(schema)).not.toContain(keyword);
  }
  return schema;
}

const accepts = (schema: JsonSchemaObject, value: unknown) =>
  new DefaultValidator().compile(schema)(value).ok;

describe('the schema of a flat tool', () => {
  it('is the unchanged schema of its action, without the dialect', () => {
    const source = z.strictObject({ id: z.string().describe('Which'), limit: z.number().default(10) });
    const { $schema: _, ...own } = readSchema(source).jsonSchema;
    expect(flatten(source)).toEqual(own);
    expect(flatten(source)).toMatchObject({ additionalProperties: false });
  });

  it('keeps the rules of plain JSON Schema, references included', () => {
    const source = {
      type: 'object',
      properties: { next: { $ref: '#' }, id: { $ref: '#/$defs/id' } },
      patternProperties: { '^x-': true },
      additionalProperties: false,
      minProperties: 1,
      $defs: { id: { type: 'string' } },
    };
    expect(flatten(source)).toEqual(source);
  });

  it('includes the dialect if only the validator of the author knows it', () => {
    const source = {
      $schema: 'https://acme.example/dialect',
      type: 'object',
      properties: { a: { odd: true } },
    };
    const validator = {
      compile: () => (value: unknown) => ({ ok: true, value }),
    } as unknown as SchemaValidator;
    expect(generateFlatSchema(readSchema(source, { validator }))).toEqual(source);
  });

  it('has the common fields first, then the fields of the action', () => {
    const schema = flatten(
      { id: z.string(), limit: z.number().optional() },
      { workspace: z.string().describe('Where'), verbose: z.boolean().optional() },
    );
    expect(schema).toEqual({
      type: 'object',
      properties: {
        workspace: { type: 'string', description: 'Where' },
        verbose: { type: 'boolean' },
        id: { type: 'string' },
        limit: { type: 'number' },
      },
      required: ['workspace', 'id'],
    });
  });

  it('is not closed if that would exclude fields of the other part', () => {
    const schema = flatten(z.strictObject({ id: z.string() }), z.strictObject({ workspace: z.string() }));
    expect(accepts(schema, { id: 'x', workspace: 'w' })).toBe(true);
    expect(schema).not.toHaveProperty('additionalProperties');
  });

  it('uses the field of the action if the common schema has it too', () => {
    const schema = flatten({ id: z.string().max(3) }, { id: z.string() });
    expect(schema).toMatchObject({ properties: { id: { maxLength: 3 } }, required: ['id'] });
  });

  it.each<[string, SchemaSource]>([
    ['union', z.union([z.object({ id: z.string() }), z.object({ id: z.number(), name: z.string() })])],
    [
      'choice',
      z.discriminatedUnion('id', [
        z.object({ id: z.literal('a') }),
        z.object({ id: z.literal('b'), name: z.string() }),
      ]),
    ],
    [
      'intersection',
      { allOf: [{ properties: { id: true }, required: ['id'] }, { properties: { name: true } }] },
    ],
    [
      'reference',
      { $ref: '#/$defs/a', $defs: { a: { properties: { id: true, name: true }, required: ['id'] } } },
    ],
  ])('lists the fields of a %s', (_what, source) => {
    const schema = flatten(source);
    expect(Object.keys(schema['properties'] as object)).toEqual(['id', 'name']);
    expect(schema['required']).toEqual(['id']);
  });

  it('has type object even if the action omits it', () => {
    expect(flatten({ properties: { a: { type: 'string' } }, minProperties: 1 })).toEqual({
      type: 'object',
      properties: { a: { type: 'string' } },
      minProperties: 1,
    });
    expect(flatten(z.unknown())).toEqual({ type: 'object', properties: {} });
    const loop = flatten({ properties: { next: { $ref: '#' } } });
    expect(accepts(loop, { next: 'not an object, but accepted by the author' })).toBe(true);
  });

  it('keeps every rule of a draft-07 schema', () => {
    const schema = flatten({
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: { pair: { items: [{ $ref: '#/definitions/name' }] } },
      patternProperties: { '^x-': { $ref: '#/definitions/name' } },
      additionalProperties: { $ref: '#/definitions/tree' },
      dependencies: { pair: ['other'] },
      definitions: {
        name: { type: 'string' },
        tree: { type: 'object', additionalProperties: { $ref: '#/definitions/tree' } },
      },
    });
    expect(accepts(schema, { pair: ['a'], other: {}, 'x-y': 'z' })).toBe(true);
    expect(accepts(schema, { pair: ['a'] })).toBe(false);
    expect(accepts(schema, { 'x-y': 1 })).toBe(false);
    expect(accepts(schema, { other: { a: { b: {} } } })).toBe(true);
    expect(accepts(schema, { other: { a: { b: 1 } } })).toBe(false);
  });

  it('of a recursive object stays recursive beside common fields', () => {
    const tree = z.object({
      name: z.string(),
      get children() {
        return z.array(tree).optional();
      },
    });
    const schema = flatten(tree, { workspace: z.string() });
    expect(accepts(schema, { workspace: 'w', name: 'a', children: [{ name: 'b' }] })).toBe(true);
    expect(accepts(schema, { workspace: 'w', name: 'a', children: [{ name: 1 }] })).toBe(false);
    expect(accepts(schema, { name: 'a' })).toBe(false);
  });

  it('may have fields with names that every object inherits', () => {
    const source = JSON.parse(
      '{"allOf":[{"properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}]}',
    ) as JsonSchemaObject;
    const schema = flatten(source, { toString: z.string().optional() });
    expect(Object.keys(schema['properties'] as object)).toEqual(['toString', '__proto__', 'constructor']);
    expect(accepts(schema, JSON.parse('{"__proto__":1}'))).toBe(false);
    expect(accepts(schema, {})).toBe(true);
  });

  it('is a pure function of the action and the common schema', () => {
    const action = deepFreeze(readSchema(z.object({ id: z.string() }).or(z.object({ name: z.string() }))));
    const common = deepFreeze(readSchema({ workspace: z.string() }));
    expect(generateFlatSchema(action, { common })).toEqual(generateFlatSchema(action, { common }));
  });
});
