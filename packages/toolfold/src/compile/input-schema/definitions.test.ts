import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { DefaultValidator, readSchema } from '@toolfold/schema';
import type { JsonSchema, JsonSchemaObject } from '@toolfold/schema';
import { Definitions } from './definitions.js';

const validator = new DefaultValidator();

/** One document with the field `value` of each of the others. */
function collect(...roots: readonly JsonSchemaObject[]): {
  fields: JsonSchema[];
  $defs: Readonly<Record<string, JsonSchema>>;
  accepts: (value: unknown, field?: number) => boolean;
} {
  const definitions = new Definitions();
  const fields = roots.map((root) =>
    definitions.from(root)((root['properties'] as Record<string, JsonSchema>)['value']!),
  );
  const document = (field: number) => ({
    properties: Object.fromEntries(fields.map((schema, index) => [`field${index}`, schema])),
    allOf: [{ properties: { value: fields[field]! } }],
    ...definitions.toKeyword(),
  });
  for (const index of fields.keys()) new Ajv2020({ strict: false }).compile(document(index));
  return {
    fields,
    $defs: definitions.toKeyword().$defs ?? {},
    accepts: (value, field = 0) => validator.compile(document(field))({ value }).ok,
  };
}

describe('a part of a schema', () => {
  it('without references is copied unchanged, and needs no definitions', () => {
    const root = readSchema(z.object({ value: z.object({ a: z.string().describe('A') }) })).jsonSchema;
    const definitions = new Definitions();
    const schema = (root['properties'] as Record<string, JsonSchema>)['value']!;
    expect(definitions.from(root)(schema)).toBe(schema);
    expect(definitions.toKeyword()).toEqual({});
  });

  it('includes the definitions that it refers to', () => {
    const { fields, $defs, accepts } = collect({
      properties: { value: { $ref: '#/$defs/User', description: 'Who' } },
      $defs: { User: { type: 'object', required: ['id'] }, Unused: { type: 'string' } },
    });
    expect(fields).toEqual([{ $ref: '#/$defs/User', description: 'Who' }]);
    expect($defs).toEqual({ User: { type: 'object', required: ['id'] } });
    expect(accepts({ id: 1 })).toBe(true);
    expect(accepts({})).toBe(false);
  });

  it('of a recursive Zod schema stays recursive', () => {
    const tree = z.object({
      value: z.string(),
      get children() {
        return z.array(tree).optional();
      },
    });
    const { $defs, accepts } = collect(readSchema(z.object({ value: tree })).jsonSchema);
    expect(Object.keys($defs)).toHaveLength(1);
    expect(accepts({ value: 'a', children: [{ value: 'b', children: [] }] })).toBe(true);
    expect(accepts({ value: 'a', children: [{ value: 'b', children: [{}] }] })).toBe(false);
  });

  it('may refer to the root of its document', () => {
    const { $defs, accepts } = collect({
      type: 'object',
      properties: { value: { $ref: '#' }, name: { type: 'string' } },
      required: ['name'],
      $schema: 'https://json-schema.org/draft/2020-12/schema',
    });
    expect(Object.keys($defs)).toEqual(['schema']);
    expect($defs['schema']).not.toHaveProperty('$schema');
    expect(accepts({ name: 'a', value: { name: 'b' } })).toBe(true);
    expect(accepts({ name: 'a', value: {} })).toBe(false);
  });

  it('may refer by anchor, to a place without keyword, and to true or false', () => {
    const { $defs, accepts } = collect({
      properties: {
        value: {
          properties: { a: { $ref: '#here' }, b: { $ref: '#/parts/0' }, c: { $ref: '#/$defs/No' } },
        },
      },
      $defs: { Named: { $anchor: 'here', type: 'string' }, No: false },
      parts: [{ type: 'number' }],
    });
    expect(accepts({ a: 'x', b: 1 })).toBe(true);
    expect(accepts({ a: 1 })).toBe(false);
    expect(accepts({ b: 'x' })).toBe(false);
    expect(accepts({ c: 'x' })).toBe(false);
    expect(Object.keys($defs)).toEqual(['Named', 'schema', 'schema_2']);
    expect($defs['Named']).toEqual({ type: 'string' });
  });

  it('keeps the keywords beside two references', () => {
    const { accepts } = collect({
      properties: {
        value: { $ref: '#/$defs/A', $dynamicRef: '#b', required: ['c'], allOf: [{ required: ['d'] }] },
      },
      $defs: { A: { required: ['a'] }, B: { $dynamicAnchor: 'b', required: ['b'] } },
    });
    expect(accepts({ a: 1, b: 1, c: 1, d: 1 })).toBe(true);
    expect(accepts({ b: 1, c: 1, d: 1 })).toBe(false);
    expect(accepts({ a: 1, c: 1, d: 1 })).toBe(false);
    expect(accepts({ a: 1, b: 1, d: 1 })).toBe(false);
    expect(accepts({ a: 1, b: 1, c: 1 })).toBe(false);
  });

  it('may have definitions with any name', () => {
    const { fields, accepts } = collect({
      properties: { value: { allOf: [{ $ref: '#/$defs/a~1b%20~0%25' }, { $ref: '#/$defs/__proto__' }] } },
      $defs: JSON.parse('{"a/b ~%":{"required":["a"]},"__proto__":{"required":["b"]}}') as JsonSchemaObject,
    });
    expect(fields).toEqual([{ allOf: [{ $ref: '#/$defs/a_b___' }, { $ref: '#/$defs/__proto__' }] }]);
    expect(accepts({ a: 1, b: 1 })).toBe(true);
    expect(accepts({ a: 1 })).toBe(false);
    expect(accepts({ b: 1 })).toBe(false);
  });

  it('keeps data that looks like a reference, and a keyword of any name', () => {
    const value = JSON.parse(
      '{"default":{"$ref":"#/nowhere"},"enum":[{"$id":"x"}],"__proto__":{"type":"string"},"allOf":[{"$ref":"#/$defs/Any"}]}',
    ) as JsonSchemaObject;
    const { fields } = collect({ properties: { value }, $defs: { Any: {} } });
    expect(JSON.stringify(fields[0])).toBe(JSON.stringify(value));
    expect(Object.getPrototypeOf(fields[0])).toBe(Object.prototype);
  });

  it('may depend on a chain of references longer than the stack', () => {
    const length = 1500;
    const entries = Array.from({ length }, (_, index) => [
      `d${index}`,
      index + 1 < length ? { properties: { next: { $ref: `#/$defs/d${index + 1}` } } } : { type: 'string' },
    ]);
    const root = { properties: { value: { $ref: '#/$defs/d0' } }, $defs: Object.fromEntries(entries) };
    const definitions = new Definitions();
    definitions.from(root)(root.properties.value);
    expect(Object.keys(definitions.toKeyword().$defs ?? {})).toHaveLength(length);
  });
});

