import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { GroupedToolBuilder } from '../build/grouped-tool-builder.js';
import type { AnyToolDefinition, ToolDefinition } from '../define/tool-definition.js';
import type { JsonSchema, JsonSchemaObject, SchemaSource, SchemaValidator, Validate } from '@toolfold/schema';
import { ErrExternalRef, ErrUnsupportedSchema } from '@toolfold/schema/errors';
import { isJsonObject } from '@toolfold/schema/internal';
import { createModuleAdapter } from '../toolsets/module-adapter.js';
import { Toolsets } from '../toolsets/toolsets.js';
import { ToolCollector } from '../define/tool-collector.js';
import { serveRaw } from '../../../../test/wire/raw-clients.js';
import { ToolRegistry } from './tool-registry.js';

const money = {
  $id: 'https://schemas.example/money',
  type: 'object',
  properties: { amount: { type: 'integer' }, currency: { enum: ['EUR', 'USD'] } },
  required: ['amount', 'currency'],
};

/** Draft-04 writes `exclusiveMinimum: true` beside `minimum`, and names schemas with `id`. */
function modernize(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(modernize);
  if (!isJsonObject(schema)) return schema;
  const { $schema: _, id: __, exclusiveMinimum, minimum, ...rest } = schema;
  const entries = Object.entries(rest).map(([key, value]) => [key, modernize(value)] as const);
  return {
    ...Object.fromEntries(entries),
    ...(minimum === undefined
      ? {}
      : { [exclusiveMinimum === true ? 'exclusiveMinimum' : 'minimum']: minimum }),
  };
}

/** A validator for draft-04 and for schemas with known references. */
function createValidator(): SchemaValidator {
  const ajv = new Ajv({ strict: false, allErrors: true });
  ajv.addSchema(money);
  const compile = (schema: JsonSchema): Validate => {
    const validate = ajv.compile(modernize(schema) as object);
    return (value) =>
      validate(value)
        ? { ok: true, value }
        : {
            ok: false,
            issues: (validate.errors ?? []).map(({ instancePath, message = '' }) => ({
              path: instancePath.split('/').slice(1),
              message,
            })),
          };
  };
  return {
    compile,
    validateInput: (tool, input) => compile(tool.inputSchema)(input),
    validateOutput: (tool, output) => compile(tool.outputSchema ?? true)(output),
  };
}

const schemaValidator = createValidator();
const draft04 = {
  $schema: 'http://json-schema.org/draft-04/schema#',
  type: 'object',
  properties: {
    count: { type: 'integer', minimum: 0, exclusiveMinimum: true, description: 'How many' },
    note: { type: 'string' },
  },
  required: ['count'],
};
const external = {
  type: 'object',
  properties: { price: { $ref: 'https://schemas.example/money', description: 'What it costs' } },
  required: ['price'],
};
const whole = { $ref: 'https://schemas.example/money' };
const price = { amount: 3, currency: 'EUR' };
const handler = ({ input }: { input: unknown }): unknown => ({ got: input });

const cases: [string, JsonSchemaObject, good: object, bad: object][] = [
  ['draft-04', draft04, { count: 1 }, { count: 0 }],
  ['an external $ref', external, { price }, { price: { amount: 'three', currency: 'EUR' } }],
  ['a schema that is an external $ref', whole, price, { amount: 1 }],
];

async function expectValidated(
  execute: (args: object) => Promise<{ isError?: boolean | undefined; structuredContent?: unknown }>,
  good: object,
  bad: object,
): Promise<void> {
  expect(await execute(good)).not.toMatchObject({ isError: true });
  expect(await execute(bad)).toMatchObject({ isError: true });
}

