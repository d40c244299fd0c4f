import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { z as z3 } from 'zod/v3';
import { runs } from '../../../test/runs.js';
import { GroupedToolBuilder } from '../../build/grouped-tool-builder.js';
import { ToolRegistry } from '../../registry/tool-registry.js';
import { planRepairs } from '../../guards/repair/json-repair.js';
import { inspectPlain, LazySchema } from './lazy-schema.js';
import { readSchema } from './read-schema.js';
import type { SchemaSource } from './read-schema.js';

const text = fc.constantFrom<(size: number) => z.ZodType>(
  () => z.string(),
  (size) =>
    z
      .string()
      .min(size)
      .max(size + 3),
  (size) => z.string().length(size),
  () => z.email(),
  () => z.url(),
  () => z.uuid(),
  () => z.iso.datetime(),
  () => z.iso.date(),
  () => z.string().trim(),
  (size) => z.string().min(size - 2),
  (size) => z.string().max(size / 2),
  (size) => z.email({ pattern: size > 2 ? /^a{,5}\-$/ : /^a$/ }),
  () => z.string().meta({ id: 'same' }).min(1).max(5),
  () => z.number().meta({ id: 'same' }).min(1).max(5),
  () => z.string().regex(/^a+$/),
  () => z.base64(),
);
const number = fc.constantFrom<(size: number) => z.ZodType>(
  () => z.number(),
  (size) =>
    z
      .number()
      .min(size)
      .max(size + 1),
  (size) => z.int().multipleOf(size + 1),
  (size) => z.number().multipleOf(size),
  () => z.number().max(Infinity),
  () => z.coerce.number(),
  () => z.int32(),
);
const rare = fc.constantFrom<() => z.ZodType>(
  () => z.boolean(),
  () => z.enum(['a', 'b']),
  () => z.literal([1, 'a', true, null]),
  () => z.null(),
  () => z.bigint(),
  () => z.date(),
  () => z.unknown(),
  () => z.record(z.string(), z.number()),
  () => z.union([z.string(), z.number()]),
  () => z.string().transform(Number),
  () => z.custom<string>(),
  () => z.map(z.string(), z.string()),
);
const leaf: fc.Arbitrary<z.ZodType> = fc.oneof(
  fc.tuple(text, fc.nat(5)).map(([make, size]) => make(size)),
  fc.tuple(number, fc.nat(5)).map(([make, size]) => make(size)),
  rare.map((make) => make()),
);
const { schema } = fc.letrec<{ schema: z.ZodType; node: z.ZodType }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    leaf,
    tie('node').map((inner) => inner.optional()),
    tie('node').map((inner) => inner.nullable()),
    tie('node').map((inner) => inner.default('a' as never)),
    tie('node').map((inner) => inner.default(1n as never)),
    tie('node').map((inner) => inner.describe('Text')),
    tie('node').map((inner) => inner.meta({ title: 'Title', examples: [1] })),
    tie('node').map((inner) => z.array(inner).max(3)),
    tie('schema'),
  ),
  schema: fc
    .dictionary(fc.constantFrom('a', 'b', 'c_d', 'e-f', '__proto__', 'a b'), tie('node'), { maxKeys: 4 })
    .map((shape) => z.object(shape)),
}));

/** The descriptions that are known before the conversion are those of the converted schema. */
function expectSameDescriptions(source: z.ZodType): void {
  const read = readSchema(source as SchemaSource);
  const described = Array.from(read.fields ?? [], ([name, field]) => ({
    name,
    description: (Object(field.schema) as { description?: string }).description,
  }));
  const found = inspectPlain(source) as NonNullable<ReturnType<typeof inspectPlain>>;
  expect(new LazySchema(found, () => read).describeFields()).toEqual(described);
}

describe('a plain schema', () => {
  const given = z.string().describe('Inside');
  it.each<[string, z.ZodType]>([
    ['a type', given],
    ['an optional type', given.optional()],
    ['a nullable type', given.nullable()],
    ['an optional type with its own description', given.optional().describe('Outside')],
    ['a nullable type with its own description', given.nullable().describe('Outside')],
    ['a list', z.array(given)],
    ['a type without a description', z.string()],
  ])('has the same description of a field before and after its conversion: %s', (_, field) => {
    expectSameDescriptions(z.object({ field }));
  });

  it('is always convertible, so that its conversion can wait', () => {
    let plain = 0;
    fc.assert(
      fc.property(schema, (source) => {
        const found = inspectPlain(source);
        if (!found) return;
        plain++;
        const read = readSchema(source as SchemaSource);
        expect(read.jsonSchema['type']).toBe('object');
        expect(read.fields).toBeDefined();
        expectSameDescriptions(source);
        // A schema without nested fields has nothing to repair.
        if (!found.hasNested) expect(planRepairs([read])).toBeUndefined();
      }),
      { numRuns: runs(5_000) },
    );
    expect(plain).toBeGreaterThan(runs(5_000) / 20);
  });

  it.each([
    ['an object', z.object({ a: z.string(), b: z.int().optional() }), false],
    ['a shape', { a: z.email(), b: z.enum(['x']) }, false],
    [
      'a refined object',
      z.object({ a: z.string().min(1).max(5).describe('Text'), b: z.int().min(-1) }),
      false,
    ],
    ['an empty shape', {}, false],
    ['a described object', z.object({ a: z.string().describe('Text') }).describe('All'), false],
    ['an object with a list', z.object({ a: z.array(z.string()).optional() }), true],
    ['an object in an object', z.object({ a: z.object({ b: z.string() }).nullable() }), true],
  ])('is %s', (_, source, hasNested) => {
    expect(inspectPlain(source)).toMatchObject({ source, hasNested });
  });

  it.each([
    ['JSON Schema', { type: 'object' }],
    ['Zod 3', z3.object({ a: z3.string() })],
    ['another type', z.string()],
    ['a loose object', z.looseObject({ a: z.string() })],
    ['a pattern', z.object({ a: z.string().regex(/a/) })],
    ['a refinement', z.object({ a: z.string() }).refine(() => true)],
    ['metadata that may change its conversion', z.object({ a: z.string().meta({ id: 'a' }) })],
    ['a header', z.object({ a: z.string().meta({ 'x-mcp-header': 'A' }) })],
    ['a name that JSON Schema libraries confuse', z.object({ ['__proto__']: z.string() })],
    ['a default', z.object({ a: z.string().default('a') })],
    ['a list', []],
    ['a size below 0', z.object({ a: z.string().min(-1) })],
    ['a size that is no whole number', z.object({ a: z.array(z.string()).max(1.5) })],
    ['a size without end', z.object({ a: z.string().max(Infinity) })],
    ['a multiple of 0', z.object({ a: z.number().multipleOf(0) })],
    ['a format with another pattern', z.object({ a: z.email({ pattern: /^a{,5}\-$/ }) })],
    ['an id two refinements before', z.object({ a: z.string().meta({ id: 'x' }).min(1).max(5) })],
    [
      'a long list of choices',
      z.object({ a: z.enum(Array.from({ length: 20_000 }, (_, i) => `choice${i}`)) }),
    ],
    ['a long description', z.object({ a: z.string().describe('a'.repeat(100_000)) })],
    [
      'a recursive object',
      z
        .object({
          get self() {
            return z.object({ a: z.string() }).optional();
          },
        })
        .extend({
          get again(): z.ZodType {
            return z.lazy(() => z.string());
          },
        }),
    ],
    ['nothing at all', undefined],
  ])('is not %s', (_, source) => {
    expect(inspectPlain(source)).toBeUndefined();
  });
});

