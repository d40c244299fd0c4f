// Requests designed to slow down reading, repairing and validating arguments.
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import * as z from 'zod';
import { z as z3 } from 'zod/v3';

/** @typedef {import('./cases.mjs').StallCase} StallCase */

const META =
  '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}';
/** Leaves room for the fields around the arguments. */
const MAX_TEXT = 1024 * 1024 - 1_000;
/** Together with the surrounding values, this reaches the default limit of `maxValues`. */
const MAX_ITEMS = 19_700;

/** @param {string} args the JSON text of the arguments */
const callWith = (args) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tool","arguments":${args},${META}}}`;

/** As many copies as fit into 1 MiB, or as `maxValues` allows. @param {string} item @param {number} [values] of one item */
const repeat = (item, values = 1) =>
  Array(Math.min(Math.floor(MAX_TEXT / (item.length + 1)), Math.floor(MAX_ITEMS / values)))
    .fill(item)
    .join(',');
/** As many copies as fit into 1 MiB. @param {string} item */
const fill = (item) =>
  Array(Math.floor(MAX_TEXT / (item.length + 1)))
    .fill(item)
    .join(',');

/** @param {unknown} inputSchema */
const tool = (inputSchema) => () => [
  { name: 'tool', description: 'Takes input', inputSchema, handler: () => 'done' },
];
/** @param {object} items a JSON Schema */
const listOf = (items) => tool({ type: 'object', properties: { a: { type: 'array', items } } });
/** @param {number} count @param {(index: number) => [string, unknown]} entry */
const fields = (count, entry) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => entry(index)));

const point = z.object({ x: z.number(), y: z.number() });
const branches = Array.from({ length: 20 }, (_, index) => ({
  type: 'object',
  properties: { [`f${index}`]: { type: 'string' }, n: { type: 'number' } },
  required: [`f${index}`],
}));
const zodBranches = Array.from({ length: 20 }, (_, index) =>
  z.object({ [`f${index}`]: z.string(), n: z.number().optional() }),
);
const zod3Branches = Array.from({ length: 20 }, (_, index) => z3.object({ [`f${index}`]: z3.string() }));
const valibotBranches = Array.from({ length: 20 }, (_, index) => v.object({ [`f${index}`]: v.string() }));
const arktypeBranches = Array.from({ length: 20 }, (_, index) => type({ [`f${index}`]: 'string' }));
const expression = {
  anyOf: [
    {
      type: 'object',
      properties: { and: { type: 'array', items: { $ref: '#/$defs/e' } } },
      required: ['and'],
    },
    {
      type: 'object',
      properties: { and: { items: { $ref: '#/$defs/e' } }, b: { const: 1 } },
      required: ['b'],
    },
    {
      type: 'object',
      properties: { and: { items: { $ref: '#/$defs/e' } }, c: { const: 1 } },
      required: ['c'],
    },
    { type: 'string' },
  ],
};
/** @type {z3.ZodType} */
const zod3Expression = z3.lazy(() =>
  z3.union([
    z3.object({ and: z3.array(zod3Expression) }),
    z3.object({ and: z3.array(zod3Expression).optional(), b: z3.literal(1) }),
    z3.object({ and: z3.array(zod3Expression).optional(), c: z3.literal(1) }),
  ]),
);
/** @type {v.GenericSchema} */
const valibotExpression = v.lazy(() =>
  v.union([
    v.object({ and: v.array(valibotExpression) }),
    v.object({ and: v.optional(v.array(valibotExpression)), b: v.literal(1) }),
    v.object({ and: v.optional(v.array(valibotExpression)), c: v.literal(1) }),
  ]),
);
/** @type {z.ZodType} */
const record = z.record(z.string(), z.number());
/** An object with as many keys as `maxValues` allows. */
const map = `{${Array.from({ length: MAX_ITEMS }, (_, index) => `"k${index}":1`).join(',')}}`;
const tree = { type: 'object', properties: { c: { type: 'array', items: { $ref: '#/$defs/t' } } } };
/** @param {number} depth @returns {string} */
const nest = (depth) => (depth === 0 ? '7' : `{"and":[${nest(depth - 1)}]}`);
const invalid = /Validation failed|not valid|maxValues|maxDepth/;

