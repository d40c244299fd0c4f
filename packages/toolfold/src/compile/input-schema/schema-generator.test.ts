import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ErrFieldConflict, ErrInvalidTool } from '@toolfold/schema/errors';
import { DefaultValidator, readSchema } from '@toolfold/schema';
import type { JsonSchemaObject, SchemaSource } from '@toolfold/schema';
import { deepFreeze } from '@toolfold/schema/internal';
import { describeField } from './describe-field.js';
import { generateInputSchema } from './schema-generator.js';
import type { SchemaInput } from './schema-generator.js';

/** A tool whose actions have these input schemas. */
const tool = (
  actions: Readonly<Record<string, SchemaSource>>,
  options: { common?: SchemaSource; onConflict?: 'anyOf' | 'throw'; discriminator?: string } = {},
): SchemaInput => ({
  name: 'platform',
  discriminator: options.discriminator ?? 'action',
  actions: Object.entries(actions).map(([key, source]) => ({ key, input: readSchema(source) })),
  common: options.common && readSchema(options.common),
  onConflict: options.onConflict,
});

/** The generated schema, after checking that every client accepts it. */
function generate(...input: Parameters<typeof tool>): JsonSchemaObject {
  const schema = generateInputSchema(tool(...input));
  const ajv = new Ajv2020({ strict: false });
  expect(ajv.validateSchema(schema), JSON.stringify(ajv.errors)).toBe(true);
  ajv.compile(schema);
  expect(schema['type']).toBe('object');
  for (const keyword of ['allOf', 'anyOf', 'oneOf', 'not', 'if', '$ref']) {
    expect(Object.keys(schema)).not.toContain(keyword);
  }
  return schema;
}

const fieldsOf = (schema: JsonSchemaObject) => schema['properties'] as Record<string, JsonSchemaObject>;
const marks = (schema: JsonSchemaObject) =>
  Object.fromEntries(Object.entries(fieldsOf(schema)).map(([name, field]) => [name, field['description']]));
const accepts = (schema: JsonSchemaObject, value: unknown) =>
  new DefaultValidator().compile(schema)(value).ok;

describe('the schema of a grouped tool', () => {
  it('takes actions, the discriminator, whether there are groups, and the common schema [S000-44]', () => {
    const schema = generateInputSchema({
      name: 't',
      discriminator: 'op',
      hasGroup: true,
      common: readSchema(z.object({ workspace: z.string() })),
      actions: [{ key: 'users.list', input: readSchema(z.object({ limit: z.number().optional() })) }],
    });
    expect(Object.keys(schema['properties'] as object)).toEqual(['op', 'workspace', 'limit']);
  });

  it('is one object: the discriminator with all keys, then the fields [S000-45] [S001-07] [S001-13]', () => {
    const schema = generate({
      'users.list': z.object({ limit: z.number().optional() }),
      'users.create': z.object({ email: z.string() }),
      'users.ping': z.object({}),
    });
    expect(Object.keys(fieldsOf(schema))).toEqual(['action', 'limit', 'email']);
    expect(fieldsOf(schema)['action']).toMatchObject({
      type: 'string',
      enum: ['users.list', 'users.create', 'users.ping'],
    });
    expect(schema['required']).toEqual(['action']);
    expect(Object.keys(schema)).toEqual(['type', 'properties', 'required']);
  });

  it('uses a custom discriminator name', () => {
    const schema = generate({ list: { a: z.string() } }, { discriminator: 'operation' });
    expect(fieldsOf(schema)['operation']).toMatchObject({ enum: ['list'] });
    expect(schema['required']).toEqual(['operation']);
  });

  it('requires the common required fields for every action [S001-14]', () => {
    const schema = generate(
      { list: z.object({ limit: z.number() }), ping: z.object({}) },
      { common: z.object({ workspace: z.string(), trace: z.string().optional() }) },
    );
    expect(schema['required']).toEqual(['action', 'workspace']);
    expect(Object.keys(fieldsOf(schema))).toEqual(['action', 'workspace', 'trace', 'limit']);
    expect(accepts(schema, { action: 'ping', workspace: 'w' })).toBe(true);
    expect(accepts(schema, { action: 'ping' })).toBe(false);
    expect(accepts(schema, { action: 'pong', workspace: 'w' })).toBe(false);
  });

  it('works for actions without fields, without a schema, and for no action at all', () => {
    expect(Object.keys(fieldsOf(generate({ ping: {} })))).toEqual(['action']);
    expect(Object.keys(fieldsOf(generate({ any: z.unknown() })))).toEqual(['action']);
    expect(generateInputSchema(tool({}))).toMatchObject({ properties: { action: { enum: [] } } });
  });
});

