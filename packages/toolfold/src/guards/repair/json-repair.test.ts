import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { JsonSchemaObject, SchemaSource } from '@toolfold/schema';
import { readSchema } from '@toolfold/schema';
import { planRepairs, repairJson } from './json-repair.js';
import { textOf } from '../../../../../test/calls.js';
import { GroupedToolBuilder } from '../../build/grouped-tool-builder.js';

const planFor = (...sources: readonly SchemaSource[]) =>
  planRepairs(sources.map((source) => readSchema(source)));

const repairable = (...sources: readonly SchemaSource[]) =>
  [...(planFor(...sources)?.parts.fields ?? [])].filter(([, { isNested }]) => isNested).map(([name]) => name);

const tree = z.object({
  get children() {
    return z.array(tree);
  },
});

describe('a field', () => {
  it.each<[string, SchemaSource]>([
    ['an object', { field: z.object({ a: z.string() }) }],
    ['a list', { field: z.array(z.string()) }],
    ['a record', { field: z.record(z.string(), z.string()) }],
    ['an optional object', { field: z.object({}).optional() }],
    ['an object or null', { field: z.object({}).nullable() }],
    ['an object with a default', { field: z.object({}).default({}) }],
    [
      'one of several objects',
      { field: z.discriminatedUnion('t', [z.object({ t: z.literal(1) }), z.object({ t: z.literal(2) })]) },
    ],
    ['an object or a number', { field: z.union([z.object({}), z.number()]) }],
    ['a recursive object', { field: tree }],
    ['a list of types', { type: 'object', properties: { field: { type: ['object', 'array', 'null'] } } }],
    [
      'several parts, of which one is an object',
      { type: 'object', properties: { field: { allOf: [{ required: ['a'] }, { type: 'object' }] } } },
    ],
    ['one of several values', { type: 'object', properties: { field: { enum: [{ a: 1 }, null] } } }],
    ['one value', { type: 'object', properties: { field: { const: [1] } } }],
    [
      'a chain of references',
      {
        type: 'object',
        properties: { field: { $ref: '#/$defs/a' } },
        $defs: { a: { $ref: '#/$defs/b' }, b: { type: 'object' } },
      },
    ],
  ])('can be repaired if it accepts %s', (_what, source) => {
    expect(repairable(source)).toEqual(['field']);
  });

  it.each<[string, SchemaSource]>([
    ['text', { field: z.string() }],
    ['text or an object', { field: z.union([z.string(), z.object({})]) }],
    ['text or null', { field: z.string().nullable() }],
    ['anything', { field: z.unknown() }],
    ['one of several words', { field: z.enum(['[', '{}']) }],
    ['a number', { field: z.number() }],
    ['nothing', { field: z.null() }],
    ['true', { type: 'object', properties: { field: true } }],
    ['false', { type: 'object', properties: { field: false } }],
    [
      'any value, with a required key for objects',
      { type: 'object', properties: { field: { required: ['a'] } } },
    ],
    ['text in a list of types', { type: 'object', properties: { field: { type: ['string', 'object'] } } }],
    [
      'text or an object by reference',
      {
        type: 'object',
        properties: { field: { $ref: '#/$defs/a' } },
        $defs: { a: { anyOf: [{ type: 'object' }, {}] } },
      },
    ],
    ['text among values', { type: 'object', properties: { field: { enum: [{ a: 1 }, '{"a":1}'] } } }],
  ])('cannot be repaired if it accepts %s', (_what, source) => {
    expect(repairable(source)).toEqual([]);
  });

  it('may belong to the common schema or to the action', () => {
    expect(repairable({ a: z.object({}), b: z.string() }, { c: z.array(z.string()), d: z.string() })).toEqual(
      ['a', 'c'],
    );
    expect(repairable(z.unknown())).toEqual([]);
  });

  it('is repaired only if all branches of its action allow it', () => {
    const branches = [z.object({ field: z.object({}) }), z.object({ field: z.string() })] as const;
    expect(repairable(z.union(branches))).toEqual([]);
    expect(repairable(z.union([branches[0], z.object({ field: z.array(z.string()) })]))).toEqual(['field']);
  });
});

