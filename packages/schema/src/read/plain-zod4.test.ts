import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import { convertPlain } from './plain-zod4.js';

describe('a plain schema', () => {
  it.each<[string, z.ZodType]>([
    ['of ordinary fields', z.object({ a: z.string(), b: z.int().optional(), c: z.enum(['x']).nullable() })],
    [
      'with a static default',
      z.object({ a: z.boolean().default(false), b: z.array(z.string()).default([]) }),
    ],
    ['with refined fields', z.object({ a: z.string().min(1).max(5).describe('Text'), b: z.int().min(-1) })],
    ['with trimmed text', z.object({ a: z.string().trim().toLowerCase() })],
    ['with a pattern', z.object({ a: z.string().regex(/^a$/) })],
    ['with nested objects and lists', z.object({ a: z.array(z.object({ b: z.string() })).min(1) })],
    ['with alternatives', z.object({ a: z.union([z.string(), z.object({ b: z.null() })]) })],
    ['with a map', z.object({ a: z.record(z.string().min(2), z.unknown()) })],
    ['that is closed', z.strictObject({ a: z.any() })],
    ['that is open', z.looseObject({ a: z.string().readonly() })],
  ])('%s is converted as Zod converts it', (_, source) => {
    for (const io of ['input', 'output'] as const)
      expect(convertPlain(source, io)).toEqual(z.toJSONSchema(source, { io, override: dropSafeRange }));
  });

  it.each<[string, z.ZodType]>([
    ['another type', z.string()],
    ['a refinement', z.object({ a: z.string() }).refine(() => true)],
    ['a transform', z.object({ a: z.string().transform(Number) })],
    ['metadata that may change its conversion', z.object({ a: z.string().meta({ id: 'a' }) })],
    ['an id two refinements before', z.object({ a: z.string().meta({ id: 'x' }).min(1).max(5) })],
    ['a header', z.object({ a: z.string().meta({ 'x-mcp-header': 'A' }) })],
    ['a name that JSON Schema libraries confuse', z.object({ ['__proto__']: z.string() })],
    ['a default that throws', z.object({ a: z.string().default(fail) })],
    ['a default that JSON cannot express', z.object({ a: z.bigint().default(1n) })],
    ['a size below 0', z.object({ a: z.string().min(-1) })],
    ['a size that is no whole number', z.object({ a: z.array(z.string()).max(1.5) })],
    ['a size without end', z.object({ a: z.string().max(Infinity) })],
    ['a multiple of 0', z.object({ a: z.number().multipleOf(0) })],
    ['a pattern with flags', z.object({ a: z.string().regex(/^a$/i) })],
    ['a pattern that JSON Schema rejects', z.object({ a: z.string().regex(/^a{,5}\-$/) })],
    ['a format with another pattern', z.object({ a: z.email({ pattern: /^a$/ }) })],
    ['two patterns', z.object({ a: z.email().regex(/a/) })],
    [
      'a long list of choices',
      z.object({ a: z.enum(Array.from({ length: 20_000 }, (_, i) => `choice${i}`)) }),
    ],
    ['a long description', z.object({ a: z.string().describe('a'.repeat(100_000)) })],
    ['many fields', z.object(Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`a${i}`, z.any()])))],
    [
      'a recursive object',
      z.object({
        get self(): z.ZodType {
          return z.object({ a: z.lazy(() => z.string()) }).optional();
        },
      }),
    ],
  ])('has not %s', (_, source) => {
    expect(convertPlain(source, 'input')).toBeUndefined();
  });
});

function fail(): never {
  throw new Error('boom');
}

function dropSafeRange({ jsonSchema }: { jsonSchema: { minimum?: number; maximum?: number } }): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
}

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

  it('reports a default that throws, with its field, when the tool is registered', () => {
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
    expect(register).toThrow(/Tool "failing", inputSchema: .*"failing".*boom/);
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
});