describe('a field', () => {
  it('required by the common schema is marked (always required) [S000-49]', () => {
    const schema = generate({ list: {}, create: {} }, { common: z.object({ workspace: z.string() }) });
    expect(marks(schema)['workspace']).toBe('(always required)');
  });

  it('required by every action that has it is marked Required for [S000-50]', () => {
    const id = { id: z.string() };
    expect(marks(generate({ list: {}, create: id, update: id }))['id']).toBe('Required for: create, update');
  });

  it('required by some actions and optional in others is marked with both [S000-51]', () => {
    const schema = generate({
      create: { name: z.string() },
      update: { name: z.string().optional() },
      list: {},
    });
    expect(marks(schema)['name']).toBe('Required for: create. For: update');
  });

  it('optional in every action that has it is marked For [S000-52]', () => {
    const limit = { limit: z.number().default(10) };
    expect(marks(generate({ list: limit, search: limit, create: {} }))['limit']).toBe('For: list, search');
  });

  it('of the common schema counts as used by every action [S000-46]', () => {
    const schema = generate(
      { list: {}, create: { trace: z.string() }, delete: {} },
      { common: z.object({ verbose: z.boolean().optional(), trace: z.string().optional() }) },
    );
    expect(marks(schema)['verbose']).toBe('For: list, create, delete');
    expect(marks(schema)['trace'], 'and as required where an action says so').toBe(
      'Required for: create. For: list, delete',
    );
  });

  it('is marked with the actions that use it, in their order, and no others [S000-47]', () => {
    const schema = generate({
      a: { x: z.string(), y: z.string().optional() },
      b: { y: z.string() },
      c: { x: z.string(), y: z.string() },
    });
    expect(marks(schema)).toMatchObject({ x: 'Required for: a, c', y: 'Required for: b, c. For: a' });
  });

  it('keeps the text of its author, and the mark follows it [S000-53]', () => {
    const described = (text: string) =>
      marks(
        generate({ create: { a: z.string().describe(text) } }, { common: { b: z.string().describe(text) } }),
      );
    expect(described('Who it is')).toMatchObject({
      a: 'Who it is. Required for: create',
      b: 'Who it is (always required)',
    });
    expect(described('Who is it? ')['a']).toBe('Who is it? Required for: create');
    expect(described('  ')).toMatchObject({ a: 'Required for: create', b: '(always required)' });
  });
});

