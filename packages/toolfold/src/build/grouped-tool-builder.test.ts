import { describe, expect, expectTypeOf, it, vi } from 'vitest';
import * as z from 'zod';
import { z as z3 } from 'zod3';
import { compileMiddlewareChains } from '../compile/middleware-compiler.js';
import { aggregateAnnotations } from '../compile/annotation-aggregator.js';
import { generateDescription } from '../compile/description-generator.js';
import { generateInputSchema } from '../compile/input-schema/schema-generator.js';
import {
  ErrFieldConflict,
  ErrFrozen,
  ErrInvalidBuilder,
  ErrInvalidSchema,
  ErrInvalidTool,
} from '@toolfold/schema/errors';
import type { CallToolResult } from '../protocol/tool-result.js';
import { Tool } from '../model/tool.js';
import { ToolRegistry } from '../registry/tool-registry.js';
import { DefaultValidator } from '@toolfold/schema';
import { GroupedToolBuilder } from './grouped-tool-builder.js';
import { initToolfold } from '../registry/init-toolfold.js';

const text = ({ content }: CallToolResult): string =>
  content.map((block) => ('text' in block ? block.text : '')).join();

const flat = () =>
  new GroupedToolBuilder('notes')
    .description('Notes')
    .action({ name: 'list', readOnly: true, handler: () => 'listed' })
    .action({
      name: 'create',
      inputSchema: z.object({ title: z.string() }),
      handler: ({ input }) => `created ${input.title}`,
    })
    .action({
      name: 'delete',
      destructive: true,
      inputSchema: z.object({ id: z.string() }),
      handler: ({ input }) => input.id,
    });

const grouped = () =>
  new GroupedToolBuilder('platform')
    .commonSchema(z.object({ workspace_id: z.string() }))
    .tags('Core')
    .group('users', 'People', (users) =>
      users
        .action({
          name: 'list',
          readOnly: true,
          inputSchema: z.object({ limit: z.number().optional() }),
          handler: ({ input }) => input,
        })
        .action({
          name: 'ban',
          destructive: true,
          scopes: ['users:write'],
          tags: ['admin'],
          inputSchema: z.object({ id: z.string() }),
          handler: ({ input }) => input,
        }),
    )
    .group('billing', (billing) =>
      billing.action({
        name: 'refund',
        inputSchema: z.object({ id: z.string() }),
        handler: ({ input }) => input,
      }),
    );

