import { toStandardJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { GroupedToolBuilder } from '../build/grouped-tool-builder.js';
import type { JsonSchemaObject, SchemaSource } from '@toolfold/schema';
import { ErrInvalidTool, ToolfoldError } from '@toolfold/schema/errors';
import type { CallToolResult } from '../protocol/tool-result.js';
import type { WithSecurityWrapper } from '../engine/security-wrapper.js';
import { listOverHttp } from '../../../../test/wire/raw-clients.js';
import { ToolRegistry } from './tool-registry.js';

const text = ({ content }: CallToolResult): string =>
  content.map((block) => ('text' in block ? block.text : block.type)).join();

const tool = {
  name: 'tool',
  description: 'Does something',
  inputSchema: z.object({ a: z.string().optional() }),
  handler: () => 'ran',
};

/** The error of registering an invalid definition. */
function rejection(definition: object): ToolfoldError {
  try {
    new ToolRegistry().register(definition as never);
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(ToolfoldError);
    return thrown as ToolfoldError;
  }
  throw new Error('the definition was accepted');
}

describe('a definition', () => {
  it.each(['name', 'description', 'inputSchema', 'handler'])('without %s is rejected [S004-06]', (field) => {
    const { [field as 'name']: _, ...rest } = tool;
    for (const definition of [rest, { ...rest, [field]: undefined }]) {
      const { message, audience } = rejection(definition);
      expect(message).toContain(field);
      if (field !== 'name') expect(message).toContain('"tool"');
      expect(audience).toBe('author');
    }
  });

  it.each([
    ['name', ''],
    ['name', '  '],
    ['name', 7],
    ['name', 'with space'],
    ['description', ''],
    ['description', ' \n'],
    ['description', 7],
    ['inputSchema', null],
    ['inputSchema', 'z.object'],
    ['handler', null],
    ['handler', 'run'],
  ])('whose %s is %j is rejected [S004-06]', (field, value) => {
    expect(rejection({ ...tool, [field]: value }).message).toContain(field);
  });

  it.each([
    ['title', 7],
    ['outputSchema', 7],
    ['readOnly', 'yes'],
    ['destructive', 1],
    ['idempotent', null],
    ['openWorld', {}],
    ['tags', 'a'],
    ['scopes', 'admin'],
    ['scopes', [1]],
    ['middleware', [null]],
    ['icons', ['x']],
    ['meta', []],
    ['namespace', ''],
    ['security', 'x'],
    ['security', { namespace: '' }],
    ['security', { operations: 'x' }],
    ['metadata', { annotation: {} }],
    ['metadata', { annotations: { readOnlyHint: 'yes' } }],
    ['metadata', { inputJsonSchema: true }],
    ['defaultArgumentResolver', { a: 1 }],
    ['timeoutMs', 0],
    ['timeoutMs', Number.NaN],
    ['timeoutMs', '5s'],
    ['cost', 0],
    ['cost', 1.5],
    ['cached', true],
    ['cached', {}],
    ['cached', { ttlMs: -1 }],
    ['cached', { ttlMs: 1, tag: 'x' }],
    ['invalidates', 'x'],
    ['idempotency', false],
    ['idempotency', { key: 'x' }],
    ['retry', 3],
    ['retry', { attempts: 0 }],
    ['retry', { attempts: 1_000 }],
    ['outputBudget', 100],
    ['outputBudget', {}],
    ['outputBudget', { bytes: 0 }],
    ['outputBudget', {}],
    ['outputBudget', { bytes: 5, token: 5 }],
    ['textFormat', 'yaml'],
    ['structuredText', 'none'],
    ['unknownOutput', 'ignore'],
  ])('whose %s is %j is rejected with the names of tool and field', (field, value) => {
    const { message } = rejection({ ...tool, [field]: value });
    expect(message).toContain('"tool"');
    expect(message).toContain(field);
    const builder = () => new GroupedToolBuilder('big').action({ ...tool, [field]: value } as never);
    expect(() => new ToolRegistry().register(builder())).toThrow(field);
    expect(() => new ToolRegistry().register(builder())).toThrow(/"tool"|"big\/tool"/);
  });

  it.each([
    { readOnly: true, cached: { ttlMs: 1, staleWhileRevalidateMs: 0 } },
    { readOnly: true, retry: { attempts: 2, delayMs: 0 } },
  ])('may set %j, where zero means the option is off', (fields) => {
    expect(new ToolRegistry().register({ ...tool, ...fields }).size).toBe(1);
  });

  it('whose handler has the parameters of an SDK handler is rejected with advice', () => {
    const handler = (args: object, extra: unknown) => [args, extra];
    expect(rejection({ ...tool, handler } as never).message).toBe(
      'Tool "tool": handler declares 2 parameters, but gets one argument. Write ({ input, context }) => … instead of (args, extra) => ….',
    );
  });

  it('with an unknown field is rejected with the nearest field name', () => {
    expect(rejection({ ...tool, defaultArgumentsResolver: () => ({}) }).message).toBe(
      'Tool "tool" has no option "defaultArgumentsResolver". Did you mean "defaultArgumentResolver"?',
    );
  });

  it.each([
    ['a read-only tool that is destructive', { readOnly: true, destructive: true }],
    [
      'a read-only tool that is annotated as destructive',
      { readOnly: true, metadata: { annotations: { destructiveHint: true } } },
    ],
    [
      'a tool annotated as read-only that is destructive',
      { destructive: true, metadata: { annotations: { readOnlyHint: true } } },
    ],
    ['one hint with two values', { readOnly: false, metadata: { annotations: { readOnlyHint: true } } }],
    ['a cached write', { cached: { ttlMs: 1 } }],
    ['a retried write', { retry: { attempts: 2 } }],
    ['a key in an unknown field', { idempotency: { field: 'reqest_id' } }],
  ])('that contradicts itself is rejected: %s', (_, fields) => {
    expect(rejection({ ...tool, ...fields }).message).toContain('"tool"');
  });

  it.each([undefined, null, 'tool', 7, () => tool, {}])('that is %j causes a ToolfoldError', (item) => {
    expect(() => new ToolRegistry().register(item as never)).toThrow(ToolfoldError);
  });

  it('that is rejected leaves the registry unchanged', () => {
    const registry = new ToolRegistry();
    expect(() => registry.register(tool, { ...tool, name: 'other', description: '' })).toThrow(/"other"/);
    expect(registry.size).toBe(0);
    expect(registry.listTools()).toEqual([]);
  });

  it('that is changed after registration changes no tool', async () => {
    const definition = {
      ...tool,
      security: { namespace: 'n', operation: 'o' },
      scopes: ['a'],
      metadata: { annotations: { readOnlyHint: true, 'acme/x': { y: 1 } } },
    };
    const registry = new ToolRegistry().register(definition);
    const before = JSON.stringify(registry.listTools());
    definition.description = 'Something else';
    definition.scopes.length = 0;
    definition.metadata.annotations['acme/x'].y = 2;
    definition.metadata.annotations.readOnlyHint = false;
    definition.handler = () => 'other';
    expect(JSON.stringify(registry.listTools())).toBe(before);
    expect((await registry.executeTool({ name: 'tool' })).isError).toBe(true);
    expect(text(await registry.executeTool({ name: 'tool', caller: { auth: { scopes: ['a'] } } }))).toBe(
      'ran',
    );
  });

  it('with a name that cannot be listed is rejected, and the other tools stay listed', () => {
    const registry = new ToolRegistry().register(tool);
    expect(() =>
      registry.register({
        name: 'bad name',
        description: 'Does something',
        inputSchema: {},
        handler: () => 1,
      }),
    ).toThrow(ErrInvalidTool);
    expect(registry.listTools()).toHaveLength(1);
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31])(
    'with a timeout of %s ms is rejected',
    (timeoutMs) => {
      expect(() =>
        new ToolRegistry().register({
          name: 't',
          description: 'Does something',
          inputSchema: {},
          timeoutMs,
          handler: () => 1,
        }),
      ).toThrow(ErrInvalidTool);
    },
  );

  it('with scopes that are not a list is rejected', () => {
    expect(() =>
      new ToolRegistry().register({
        name: 't',
        description: 'Does something',
        inputSchema: {},
        scopes: 'admin' as never,
        handler: () => 1,
      }),
    ).toThrow('scopes must be a list');
  });

  it('with a name that some clients reject is rejected, unless the registry allows any name', () => {
    const dotted = { ...tool, name: 'd.e' };
    expect(() => new ToolRegistry().register(dotted)).toThrow(ErrInvalidTool);
    expect(() =>
      new ToolRegistry().register(
        new GroupedToolBuilder('x'.repeat(65)).action({ name: 'a', handler: () => 1 }),
      ),
    ).toThrow(/at most 64/);
    expect(new ToolRegistry({ wireNames: 'any' }).register(dotted).has('d.e')).toBe(true);
  });

  it('is not frozen when it is registered', () => {
    const meta = { note: { deep: true } };
    new ToolRegistry().register({
      name: 't',
      description: 'Does something',
      inputSchema: {},
      meta,
      handler: () => 1,
    });
    new ToolRegistry().registerPrompt({ name: 'p', meta, handler: () => 'x' }).listPrompts();
    new ToolRegistry()
      .registerResource({ name: 'r', uri: 'a://b', meta, handler: () => 'x' })
      .listResources();
    expect(Object.isFrozen(meta) || Object.isFrozen(meta.note)).toBe(false);
  });
});

describe('security labels', () => {
  const labelsOf = async (
    registry: (options: { withSecurityWrapper: WithSecurityWrapper }) => ToolRegistry,
    args = {},
  ) => {
    const secured = vi.fn<WithSecurityWrapper>(() => (_call, run) => run({}));
    const made = registry({ withSecurityWrapper: secured });
    const [listed] = made.listTools();
    await made.executeTool({ name: listed?.name ?? '', arguments: args });
    return secured.mock.calls[0]?.slice(0, 2);
  };

  it.each([
    [{}, ['server', 'tool']],
    [{ namespace: 'own' }, ['own', 'tool']],
    [{ security: { namespace: 'said' } }, ['said', 'tool']],
    [{ namespace: 'own', security: { namespace: 'said' } }, ['said', 'tool']],
    [{ namespace: 'own', security: { operation: 'op' } }, ['own', 'op']],
    [{ security: { namespace: 'said', operation: 'op' } }, ['said', 'op']],
    [{ security: {} }, ['server', 'tool']],
    [{ security: { namespace: undefined } }, ['server', 'tool']],
  ])('of %j are %j [S004-16] [S004-17]', async (fields, expected) => {
    const registry = (options: object) =>
      new ToolRegistry({ name: 'server', ...options }).register({ ...tool, ...(fields as object) });
    expect(await labelsOf(registry)).toEqual(expected);
  });

  it('of an action in a builder default to the server name and the address [S004-16] [S004-17]', async () => {
    const registry = (options: object) =>
      new ToolRegistry({ name: 'server', ...options }).register(
        new GroupedToolBuilder('tool').group('g', (g) =>
          g
            .action({ name: 'a', handler: () => 1 })
            .action({ name: 'b', security: { namespace: 'n', operation: 'o' }, handler: () => 1 }),
        ),
      );
    expect(await labelsOf(registry, { action: 'g.a' })).toEqual(['server', 'tool/g.a']);
    expect(await labelsOf(registry, { action: 'g.b' })).toEqual(['n', 'o']);
  });

  it('of a namespace on an action in a builder are not ignored silently', async () => {
    let labels: unknown;
    try {
      labels = await labelsOf(
        (options) =>
          new ToolRegistry({ name: 'server', ...options }).register(
            new GroupedToolBuilder('tool').action({ name: 'a', namespace: 'own', handler: () => 1 }),
          ),
        { action: 'a' },
      );
    } catch (thrown) {
      labels = thrown;
    }
    if (labels instanceof Error) expect(labels.message).toContain('namespace');
    else expect(labels).toEqual(['own', 'tool/a']);
  });

  it('reach the guard with the schema of the call, including common fields [S004-16]', async () => {
    const schemas: unknown[] = [];
    const registry = new ToolRegistry({
      withSecurityWrapper: (_namespace, _operation, schema) => {
        schemas.push(schema.jsonSchema['required'], schema['~standard'].validate({ w: 'x', n: 1 }));
        return (_call, run) => run({});
      },
    }).register(
      new GroupedToolBuilder('tool')
        .commonSchema(z.object({ w: z.string() }))
        .action({ name: 'a', inputSchema: z.object({ n: z.number() }), handler: () => 1 }),
    );
    await registry.executeTool({ name: 'tool', arguments: { action: 'a' } });
    expect(schemas).toEqual([['w', 'n'], { value: { w: 'x', n: 1 } }]);
  });
});

describe('metadata.inputJsonSchema', () => {
  const register = (inputSchema: SchemaSource, inputJsonSchema: JsonSchemaObject, allowNarrower?: boolean) =>
    new ToolRegistry().register({
      ...tool,
      inputSchema,
      metadata: { inputJsonSchema, ...(allowNarrower === undefined ? {} : { allowNarrower }) },
    });
  const list = async (...given: Parameters<typeof register>) =>
    (await listOverHttp(register(...given)))[0]?.inputSchema;

  it('is listed as written [S004-18]', async () => {
    const written: JsonSchemaObject = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'Arguments',
      type: 'object',
      properties: { a: { type: 'string', description: 'An a', examples: ['x'], 'x-order': 1 } },
      $comment: 'by hand',
    };
    expect(JSON.stringify(await list(tool.inputSchema, written))).toBe(JSON.stringify(written));
  });

  it('does not change the validation', async () => {
    const registry = new ToolRegistry().register({
      ...tool,
      inputSchema: z.object({ a: z.string().max(3) }),
      metadata: { inputJsonSchema: { type: 'object', properties: { a: { type: 'string' } } } },
    });
    expect((await registry.executeTool({ name: 'tool', arguments: { a: 'long' } })).isError).toBe(true);
    expect(text(await registry.executeTool({ name: 'tool', arguments: { a: 'abc' } }))).toBe('ran');
  });

  const object = (properties: Record<string, object>, more: object = {}): JsonSchemaObject => ({
    type: 'object',
    properties,
    ...more,
  });
  const narrower: [string, SchemaSource, JsonSchemaObject][] = [
    [
      'requires more',
      z.object({ a: z.string().optional() }),
      object({ a: { type: 'string' } }, { required: ['a'] }),
    ],
    ['lacks a field', z.object({ a: z.string() }), object({}, { additionalProperties: false })],
    ['has another type', z.object({ a: z.string() }), object({ a: { type: 'number' } })],
    ['lacks a type', z.object({ a: z.union([z.string(), z.number()]) }), object({ a: { type: 'string' } })],
    ['lacks null', z.object({ a: z.string().nullable() }), object({ a: { type: 'string' } })],
    ['lacks a choice', z.object({ a: z.enum(['x', 'y']) }), object({ a: { enum: ['x'] } })],
    ['has another constant', z.object({ a: z.literal('x') }), object({ a: { const: 'y' } })],
    ['has choices for any text', z.object({ a: z.string() }), object({ a: { type: 'string', enum: ['x'] } })],
    ['has a constant for any text', z.object({ a: z.string() }), object({ a: { const: 'x' } })],
    ['wants longer text', z.object({ a: z.string() }), object({ a: { type: 'string', minLength: 3 } })],
    [
      'wants shorter text',
      z.object({ a: z.string().max(9) }),
      object({ a: { type: 'string', maxLength: 3 } }),
    ],
    ['wants a pattern', z.object({ a: z.string() }), object({ a: { type: 'string', pattern: '^x' } })],
    ['wants larger numbers', z.object({ a: z.number() }), object({ a: { type: 'number', minimum: 0 } })],
    [
      'wants smaller numbers',
      z.object({ a: z.number().max(9) }),
      object({ a: { type: 'number', maximum: 3 } }),
    ],
    ['wants integers', z.object({ a: z.number() }), object({ a: { type: 'integer' } })],
    [
      'wants fewer items',
      z.object({ a: z.array(z.string()) }),
      object({ a: { type: 'array', maxItems: 3 } }),
    ],
    [
      'wants other items',
      z.object({ a: z.array(z.string()) }),
      object({ a: { type: 'array', items: { type: 'number' } } }),
    ],
    [
      'requires more inside a field',
      z.object({ a: z.object({ b: z.string().optional() }) }),
      object({ a: object({ b: { type: 'string' } }, { required: ['b'] }) }),
    ],
    [
      'has another type inside a field',
      z.object({ a: z.object({ b: z.string() }) }),
      object({ a: object({ b: { type: 'number' } }) }),
    ],
    ['allows no further fields', z.looseObject({}), object({}, { additionalProperties: false })],
    ['rejects everything', z.object({ a: z.string() }), object({ a: { not: {} } })],
  ];

  it.each(narrower)('that %s is rejected with tool and field', (_, inputSchema, written) => {
    expect(() => register(inputSchema, written)).toThrow(
      /^Tool "tool", metadata\.inputJsonSchema: .*allowNarrower/,
    );
    expect(() => register(inputSchema, written, false)).toThrow('allowNarrower');
  });

  it.each(narrower)(
    'that %s is listed if the author allows it [S004-18]',
    async (_, inputSchema, written) => {
      expect(await list(inputSchema, written, true)).toEqual(written);
    },
  );

  it.each<[string, SchemaSource, JsonSchemaObject]>([
    [
      'is the same',
      z.object({ a: z.string().min(2) }),
      object({ a: { type: 'string', minLength: 2 } }, { required: ['a'] }),
    ],
    ['requires less', z.object({ a: z.string().min(2) }), object({ a: { type: 'string', minLength: 1 } })],
    ['omits a field', z.object({ a: z.string() }), object({})],
    ['accepts more types', z.object({ a: z.string() }), object({ a: { type: ['string', 'number'] } })],
    ['accepts more choices', z.object({ a: z.enum(['x']) }), object({ a: { enum: ['x', 'y'] } })],
    [
      'has further fields',
      z.object({ a: z.string() }),
      object({ a: { type: 'string' }, b: { type: 'string' } }),
    ],
    [
      'refers to itself',
      z.object({ a: z.string() }),
      object({ a: { $ref: '#/$defs/a' } }, { $defs: { a: { type: 'string' } } }),
    ],
    [
      'is for another library',
      toStandardJsonSchema(v.object({ a: v.string() })),
      object({ a: { type: 'string' } }, { required: ['a'] }),
    ],
  ])('that %s is accepted', async (_, inputSchema, written) => {
    expect(await list(inputSchema, written)).toEqual(written);
  });

  it.each<[string, JsonSchemaObject]>([
    ['is not JSON Schema', { type: 'object', properties: { a: { type: 'text' } } }],
    ['describes another type', { type: 'array' }],
    [
      'has an external reference',
      { type: 'object', properties: { a: { $ref: 'https://example.com/a.json' } } },
    ],
  ])('that %s is rejected with tool and field', (_, written) => {
    expect(() => register(tool.inputSchema, written)).toThrow(/^Tool "tool", metadata\.inputJsonSchema: /);
  });

  it('of an action in a builder describes its fields in the listed schema', () => {
    const registry = new ToolRegistry().register(
      new GroupedToolBuilder('big').commonSchema(z.object({ w: z.string() })).action({
        name: 'a',
        inputSchema: z.object({ n: z.number() }),
        metadata: {
          inputJsonSchema: object({ n: { type: 'number', description: 'by hand' } }, { required: ['n'] }),
        },
        handler: () => 1,
      }),
    );
    for (const view of [registry.view(), registry.view({ form: 'flat' })]) {
      expect(view.listTools()[0]!.inputSchema).toMatchObject({
        properties: { w: { type: 'string' }, n: { type: 'number' } },
      });
      expect(JSON.stringify(view.listTools()[0]!.inputSchema)).toContain('by hand');
    }
  });
});