describe('a field that several actions declare', () => {
  it('has the definition and place of the first, and its description before the others [S000-48]', () => {
    const schema = generate({
      list: { first: z.string(), status: z.string().describe('To filter by').default('open') },
      update: { status: z.string().describe('To set'), first: z.string(), last: z.string() },
    });
    expect(Object.keys(fieldsOf(schema))).toEqual(['action', 'first', 'status', 'last']);
    expect(fieldsOf(schema)['status']).toEqual({
      type: 'string',
      description:
        'To filter by. In update: To set. Default in list: "open". Required for: update. For: list',
    });
  });

  it('lists incompatible shapes beside the first [S000-48]', () => {
    const schema = generate({
      get: { id: z.string().describe('Which') },
      list: { id: z.array(z.string()).describe('Which ones') },
      find: { id: z.string() },
    });
    expect(fieldsOf(schema)['id']).toEqual({
      description: 'Which. In list: Which ones. Required for: get, list, find',
      anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
    });
  });

  it('keeps each description with its actions, like market.from of the showcase', () => {
    const day = z.string().describe('Date such as 2026-03-01');
    const schema = generate({
      'prices.list': { from: day.optional(), amount: z.string().describe('-12.50 is money that goes out') },
      'rates.list': { from: day.optional() },
      'currencies.convert': {
        from: z.string().describe('Currency such as EUR'),
        amount: z.string().describe('How much to convert'),
      },
      'budgets.assign': { amount: z.string().describe('How much to assign') },
    });
    expect(marks(schema)).toMatchObject({
      from: 'Date such as 2026-03-01. In currencies.convert: Currency such as EUR. Required for: currencies.convert. For: prices.list, rates.list',
      amount:
        '-12.50 is money that goes out. In currencies.convert: How much to convert. In budgets.assign: How much to assign. ' +
        'Required for: prices.list, currencies.convert, budgets.assign',
    });
  });

  it('lists descriptions once that differ in case, articles, a period or a remark', () => {
    const named = (text: string) => ({ owner: z.string().describe(text) });
    const schema = generate({
      a: named('Repository owner'),
      b: named('The repository owner.'),
      c: named('Repository owner (user or organization)'),
      d: named('Repository owner (a team)'),
      e: { owner: z.string() },
    });
    expect(marks(schema)['owner']).toBe(
      'Repository owner (user or organization). In d: Repository owner (a team). Required for: a, b, c, d, e',
    );
  });

  it('lists a default only if every action has the same, and otherwise says it in words', () => {
    const position = z.int().describe('The lowest wins');
    const schema = generate({
      create: { position: position.default(100), memo: z.string().default(''), limit: z.int().default(50) },
      update: { position: position.optional(), memo: z.string().optional(), limit: z.int().default(50) },
      move: { position: position.default(1), memo: z.string().default('') },
    });
    expect(fieldsOf(schema)).toMatchObject({
      position: {
        description: 'The lowest wins. Default in create: 100. Default in move: 1. For: create, update, move',
      },
      memo: { description: 'Default in create, move: "". For: create, update, move' },
      limit: { default: 50, description: 'For: create, update' },
    });
    expect(fieldsOf(schema)['position']).not.toHaveProperty('default');
    expect(fieldsOf(schema)['memo']).not.toHaveProperty('default');
  });

  it('says for which actions it is deprecated or has examples, and omits long, empty and repeated ones', () => {
    const schema = generate({
      a: {
        old: z.string().meta({ deprecated: true, title: 'Old' }),
        day: z.string().meta({ examples: ['today', '2026-03-01'] }),
        said: z.int().describe('Rows, 20 by default').default(20),
        long: z.string().default('x'.repeat(100)),
        none: z.string().nullable().default(null),
      },
      b: { old: z.string(), day: z.string(), said: z.int(), long: z.string(), none: z.string().nullable() },
    });
    expect(fieldsOf(schema)['old']).not.toHaveProperty('title');
    expect(marks(schema)).toMatchObject({
      old: 'Deprecated in a. Required for: a, b',
      day: 'Examples in a: "today", "2026-03-01". Required for: a, b',
      said: 'Rows, 20 by default. Required for: b. For: a',
      long: 'Required for: b. For: a',
      none: 'Required for: b. For: a',
    });
  });

  it('states the default of the common schema without an action', () => {
    const schema = generate(
      { a: { limit: z.int().default(5) }, b: {} },
      { common: { limit: z.int().default(9) } },
    );
    expect(marks(schema)['limit']).toBe('Default: 9. Default in a: 5. For: a, b');
  });

  it('has one branch for text and one for null, with the description outside, like goals.due_on', () => {
    const day = z.iso.date().describe('Date such as 2026-03-01');
    const schema = generate({
      forecast: { due_on: z.iso.date().describe('Another day').optional() },
      create: { due_on: day.nullable().describe('Day of the goal; null for none').optional() },
      update: { category: z.string().min(1).describe('Its category').nullable() },
    });
    const due = fieldsOf(schema)['due_on']!;
    expect(due['description']).toBe(
      'Another day. In create: Day of the goal; null for none. Date such as 2026-03-01. For: forecast, create',
    );
    expect(due['anyOf']).toEqual([{ type: 'string', format: 'date' }, { type: 'null' }]);
    expect(fieldsOf(schema)['category']).toEqual({
      description: 'Its category. Required for: update',
      anyOf: [{ type: 'string', minLength: 1 }, { type: 'null' }],
    });
  });

  it('lists sentences once that several descriptions share, like reports.from', () => {
    const day = (text: string) => ({ from: z.string().describe(text).optional() });
    expect(
      marks(
        generate({
          spending: day('First day, such as 2026-03-01.'),
          cash_flow: day('The first day, such as 2026-03-01. Default: chosen by months.'),
          duplicates: day('First day. Default: 90 days ago.'),
        }),
      )['from'],
    ).toBe(
      'First day, such as 2026-03-01. In cash_flow: Default: chosen by months. In duplicates: First day. ' +
        'Default: 90 days ago. For: spending, cash_flow, duplicates',
    );
    expect(
      marks(generate({ a: day('Day. From 1.'), b: day('Day. From 0.'), c: day('Day') }))['from'],
      'a sentence of the first action only is listed with it',
    ).toBe('Day. In a: From 1. In b: From 0. For: a, b, c');
  });

  it('may have thousands of different descriptions', () => {
    const numbers = Array.from({ length: 3000 }, (_, index) => index);
    const text = describeField(
      numbers.map((number) => ({ type: 'string', description: `Text ${number}`, default: number })),
      numbers.map((number) => `action_${number}`),
      { type: 'string' },
    );
    expect(text.startsWith('Text 0. In action_1: Text 1. In action_2: Text 2.')).toBe(true);
    expect(text.endsWith('Default in action_2999: 2999')).toBe(true);
  });

  it('names the choices of an action if another action accepts any text', () => {
    const schema = generate({
      a: { sort: z.enum(['name', 'age']).describe('Order') },
      b: { sort: z.string().describe('Field to sort by') },
    });
    expect(fieldsOf(schema)['sort']).toEqual({
      type: 'string',
      description: 'Order. One of: name, age. In b: Field to sort by. Required for: a, b',
    });
  });

  it('merges enums', () => {
    const schema = generate({
      open: { state: z.enum(['open', 'draft']) },
      close: { state: z.enum(['closed', 'draft']) },
      drop: { state: z.literal('dropped') },
    });
    expect(fieldsOf(schema)['state']).toEqual({
      type: 'string',
      enum: ['open', 'draft', 'closed', 'dropped'],
      description: 'Required for: open, close, drop',
    });
  });

  it('widens an integer to a number', () => {
    const schema = generate({ a: { n: z.int() }, b: { n: z.number() } });
    expect(fieldsOf(schema)['n']).toEqual({ type: 'number', description: 'Required for: a, b' });
  });

  it('merges equal shapes through references as well, recursive or not', () => {
    const user = z.object({ id: z.string() }).meta({ id: 'Person' });
    const tree = z.object({
      name: z.string(),
      get children() {
        return z.array(tree);
      },
    });
    const schema = generate(
      { get: { user, tree, a: z.string() }, put: { b: z.number(), tree, user: user.optional() } },
      { onConflict: 'throw' },
    );
    expect(fieldsOf(schema)['user']).toEqual({
      $ref: '#/$defs/Person',
      description: 'Required for: get. For: put',
    });
    expect(Object.keys(schema['$defs'] as object)).toHaveLength(2);
  });

  it('may combine the shape of the common schema with one of the action', () => {
    const schema = generate(
      { a: { id: z.number() }, b: {} },
      { common: { id: z.string().describe('Which') } },
    );
    expect(fieldsOf(schema)['id']).toEqual({
      description: 'Which (always required)',
      anyOf: [{ type: 'string' }, { type: 'number' }],
    });
  });
});