describe('parts of several schemas', () => {
  const user = z.object({ id: z.string() }).meta({ id: 'SharedUser' });
  const tree = z.object({
    name: z.string(),
    get children() {
      return z.array(tree);
    },
  });

  it('share equal definitions, recursive or not', () => {
    const one = readSchema(z.object({ value: z.object({ user, tree }), other: z.string() })).jsonSchema;
    const two = readSchema(z.object({ flag: z.boolean(), value: z.object({ user, tree }) })).jsonSchema;
    const { fields, $defs } = collect(one, two);
    expect(fields[0]).toEqual(fields[1]);
    expect(Object.keys($defs)).toHaveLength(2);
  });

  it('share equal definitions with different names', () => {
    const { fields, $defs } = collect(
      {
        properties: { value: { $ref: '#/$defs/A' } },
        $defs: { A: { properties: { next: { $ref: '#/$defs/A' } } } },
      },
      {
        properties: { value: { $ref: '#/$defs/B' } },
        $defs: { B: { properties: { next: { $ref: '#/$defs/B' } } } },
      },
    );
    expect(fields).toEqual([{ $ref: '#/$defs/A' }, { $ref: '#/$defs/A' }]);
    expect($defs).toEqual({ A: { properties: { next: { $ref: '#/$defs/A' } } } });
  });

  it('keep different definitions with the same name separate', () => {
    const { fields, $defs, accepts } = collect(
      { properties: { value: { $ref: '#/$defs/User' } }, $defs: { User: { type: 'string' } } },
      { properties: { value: { $ref: '#/$defs/User' } }, $defs: { User: { type: 'number' } } },
    );
    expect(fields).toEqual([{ $ref: '#/$defs/User' }, { $ref: '#/$defs/User_2' }]);
    expect($defs).toEqual({ User: { type: 'string' }, User_2: { type: 'number' } });
    expect(accepts('x', 0)).toBe(true);
    expect(accepts('x', 1)).toBe(false);
  });

  it('keep definitions separate that differ only far behind references, or in the order of references', () => {
    const chain = (end: JsonSchema): JsonSchemaObject => ({
      properties: { value: { $ref: '#/$defs/a' } },
      $defs: { a: { items: { $ref: '#/$defs/b' } }, b: { items: { $ref: '#/$defs/c' } }, c: end },
    });
    const far = collect(chain({ type: 'string' }), chain({ type: 'number' }));
    expect(far.accepts([['x']], 0)).toBe(true);
    expect(far.accepts([['x']], 1)).toBe(false);

    const pair = (left: string, right: string): JsonSchemaObject => ({
      properties: { value: { $ref: '#/$defs/pair' } },
      $defs: {
        pair: { properties: { [left]: { $ref: '#/$defs/text' }, [right]: { $ref: '#/$defs/number' } } },
        text: { type: 'string' },
        number: { type: 'number' },
      },
    });
    const swapped = collect(pair('a', 'b'), pair('b', 'a'));
    expect(swapped.accepts({ a: 'x', b: 1 }, 0)).toBe(true);
    expect(swapped.accepts({ a: 'x', b: 1 }, 1)).toBe(false);
  });

  it('may all carry the same identifiers', () => {
    const root = {
      properties: { value: { $id: 'https://acme.example/x', $anchor: 'here', type: 'string' } },
    };
    const { fields } = collect(root, { ...root, title: 'Another' });
    expect(fields).toEqual([{ type: 'string' }, { type: 'string' }]);
  });
});