describe('a builder', () => {
  it('folds its actions into one tool [S000-26] [S000-30]', () => {
    const tool = flat().buildToolDefinition();
    expect(tool).toBeInstanceOf(Tool);
    expect(tool.name).toBe('notes');
    expect(tool.description).toContain('Actions: list, create, delete');
    expect((tool.inputSchema['properties'] as Record<string, unknown>)['action']).toMatchObject({
      enum: ['list', 'create', 'delete'],
    });
    expect(tool.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true });
    const many = grouped().buildToolDefinition();
    expect(many.description).toContain('Modules: users (list,ban) | billing (refund)');
  });

  it('validates a call and runs the handler of its action [S000-32]', async () => {
    const builder = flat();
    expect(text(await builder.execute({ action: 'create', title: 'Milk' }))).toBe('created Milk');
    expect(await builder.execute({ action: 'create' })).toMatchObject({ isError: true });
  });

  it('builds by itself when it is first used, and only then [S000-83] [S001-18]', async () => {
    const builder = flat();
    const schemas = vi.fn<typeof generateInputSchema>(generateInputSchema);
    builder.strategies({ inputSchema: schemas });
    expect(text(await builder.execute({ action: 'list' }))).toBe('listed');
    await builder.execute({ action: 'list' });
    expect(schemas).toHaveBeenCalledTimes(1);
    expect(() => builder.description('later')).toThrow(ErrFrozen);
  });

  it('computes everything once, for any number of calls [S000-27] [S000-28] [S000-31] [S000-99]', async () => {
    const strategies = {
      inputSchema: vi.fn<typeof generateInputSchema>(generateInputSchema),
      description: vi.fn<typeof generateDescription>(generateDescription),
      annotations: vi.fn<typeof aggregateAnnotations>(aggregateAnnotations),
      middleware: vi.fn<typeof compileMiddlewareChains>(compileMiddlewareChains),
    };
    const builder = flat().strategies(strategies);
    const tool = builder.buildToolDefinition();
    for (let call = 0; call < 20; call++) await builder.execute({ action: 'list' });
    expect(builder.buildToolDefinition()).toBe(tool);
    for (const strategy of Object.values(strategies)) expect(strategy).toHaveBeenCalledTimes(1);
  });

  it('returns its names, tags and actions without running a handler [S000-33] [S000-81]', () => {
    const builder = grouped();
    expect(builder.name).toBe('platform');
    expect(builder.getTags()).toEqual(['Core']);
    expect(builder.getActionNames()).toEqual(['users.list', 'users.ban', 'billing.refund']);
    expect(builder.getActionMetadata()[1]).toEqual({
      key: 'users.ban',
      actionName: 'ban',
      groupName: 'users',
      description: undefined,
      requiredFields: ['workspace_id', 'id'],
      readOnly: undefined,
      destructive: true,
      idempotent: undefined,
      openWorld: undefined,
      tags: ['admin'],
      scopes: ['users:write'],
    });
    expect(() => builder.description('still open')).not.toThrow();
  });

  it.each(['2025-11-25', '2026-07-28'] as const)(
    'previews exactly the text of the default list of %s',
    (version) => {
      const builder = new GroupedToolBuilder('desk', { namespace: 'acme' })
        .description(`The work of a desk. ${'It has many drawers that hold things. '.repeat(60)}`)
        .action({
          name: 'open',
          description: 'Opens it',
          destructive: true,
          inputSchema: z.object({
            at: z.iso.date().describe('Day'),
            kind: z.literal('a').optional(),
            extra: z.record(z.string(), z.unknown()),
            pair: z.tuple([z.string(), z.number().gt(2)]),
          }),
          handler: () => 'opened',
        });
      const [listed] = new ToolRegistry().register(builder).listTools(version);
      const [name, description, schema] = builder.previewPrompt().split(/\n\n(?=The work|\{)/);
      expect(name).toBe('acme_desk');
      expect(description).toBe(listed!.description);
      expect(JSON.parse(schema!)).toEqual(listed!.inputSchema);
    },
  );

  it('describes its actions as a TOON table on request', () => {
    const tool = flat().toonDescription().buildToolDefinition();
    expect(tool.description).toContain('[3|]{action|desc|required|destructive}:');
  });

  it('accepts another name for the discriminator', async () => {
    const builder = flat().discriminator('op');
    expect(text(await builder.execute({ op: 'list' }))).toBe('listed');
    expect(text(await builder.execute({ action: 'list' }))).toBe(
      'op is required. Available: list, create, delete',
    );
  });

  it('lets explicit annotations override computed ones', () => {
    const { annotations } = flat()
      .annotations({ title: 'Notes', destructiveHint: false })
      .annotations({ openWorldHint: false })
      .buildToolDefinition();
    expect(annotations).toMatchObject({
      title: 'Notes',
      destructiveHint: false,
      openWorldHint: false,
      readOnlyHint: false,
    });
  });

  it('strips unknown fields instead of rejecting them on request', async () => {
    const builder = new GroupedToolBuilder('echo').unknownFields('strip').action({
      name: 'say',
      inputSchema: { type: 'object', properties: { word: { type: 'string' } } },
      handler: ({ input }) => input,
    });
    expect(text(await builder.execute({ action: 'say', word: 'hi', odd: 1 }))).toBe('{"word":"hi"}');
  });

  it('rejects a field of several shapes on request, naming the field, actions and shapes', () => {
    const builder = () =>
      new GroupedToolBuilder('t')
        .action({ name: 'a', inputSchema: z.object({ id: z.string() }), handler: () => 1 })
        .action({ name: 'b', inputSchema: z.object({ id: z.number() }), handler: () => 1 });
    expect(() => builder().onConflict('throw').buildToolDefinition()).toThrow(ErrFieldConflict);
    expect(() => builder().onConflict('throw').buildToolDefinition()).toThrow(
      'The field "id" of tool "t" has different shapes in a, b: {"type":"string"} and {"type":"number"}.',
    );
    expect(() => builder().buildToolDefinition()).not.toThrow();
  });

  it('passes the application from execute() to the handler', async () => {
    const builder = initToolfold<{ user: string }>()
      .group('t')
      .action({
        name: 'who',
        handler: ({ context }) => context.app.user,
      });
    const result = await builder.execute({ action: 'who' }, { app: { user: 'ada' } });
    expect(result.content).toEqual([{ type: 'text', text: 'ada' }]);
  });

  it('compiles JSON Schemas with the given validator', () => {
    const schemaValidator = new DefaultValidator();
    const compile = vi.spyOn(schemaValidator, 'compile');
    const inputSchema = { type: 'object', properties: { a: { type: 'string' } } } as const;
    new GroupedToolBuilder('t', { schemaValidator })
      .commonSchema({ type: 'object', properties: { b: { type: 'string' } } })
      .action({ name: 'a', inputSchema, handler: () => 1 });
    expect(compile).toHaveBeenCalledTimes(2);
  });

  it('describes flat tools by its own description and the name of the action', () => {
    const flat = (description?: string) => {
      const builder = new GroupedToolBuilder('t').action({ name: 'a', handler: () => 1 });
      if (description) builder.description(description);
      return new ToolRegistry().register(builder).view({ form: 'flat' }).listTools()[0]?.description;
    };
    expect(flat('Users')).toBe('Users: a');
    expect(flat()).toBe('a');
  });

  it('includes the descriptions of its groups in its own', () => {
    const { description } = new GroupedToolBuilder('b')
      .group('users', 'People', (users) => users.action({ name: 'list', handler: () => 1 }))
      .buildToolDefinition();
    expect(description).toBe('b. Modules: users (list)\n\nDetails:\n- `users`: People');
  });
});