describe('an action that accepts fields of any name', () => {
  it('is named with the rule for other fields, and does not loosen the fields of other actions', () => {
    const schema = generate({
      create: { name: z.string().describe('Its name') },
      raw: z.looseObject({}),
    });
    expect(fieldsOf(schema)['name']).toEqual({
      type: 'string',
      description: 'Its name. Required for: create',
    });
    expect(schema['additionalProperties']).toEqual({ description: 'Any other field. For: raw' });
    expect(accepts(schema, { action: 'raw', other: 5 })).toBe(true);

    const numbers = generate({ create: { name: z.string() }, raw: z.record(z.string(), z.number()) });
    expect(fieldsOf(numbers)['name']).toMatchObject({ type: 'string' });
    expect(numbers['additionalProperties']).toEqual({
      type: 'number',
      description: 'Any other field. For: raw',
    });
    expect(accepts(numbers, { action: 'raw', other: 5 })).toBe(true);
    expect(accepts(numbers, { action: 'raw', other: 'text' })).toBe(false);
    const both = generate({
      create: { name: z.string() },
      raw: z.record(z.string(), z.string().max(5)),
      import: z.record(z.string(), z.string()),
    });
    expect(both['additionalProperties']).toEqual({
      type: 'string',
      description: 'Any other field. For: raw, import',
    });
  });

  it('leaves the descriptions of common fields unchanged, and causes no conflict', () => {
    const schema = generate(
      { create: { name: z.string() }, raw: z.looseObject({}) },
      { common: { workspace: z.string() }, onConflict: 'throw' },
    );
    expect(fieldsOf(schema)['workspace']).toEqual({ type: 'string', description: '(always required)' });
  });

  it('is every action if the common schema accepts any field', () => {
    const schema = generate(
      { a: { x: z.string(), y: z.string() }, b: { x: z.string() } },
      { common: z.looseObject({}) },
    );
    expect(fieldsOf(schema)['x']).toMatchObject({ type: 'string' });
    expect(fieldsOf(schema)['y']).toMatchObject({ type: 'string' });
    expect(schema['additionalProperties']).toEqual({ description: 'Any other field' });
  });
});