describe('arguments', () => {
  const fields = planFor({
    filter: z.record(z.string(), z.unknown()),
    list: z.array(z.unknown()),
    text: z.string(),
    n: z.number(),
  });

  it('are parsed where the schema does not accept text, and the repaired names are returned', () => {
    const input = Object.freeze({ filter: '{"a":{"b":[1]}}', list: ' [1, 2]\n', text: '{"a":1}', n: 1 });
    expect(repairJson(input, fields)).toEqual({
      input: { filter: { a: { b: [1] } }, list: [1, 2], text: '{"a":1}', n: 1 },
      repairs: ['filter', 'list'],
    });
    expect(input.filter).toBe('{"a":{"b":[1]}}');
  });

  it('are the same object if nothing needs repair', () => {
    for (const input of [{}, { filter: { a: 1 } }, { text: '{"a":1}' }, { list: [] }]) {
      const result = repairJson(input, fields);
      expect(result.input).toBe(input);
      expect(result.repairs).toEqual([]);
    }
  });

  it.each(['', 'a', '{', '[1,]', "{'a':1}", '{"a":1} and more', '5', 'true', 'null', '"{}"', 'undefined'])(
    'are unchanged if the text is neither an object nor a list: %j',
    (text) => {
      const input = { filter: text, list: '[1]' };
      expect(repairJson(input, fields)).toEqual({ input: { filter: text, list: [1] }, repairs: ['list'] });
    },
  );

  it('may have names that every object inherits', () => {
    const source = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"object"},"toString":{"type":"array"}}}',
    ) as JsonSchemaObject;
    const names = planFor(source);
    expect([...(names?.parts.fields.keys() ?? [])]).toEqual(['__proto__', 'toString']);
    const none = {};
    expect(repairJson(none, names).input).toBe(none);
    const { input, repairs } = repairJson(
      JSON.parse('{"__proto__":"{\\"polluted\\":1}","toString":"[1]"}') as Record<string, unknown>,
      names,
    );
    expect(JSON.stringify(input)).toBe('{"__proto__":{"polluted":1},"toString":[1]}');
    expect(Object.getPrototypeOf(input)).toBe(Object.prototype);
    expect(repairs).toEqual(['__proto__', 'toString']);
  });

  it('are repaired to the original value, and text fields are never changed', () => {
    const value = fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue()));
    fc.assert(
      fc.property(
        value,
        fc.oneof(
          fc.string(),
          value.map((each) => JSON.stringify(each)),
        ),
        (nested, text) => {
          const { input } = repairJson({ filter: JSON.stringify(nested), text }, fields);
          expect(input).toEqual({ filter: JSON.parse(JSON.stringify(nested)) as unknown, text });
        },
      ),
    );
  });

  it('are repaired at any depth, and the paths are returned', () => {
    const plan = planFor({
      f: z.object({ tags: z.array(z.string()), note: z.string() }),
      rows: z.array(z.object({ filter: z.object({ ids: z.array(z.number()) }).nullable() })).optional(),
    });
    const input = Object.freeze({
      f: { tags: '["a"]', note: '["stays"]' },
      rows: [{ filter: { ids: [1] } }, { filter: '{"ids":"[2]"}' }, { filter: null }],
    });
    expect(repairJson(input, plan)).toEqual({
      input: {
        f: { tags: ['a'], note: '["stays"]' },
        rows: [{ filter: { ids: [1] } }, { filter: { ids: [2] } }, { filter: null }],
      },
      repairs: ['f.tags', 'rows.1.filter', 'rows.1.filter.ids'],
    });
    expect(repairJson({ f: '{"tags":"[]","note":""}' }, plan)).toEqual({
      input: { f: { tags: [], note: '' } },
      repairs: ['f', 'f.tags'],
    });
  });

  it('are repaired below a chain of references that is longer than the call stack', () => {
    const length = 4_900;
    const node = (at: number) => ({ type: 'object', properties: { next: { $ref: `#/$defs/d${at}` } } });
    const plan = planFor({
      type: 'object',
      properties: { first: { $ref: '#/$defs/d0' } },
      $defs: Object.fromEntries(
        Array.from({ length }, (_, at) => [`d${at}`, node(Math.min(at + 1, length - 1))]),
      ),
    });
    expect(repairJson({ first: { next: '{"next":{}}' } }, plan)).toEqual({
      input: { first: { next: { next: {} } } },
      repairs: ['first.next'],
    });
  });

  it(
    'are repaired below thousands of references to one schema, whose plans would take gigabytes one by one',
    { timeout: 5_000 },
    () => {
      const names = Array.from({ length: 3_000 }, (_, at) => `p${at}`);
      for (const extra of [{}, { minProperties: 0 }]) {
        const schema = () => ({ $ref: '#/$defs/D', ...extra });
        const properties = Object.fromEntries(names.map((name) => [name, schema()]));
        const plan = planFor({
          type: 'object',
          properties: { a: schema() },
          $defs: { D: { type: 'object', properties } },
        });
        expect(repairJson({ a: { p0: '{}' } }, plan).repairs).toEqual(['a.p0']);
      }
    },
  );

  it('are repaired in a recursive schema that also accepts text', () => {
    const plan = planFor({
      type: 'object',
      properties: { node: { $ref: '#/$defs/node' } },
      $defs: {
        node: {
          anyOf: [
            { type: 'string' },
            {
              type: 'object',
              properties: { child: { $ref: '#/$defs/node' }, data: { type: 'object' } },
            },
          ],
        },
      },
    });
    expect(repairJson({ node: { child: { data: '{}' } } }, plan)).toEqual({
      input: { node: { child: { data: {} } } },
      repairs: ['node.child.data'],
    });
  });

  it('are repaired in recursive schemas, down to a bounded depth', () => {
    const plan = planFor({ root: tree });
    expect(repairJson({ root: { children: [{ children: '[{"children":"[]"}]' }] } }, plan)).toEqual({
      input: { root: { children: [{ children: [{ children: [] }] }] } },
      repairs: ['root.children.0.children', 'root.children.0.children.0.children'],
    });
    let deep: unknown = { children: '[]' };
    for (let depth = 0; depth < 20_000; depth++) deep = { children: [deep] };
    expect(repairJson({ root: deep }, plan).repairs).toEqual([]);
  });

  it('are repaired in records and tuples', async () => {
    const builder = new GroupedToolBuilder('b').action({
      name: 'a',
      inputSchema: {
        r: z.record(z.string(), z.object({ n: z.number() })),
        t: z.tuple([z.array(z.number()), z.string()]),
      },
      handler: ({ input, context }) => ({ input, repairs: context.repairs }),
    });
    const result = await builder.execute({ action: 'a', r: { k: '{"n":1}' }, t: ['[1]', '[2]'] });
    expect(JSON.parse(textOf(result))).toEqual({
      input: { r: { k: { n: 1 } }, t: [[1], '[2]'] },
      repairs: ['r.k', 't.0'],
    });
  });
});