describe('a builder in one of its two modes', () => {
  it('is flat after .action(): keys are plain names [S000-103] [S000-104]', () => {
    expect(flat().getActionNames()).toEqual(['list', 'create', 'delete']);
  });

  it('is hierarchical after .group(): keys are compound [S000-105]', () => {
    expect(grouped().getActionNames()).toEqual(['users.list', 'users.ban', 'billing.refund']);
  });

  it('rejects mixing both modes, in either order [S000-106]', () => {
    const message =
      'Cannot use .action() and .group() on the same builder "platform".\nUse .action() for flat tools OR .group() for hierarchical tools.';
    const first = new GroupedToolBuilder('platform').action({ name: 'a', handler: () => 1 });
    expect(() => first.group('g', (group) => group)).toThrow(message);
    const second = new GroupedToolBuilder('platform').group('g', (group) =>
      group.action({ name: 'a', handler: () => 1 }),
    );
    expect(() => second.action({ name: 'b', handler: () => 1 })).toThrow(message);
  });

  it('rejects dots in action names [S000-107]', () => {
    expect(() => new GroupedToolBuilder('t').action({ name: 'a.b', handler: () => 1 })).toThrow(
      ErrInvalidTool,
    );
    expect(() =>
      new GroupedToolBuilder('t').group('g', (group) => group.action({ name: 'a.b', handler: () => 1 })),
    ).toThrow('must not contain a dot');
  });

  it('rejects dots in group names [S000-108]', () => {
    const withGroup = (name: string) =>
      new GroupedToolBuilder('t').group(name, (group) => group.action({ name: 'x', handler: () => 1 }));
    expect(() => withGroup('a.b')).toThrow(ErrInvalidBuilder);
    expect(() => withGroup('a.b')).toThrow('a group needs a name without dots, not "a.b"');
    expect(() => withGroup('ab')).not.toThrow();
  });

  it('rejects empty names, duplicate names and a builder without actions', () => {
    expect(() => new GroupedToolBuilder(' ')).toThrow(ErrInvalidBuilder);
    expect(() => new GroupedToolBuilder('t').action({ name: '', handler: () => 1 })).toThrow('has no name');
    expect(() => new GroupedToolBuilder('t').group('', (group) => group)).toThrow(ErrInvalidBuilder);
    expect(() => flat().action({ name: 'list', handler: () => 1 })).toThrow('already has an action "list"');
    expect(() => grouped().group('users', (group) => group)).toThrow('already has a group "users"');
    expect(() => new GroupedToolBuilder('t').buildToolDefinition()).toThrow('has no actions');
    expect(() => flat().discriminator('')).toThrow(ErrInvalidBuilder);
  });

  it('rejects a field with the name of the discriminator', () => {
    const own = new GroupedToolBuilder('t').action({
      name: 'a',
      inputSchema: z.object({ action: z.string() }),
      handler: () => 1,
    });
    expect(() => own.buildToolDefinition()).toThrow('Action "a" of tool "t" has a field "action"');
    const common = flat().commonSchema(z.object({ action: z.string() }));
    expect(() => common.buildToolDefinition()).toThrow('the name of the discriminator');
  });

  it('names tool, action and field when a schema cannot be used', () => {
    const add = () =>
      new GroupedToolBuilder('platform').group('users', (users) =>
        users.action({ name: 'create', inputSchema: z.object({ born: z.date() }), handler: () => 1 }),
      );
    expect(add).toThrow(ErrInvalidSchema);
    expect(add).toThrow(
      'Tool "platform", action "users.create", inputSchema: The field "born" has the type "date"',
    );
    expect(() => flat().commonSchema(z.string())).toThrow('Tool "notes", commonSchema');
  });
});

