import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { GroupedToolBuilder } from '../build/grouped-tool-builder.js';
import {
  ErrFieldConflict,
  ErrFrozen,
  ErrInvalidBuilder,
  ErrInvalidModel,
  ErrInvalidOptions,
  ErrInvalidPolicy,
  ErrInvalidTool,
} from '../errors.js';
import { DefaultValidator } from '../schema/validate/default-validator.js';
import { ToolRegistry } from './tool-registry.js';
import type { ViewPolicy } from '../views/policy.js';

const tools = () =>
  new ToolRegistry().register(
    new GroupedToolBuilder('u')
      .action({ name: 'list', readOnly: true, handler: () => 1 })
      .action({ name: 'ban', destructive: true, tags: ['admin'], handler: () => 1 }),
  );

describe('a call', () => {
  it.each<[string, () => never]>([
    [
      'an object without a prototype',
      () => {
        throw Object.create(null);
      },
    ],
    [
      'an object that cannot be text',
      () => {
        throw {
          toString: () => {
            throw new Error('no');
          },
        };
      },
    ],
    [
      'nothing',
      () => {
        throw undefined;
      },
    ],
  ])('never rejects, even when a handler throws %s', async (_what, handler) => {
    const result = await new ToolRegistry()
      .register({ name: 't', description: 'Does something', inputSchema: {}, handler })
      .executeTool({ name: 't' });
    expect(result.isError).toBe(true);
    expect(() => JSON.stringify(result)).not.toThrow();
  });

  it('says what a thrown object says', async () => {
    const handler = () => {
      throw { message: 'plain object' };
    };
    const result = await new ToolRegistry()
      .register({ name: 't', description: 'Does something', inputSchema: {}, handler })
      .executeTool({ name: 't' });
    expect(result.content).toEqual([{ type: 'text', text: '[t] plain object' }]);
  });

  it('whose result does not fit its output schema is a failure, not a lie', async () => {
    const registry = new ToolRegistry().register(
      {
        name: 'wrong',
        description: 'Does something',
        inputSchema: {},
        outputSchema: z.object({ n: z.number() }),
        handler: () => ({ n: 'text' }),
      },
      {
        name: 'nothing',
        description: 'Does something',
        inputSchema: {},
        outputSchema: z.object({ n: z.number() }),
        handler: () => undefined,
      },
      {
        name: 'extra',
        description: 'Does something',
        inputSchema: {},
        outputSchema: z.object({ n: z.number() }),
        handler: () => ({ n: 1, secret: 'x' }),
      },
      {
        name: 'failed',
        description: 'Does something',
        inputSchema: {},
        outputSchema: z.object({ n: z.number() }),
        handler: () => ({ content: [{ type: 'text', text: 'no' }], isError: true }),
      },
      {
        name: 'data',
        description: 'Does something',
        inputSchema: {},
        outputSchema: z.object({ content: z.array(z.string()) }),
        handler: () => ({ content: [] }),
      },
    );
    expect(await registry.executeTool({ name: 'wrong' })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('does not fit the output schema: n:') as string }],
    });
    expect(await registry.executeTool({ name: 'nothing' })).toMatchObject({ isError: true });
    expect(await registry.executeTool({ name: 'extra' })).toEqual({
      content: [{ type: 'text', text: '{"n":1}' }],
      structuredContent: { n: 1 },
    });
    expect(await registry.executeTool({ name: 'failed' })).toEqual({
      content: [{ type: 'text', text: 'no' }],
      isError: true,
    });
    expect(await registry.executeTool({ name: 'data' })).toMatchObject({
      structuredContent: { content: [] },
    });
  });

  it('with thousands of unknown fields gets an answer of ordinary size', async () => {
    const junk = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`junk${index}`, 1]));
    const result = await tools().executeTool({ name: 'u', arguments: { action: 'list', ...junk } });
    expect(JSON.stringify(result).length).toBeLessThan(50_000);
  });

  it('does not show the discriminator to code of the author', async () => {
    const seen = vi.fn<(value: unknown) => void>();
    const schema = z.preprocess(
      (value) => {
        seen(value);
        return value;
      },
      z.object({ a: z.string() }),
    );
    await new GroupedToolBuilder('t')
      .action({ name: 'x', inputSchema: schema, handler: () => 1 })
      .execute({ action: 'x', a: 'b' });
    expect(seen).toHaveBeenCalledWith({ a: 'b' });
  });
});

describe('a policy with a slip in it', () => {
  it.each<[unknown, string]>([
    [{ readOnly: 'true' }, '"readOnly"'],
    [{ readOnly: 1 }, '"readOnly"'],
    [{ readonly: true }, 'Did you mean "readOnly"?'],
    [{ excludeTags: 'admin' }, '"excludeTags"'],
    [{ toolsets: ['x'] }, 'no option "toolsets"'],
    [{ form: 'Flat' }, '"form"'],
    [{ split: 'Risk' }, '"split"'],
    [{ actions: [1] }, '"actions"'],
  ])('throws instead of showing everything: %j', (policy, message) => {
    expect(() => tools().view(policy as ViewPolicy)).toThrow(ErrInvalidPolicy);
    expect(() => tools().view(policy as ViewPolicy)).toThrow(message);
  });
});