describe('JSON text that exceeds the limits of a request', () => {
  const plan = planFor({
    type: 'object',
    properties: { a: { $ref: '#/$defs/list' }, rows: { type: 'array', items: { $ref: '#/$defs/list' } } },
    $defs: { list: { type: 'array', items: { $ref: '#/$defs/list' } } },
  });
  const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
  const list = (count: number): string => `[${Array(count).fill('[]').join(',')}]`;
  const isRepaired = (input: Record<string, unknown>): boolean => repairJson(input, plan).repairs.length > 0;

  it('stays text if it is nested too deep, even by hundreds of thousands of levels', () => {
    expect(isRepaired({ a: nested(99) })).toBe(true);
    for (const levels of [100, 400_000]) expect(isRepaired({ a: nested(levels) })).toBe(false);
    // The arguments around the text count as well.
    expect(isRepaired({ a: [[[[nested(95)]]]] })).toBe(true);
    expect(isRepaired({ a: [[[[nested(96)]]]] })).toBe(false);
  });

  it('stays text if it has too many values, alone or together with other arguments', () => {
    expect(isRepaired({ a: list(19_900) })).toBe(true);
    expect(isRepaired({ a: list(20_000) })).toBe(false);
    const { repairs } = repairJson({ rows: Array.from({ length: 50 }, () => list(1_000)) }, plan);
    expect(repairs).toHaveLength(19);
    expect(isRepaired({ a: list(100), rows: Array.from({ length: 19_950 }, () => null) })).toBe(false);
  });

  it('is no longer searched for after a hundred texts that are not JSON', () => {
    const rows = Array.from({ length: 200 }, (_, index) => (index === 10 || index === 150 ? '[]' : '[x'));
    expect(repairJson({ rows }, plan).repairs).toEqual(['rows.10']);
  });
});