describe('metadata.annotations', () => {
  it('reach clients: hints by their names, a title, and all others in _meta [S004-19]', () => {
    const [listed] = new ToolRegistry()
      .register({
        ...tool,
        metadata: {
          annotations: {
            title: 'A tool',
            readOnlyHint: true,
            idempotentHint: true,
            openWorldHint: false,
            'acme/team': { name: 'billing' },
          },
        },
        meta: { 'acme/other': 1 },
      })
      .listTools();
    expect(listed).toMatchObject({
      title: 'A tool',
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
      _meta: { 'acme/team': { name: 'billing' }, 'acme/other': 1 },
    });
  });

  it('have the effect of the hints they contain [S004-19]', async () => {
    const load = vi.fn<() => number>(() => 1);
    const registry = new ToolRegistry().register({
      ...tool,
      metadata: { annotations: { readOnlyHint: true } },
      cached: { ttlMs: 1_000 },
      handler: load,
    });
    await registry.executeTool({ name: 'tool' });
    await registry.executeTool({ name: 'tool' });
    expect(load).toHaveBeenCalledTimes(1);
    expect(registry.view({ readOnly: true }).listTools()).toHaveLength(1);
  });

  it('of an action in a builder reach clients in the flat form, and its hints in the grouped form', () => {
    const registry = new ToolRegistry().register(
      new GroupedToolBuilder('big').action({
        name: 'a',
        metadata: { annotations: { readOnlyHint: true, title: 'The A', 'acme/x': 1 } },
        handler: () => 1,
      }),
    );
    expect(registry.listTools()[0]).toMatchObject({ annotations: { readOnlyHint: true } });
    expect(registry.view({ form: 'flat' }).listTools()[0]).toMatchObject({
      title: 'The A',
      annotations: { readOnlyHint: true },
      _meta: { 'acme/x': 1 },
    });
  });
});