describe("onConflict: 'throw'", () => {
  it('names the field, the actions and both shapes', () => {
    const conflict = () =>
      generate(
        { get: { id: z.string() }, list: { id: z.array(z.int().min(1).max(2)) } },
        { onConflict: 'throw' },
      );
    expect(conflict).toThrow(ErrFieldConflict);
    expect(conflict).toThrow(
      'The field "id" of tool "platform" has different shapes in get, list: {"type":"string"} and ' +
        '{"type":"array","items":{"type":"integer","minimum":1,"maximum":2}}.',
    );
    let error: unknown;
    try {
      conflict();
    } catch (thrown) {
      error = thrown;
    }
    expect((error as ErrFieldConflict).details).toMatchObject({
      field: 'id',
      actions: ['get', 'list'],
      shapes: [{ type: 'string' }, { type: 'array' }],
    });
  });

  it('accepts shapes that can be merged', () => {
    const schema = generate(
      {
        a: { s: z.enum(['x']), n: z.int(), t: z.string().describe('A') },
        b: { s: z.enum(['y']), n: z.number(), t: z.string().describe('B') },
      },
      { onConflict: 'throw' },
    );
    expect(JSON.stringify(schema)).not.toContain('anyOf');
  });

  it('is not the default', () => {
    expect(() => generate({ a: { x: z.string() }, b: { x: z.number() } })).not.toThrow();
  });
});

describe("a field with the discriminator's name", () => {
  it('is rejected in an action, with the name of the action', () => {
    const shadowed = () => generate({ list: {}, run: { action: z.string() } });
    expect(shadowed).toThrow(ErrInvalidTool);
    expect(shadowed).toThrow('Action "run" of tool "platform" has a field "action"');
    expect(() => generate({ run: { op: z.string() } }, { discriminator: 'op' })).toThrow('a field "op"');
  });

  it('is rejected in the common schema', () => {
    expect(() => generate({ list: {} }, { common: { action: z.string() } })).toThrow(
      'The common schema of tool "platform" has a field "action"',
    );
  });

  it('is rejected behind a composition', () => {
    const source = z.union([z.object({ a: z.string() }), z.object({ action: z.string() })]);
    expect(() => generate({ run: source })).toThrow(ErrInvalidTool);
  });
});