describe('a built builder', () => {
  it('names itself in the error about its freezing [S000-101]', () => {
    const builder = new GroupedToolBuilder('orders').action({ name: 'list', handler: () => 1 });
    builder.buildToolDefinition();
    expect(() => builder.tags('x')).toThrow(
      'Builder "orders" is frozen after buildToolDefinition(). Cannot modify a built tool.',
    );
  });

  it('is frozen: every change throws [S000-97] [S000-100] [S000-101]', () => {
    const builder = grouped();
    builder.buildToolDefinition();
    const message = 'Builder "platform" is frozen after buildToolDefinition(). Cannot modify a built tool.';
    for (const change of [
      () => builder.action({ name: 'x', handler: () => 1 }),
      () => builder.group('x', (group) => group),
      () => builder.use(async (_call, next) => next()),
      () => builder.description('x'),
      () => builder.commonSchema(z.object({})),
      () => builder.tags('x'),
      () => builder.annotations({}),
      () => builder.discriminator('x'),
      () => builder.toonDescription(),
      () => builder.unknownFields('strip'),
      () => builder.onConflict('throw'),
      () => builder.strategies({}),
    ]) {
      expect(change).toThrow(ErrFrozen);
      expect(change).toThrow(message);
    }
  });

  it('is deeply frozen, including its list of actions [S000-98]', () => {
    const { spec } = flat().compile();
    expect(Object.isFrozen(spec.actions)).toBe(true);
    expect(() => (spec.actions as unknown[]).push({})).toThrow(TypeError);
    const tool = flat().buildToolDefinition();
    const frozen = (value: unknown): boolean =>
      typeof value !== 'object' ||
      value === null ||
      (Object.isFrozen(value) && Object.values(value).every(frozen));
    expect(frozen(tool)).toBe(true);
  });

  it('cannot be changed by one module after another has registered it [S000-102] [S001-25]', () => {
    const shared = flat();
    const registry = new ToolRegistry().register(shared);
    expect(() => shared.action({ name: 'late', handler: () => 1 })).toThrow(ErrFrozen);
    expect(() => shared.use(async () => 'intercepted')).toThrow(ErrFrozen);
    expect(registry.view({ profile: 'anthropic' }).listTools()[0]!.inputSchema).toEqual(
      shared.buildToolDefinition().inputSchema,
    );
  });
});