describe('getToolDefinitions', () => {
  it('returns the contract of each tool, with the schema and the handler of its author [S004-01] [S004-05]', async () => {
    const inputSchema = z.object({ a: z.string().optional() });
    const handler = ({ input }: { input: { a?: string | undefined } }) => `ran ${input.a}`;
    const defaultArgumentResolver = async () => ({ a: 'x' });
    const registry = new ToolRegistry({ name: 'acme' }).register({
      name: 'tool',
      description: 'Does something',
      inputSchema,
      handler,
      security: { operation: 'op' },
      defaultArgumentResolver,
    });
    const [definition] = registry.getToolDefinitions();
    expect(definition).toMatchObject({
      name: 'tool',
      description: 'Does something',
      security: { operation: 'op' },
    });
    expect(definition!.inputSchema).toBe(inputSchema);
    expect(definition!.handler).toBe(handler);
    expect(definition!.defaultArgumentResolver).toBe(defaultArgumentResolver);
    expect(registry.getToolDefinition('tool')!.handler).toBe(handler);
    // A definition of one action can be registered again unchanged.
    const second = new ToolRegistry().register(definition!);
    expect(text(await second.executeTool({ name: 'tool' }))).toBe('ran x');
  });

  it('returns a schema and a handler for a builder, and the definitions of its actions', async () => {
    const seen: string[] = [];
    const list = z.object({ limit: z.number() });
    const registry = new ToolRegistry().register(
      new GroupedToolBuilder('desk', { namespace: 'acme' })
        .use(async (_call, next) => `<${String(await next())}>`)
        .group('users', (users) =>
          users
            .action({ name: 'list', inputSchema: list, handler: ({ input }) => `listed ${input.limit}` })
            .action({
              name: 'ban',
              idempotency: true,
              inputSchema: { id: z.string() },
              handler: ({ input }) => void seen.push(input.id),
            }),
        ),
    );
    const [definition] = registry.getToolDefinitions();
    expect(definition).toMatchObject({
      name: 'desk',
      namespace: 'acme',
      description: expect.stringMatching(/^desk\. Modules: users \(list,ban\)/) as string,
      inputSchema: { type: 'object', properties: { action: { enum: ['users.list', 'users.ban'] } } },
      actions: [
        { key: 'users.list', name: 'list' },
        { key: 'users.ban', name: 'ban' },
      ],
    });
    expect(definition!.actions![0]!.inputSchema).toBe(list);
    const handler = definition!.handler as (call: object) => unknown;
    const context = {};
    expect(await handler({ input: { action: 'users.list', limit: 3 }, context })).toBe('<listed 3>');
    await handler({ input: { action: 'users.ban', id: 'x' }, context });
    expect(seen).toEqual(['x']);
    expect(() => handler({ input: { action: 'users.none' }, context })).toThrow('users.none');
  });
});