describe('definitions', () => {
  it('of a recursive Zod object resolve, below a field and at the root', () => {
    const tree = z.object({
      name: z.string(),
      get children() {
        return z.array(tree).optional();
      },
    });
    const schema = generate({ plant: z.object({ tree }), grow: tree });
    expect(accepts(schema, { action: 'plant', tree: { name: 'a', children: [{ name: 'b' }] } })).toBe(true);
    expect(accepts(schema, { action: 'plant', tree: { name: 'a', children: [{ name: 1 }] } })).toBe(false);
    expect(accepts(schema, { action: 'grow', name: 'a', children: [{ name: 'b', children: [] }] })).toBe(
      true,
    );
    expect(accepts(schema, { action: 'grow', name: 'a', children: [{ name: 1 }] })).toBe(false);
  });

  it('with an id keep it, and one id may have two meanings', () => {
    const one = z.object({ id: z.string() }).meta({ id: 'Thing' });
    const other: JsonSchemaObject = {
      type: 'object',
      properties: { other: { $ref: '#/$defs/Thing' } },
      $defs: { Thing: { type: 'number' } },
    };
    const schema = generate({ a: z.object({ one, list: z.array(one) }), b: other });
    expect(Object.keys(schema['$defs'] as object)).toEqual(['Thing', 'Thing_2']);
    expect(accepts(schema, { action: 'a', one: { id: 'x' }, list: [{ id: 'y' }], other: 1 })).toBe(true);
    expect(accepts(schema, { action: 'a', one: 1 })).toBe(false);
    expect(accepts(schema, { action: 'b', other: 'x' })).toBe(false);
  });

  it('of raw JSON Schema resolve: $defs, the root, anchors', () => {
    const schema = generate({
      a: {
        type: 'object',
        properties: {
          byName: { $ref: '#/$defs/name' },
          byAnchor: { $ref: '#short' },
          self: { $ref: '#' },
        },
        $defs: { name: { type: 'string' }, short: { $anchor: 'short', maxLength: 2 } },
      },
      b: { type: 'object', properties: { short: { $anchor: 'short', type: 'boolean' } } },
    });
    expect(
      accepts(schema, { action: 'a', byName: 'n', byAnchor: 'ab', self: { self: { byName: 'n' } } }),
    ).toBe(true);
    expect(accepts(schema, { action: 'a', byName: 1 })).toBe(false);
    expect(accepts(schema, { action: 'a', byAnchor: 'abc' })).toBe(false);
    expect(accepts(schema, { action: 'a', self: { self: { byName: 1 } } })).toBe(false);
    expect(accepts(schema, { action: 'b', short: 'x' })).toBe(false);
  });

  it('of draft-07 resolve, converted to 2020-12', () => {
    const schema = generate({
      old: {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        properties: { pair: { $ref: '#/definitions/pair' }, named: { $ref: '#named' } },
        definitions: {
          pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }] },
          named: { $id: '#named', type: 'string' },
        },
      },
      new: z.object({ pair: z.string() }),
    });
    expect(JSON.stringify(schema)).toContain('prefixItems');
    expect(accepts(schema, { action: 'old', pair: ['a', 1], named: 'x' })).toBe(true);
    expect(accepts(schema, { action: 'old', pair: [1, 'a'] })).toBe(false);
    expect(accepts(schema, { action: 'new', pair: 'text' })).toBe(true);
    expect(accepts(schema, { action: 'old', named: 1 })).toBe(false);
  });

  it('behind compositions at the root resolve', () => {
    const leaf = z.object({ v: z.number() }).meta({ id: 'Leaf' });
    const schema = generate({
      union: z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('one'), leaf }),
        z.object({ kind: z.literal('many'), leaf: z.array(leaf) }),
      ]),
      both: z.intersection(z.object({ leaf }), z.object({ extra: z.string() })),
    });
    expect(fieldsOf(schema)['kind']).toMatchObject({ anyOf: [{ const: 'one' }, { const: 'many' }] });
    expect(accepts(schema, { action: 'union', kind: 'many', leaf: [{ v: 1 }] })).toBe(true);
    expect(accepts(schema, { action: 'both', leaf: { v: 1 }, extra: 'x' })).toBe(true);
    expect(accepts(schema, { action: 'both', leaf: { v: 'x' } })).toBe(false);
  });
});

describe('names that every object inherits', () => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];

  it('are ordinary fields', () => {
    const source = JSON.parse(
      `{"type":"object","properties":{${names.map((name) => `"${name}":{"type":"string"}`).join()}},"required":["__proto__"]}`,
    ) as JsonSchemaObject;
    const schema = generate({
      a: source,
      b: z.object({ constructor: z.number(), toString: z.string().optional() }),
    });
    expect(Object.keys(fieldsOf(schema))).toEqual(['action', ...names]);
    expect(Object.getPrototypeOf(schema['properties'])).toBe(Object.prototype);
    expect(Object.entries(marks(schema)).map(([, mark]) => mark)).toEqual([
      'Which action to run',
      'Required for: a',
      'Required for: b. For: a',
      'For: a, b',
      'For: a',
    ]);
    expect(accepts(schema, JSON.parse('{"action":"a","__proto__":"x","constructor":"y"}'))).toBe(true);
    expect(accepts(schema, JSON.parse('{"action":"a","__proto__":1}'))).toBe(false);
    expect(accepts(schema, { action: 'b', constructor: 1 })).toBe(true);
    expect(accepts(schema, { action: 'b', constructor: true })).toBe(false);
  });

  it('may be actions and the discriminator', () => {
    const schema = generate({ constructor: {}, toString: { a: z.string() } }, { discriminator: '__proto__' });
    expect(JSON.stringify(schema)).toContain('"required":["__proto__"]');
    expect(accepts(schema, JSON.parse('{"__proto__":"toString","a":"x"}'))).toBe(true);
    expect(accepts(schema, JSON.parse('{"__proto__":"valueOf"}'))).toBe(false);
  });
});

it('is a pure function of the tool', () => {
  const source = {
    $defs: { a: { type: 'string' } },
    type: 'object',
    properties: { x: { $ref: '#/$defs/a' } },
  };
  const input = () => tool({ a: source, b: z.object({ x: z.number() }) }, { common: { w: z.string() } });
  const frozen = deepFreeze(input());
  const first = generateInputSchema(frozen);
  expect(generateInputSchema(frozen)).toEqual(first);
  expect(generateInputSchema(input())).toEqual(first);
});