describe('a SchemaValidator that is supplied replaces the built-in checks', () => {
  it.each(cases)('in a builder: %s [S002-28]', async (_name, inputSchema, good, bad) => {
    const builder = new GroupedToolBuilder('shop', { schemaValidator })
      .action({ name: 'order', inputSchema, handler })
      .action({
        name: 'plain',
        inputSchema: { type: 'object', properties: { id: { type: 'string' } } },
        handler,
      });
    const { inputSchema: advertised } = builder.buildToolDefinition();
    expect(advertised['type']).toBe('object');
    // A client that supports only 2020-12 can read the listed schema.
    expect(() => new Ajv({ strict: false }).compile(advertised)).not.toThrow();
    await expectValidated((args) => builder.execute({ action: 'order', ...args }), good, bad);

    const registry = new ToolRegistry().register(builder);
    await expectValidated(
      (args) => registry.executeTool({ name: 'shop', arguments: { action: 'order', ...args } }),
      good,
      bad,
    );
    const flat = registry.view({ form: 'flat' });
    await expectValidated(
      (args) => registry.executeTool({ name: 'shop_order', arguments: { ...args } }, flat),
      good,
      bad,
    );
    expect(flat.listTools('2025-11-25')).toHaveLength(2);
  });

  it.each(cases)('in a builder with common fields: %s', async (_name, inputSchema, good, bad) => {
    const builder = new GroupedToolBuilder('shop', { schemaValidator })
      .commonSchema({ type: 'object', properties: { shop: { type: 'string' } }, required: ['shop'] })
      .action({ name: 'order', inputSchema, handler });
    const registry = new ToolRegistry().register(builder);
    expect(registry.view({ form: 'flat' }).listTools()[0]?.inputSchema).toMatchObject({ type: 'object' });
    await expectValidated((args) => builder.execute({ action: 'order', shop: 's', ...args }), good, bad);
  });

  it.each(cases)('in common fields: %s', async (_name, inputSchema, good, bad) => {
    const builder = new GroupedToolBuilder('shop', { schemaValidator })
      .commonSchema(inputSchema)
      .action({ name: 'order', inputSchema: {}, handler });
    await expectValidated((args) => builder.execute({ action: 'order', ...args }), good, bad);
  });

  it.each(cases)('in a registry: %s', async (_name, inputSchema, good, bad) => {
    const registry = new ToolRegistry({ schemaValidator }).register({
      name: 'order',
      description: 'Orders',
      inputSchema,
      handler,
    } as ToolDefinition & { description: string; inputSchema: SchemaSource });
    expect(registry.listTools()[0]?.inputSchema).toMatchObject({ type: 'object' });
    await expectValidated(
      (args) => registry.executeTool({ name: 'order', arguments: { ...args } }),
      good,
      bad,
    );
  });

  it.each(cases)('in a ToolCollector: %s', async (_name, inputSchema, good, bad) => {
    const collector = new ToolCollector({ schemaValidator });
    collector.registerTool('order', { description: 'Orders', inputSchema }, (args: object) => ({
      got: args,
    }));
    // The registry has no custom validator: the collected tool brings the one that read it.
    const registry = new ToolRegistry().register(...collector.getToolDefinitions());
    await expectValidated(
      (args) => registry.executeTool({ name: 'order', arguments: { ...args } }),
      good,
      bad,
    );
  });

  it.each(
    cases.flatMap(([name, ...rest]) =>
      [{}, { sharesTools: true }, { grouped: { description: 'Shop' } }].map(
        (options) => [name, options, ...rest] as const,
      ),
    ),
  )('in a module adapter: %s, %o', async (_name, options, inputSchema, good, bad) => {
    const adapter = createModuleAdapter(
      'shop',
      (server: ToolCollector) =>
        server.registerTool('order', { description: 'Orders', inputSchema }, (args: object) => ({
          got: args,
        })),
      { schemaValidator, ...options },
    );
    const registry = new ToolRegistry();
    const toolsets = new Toolsets(registry, {
      catalog: { shop: { name: 'Shop', description: 'Shop', modules: ['shop'] } },
      moduleLoaders: { shop: adapter },
      startup: { mode: 'STATIC', toolsets: 'ALL' },
    });
    const context = toolsets.contextOf();
    const view = await toolsets.view(['shop'], context);
    const [name = ''] = view.tools.keys();
    const isGrouped = 'grouped' in options;
    await expectValidated(
      (args) =>
        registry.executeTool(
          { name, arguments: isGrouped ? { action: 'order', ...args } : { ...args }, session: context },
          view,
        ),
      good,
      bad,
    );
  });

  it.each(cases)('in a toolset: %s', async (_name, inputSchema, good, bad) => {
    const registry = new ToolRegistry({ schemaValidator });
    const toolsets = new Toolsets(registry, {
      catalog: {
        shop: {
          name: 'Shop',
          description: 'Shop',
          tools: [{ name: 'order', description: 'Orders', inputSchema, handler } as AnyToolDefinition],
        },
      },
      startup: { mode: 'STATIC', toolsets: 'ALL' },
    });
    const view = await toolsets.view(['shop'], toolsets.contextOf());
    await expectValidated(
      (args) => registry.executeTool({ name: 'order', arguments: { ...args } }, view),
      good,
      bad,
    );
  });

  it.each(cases)('in an output schema: %s', async (_name, outputSchema, good, bad) => {
    const registry = new ToolRegistry({ schemaValidator }).register({
      name: 'quote',
      description: 'Quotes',
      inputSchema: { type: 'object', properties: { value: {} } },
      outputSchema,
      handler: ({ input }: { input: Record<string, unknown> }) => input['value'],
    } as ToolDefinition & { description: string; inputSchema: SchemaSource });
    await expectValidated(
      (value) => registry.executeTool({ name: 'quote', arguments: { value } }),
      good,
      bad,
    );
  });

  it.each([
    ['draft-04', draft04, { count: 1 }],
    ['an external $ref', external, { price }],
  ])('in metadata.inputJsonSchema: %s', async (_name, inputJsonSchema, good) => {
    const registry = new ToolRegistry({ schemaValidator }).register({
      name: 'order',
      description: 'Orders',
      inputSchema: { type: 'object', additionalProperties: true },
      metadata: { inputJsonSchema },
      handler,
    });
    expect(registry.view().authored?.listTools()[0]?.inputSchema).toEqual(inputJsonSchema);
    expect(await registry.executeTool({ name: 'order', arguments: { ...good } })).not.toMatchObject({
      isError: true,
    });
  });

  it.each([true, false])(
    'judge what was sent, once and untranslated, whether they accept it: %s',
    async (ok) => {
      const judged: unknown[] = [];
      const own: SchemaValidator = {
        ...schemaValidator,
        compile: () => (value) => {
          judged.push(value);
          return ok ? { ok, value } : { ok, issues: [{ path: ['filter'], message: 'is wrong' }] };
        },
      };
      const registry = new ToolRegistry({ schemaValidator: own }).register({
        name: 'find',
        description: 'Finds',
        inputSchema: { type: 'object', properties: { filter: { type: 'object' } } },
        handler,
      });
      const sent = { filter: '{"a":1}' };
      for (const { call } of await (
        await serveRaw(registry)
      )()) {
        expect((await call('find', sent)).isError).toBe(ok ? undefined : true);
        expect(judged.splice(0)).toEqual([sent]);
      }
    },
  );

  it('get the form that the list of a client describes, and no other', async () => {
    const registry = new ToolRegistry({ schemaValidator }).register({
      name: 'find',
      description: 'Finds',
      inputSchema: {
        type: 'object',
        properties: {
          any: {},
          map: { type: 'object' },
          at: { anyOf: [{ type: 'number' }, { type: 'object' }] },
        },
      },
      handler: ({ input }) => JSON.stringify(input),
    });
    // The list of Codex does not describe unions as text. Codex shows them so.
    for (const { call } of await (
      await serveRaw(registry)
    )('codex'))
      expect(await call('find', { at: '7' })).toMatchObject({ isError: true });
    for (const { call } of await (
      await serveRaw(registry)
    )('gemini-cli')) {
      expect(await call('find', { any: '12' })).toMatchObject({ content: [{ text: '{"any":12}' }] });
      expect(await call('find', { map: '{"a":"1"}' })).toMatchObject({
        content: [{ text: '{"map":{"a":"1"}}' }],
      });
    }
  });

  it('in the arguments of a prompt', async () => {
    const registry = new ToolRegistry({ schemaValidator }).registerPrompt({
      name: 'greet',
      inputSchema: {
        $schema: draft04.$schema,
        type: 'object',
        properties: { who: { type: 'string' } },
        required: ['who'],
      },
      handler: ({ input }) => `Hello ${String((input as { who: unknown }).who)}`,
    });
    expect(registry.listPrompts()).toMatchObject([{ name: 'greet' }]);
    await expect(registry.getPrompt({ name: 'greet', arguments: { who: 'you' } })).resolves.toBeDefined();
    await expect(registry.getPrompt({ name: 'greet', arguments: {} })).rejects.toThrow('Validation failed');
  });

  it('shows the fields of a foreign schema in a grouped tool, as far as they can be read', () => {
    const tool = new GroupedToolBuilder('shop', { schemaValidator })
      .action({ name: 'count', inputSchema: draft04, handler })
      .action({ name: 'pay', inputSchema: external, handler })
      .buildToolDefinition();
    expect(tool.inputSchema['properties']).toEqual({
      action: { type: 'string', enum: ['count', 'pay'], description: 'Which action to run' },
      count: { type: 'integer', description: 'How many. Required for: count' },
      note: { type: 'string', description: 'For: count' },
      price: { description: 'What it costs. Required for: pay' },
    });
  });

  it.each(cases)('of a registry reaches its builders: %s', async (_name, inputSchema, good, bad) => {
    const registry = new ToolRegistry({ schemaValidator }).register(
      new GroupedToolBuilder('shop').action({ name: 'order', inputSchema, handler }),
      new GroupedToolBuilder('grouped').group('g', (g) => g.action({ name: 'order', inputSchema, handler })),
      new GroupedToolBuilder('common').commonSchema(inputSchema).action({ name: 'order', handler }),
    );
    expect(registry.listTools()).toHaveLength(3);
    for (const [name, action] of [
      ['shop', 'order'],
      ['grouped', 'g.order'],
      ['common', 'order'],
    ] as const)
      await expectValidated(
        (args) => registry.executeTool({ name, arguments: { action, ...args } }),
        good,
        bad,
      );
  });

  it('of a registry validates also those schemas of a builder that need no custom validator', async () => {
    const refused: SchemaValidator = {
      ...schemaValidator,
      compile: () => () => ({ ok: false, issues: [{ path: [], message: 'refused by the registry' }] }),
    };
    const inputSchema = { type: 'object', properties: { id: { type: 'string' } } } as const;
    const builder = new GroupedToolBuilder('shop').action({ name: 'order', inputSchema, handler });
    const own = new GroupedToolBuilder('own', { schemaValidator }).action({
      name: 'order',
      inputSchema,
      handler,
    });
    const registry = new ToolRegistry({ schemaValidator: refused }).register(builder, own);
    const execute = (name: string) => registry.executeTool({ name, arguments: { action: 'order', id: 'x' } });
    expect(JSON.stringify(await execute('shop'))).toContain('refused by the registry');
    expect(await execute('own')).not.toMatchObject({ isError: true });
    // The builder itself, and another registry, validate without it.
    expect(await builder.execute({ action: 'order', id: 'x' })).not.toMatchObject({ isError: true });
    expect(
      await new ToolRegistry()
        .register(builder)
        .executeTool({ name: 'shop', arguments: { action: 'order', id: 'x' } }),
    ).not.toMatchObject({ isError: true });
  });

  it.each(
    cases.flatMap(([name, ...rest]) =>
      [{}, { sharesTools: true }, { grouped: { description: 'Shop' } }].map(
        (options) => [name, options, ...rest] as const,
      ),
    ),
  )(
    'of a registry reaches its collectors and modules: %s, %o',
    async (_name, options, inputSchema, good, bad) => {
      const collect = (server: ToolCollector) =>
        server.registerTool('order', { description: 'Orders', inputSchema }, (args: object) => ({
          got: args,
        }));
      const collector = new ToolCollector();
      collect(collector);
      const registry = new ToolRegistry({ schemaValidator }).register(...collector.getToolDefinitions());
      await expectValidated(
        (args) => registry.executeTool({ name: 'order', arguments: { ...args } }),
        good,
        bad,
      );

      const served = new ToolRegistry({ schemaValidator });
      const toolsets = new Toolsets(served, {
        catalog: { shop: { name: 'Shop', description: 'Shop', modules: ['shop'] } },
        moduleLoaders: { shop: createModuleAdapter('shop', collect, options) },
        startup: { mode: 'STATIC', toolsets: 'ALL' },
      });
      const session = toolsets.contextOf();
      const view = await toolsets.view(['shop'], session);
      const [name = ''] = view.tools.keys();
      const action = 'grouped' in options ? { action: 'order' } : {};
      await expectValidated(
        (args) => served.executeTool({ name, arguments: { ...action, ...args }, session }, view),
        good,
        bad,
      );
    },
  );

  it('is needed for these schemas', () => {
    const built = (inputSchema: JsonSchemaObject) =>
      new GroupedToolBuilder('g').action({ name: 'a', inputSchema, handler });
    expect(() => built(draft04).buildToolDefinition()).toThrow(ErrUnsupportedSchema);
    expect(() => built(external).buildToolDefinition()).toThrow(ErrExternalRef);
    expect(() => new ToolRegistry().register(built(draft04))).toThrow(ErrUnsupportedSchema);
    const collector = new ToolCollector();
    collector.registerTool('a', { inputSchema: external }, () => 1);
    expect(() => new ToolRegistry().register(...collector.getToolDefinitions())).toThrow(ErrExternalRef);
  });
});