describe('types', () => {
  it('infer the input of a handler from the common schema and the schema of its action', () => {
    initToolfold<{ user: string }>()
      .group('t')
      .commonSchema(z.object({ workspace_id: z.string() }))
      .action({
        name: 'zod',
        inputSchema: z.object({
          n: z.string().transform(Number),
          limit: z.number().default(1),
          note: z.string().optional(),
        }),
        handler: ({ input, context }) => {
          expectTypeOf(input.workspace_id).toEqualTypeOf<string>();
          expectTypeOf(input.n).toEqualTypeOf<number>();
          expectTypeOf(input.limit).toEqualTypeOf<number>();
          expectTypeOf(input.note).toEqualTypeOf<string | undefined>();
          expectTypeOf(context.app.user).toEqualTypeOf<string>();
          expectTypeOf(context.signal).toEqualTypeOf<AbortSignal>();
        },
      })
      .action({
        name: 'raw',
        inputSchema: { a: z3.string(), b: z3.number().optional() },
        handler: ({ input }) => {
          expectTypeOf(input.a).toEqualTypeOf<string>();
          expectTypeOf(input.b).toEqualTypeOf<number | undefined>();
        },
      })
      .action({
        name: 'json',
        inputSchema: { type: 'object', properties: { a: { type: 'string' } } },
        handler: ({ input }) => {
          expectTypeOf(input['a']).toEqualTypeOf<unknown>();
        },
      });
  });

  it('infer the input from the schema in a registry too', () => {
    new ToolRegistry<{ db: string }>({ contextFactory: () => ({ db: 'x' }) }).register({
      name: 'one',
      description: 'Does something',
      inputSchema: z.object({ id: z.number() }),
      handler: ({ input, context }) => {
        expectTypeOf(input).toEqualTypeOf<{ id: number } & unknown>();
        expectTypeOf(context.app.db).toEqualTypeOf<string>();
      },
    });
  });
});

describe('default arguments of a builder', () => {
  const books = () =>
    new GroupedToolBuilder('books')
      .commonSchema(z.object({ budget: z.string().optional(), note: z.string().optional() }))
      .defaultArguments(async ({ rawArguments }) =>
        rawArguments['budget'] === undefined ? { budget: 'home' } : undefined,
      )
      .action({ name: 'list', handler: ({ input }) => input })
      .action({
        name: 'add',
        inputSchema: z.object({ amount: z.number() }),
        defaultArgumentResolver: () => ({ amount: 7, budget: 'own' }),
        handler: ({ input }) => input,
      });

  it('apply to every action, and yield to the resolver of the action and to the caller', async () => {
    expect(text(await books().execute({ action: 'list' }))).toBe('{"budget":"home"}');
    expect(text(await books().execute({ action: 'list', budget: 'work' }))).toBe('{"budget":"work"}');
    expect(text(await books().execute({ action: 'add' }))).toBe('{"budget":"own","amount":7}');
    expect(text(await books().execute({ action: 'add', amount: 1, budget: 'b' }))).toBe(
      '{"budget":"b","amount":1}',
    );
  });

  it('apply whether they are declared before or after the actions', async () => {
    const later = new GroupedToolBuilder('books')
      .commonSchema(z.object({ budget: z.string().optional() }))
      .action({ name: 'list', handler: ({ input }) => input })
      .defaultArguments(() => ({ budget: 'home' }));
    expect(text(await later.execute({ action: 'list' }))).toBe('{"budget":"home"}');
  });

  it('are optional for clients and always present for handlers', () => {
    const { inputSchema } = books().buildToolDefinition();
    expect(inputSchema['required']).toEqual(['action']);
    books().action({
      name: 'typed',
      handler: ({ input }) => {
        expectTypeOf(input.budget).toEqualTypeOf<string>();
        expectTypeOf(input.note).toEqualTypeOf<string | undefined>();
      },
    });
  });

  it('must be a function, on a builder that is not built yet', () => {
    expect(() => books().defaultArguments({} as never)).toThrow(ErrInvalidBuilder);
    const built = books();
    built.buildToolDefinition();
    expect(() => built.defaultArguments(() => ({}))).toThrow(ErrFrozen);
  });
});