describe('what a registry hands out', () => {
  it('cannot be changed by whoever gets it', () => {
    const registry = tools();
    expect(() => {
      (registry.listTools()[0] as { name: string }).name = 'HACKED';
    }).toThrow(TypeError);
    const { tools: map } = registry.view();
    expect((map as unknown as { delete?: unknown }).delete).toBeUndefined();
    expect([...map.keys()]).toEqual(['u']);
    expect(map.size).toBe(1);
    const visited: string[] = [];
    map.forEach((_tool, name) => visited.push(name));
    expect([visited, [...map.entries()].length, [...map.values()].length]).toEqual([['u'], 1, 1]);
  });
});

describe('what is refused when it is declared', () => {
  it('is a tool that could not be listed, before it harms the others', () => {
    const registry = tools();
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

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31])('is a timeout of %s', (timeoutMs) => {
    expect(() =>
      new ToolRegistry().register({
        name: 't',
        description: 'Does something',
        inputSchema: {},
        timeoutMs,
        handler: () => 1,
      }),
    ).toThrow(ErrInvalidTool);
  });

  it('are scopes and tags that are no lists, and limits that are none', () => {
    expect(() =>
      new ToolRegistry().register({
        name: 't',
        description: 'Does something',
        inputSchema: {},
        scopes: 'admin' as never,
        handler: () => 1,
      }),
    ).toThrow('scopes must be a list');
    for (const max of [0, Number.NaN])
      expect(() => new ToolRegistry({ concurrency: { max } })).toThrow(ErrInvalidOptions);
  });

  it('are changes of a group from outside, a group that waits, a second common schema', () => {
    let late: { use: (middleware: () => unknown) => unknown } | undefined;
    const builder = new GroupedToolBuilder('t').group('g', (group) => {
      late = group;
      group.action({ name: 'a', handler: () => 1 });
    });
    expect(() => late!.use(() => 'denied')).toThrow(ErrFrozen);
    expect(() => builder.group('h', async (group) => group)).toThrow(ErrInvalidBuilder);
    expect(() => builder.commonSchema(z.object({ a: z.string() })).commonSchema(z.object({}))).toThrow(
      'already has a common schema',
    );
  });

  it('is a field named like the discriminator, whatever makes the schema', () => {
    const builder = new GroupedToolBuilder('t')
      .strategies({ inputSchema: () => ({ type: 'object' }) })
      .action({ name: 'a', inputSchema: z.object({ action: z.string() }), handler: () => 1 });
    expect(() => builder.buildToolDefinition()).toThrow('the name of the discriminator');
  });

  it('is a URI template that could take forever, and an encoded slash leads nowhere', async () => {
    expect(() =>
      new ToolRegistry().registerResource({ name: 'x', uriTemplate: 'x:{+a}a{+b}', handler: () => '' }),
    ).toThrow(ErrInvalidModel);
    const registry = new ToolRegistry().registerResource({
      name: 'f',
      uriTemplate: 'file:///{name}',
      handler: ({ variables }) => variables['name'] ?? '',
    });
    await expect(registry.readResource({ uri: 'file:///..%2F..%2Fetc%2Fpasswd' })).rejects.toThrow(
      'Unknown resource',
    );
    await expect(registry.readResource({ uri: `file:///${'a'.repeat(10_000)}` })).rejects.toThrow(
      'Unknown resource',
    );
  });
});