describe('a registry', () => {
  it('repairs JSON text for a nested field of the common schema, although the action has a plain schema', async () => {
    const builder = new GroupedToolBuilder('notes')
      .description('Notes')
      .commonSchema(z.object({ filter: z.object({ tag: z.string() }) }))
      .action({
        name: 'find',
        description: 'Finds notes',
        inputSchema: z.object({ text: z.string() }),
        handler: ({ input }) => JSON.stringify(input),
      });
    const registry = new ToolRegistry().register(builder);
    const args = { action: 'find', text: 'a', filter: '{"tag":"b"}' };
    expect(await registry.executeTool({ name: 'notes', arguments: args })).toMatchObject({
      content: [{ text: expect.stringContaining('"tag":"b"') as string }],
    });
  });

  it.each([
    ['a Zod object', z.object({ a: z.string() })],
    ['a shape', { a: z.string() }],
  ])('lists %s that is advertised in place of the validated schema', (_, inputJsonSchema) => {
    const builder = new GroupedToolBuilder('notes').description('Notes').action({
      name: 'find',
      description: 'Finds notes',
      inputSchema: z.object({ a: z.string() }),
      metadata: { inputJsonSchema: inputJsonSchema as never },
      handler: () => 'a',
    });
    expect(new ToolRegistry().register(builder).listTools()).toMatchObject([
      { inputSchema: { properties: { a: { type: 'string' } } } },
    ]);
  });

  it('keeps the shape that was registered, even if its object changes', async () => {
    const shape: Record<string, z.ZodType> = { a: z.string() };
    const registry = new ToolRegistry().register({
      name: 'plain',
      description: 'Returns its arguments',
      inputSchema: shape,
      handler: ({ input }) => JSON.stringify(input),
    });
    delete shape['a'];
    shape['b'] = z.bigint();
    expect(registry.listTools()).toMatchObject([{ inputSchema: { properties: { a: { type: 'string' } } } }]);
  });

  it('does not run a default of a schema before the schema is converted', () => {
    const failing = z.string().default(() => {
      throw new Error('boom');
    });
    const register = (): unknown =>
      new ToolRegistry().register({
        name: 'failing',
        description: 'Has a default that throws',
        inputSchema: z.object({ failing }),
        handler: () => 'a',
      });
    expect(register).toThrow(/Tool "failing", inputSchema: .*boom/);
  });

  it('rejects a tool whose schema cannot be converted when it is registered, and names the field', () => {
    const registry = new ToolRegistry();
    const broken = (field: z.ZodType) => () =>
      registry.register({
        name: 'broken',
        description: 'Has a field that JSON cannot express',
        inputSchema: z.object({ fine: z.string(), field }),
        handler: () => 'a',
      });
    for (const field of [z.bigint(), z.date(), z.map(z.string(), z.string()), z.symbol()])
      expect(broken(field)).toThrow(/Tool "broken", inputSchema: .*field/);
    expect(registry.size).toBe(0);
  });

  it('converts the schema of a plain tool when the tool is called or listed', async () => {
    const inputSchema = z.object({ a: z.string() });
    let conversions = 0;
    const { def } = inputSchema._zod;
    const { shape } = def;
    // The inspection at registration reads the shape too.
    Object.defineProperty(def, 'shape', {
      get: () => {
        conversions++;
        return shape;
      },
    });
    const registry = new ToolRegistry().register({
      name: 'plain',
      description: 'Returns its argument',
      inputSchema,
      handler: ({ input }) => input.a,
    });
    const before = conversions;
    registry.view();
    expect(conversions).toBe(before);
    expect(registry.listTools()).toMatchObject([{ inputSchema: { properties: { a: { type: 'string' } } } }]);
    expect(conversions).toBeGreaterThan(before);
    expect(await registry.executeTool({ name: 'plain', arguments: { a: 'x' } })).toMatchObject({
      content: [{ text: 'x' }],
    });
  });
});