describe('a mistake in a builder', () => {
  it.each<[string, () => unknown]>([
    ['a middleware that is not a function', () => new GroupedToolBuilder('b').use('x' as never)],
    ['a description that is not a string', () => new GroupedToolBuilder('b').description(5 as never)],
    ['tags that are not strings', () => new GroupedToolBuilder('b').tags(5 as never)],
    [
      'an annotation that is not a boolean',
      () => new GroupedToolBuilder('b').annotations({ readOnlyHint: 'yes' as never }),
    ],
    ['an unknown strategy', () => new GroupedToolBuilder('b').strategies({ describe: () => '' } as never)],
    [
      'a strategy that is undefined',
      () => new GroupedToolBuilder('b').strategies({ description: undefined } as never),
    ],
    ['a group without actions', () => new GroupedToolBuilder('b').group('g', (group) => group)],
  ])('is rejected at once: %s', (_what, build) => {
    expect(build).toThrow(ErrInvalidBuilder);
  });

  it('is rejected at once: an unknown mode for conflicts or for unknown fields', () => {
    expect(() => new GroupedToolBuilder('t').onConflict('Throw' as 'throw')).toThrow(/'anyOf' or 'throw'/);
    expect(() => new GroupedToolBuilder('t').unknownFields('loose' as 'strip')).toThrow(
      /'strict' or 'strip'/,
    );
  });

  it('is rejected at once: a late change of a group, an async group, a second common schema', () => {
    let late: { use: (middleware: () => unknown) => unknown } | undefined;
    const builder = new GroupedToolBuilder('t').group('g', (group) => {
      late = group;
      return group.action({ name: 'a', handler: () => 1 });
    });
    expect(() => late!.use(() => 'denied')).toThrow(ErrFrozen);
    // @ts-expect-error The function must return the group.
    expect(() => builder.group('h', async (group) => group)).toThrow(ErrInvalidBuilder);
    expect(() => builder.commonSchema(z.object({ a: z.string() })).commonSchema(z.object({}))).toThrow(
      'already has a common schema',
    );
  });

  it('leaves the name of a group free if its callback throws', () => {
    const platform = new GroupedToolBuilder('b');
    expect(() =>
      platform.group('g', () => {
        throw new Error('oops');
      }),
    ).toThrow('oops');
    expect(() => platform.group('g', (g) => g.action({ name: 'a', handler: () => 1 }))).not.toThrow();
  });

  it('is rejected when the tool is built: a field named like the discriminator, with a custom schema strategy too', () => {
    const builder = new GroupedToolBuilder('t')
      .strategies({ inputSchema: () => ({ type: 'object' }) })
      .action({ name: 'a', inputSchema: z.object({ action: z.string() }), handler: () => 1 });
    expect(() => builder.buildToolDefinition()).toThrow('the name of the discriminator');
  });

  it('is rejected when the tool is built: a common field and an action field that no value can satisfy', () => {
    const build = (common: z.ZodType, own: z.ZodType) =>
      new GroupedToolBuilder('t')
        .commonSchema(z.object({ id: common }))
        .action({ name: 'a', inputSchema: z.object({ id: own }), handler: () => 1 })
        .buildToolDefinition();
    expect(() => build(z.string(), z.number())).toThrow(ErrFieldConflict);
    expect(() => build(z.enum(['a', 'b']), z.enum(['c']))).toThrow(/"id" of tool "t".*action "a"/);
    expect(() => build(z.string(), z.string().min(3))).not.toThrow();
    expect(() => build(z.enum(['a', 'b']), z.literal('a'))).not.toThrow();
    expect(() => build(z.number().nullable(), z.string().nullable())).not.toThrow();
  });
});