describe('a part of a draft-07 schema', () => {
  const $schema = 'http://json-schema.org/draft-07/schema#';

  it('has the same meaning in 2020-12', () => {
    const value = {
      properties: {
        tuple: { items: [{ type: 'string' }], additionalItems: { type: 'number' } },
        list: { items: { type: 'string' }, additionalItems: false },
        open: { additionalItems: false },
      },
      dependencies: { a: ['b'], c: { required: ['d'] } },
    };
    const { fields, accepts } = collect({ $schema, properties: { value } });
    expect(fields).toEqual([
      {
        properties: {
          tuple: { prefixItems: [{ type: 'string' }], items: { type: 'number' } },
          list: { items: { type: 'string' } },
          open: {},
        },
        dependentRequired: { a: ['b'] },
        dependentSchemas: { c: { required: ['d'] } },
      },
    ]);
    expect(accepts({ tuple: ['x', 1], list: ['a', 'b'], open: [1], a: 1, b: 1 })).toBe(true);
    expect(accepts({ tuple: ['x', 'y'] })).toBe(false);
    expect(accepts({ a: 1 })).toBe(false);
    expect(accepts({ c: 1 })).toBe(false);
  });

  it('keeps only annotations beside a reference', () => {
    const { fields, $defs } = collect({
      $schema,
      properties: { value: { $ref: '#/definitions/id', description: 'Which', maxLength: 1, items: [true] } },
      definitions: { id: { $id: '#id', type: 'string' } },
    });
    expect(fields).toEqual([{ $ref: '#/$defs/id', description: 'Which' }]);
    expect($defs).toEqual({ id: { type: 'string' } });
  });

  it('gets no keywords that draft-07 does not know', () => {
    const value = {
      prefixItems: [false],
      unevaluatedProperties: false,
      dependentRequired: { a: ['b'] },
      'x-own': 1,
    };
    expect(collect({ $schema, properties: { value } }).fields).toEqual([{ 'x-own': 1 }]);
  });
});