/** @type {readonly StallCase[]} */
export const inputCases = [
  {
    title: '1 MiB of `{}` for `z.array(z.object({ x, y }))`',
    tools: tool(z.object({ a: z.array(point) })),
    request: () => callWith(`{"a":[${fill('{}')}]}`),
    answer: /maxValues/,
  },
  {
    title: '1 MiB of nested arrays',
    tools: tool(z.object({})),
    request: () => callWith('['.repeat(MAX_TEXT / 2) + ']'.repeat(MAX_TEXT / 2)),
    answer: /maxDepth/,
  },
  {
    title: '1 MiB of objects of one field each, all fields different',
    tools: tool(z.object({})),
    request: () =>
      callWith(`[${Array.from({ length: 80_000 }, (_, index) => `{"${index.toString(36)}":0}`).join(',')}]`),
    answer: /maxValues/,
  },
  {
    title: 'as many `{}` as `maxValues` allows for `z.array(z.object({ x, y }))`',
    tools: tool(z.object({ a: z.array(point) })),
    request: () => callWith(`{"a":[${repeat('{}')}]}`),
    answer: invalid,
  },
  {
    title: 'the same for an object of 40 fields',
    tools: tool(z.object({ a: z.array(z.object(fields(40, (index) => [`f${index}`, z.string()]))) })),
    request: () => callWith(`{"a":[${repeat('{}')}]}`),
    answer: invalid,
  },
  {
    title: 'the same for an object of 100 optional fields',
    tools: tool(
      z.object({ a: z.array(z.object(fields(100, (index) => [`f${index}`, z.string().optional()]))) }),
    ),
    request: () => callWith(`{"a":[${repeat('{}')}]}`),
    answer: /done|too long/,
  },
  {
    title: 'empty strings for `z.array(z.string().min(3).regex(/^a/).includes("b"))`',
    tools: tool(z.object({ a: z.array(z.string().min(3).regex(/^a/).includes('b')) })),
    request: () => callWith(`{"a":[${repeat('""')}]}`),
    answer: invalid,
  },
  {
    title: 'a `z.record` with wrong values',
    tools: tool(z.object({ a: z.record(z.string(), z.string()) })),
    request: () =>
      callWith(`{"a":{${Array.from({ length: MAX_ITEMS }, (_, index) => `"k${index}":1`).join(',')}}}`),
    answer: invalid,
  },
  {
    title: 'a `z.record` with right values',
    tools: tool(z.object({ a: z.record(z.string(), z.number()) })),
    request: () =>
      callWith(`{"a":{${Array.from({ length: MAX_ITEMS }, (_, index) => `"k${index}":1`).join(',')}}}`),
    answer: /done/,
  },
  {
    title: '`z.union` of 20 objects, the last one fits',
    tools: tool(z.object({ a: z.array(z.union(zodBranches)) })),
    request: () => callWith(`{"a":[${repeat('{"f19":"x"}', 2)}]}`),
    answer: /done|too long/,
  },
  {
    title: '`z.union` of 20 objects, none fits',
    tools: tool(z.object({ a: z.array(z.union(zodBranches)) })),
    request: () => callWith(`{"a":[${repeat('{"f19":1}', 2)}]}`),
    answer: invalid,
  },
  {
    title: '`z.templateLiteral` with three open parts, 3 KB of separators',
    tools: tool(z.object({ a: z.templateLiteral([z.string(), '-', z.string(), '-', z.string(), '!']) })),
    request: () => callWith(`{"a":"${'-'.repeat(3_000)}"}`),
    answer: invalid,
  },
  {
    title: '`z.templateLiteral` with two open parts, 1 MiB of separators',
    tools: tool(z.object({ a: z.templateLiteral([z.string(), '-', z.string(), '!']) })),
    request: () => callWith(`{"a":"${'-'.repeat(MAX_TEXT)}"}`),
    answer: invalid,
  },
  {
    title: '`z.intersection` of two open objects, as many keys as `maxValues` allows',
    tools: tool(z.object({ a: z.intersection(z.looseObject({}), z.looseObject({})) })),
    request: () => callWith(`{"a":${map}}`),
    answer: invalid,
  },
  {
    title: 'the same for nine records, one in the other',
    tools: tool(
      z.object({ a: Array.from({ length: 8 }, () => record).reduce((all, one) => all.and(one), record) }),
    ),
    request: () => callWith(`{"a":${map}}`),
    answer: invalid,
  },
  {
    title: 'the same for two strict objects',
    tools: tool(
      z.object({
        a: z.intersection(
          z.strictObject({ x: z.any().optional() }),
          z.strictObject({ y: z.any().optional() }),
        ),
      }),
    ),
    request: () => callWith(`{"a":${map}}`),
    answer: invalid,
  },
  {
    title: '`z.object().catchall(z.union)` of 20 objects, none fits',
    tools: tool(z.object({ a: z.object({}).catchall(z.union(zodBranches)) })),
    request: () =>
      callWith(
        `{"a":{${Array.from({ length: MAX_ITEMS / 2 }, (_, index) => `"k${index}":{"f19":1}`).join(',')}}}`,
      ),
    answer: invalid,
  },
  {
    title: '`prefault().pipe()` of a union of 20 objects, none fits',
    tools: tool(
      z.object({
        a: z
          .array(z.any())
          .prefault([])
          .pipe(z.array(z.union(zodBranches))),
      }),
    ),
    request: () => callWith(`{"a":[${repeat('{"f19":1}', 2)}]}`),
    answer: invalid,
  },
  {
    title: '`z.catch` of an object of 40 fields, all missing',
    tools: tool(
      z.object({
        a: z.array(z.object(fields(40, (index) => [`f${index}`, z.string()])).catch(/** @type {any} */ ({}))),
      }),
    ),
    request: () => callWith(`{"a":[${repeat('{}')}]}`),
    answer: invalid,
  },
  {
    title: '`z.union` of 20 objects with large lists, the last one fits',
    tools: tool(
      z.object({
        a: z.union(
          Array.from({ length: 20 }, (_, index) =>
            z.object({ rows: z.array(z.object({ k: z.literal(index) })) }),
          ),
        ),
      }),
    ),
    request: () => callWith(`{"a":{"rows":[${repeat('{"k":19}', 2)}]}}`),
    answer: /done|too long/,
  },
  {
    title: 'unknown fields, as many as `maxValues` allows',
    tools: tool(z.object(fields(50, (index) => [`field_number_${index}`, z.string().optional()]))),
    request: () =>
      callWith(
        `{${Array.from({ length: MAX_ITEMS }, (_, index) => `"fjeld_nmber_${index}_${'x'.repeat(20)}":1`).join(',')}}`,
      ),
    answer: invalid,
  },
  {
    title: 'Zod 3: as many `{}` as `maxValues` allows for an array of `{ x, y }`',
    tools: tool(z3.object({ a: z3.array(z3.object({ x: z3.number(), y: z3.number() })) })),
    request: () => callWith(`{"a":[${repeat('{}')}]}`),
    answer: invalid,
  },
  {
    title: 'Zod 3: the same for an object of 100 optional fields',
    tools: tool(
      z3.object({
        a: z3.array(
          z3.object(/** @type {any} */ (fields(100, (index) => [`f${index}`, z3.string().optional()]))),
        ),
      }),
    ),
    request: () => callWith(`{"a":[${repeat('{}')}]}`),
    answer: /done|too long/,
  },
  {
    title: 'Zod 3: objects with converted numbers, before a field that is missing',
    tools: tool(z3.object({ a: z3.array(z3.object({ n: z3.coerce.number(), x: z3.number() })) })),
    request: () => callWith(`{"a":[${repeat('{"n":"1"}', 2)}]}`),
    answer: invalid,
  },
  {
    title: 'Zod 3: right objects of two fields',
    tools: tool(z3.object({ a: z3.array(z3.object({ x: z3.number(), y: z3.number() })) })),
    request: () => callWith(`{"a":[${repeat('{"x":1,"y":2}', 3)}]}`),
    answer: /done/,
  },
  {
    title: 'Zod 3: `z.union` of 20 objects, none fits',
    tools: tool(z3.object({ a: z3.array(z3.union(/** @type {any} */ (zod3Branches))) })),
    request: () => callWith(`{"a":[${repeat('{"f19":1}', 2)}]}`),
    answer: invalid,
  },
  {
    title: 'Zod 3: `z.union` of 20 objects, the last one fits',
    tools: tool(z3.object({ a: z3.array(z3.union(/** @type {any} */ (zod3Branches))) })),
    request: () => callWith(`{"a":[${repeat('{"f19":"x"}', 2)}]}`),
    answer: /done|too long/,
  },
  {
    title: 'Zod 3: `z.intersection` of two open objects, as many keys as `maxValues` allows',
    tools: tool(z3.object({ a: z3.intersection(z3.object({}).passthrough(), z3.object({}).passthrough()) })),
    request: () => callWith(`{"a":${map}}`),
    answer: invalid,
  },
  {
    title: 'Zod 3: `z.union` of objects with large lists, none fits',
    tools: tool(
      z3.object({
        a: z3.union([z3.array(z3.object({ x: z3.number() })), z3.array(z3.object({ y: z3.number() }))]),
      }),
    ),
    request: () => callWith(`{"a":[${repeat('{}')}]}`),
    answer: invalid,
  },
  {
    title: 'Zod 3: a recursive `z.union`, nested 11 deep',
    tools: tool(z3.object({ a: zod3Expression })),
    request: () => callWith(`{"a":${nest(11)}}`),
    answer: invalid,
  },
  {
    title: 'Valibot: a recursive `v.union`, nested 13 deep',
    tools: tool(toStandardJsonSchema(v.object({ a: valibotExpression }))),
    request: () => callWith(`{"a":${nest(13)}}`),
    answer: invalid,
  },
  {
    title: 'Valibot: `v.intersect` of nine records, as many keys as `maxValues` allows',
    tools: tool(
      toStandardJsonSchema(
        v.object({ a: v.intersect(Array.from({ length: 9 }, () => v.record(v.string(), v.number()))) }),
      ),
    ),
    request: () => callWith(`{"a":${map}}`),
    answer: invalid,
  },
  {
    title: 'Valibot: as many `{}` as `maxValues` allows for an array of `{ x, y }`',
    tools: tool(toStandardJsonSchema(v.object({ a: v.array(v.object({ x: v.number(), y: v.number() })) }))),
    request: () => callWith(`{"a":[${repeat('{}')}]}`),
    answer: invalid,
  },
  {
    title: 'Valibot: `v.union` of 20 objects, none fits',
    tools: tool(toStandardJsonSchema(v.object({ a: v.array(v.union(valibotBranches)) }))),
    request: () => callWith(`{"a":[${repeat('{"f19":1}', 2)}]}`),
    answer: invalid,
  },
  {
    title: 'Valibot: `v.union` of 20 objects, the last one fits',
    tools: tool(toStandardJsonSchema(v.object({ a: v.array(v.union(valibotBranches)) }))),
    request: () => callWith(`{"a":[${repeat('{"f19":"x"}', 2)}]}`),
    answer: /done|too long/,
  },
  {
    title: 'ArkType: as many `{}` as `maxValues` allows for an array of `{ x, y }`',
    tools: tool(type({ a: type({ x: 'number', y: 'number' }).array() })),
    request: () => callWith(`{"a":[${repeat('{}')}]}`),
    answer: invalid,
  },
  {
    title: 'ArkType: a union of 20 objects, none fits',
    tools: tool(type({ a: type.or(.../** @type {any} */ (arktypeBranches)).array() })),
    request: () => callWith(`{"a":[${repeat('{"f19":1}', 2)}]}`),
    answer: invalid,
  },
  {
    title: 'ArkType: unknown fields, all rejected',
    tools: tool(type({ a: { '+': 'reject', 'x?': 'number' } })),
    request: () =>
      callWith(`{"a":{${Array.from({ length: MAX_ITEMS }, (_, index) => `"k${index}":1`).join(',')}}}`),
    answer: invalid,
  },
  {
    title: 'JSON Schema `items.anyOf` with 20 branches, none fits',
    tools: listOf({ anyOf: branches }),
    request: () => callWith(`{"a":[${repeat('{"f19":1}', 2)}]}`),
    answer: invalid,
  },
  {
    title: 'JSON Schema `items.anyOf` with 20 branches, the last one fits',
    tools: listOf({ anyOf: branches }),
    request: () => callWith(`{"a":[${repeat('{"f19":"x"}', 2)}]}`),
    answer: /done|too long/,
  },
  {
    title: 'JSON Schema `items.oneOf` with 20 branches of 10 fields',
    tools: listOf({
      oneOf: branches.map(({ properties }) => ({
        properties: { ...properties, ...fields(10, (index) => [`g${index}`, { type: 'number' }]) },
      })),
    }),
    request: () =>
      callWith(
        `{"a":[${repeat(`{${Array.from({ length: 10 }, (_, index) => `"g${index}":1`).join(',')}}`, 11)}]}`,
      ),
    answer: invalid,
  },
  {
    title: 'JSON Schema recursive `$ref`, an ambiguous expression nested 45 deep',
    tools: tool({ type: 'object', properties: { a: { $ref: '#/$defs/e' } }, $defs: { e: expression } }),
    request: () => callWith(`{"a":${nest(45)}}`),
    answer: invalid,
  },
  {
    title: 'JSON Schema recursive `$ref`, a wide tree',
    tools: tool({ type: 'object', properties: { a: { $ref: '#/$defs/t' } }, $defs: { t: tree } }),
    request: () => callWith(`{"a":{"c":[${repeat('{"c":[]}', 2)}]}}`),
    answer: /done/,
  },
  {
    title: 'JSON Schema `enum` of 1,000 choices, all items miss',
    tools: listOf({ enum: Array.from({ length: 1_000 }, (_, index) => `choice ${index}`) }),
    request: () => callWith(`{"a":[${repeat('"no such choice at all, and a rather long one"')}]}`),
    answer: invalid,
  },
  {
    title: 'JSON Schema `enum` of objects, a large object at every level',
    tools: tool({
      type: 'object',
      properties: { a: { $ref: '#/$defs/t' } },
      $defs: { t: { anyOf: [{ enum: [{ c: 1 }, { c: 2 }] }, { properties: { c: { $ref: '#/$defs/t' } } }] } },
    }),
    request: () =>
      callWith(`{"a":${'{"c":'.repeat(90)}[${repeat('"some text to compare"')}]${'}'.repeat(90)}}`),
    answer: /done|Validation failed/,
  },
  {
    title: 'JSON Schema `contains` that nothing fits',
    tools: tool({ type: 'object', properties: { a: { contains: { anyOf: branches } } } }),
    request: () => callWith(`{"a":[${repeat('{"f19":1}', 2)}]}`),
    answer: invalid,
  },
  {
    title: 'JSON Schema `uniqueItems` over objects',
    tools: tool({ type: 'object', properties: { a: { type: 'array', uniqueItems: true } } }),
    request: () =>
      callWith(
        `{"a":[${Array.from({ length: MAX_ITEMS / 4 }, (_, index) => `{"b":${index},"a":1,"c":"${'x'.repeat(150)}"}`).join(',')}]}`,
      ),
    answer: /done/,
  },
  {
    title: 'JSON Schema `uniqueItems` at every level',
    tools: tool({
      type: 'object',
      properties: { a: { $ref: '#/$defs/t' } },
      $defs: { t: { type: ['array', 'string'], uniqueItems: true, items: { $ref: '#/$defs/t' } } },
    }),
    request: () => callWith(`{"a":${'['.repeat(90)}"${'x'.repeat(1_000_000)}"${']'.repeat(90)}}`),
    answer: /done|too long/,
  },
  {
    title: 'JSON Schema `required` with 1,000 names',
    tools: listOf({ required: Array.from({ length: 1_000 }, (_, index) => `f${index}`) }),
    request: () => callWith(`{"a":[${repeat('{}')}]}`),
    answer: invalid,
  },
  {
    title: 'JSON Schema object of 1,000 optional fields',
    tools: listOf({
      type: 'object',
      properties: fields(1_000, (index) => [`f${index}`, { type: 'string' }]),
    }),
    request: () => callWith(`{"a":[${repeat('{}')}]}`),
    answer: /done|too long/,
  },
  {
    title: 'JSON Schema `patternProperties` with 50 patterns',
    tools: tool({
      type: 'object',
      properties: {
        a: { type: 'object', patternProperties: fields(50, (index) => [`^k${index}_`, { type: 'string' }]) },
      },
    }),
    request: () =>
      callWith(`{"a":{${Array.from({ length: MAX_ITEMS }, (_, index) => `"x${index}":1`).join(',')}}}`),
    answer: /done|too long/,
  },
  {
    title: 'JSON Schema `propertyNames` with `anyOf`',
    tools: tool({
      type: 'object',
      properties: {
        a: {
          type: 'object',
          propertyNames: { anyOf: Array.from({ length: 20 }, (_, index) => ({ const: `k${index}` })) },
        },
      },
    }),
    request: () =>
      callWith(`{"a":{${Array.from({ length: MAX_ITEMS }, (_, index) => `"x${index}":1`).join(',')}}}`),
    answer: invalid,
  },
  {
    title: 'JSON Schema `allOf` of 50 `maxLength`, a string of 1 MB',
    tools: tool({
      type: 'object',
      properties: {
        a: { allOf: Array.from({ length: 50 }, (_, index) => ({ maxLength: 900_000 + index })) },
      },
    }),
    request: () => callWith(`{"a":"${'x'.repeat(1_000_000)}"}`),
    answer: invalid,
  },
  {
    title: 'JSON Schema `unevaluatedProperties` below 20 branches',
    tools: listOf({ anyOf: branches, unevaluatedProperties: false }),
    request: () => callWith(`{"a":[${repeat('{"f19":"x","z":1}', 3)}]}`),
    answer: invalid,
  },
  {
    title: 'JSON Schema `multipleOf` with extreme numbers',
    tools: listOf({ type: 'number', multipleOf: 1e-300 }),
    request: () => callWith(`{"a":[${repeat('1.7976931348623157e308')}]}`),
    answer: /done|too long|Validation failed/,
  },
  {
    title: 'JSON text of 400,000 levels where an object must be',
    tools: tool({
      type: 'object',
      properties: { a: { $ref: '#/$defs/t' } },
      $defs: { t: { type: 'array', items: { $ref: '#/$defs/t' } } },
    }),
    request: () => callWith(`{"a":"${'['.repeat(400_000)}${']'.repeat(400_000)}"}`),
    answer: invalid,
  },
  {
    title: 'JSON text of 300,000 values where an object must be',
    tools: tool(z.object({ a: z.array(point) })),
    request: () => callWith(`{"a":"[${fill('{}')}]"}`),
    answer: invalid,
  },
  {
    title: 'JSON text in JSON text, many times',
    tools: tool(z.object({ a: z.array(z.object({ b: z.array(z.number()) })) })),
    request: () => callWith(`{"a":[${repeat(JSON.stringify('{"b":"[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]"}'))}]}`),
    answer: /done|Validation failed/,
  },
  {
    title: 'a tool name of 1 MB',
    tools: tool(z.object({})),
    request: () => ({
      method: 'tools/call',
      params: { name: 'tool', arguments: { ['x'.repeat(MAX_TEXT)]: 1 } },
    }),
    answer: invalid,
  },
  {
    title: 'a search for 1 MB of words',
    tools: () =>
      Array.from({ length: 500 }, (_, index) => ({
        name: `tool_${index}`,
        description: `Creates invoices for customer number ${index}`,
        inputSchema: z.object({}),
        handler: () => 'done',
      })),
    server: { view: { form: 'search' } },
    request: () => ({
      method: 'tools/call',
      params: { name: 'search_tools', arguments: { query: 'invoices customers '.repeat(50_000) } },
    }),
    answer: /tool_|Validation failed/,
  },
];