describe('a middleware that does not wait for next()', () => {
  it('takes nothing down when the handler fails', async () => {
    const unhandled = vi.fn<(reason: unknown) => void>();
    process.on('unhandledRejection', unhandled);
    const builder = new GroupedToolBuilder('t')
      .use((_call, next) => {
        void next();
        return 'early';
      })
      .action({
        name: 'a',
        handler: () => {
          throw new Error('late');
        },
      });
    expect(await builder.execute({ action: 'a' })).toEqual({ content: [{ type: 'text', text: 'early' }] });
    await new Promise((resolve) => setTimeout(resolve, 5));
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});

describe('a common field and a field of an action', () => {
  it('that no value can satisfy both is refused when the tool is built', () => {
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

describe('a builder', () => {
  it('refuses modes that there are not', () => {
    expect(() => new GroupedToolBuilder('t').onConflict('Throw' as 'throw')).toThrow(/'anyOf' or 'throw'/);
    expect(() => new GroupedToolBuilder('t').unknownFields('loose' as 'strip')).toThrow(
      /'strict' or 'strip'/,
    );
  });

  it('gives a handler the application that execute() is called with', async () => {
    const builder = new GroupedToolBuilder<{ user: string }>('t').action({
      name: 'who',
      handler: ({ context }) => context.app.user,
    });
    const result = await builder.execute({ action: 'who' }, { app: { user: 'ada' } });
    expect(result.content).toEqual([{ type: 'text', text: 'ada' }]);
  });

  it('validates JSON Schemas with the validator it is given', () => {
    const schemaValidator = new DefaultValidator();
    const compile = vi.spyOn(schemaValidator, 'compile');
    const inputSchema = { type: 'object', properties: { a: { type: 'string' } } } as const;
    new GroupedToolBuilder('t', { schemaValidator })
      .commonSchema({ type: 'object', properties: { b: { type: 'string' } } })
      .action({ name: 'a', inputSchema, handler: () => 1 });
    expect(compile).toHaveBeenCalledTimes(2);
  });

  it('names its actions in flat tools that say nothing of themselves', () => {
    const flat = (description?: string) => {
      const builder = new GroupedToolBuilder('t').action({ name: 'a', handler: () => 1 });
      if (description) builder.description(description);
      return new ToolRegistry().register(builder).view({ form: 'flat' }).listTools()[0]?.description;
    };
    expect(flat('Users')).toBe('Users: a');
    expect(flat()).toBe('a');
  });
});

describe('what an author hands over', () => {
  it('is not frozen by registering it', () => {
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

  it('is inferred per item when several are registered at once', async () => {
    const builder = new GroupedToolBuilder<{ user: string }>('b').action({ name: 'a', handler: () => 1 });
    const registry = new ToolRegistry({ contextFactory: () => ({ user: 'ada' }) }).register(
      builder,
      {
        name: 'first',
        description: 'Does something',
        inputSchema: z.object({ text: z.string() }),
        handler: ({ input, context }) => `${input.text.toUpperCase()} ${context.app.user}`,
      },
      {
        name: 'second',
        description: 'Does something',
        inputSchema: { n: z.number() },
        handler: ({ input }) => input.n.toFixed(1),
      },
    );
    const run = async (name: string, args: object) =>
      (await registry.executeTool({ name, arguments: { ...args } })).content;
    expect(await run('first', { text: 'x' })).toEqual([{ type: 'text', text: 'X ada' }]);
    expect(await run('second', { n: 1 })).toEqual([{ type: 'text', text: '1.0' }]);
    const other = new ToolRegistry({ contextFactory: () => ({ tenant: 1 }) });
    // @ts-expect-error The builder's handlers want a user, and this registry has none.
    other.register(builder);
    other.register({
      name: 'x',
      description: 'Does something',
      inputSchema: z.object({ a: z.string() }),
      // @ts-expect-error There is no such field.
      handler: ({ input }) => input.nope,
    });
  });
});

describe('a registry', () => {
  it('tells every listener of a change, and then that one of them failed', () => {
    const registry = new ToolRegistry();
    const heard = vi.fn<() => void>();
    registry.onChange(() => {
      throw new Error('deaf');
    });
    registry.onChange(heard);
    expect(() =>
      registry.register({ name: 't', description: 'Does something', inputSchema: {}, handler: () => 1 }),
    ).toThrow('deaf');
    expect(heard).toHaveBeenCalledTimes(1);
    expect(registry.has('t')).toBe(true);
  });

  it('refuses pages that hold nothing', () => {
    const view = tools().view();
    for (const pageSize of [Number.NaN, 0, -1])
      expect(() => view.listPages({ pageSize })).toThrow(ErrInvalidPolicy);
    expect(view.listPages({ pageSize: 1.5 })).toHaveLength(1);
  });

  it('refuses messages of a prompt that are none', async () => {
    const registry = new ToolRegistry().registerPrompt({
      name: 'p',
      handler: () => [{ role: 'system', content: 'hi' }],
    });
    await expect(registry.getPrompt({ name: 'p' })).rejects.toThrow(/user or assistant/);
  });

  it('converts prompts and resources once, until there are more', () => {
    const registry = new ToolRegistry()
      .registerPrompt({ name: 'p', handler: () => 'x' })
      .registerResource({ name: 'r', uri: 'a://b', handler: () => 'x' });
    expect(registry.listPrompts()).toBe(registry.listPrompts());
    expect(registry.listResources()).toBe(registry.listResources());
    expect(registry.listResourceTemplates()).toBe(registry.listResourceTemplates());
    registry.registerPrompt({ name: 'q', handler: () => 'x' });
    expect(registry.listPrompts()).toHaveLength(2);
  });

  it('suggests no name for one that is too short to resemble anything', async () => {
    const result = await tools().executeTool({ name: 'u', arguments: { action: 'x' } });
    expect(JSON.stringify(result)).not.toContain('Did you mean');
  });
});
