import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { GroupedToolBuilder } from '../build/grouped-tool-builder.js';
import type { ToolContext } from '../define/tool-definition.js';
import { ErrRateLimited } from '@toolfold/schema/errors';
import type { ErrorHandling, ErrorReport } from './error-handler.js';
import type { ResponseFormatting } from './shape-output.js';
import { ResponseFormatter } from './shape-output.js';
import type { CallToolResult } from '../protocol/tool-result.js';
import type { Logger } from '../values/logger.js';
import { createRateLimiter } from '../guards/rate-limit/rate-limiter.js';
import type { WithSecurityWrapper } from './security-wrapper.js';
import type { SchemaValidator } from '@toolfold/schema';
import type { CacheHelpers, CacheKey } from '../guards/cache/cache.js';
import type { Store } from '../stores/contracts.js';
import type { AnyRegistry } from '../registry/any-registry.js';
import { listOverHttp } from '../../../../test/wire/raw-clients.js';
import { ToolRegistry } from '../registry/tool-registry.js';

const text = ({ content }: CallToolResult): string =>
  content.map((block) => ('text' in block ? block.text : block.type)).join();
const report = (result: CallToolResult): ErrorReport => result._meta!['toolfold/error'] as ErrorReport;

const greet = {
  name: 'greet',
  description: 'Greets somebody',
  inputSchema: z.object({ who: z.string().min(2) }),
  handler: ({ input }: { input: { who: string } }) => `hello ${input.who}`,
};

/** A logger that collects its lines. */
function memoryLogger(): Logger & {
  lines: { level: string; fields: Record<string, unknown>; message: string }[];
} {
  const lines: { level: string; fields: Record<string, unknown>; message: string }[] = [];
  const at = (level: string) => (fields: object, message: string) => {
    lines.push({ level, fields: fields as Record<string, unknown>, message });
  };
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

/** A plain object as error handler, which reports the called method. */
function plainErrorHandler() {
  const answer = (prefix: string) => (thrown: unknown) => ({
    content: [
      {
        type: 'text' as const,
        text: `${prefix}: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
      },
    ],
    isError: true,
  });
  return {
    createValidationError: vi.fn<ErrorHandling['createValidationError']>(answer('invalid')),
    handleError: vi.fn<ErrorHandling['handleError']>(answer('failed')),
  };
}

describe('one registry', () => {
  it('is the only source of names, descriptions and schemas [S004-01] [S004-03] [S004-08]', () => {
    const registry = new ToolRegistry().register(greet);
    expect(registry.listTools()).toMatchObject([
      {
        name: 'greet',
        description: 'Greets somebody',
        inputSchema: {
          type: 'object',
          properties: { who: { type: 'string', minLength: 2 } },
          required: ['who'],
        },
      },
    ]);
    expect(registry.getToolDefinitions()).toMatchObject([{ name: 'greet', description: 'Greets somebody' }]);
  });

  it('calls a tool by the name that clients see [S004-07]', async () => {
    const server = new Server({ name: 'acme', version: '1.0.0' }, { capabilities: { tools: {} } });
    new ToolRegistry().register(greet, { ...greet, name: 'salute' }).attachToServer(server);
    const client = new Client({ name: 'test', version: '1.0.0' });
    const [near, far] = InMemoryTransport.createLinkedPair();
    await Promise.all([server.connect(far), client.connect(near)]);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['greet', 'salute']);
    expect(await client.callTool({ name: 'salute', arguments: { who: 'you' } })).toMatchObject({
      content: [{ type: 'text', text: 'hello you' }],
    });
    await expect(client.callTool({ name: 'Greet', arguments: { who: 'you' } })).rejects.toThrow(
      'Unknown tool "Greet"',
    );
    await client.close();
  });

  it('lists schemas with the dialect and the annotations of the converter [S004-24]', async () => {
    const inputSchema = z.object({
      age: z
        .int()
        .min(1)
        .max(99)
        .meta({ examples: [7], deprecated: true }),
    });
    const [listed] = await listOverHttp(
      new ToolRegistry().register({ ...greet, inputSchema, handler: () => 1 }),
    );
    expect(listed?.inputSchema).toEqual({
      ...z.toJSONSchema(inputSchema, { io: 'input' }),
      additionalProperties: false,
    });
    expect(listed?.inputSchema['$schema']).toBe('https://json-schema.org/draft/2020-12/schema');
  });

  it('returns the error of a security wrapper that does not run the call', async () => {
    const handler = vi.fn<() => string>(() => 'ran');
    const withSecurityWrapper: WithSecurityWrapper = () => () => new ErrRateLimited('Come back tomorrow.');
    const registry = new ToolRegistry({ withSecurityWrapper }).register({ ...greet, handler });
    const result = await registry.executeTool({ name: 'greet', arguments: { who: 'you' } });
    expect(result.isError).toBe(true);
    expect(report(result)).toMatchObject({ code: 'ErrRateLimited' });
    expect(handler).not.toHaveBeenCalled();
  });

  it('needs only register, list, definitions and execute to serve tools [S004-05]', async () => {
    const { register, listTools, getToolDefinitions, executeTool } = ToolRegistry.prototype;
    const registry = new ToolRegistry();
    expect(register.call(registry, greet)).toBe(registry);
    expect(listTools.call(registry).map(({ name }) => name)).toEqual(['greet']);
    expect(getToolDefinitions.call(registry).map(({ name }) => name)).toEqual(['greet']);
    const call = executeTool as AnyRegistry['executeTool'];
    expect(text(await call.call(registry, { name: 'greet', arguments: { who: 'you' } }))).toBe('hello you');
  });

  it('rejects a second tool with the same name, and keeps the first [S004-44]', async () => {
    const registry = new ToolRegistry().register(greet);
    expect(() => registry.register({ ...greet, handler: () => 'another' })).toThrow(
      /"greet" is already registered/,
    );
    expect(() => registry.register({ ...greet, name: 'a' }, { ...greet, name: 'a' })).toThrow(
      /"a" is already registered/,
    );
    expect(() =>
      registry.register(new GroupedToolBuilder('greet').action({ name: 'x', handler: () => 1 })),
    ).toThrow(/"greet" is already registered/);
    expect(registry.listTools().map(({ name }) => name)).toEqual(['greet']);
    expect(text(await registry.executeTool({ name: 'greet', arguments: { who: 'you' } }))).toBe('hello you');
  });

  it('runs every tool that it lists, and no other [S004-45]', async () => {
    const registry = new ToolRegistry().register(
      greet,
      new GroupedToolBuilder('math')
        .action({ name: 'one', readOnly: true, handler: () => 1 })
        .action({ name: 'two', handler: () => 2 }),
    );
    for (const view of [
      registry.view(),
      registry.view({ form: 'flat' }),
      registry.view({ readOnly: true }),
    ]) {
      const listed = view.listTools().map(({ name }) => name);
      for (const name of ['greet', 'math', 'math_one', 'math_two', 'nothing']) {
        const result = await registry.executeTool({ name, arguments: { who: 'you', action: 'one' } }, view);
        const isUnknown = result.isError === true && report(result).code === 'ErrUnknownTool';
        expect(isUnknown, `${name} among ${listed.join()}`).toBe(!listed.includes(name));
      }
    }
  });

  it('accepts another tool by its definition alone, even while it serves [S004-46]', async () => {
    const registry = new ToolRegistry().register(greet);
    registry.listTools();
    registry.register({ name: 'later', description: 'Came later', inputSchema: {}, handler: () => 'here' });
    expect(registry.listTools().map(({ name }) => name)).toEqual(['greet', 'later']);
    expect(text(await registry.executeTool({ name: 'later' }))).toBe('here');
  });
});

describe('the handler', () => {
  it('gets { input, context } and may be async [S004-10] [S004-34]', async () => {
    const handler = vi.fn<(call: { input: unknown; context: ToolContext }) => Promise<string>>(async () => {
      await Promise.resolve();
      return 'later';
    });
    const registry = new ToolRegistry().register({ ...greet, handler });
    expect(text(await registry.executeTool({ name: 'greet', arguments: { who: 'you' } }))).toBe('later');
    expect(handler).toHaveBeenCalledTimes(1);
    expect(Object.keys(handler.mock.calls[0]![0])).toEqual(['input', 'context']);
  });

  it('gets the validated input, not the raw arguments [S004-09] [S004-11]', async () => {
    const registry = new ToolRegistry().register({
      name: 'add',
      description: 'Adds',
      inputSchema: z.object({
        a: z.coerce.number(),
        b: z.number().default(2),
        c: z.string().trim().optional(),
      }),
      handler: ({ input }) => input,
    });
    const result = await registry.executeTool({ name: 'add', arguments: { a: '1', c: ' x ' } });
    expect(JSON.parse(text(result))).toEqual({ a: 1, b: 2, c: 'x' });
    const rejected = await registry.executeTool({ name: 'add', arguments: { a: 'no number' } });
    expect(report(rejected).code).toBe('ErrValidationFailed');
  });

  it('receives token, raw arguments, operation and cache in its context [S004-12] [S004-13] [S004-14] [S004-15]', async () => {
    let seen: ToolContext | undefined;
    const registry = new ToolRegistry().register({
      name: 'look',
      description: 'Looks',
      inputSchema: z.object({ n: z.coerce.number() }),
      security: { operation: 'look:around' },
      handler: ({ context }) => {
        seen = context;
      },
    });
    const args = { n: '7', minify: true };
    await registry.executeTool({ name: 'look', arguments: args, accessToken: 'the-token' });
    expect(seen).toMatchObject({
      accessToken: 'the-token',
      operation: 'look:around',
      rawArguments: { n: '7', minify: true },
    });
    expect(args).toEqual({ n: '7', minify: true });
    expect(await seen!.cache.wrap('k', () => 1, { ttlMs: 1000 })).toBe(1);
    expect(await seen!.cache.wrap('k', () => 2, { ttlMs: 1000 })).toBe(1);
  });

  it('may return a full result, which is sent unchanged [S004-52]', async () => {
    const formatter = new ResponseFormatter();
    const given: CallToolResult = {
      content: [
        { type: 'text', text: formatter.format({ accounts: [] }), annotations: { audience: ['user'] } },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
      ],
      _meta: { 'acme/x': 1 },
    };
    const registry = new ToolRegistry().register({ ...greet, handler: () => given });
    expect(await registry.executeTool({ name: 'greet', arguments: { who: 'you' } })).toEqual(given);
  });

  it('reaches the cache through its context, and every call gets the same cache [S004-40]', async () => {
    const load = vi.fn<() => number>(() => 7);
    const registry = new ToolRegistry().register({
      ...greet,
      handler: ({ context, input }) => context.cache.wrap(['user', input.who], load, { ttlMs: 1000 }),
    });
    for (let turn = 0; turn < 3; turn++)
      expect(text(await registry.executeTool({ name: 'greet', arguments: { who: 'you' } }))).toBe('7');
    expect(load).toHaveBeenCalledTimes(1);
  });
});

describe('the order of a call', () => {
  it('is: find, minify override, guard, defaults, validation, context, handler, format [S004-02] [S004-27] [S004-29] [S004-30]', async () => {
    const steps: string[] = [];
    const withSecurityWrapper: WithSecurityWrapper = (namespace, operation, inputSchema) => {
      steps.push(`guard ${namespace} ${operation}`);
      return async (call, run) => {
        const args = await call.arguments();
        steps.push(`validate ${JSON.stringify(args)}`);
        const checked = await inputSchema.validate(args);
        if (!checked.ok) throw Object.assign(new Error('no'), { issues: checked.issues });
        return run(checked.value as Record<string, unknown>);
      };
    };
    const responseFormatter: ResponseFormatting = {
      runWithMinifyOverride(minify, run) {
        steps.push(`override ${minify}`);
        return run();
      },
      format(value) {
        steps.push('format');
        return JSON.stringify(value);
      },
    };
    const errorHandler = plainErrorHandler();
    const registry = new ToolRegistry({
      name: 'server',
      withSecurityWrapper,
      responseFormatter,
      errorHandler,
      contextFactory: () => void steps.push('context'),
    }).register({
      name: 'go',
      description: 'Goes',
      inputSchema: z.object({ a: z.number(), b: z.number() }),
      defaultArgumentResolver: () => {
        steps.push('defaults');
        return { b: 2 };
      },
      handler: ({ input }) => {
        steps.push('handler');
        return { sum: input.a + input.b };
      },
    });
    expect(text(await registry.executeTool({ name: 'go', arguments: { a: 1, _minify: 'false' } }))).toBe(
      '{"sum":3}',
    );
    expect(steps).toEqual([
      'override false',
      'guard server go',
      'defaults',
      'validate {"b":2,"a":1}',
      'context',
      'handler',
      'format',
    ]);
    steps.length = 0;
    await registry.executeTool({ name: 'gone', arguments: {} });
    expect(steps).toEqual([]);
    expect(errorHandler.createValidationError).toHaveBeenCalledTimes(1);
  });

  it('runs the guard once for every call, even for invalid ones [S004-30]', async () => {
    const secured = vi.fn<WithSecurityWrapper>((_namespace, _operation, schema) => async (call, run) => {
      const checked = await schema.validate(await call.arguments());
      if (!checked.ok) throw Object.assign(new Error('no'), { issues: checked.issues });
      return run(checked.value as Record<string, unknown>);
    });
    const registry = new ToolRegistry({ withSecurityWrapper: secured }).register(greet);
    for (let turn = 0; turn < 3; turn++)
      await registry.executeTool({ name: 'greet', arguments: { who: 'you' } });
    expect(secured).toHaveBeenCalledTimes(3);
    await registry.executeTool({ name: 'greet', arguments: { who: 7 } });
    expect(secured).toHaveBeenCalledTimes(4);
  });

  it('answers an unknown tool with createValidationError [S004-26]', async () => {
    const errorHandler = plainErrorHandler();
    const registry = new ToolRegistry({ errorHandler }).register(greet);
    const result = await registry.executeTool({ name: 'great' });
    expect(text(result)).toMatch(/^invalid: Unknown tool "great"\. Did you mean "greet"\?/);
    expect(errorHandler.handleError).not.toHaveBeenCalled();
  });
});

describe('the default guard', () => {
  it('validates before the handler runs [S004-31]', async () => {
    const handler = vi.fn<() => string>(() => 'ran');
    const registry = new ToolRegistry().register({ ...greet, handler });
    for (const args of [undefined, {}, { who: 7 }, { who: 'x' }, { who: 'you', more: 1 }]) {
      expect(report(await registry.executeTool({ name: 'greet', arguments: args })).code).toBe(
        'ErrValidationFailed',
      );
    }
    expect(handler).not.toHaveBeenCalled();
  });

  it('applies the rate limit before the handler runs, and says when to retry [S004-32]', async () => {
    let now = 0;
    const handler = vi.fn<() => string>(() => 'ran');
    const registry = new ToolRegistry({
      rateLimiter: createRateLimiter({ calls: 2, windowMs: 10_000 }, { clock: () => now }),
    }).register({ ...greet, handler });
    const call = () => registry.executeTool({ name: 'greet', arguments: { who: 'you' } });
    await call();
    await call();
    now = 4_500;
    const rejected = await call();
    expect(rejected.isError).toBe(true);
    expect(text(rejected)).toBe('"greet" was called too often. Try again in 6 s.');
    expect(report(rejected)).toMatchObject({ code: 'ErrRateLimited', details: { retryAfterMs: 5_500 } });
    expect(handler).toHaveBeenCalledTimes(2);
    now = 10_000;
    expect(text(await call())).toBe('ran');
  });

  it('logs the request before the handler runs, and the outcome afterwards [S004-33]', async () => {
    const logger = memoryLogger();
    let now = 100;
    const registry = new ToolRegistry({ name: 'server', logger, clock: () => now }).register({
      ...greet,
      handler: () => {
        expect(logger.lines).toHaveLength(1);
        now += 25;
        return 'ran';
      },
    });
    await registry.executeTool({ name: 'greet', arguments: { who: 'you' } });
    expect(logger.lines).toMatchObject([
      {
        level: 'info',
        message: 'tool call',
        fields: { namespace: 'server', operation: 'greet', address: 'greet', arguments: { who: 'you' } },
      },
      { level: 'info', message: 'tool call done', fields: { operation: 'greet', ms: 25, outcome: 'ok' } },
    ]);
  });

  it('is the only place of limit, validation and log: a custom guard replaces all three [S004-37]', async () => {
    const logger = memoryLogger();
    const withSecurityWrapper: WithSecurityWrapper = () => (_call, run) => run({ who: 5 });
    const registry = new ToolRegistry({ logger, withSecurityWrapper }).register({
      ...greet,
      handler: ({ input }) => ({ got: input.who as unknown }),
    });
    // More calls than the default limit.
    for (let run = 0; run < 3_100; run++) {
      const result = await registry.executeTool({ name: 'greet', arguments: { nonsense: true } });
      expect(text(result)).toBe('{"got":5}');
    }
    expect(logger.lines).toEqual([]);
    const both = { withSecurityWrapper, rateLimiter: { calls: 1, windowMs: 1_000 } };
    expect(() => new ToolRegistry(both)).toThrow(/no effect/);
  });
});

describe('errors', () => {
  it('all pass through one error handler [S004-35] [S004-36] [S004-38]', async () => {
    const errorHandler = plainErrorHandler();
    const registry = new ToolRegistry({
      errorHandler,
      rateLimiter: {
        consume: async () => {
          if (isThrottled) throw { msBeforeNext: 1_000, remainingPoints: 0 };
          return { msBeforeNext: 0, remainingPoints: 1 };
        },
      },
    }).register(
      {
        ...greet,
        handler: () => {
          throw new Error('the database is gone');
        },
      },
      { name: 'scoped', description: 'Needs a scope', inputSchema: {}, scopes: ['admin'], handler: () => 1 },
      { name: 'odd', description: 'Returns what cannot be said', inputSchema: {}, handler: () => 10n },
    );
    let isThrottled = false;
    const call = async (name: string, args = {}) =>
      text(await registry.executeTool({ name, arguments: args }));
    expect(await call('greet', { who: 'you' })).toBe('failed: the database is gone');
    expect(await call('greet', { who: 1 })).toMatch(/^invalid: Validation failed: who:/);
    expect(await call('scoped')).toMatch(/^failed: "scoped" needs the scope admin/);
    expect(await call('odd')).toMatch(/^failed: The handler returned a bigint, which JSON cannot express/);
    isThrottled = true;
    expect(await call('greet', { who: 'you' })).toMatch(/^failed: "greet" was called too often/);
  });

  it('of a custom guard that contain issues have the shape of validation errors [S004-36]', async () => {
    const schema = z.object({ n: z.number() });
    const registry = new ToolRegistry({
      withSecurityWrapper: () => async (call, run) => run(schema.parse(await call.arguments())),
    }).register({
      name: 'count',
      description: 'Counts',
      inputSchema: schema,
      handler: ({ input }) => input.n,
    });
    const result = await registry.executeTool({ name: 'count', arguments: { n: 'x' } });
    expect(text(result)).toBe('Validation failed: n: Invalid input: expected number, received string');
    expect(report(result)).toMatchObject({
      code: 'ErrValidationFailed',
      details: { action: 'count', issues: [{ path: ['n'] }] },
    });
    expect(text(await registry.executeTool({ name: 'count', arguments: { n: 1 } }))).toBe('1');
  });

  it('of a handler that contain issues are failures, because the guard has admitted the call', async () => {
    const registry = new ToolRegistry().register({
      ...greet,
      handler: () => z.object({ upstream: z.string() }).parse({}),
    });
    expect(report(await registry.executeTool({ name: 'greet', arguments: { who: 'you' } })).code).toBe(
      'ErrToolFailed',
    );
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'broken'],
    ['a bare object', Object.create(null)],
    [
      'an object that cannot be read',
      new Proxy(
        {},
        {
          get() {
            throw new Error('no');
          },
          has() {
            throw new Error('no');
          },
        },
      ),
    ],
  ])('that are %s become error results', async (_, thrown) => {
    const throwing = () => {
      throw thrown;
    };
    const registry = new ToolRegistry().register(
      { ...greet, handler: throwing },
      { ...greet, name: 'resolved', defaultArgumentResolver: throwing },
    );
    for (const name of ['greet', 'resolved'])
      expect((await registry.executeTool({ name, arguments: { who: 'you' } })).isError).toBe(true);
  });
});

describe('minify hints', () => {
  const data = { a: [1] };
  const pretty = JSON.stringify(data, undefined, 2);
  const registry = new ToolRegistry().register(
    { name: 'data', description: 'Gives data', inputSchema: z.object({}), handler: () => data },
    {
      name: 'own',
      description: 'Has such a field',
      inputSchema: z.object({ minify: z.string() }),
      handler: ({ input }) => ({ input }),
    },
  );

  it.each([
    [{ minify: false }, pretty],
    [{ _minify: false }, pretty],
    [{ __minify: false }, pretty],
    [{ minify: 'false' }, pretty],
    [{ __minify: ' FALSE ' }, pretty],
    [{ minify: true }, JSON.stringify(data)],
    [{ _minify: 'true' }, JSON.stringify(data)],
    [{ minify: false, _minify: true, __minify: true }, pretty],
    [{}, JSON.stringify(data)],
  ])('are removed from %j and applied [S004-28]', async (args, expected) => {
    expect(text(await registry.executeTool({ name: 'data', arguments: args }))).toBe(expected);
  });

  it.each([{ minify: 'maybe' }, { minify: 1 }, { _minify: null }, { MINIFY: true }])(
    'in %j are validated like any field, because they are not valid hints',
    async (args) => {
      expect(report(await registry.executeTool({ name: 'data', arguments: args })).code).toBe(
        'ErrValidationFailed',
      );
    },
  );

  it('yield to an explicit override [S004-29]', async () => {
    const call = { name: 'data', arguments: { minify: true }, minify: false };
    expect(text(await registry.executeTool(call))).toBe(pretty);
  });

  it('are arguments if the schema has such a field', async () => {
    expect(text(await registry.executeTool({ name: 'own', arguments: { minify: 'false' } }))).toBe(
      '{"input":{"minify":"false"}}',
    );
  });

  it('are arguments if the common schema of a builder has such a field', async () => {
    const grouped = new ToolRegistry().register(
      new GroupedToolBuilder('tool')
        .commonSchema(z.object({ _minify: z.boolean() }))
        .action({ name: 'go', handler: ({ input }) => ({ input }) }),
    );
    const result = await grouped.executeTool({
      name: 'tool',
      arguments: { action: 'go', _minify: false, minify: true },
    });
    expect(text(result)).toBe('{"input":{"_minify":false}}');
  });

  it('of one call never affect a concurrent call [S004-39]', async () => {
    // The handler formats after a pause in which calls with other overrides have run.
    const responseFormatter = new ResponseFormatter();
    const slow = new ToolRegistry({ responseFormatter }).register({
      name: 'slow',
      description: 'Takes a while',
      inputSchema: z.object({ ticks: z.number() }),
      handler: async ({ input }) => {
        for (let tick = 0; tick < input.ticks; tick++) await Promise.resolve();
        const before = responseFormatter.format(data);
        await new Promise((resolve) => setTimeout(resolve, input.ticks));
        return `${before} ${responseFormatter.format(data)}`;
      },
    });
    const calls = Array.from({ length: 300 }, (_, index) => ({
      ticks: (index * 7) % 13,
      minify: [true, false, undefined][index % 3],
    }));
    const results = await Promise.all(
      calls.map(({ minify, ticks }) =>
        slow.executeTool({ name: 'slow', arguments: { ticks, ...(minify === undefined ? {} : { minify }) } }),
      ),
    );
    results.forEach((result, index) => {
      const expected = calls[index]!.minify === false ? pretty : JSON.stringify(data);
      expect(text(result)).toBe(`${expected} ${expected}`);
    });
  });

  it('reach format() at any depth of a handler [S004-53]', async () => {
    const responseFormatter = new ResponseFormatter();
    const own = new ToolRegistry({ responseFormatter }).register({
      ...greet,
      handler: async () => {
        await new Promise((resolve) => setImmediate(resolve));
        return { content: [{ type: 'text', text: responseFormatter.format(data) }] };
      },
    });
    const call = async (minify?: boolean) =>
      text(await own.executeTool({ name: 'greet', arguments: { who: 'you' }, minify }));
    expect(await Promise.all([call(true), call(false), call()])).toEqual([
      JSON.stringify(data),
      pretty,
      JSON.stringify(data),
    ]);
    expect(responseFormatter.format('as it is')).toBe('as it is');
  });
});

describe('default arguments', () => {
  const budgetTool = (getDefaultId: () => Promise<string>) =>
    new ToolRegistry().register({
      name: 'list_accounts',
      description: 'List all accounts for the active budget',
      inputSchema: z.object({ budget_id: z.string(), limit: z.number().optional() }),
      defaultArgumentResolver: async ({ rawArguments }) =>
        rawArguments['budget_id'] ? undefined : { budget_id: await getDefaultId() },
      handler: ({ input }) => `accounts of ${input.budget_id}`,
    });

  it('fill in a missing budget, and keep a given one [S004-51] [S004-50]', async () => {
    const getDefaultId = vi.fn<() => Promise<string>>(async () => 'default-budget');
    const registry = budgetTool(getDefaultId);
    const call = async (args?: Record<string, unknown>) =>
      text(await registry.executeTool({ name: 'list_accounts', arguments: args }));
    expect(await call({ budget_id: 'mine' })).toBe('accounts of mine');
    expect(getDefaultId).not.toHaveBeenCalled();
    expect(await call()).toBe('accounts of default-budget');
    expect(await call({ limit: 3 })).toBe('accounts of default-budget');
    expect(await call({ budget_id: undefined })).toBe('accounts of default-budget');
  });

  it('are resolved only when the tool is called [S004-21]', async () => {
    const getDefaultId = vi.fn<() => Promise<string>>(async () => 'b');
    const registry = budgetTool(getDefaultId).register(greet);
    registry.listTools();
    registry.getToolDefinitions();
    registry.view({ form: 'flat' });
    await registry.executeTool({ name: 'greet', arguments: { who: 'you' } });
    await registry.executeTool({ name: 'list_account' });
    expect(getDefaultId).not.toHaveBeenCalled();
    await registry.executeTool({ name: 'list_accounts' });
    expect(getDefaultId).toHaveBeenCalledTimes(1);
  });

  it.each([
    [() => ({ a: 1, b: 1 }), {}, { a: 1, b: 1 }],
    [() => ({ a: 1, b: 1 }), { a: 2 }, { a: 2, b: 1 }],
    [() => ({ a: 1, b: 1 }), { a: undefined, b: 0 }, { a: 1, b: 0 }],
    [() => ({ a: 1 }), { a: null }, { a: null }],
    [async () => ({ a: 1 }), { b: 3 }, { a: 1, b: 3 }],
    [() => undefined, { b: 3 }, { b: 3 }],
    [async () => undefined, {}, {}],
  ])(
    'of %o with %j become %j, because explicit arguments win [S004-20] [S004-22] [S004-49] [S004-50]',
    async (resolve, args, expected) => {
      const field = z.number().nullable().optional();
      const registry = new ToolRegistry().register({
        name: 'take',
        description: 'Takes',
        inputSchema: z.object({ a: field, b: field }),
        defaultArgumentResolver: resolve,
        handler: ({ input }) => input,
      });
      expect(JSON.parse(text(await registry.executeTool({ name: 'take', arguments: args })))).toEqual(
        expected,
      );
    },
  );

  it('are resolved from the raw arguments [S004-49]', async () => {
    const resolver = vi.fn<(request: { rawArguments: Readonly<Record<string, unknown>> }) => undefined>();
    const registry = new ToolRegistry().register(
      new GroupedToolBuilder('tool').action({
        name: 'go',
        inputSchema: z.object({ n: z.number() }),
        defaultArgumentResolver: resolver,
        handler: ({ input }) => input,
      }),
    );
    const args = { action: 'go', n: 1, minify: true };
    await registry.executeTool({
      name: 'tool',
      arguments: args,
      accessToken: 't',
      caller: { sessionId: 's' },
    });
    expect(resolver.mock.calls[0]![0]).toMatchObject({
      rawArguments: args,
      accessToken: 't',
      caller: { sessionId: 's' },
    });
  });

  it('are validated like arguments of a caller [S004-27]', async () => {
    const registry = new ToolRegistry().register({ ...greet, defaultArgumentResolver: () => ({ who: 7 }) });
    expect(text(await registry.executeTool({ name: 'greet' }))).toMatch(/^Validation failed: who: /);
    const surplus = new ToolRegistry().register({ ...greet, defaultArgumentResolver: () => ({ more: 7 }) });
    expect(text(await surplus.executeTool({ name: 'greet', arguments: { who: 'you' } }))).toMatch(
      /more: is not a known field/,
    );
  });

  it.each([
    ['an error', new Error('there is no default budget')],
    ['an object with a message', { message: 'there is no default budget' }],
    ['a text', 'there is no default budget'],
  ])('that cannot be resolved because of %s are validation errors with its message', async (_, thrown) => {
    const registry = new ToolRegistry().register({
      ...greet,
      defaultArgumentResolver: async () => {
        throw thrown;
      },
    });
    const result = await registry.executeTool({ name: 'greet' });
    expect(text(result)).toBe('Validation failed: there is no default budget');
    expect(report(result).code).toBe('ErrValidationFailed');
  });

  it('that are not an object are rejected', async () => {
    const registry = new ToolRegistry().register({ ...greet, defaultArgumentResolver: () => [1] as never });
    expect(report(await registry.executeTool({ name: 'greet' })).code).toBe('ErrValidationFailed');
  });
});

describe('services', () => {
  it('are passed to the constructor as plain objects [S004-04] [S004-43]', async () => {
    const used = new Set<string>();
    const note = <T>(name: string, value: T): T => {
      used.add(name);
      return value;
    };
    const texts = new Map<string, string>();
    const store: Store = {
      get: async (key) => note('store', texts.get(key)),
      set: async (key, value) => void texts.set(key, value),
      setIfAbsent: async (key, value) => {
        used.add('store');
        const found = texts.get(key);
        if (found === undefined) texts.set(key, value);
        return found;
      },
      delete: async (key) => void texts.delete(key),
    };
    const logger = memoryLogger();
    const schemaValidator: SchemaValidator = {
      compile: () => note('schemaValidator', (value) => ({ ok: true, value: { seen: value } })),
      validateInput: (_tool, value) => ({ ok: true, value }),
      validateOutput: (_tool, value) => ({ ok: true, value }),
    };
    const registry = new ToolRegistry({
      store,
      logger,
      schemaValidator,
      errorHandler: plainErrorHandler(),
      responseFormatter: {
        format: (value) => note('responseFormatter', `formatted ${JSON.stringify(value)}`),
        runWithMinifyOverride: (_minify, run) => run(),
      },
      rateLimiter: { consume: async () => note('rateLimiter', { msBeforeNext: 0, remainingPoints: 1 }) },
      clock: () => note('clock', 5),
      contextFactory: () => note('contextFactory', { app: true }),
    }).register({
      name: 'write',
      description: 'Writes',
      inputSchema: { type: 'object', properties: { n: { type: 'number' } } },
      idempotency: true,
      handler: ({ input }) => input,
    });
    const result = await registry.executeTool({ name: 'write', arguments: { n: 'x' }, idempotencyKey: 'k' });
    expect(text(result)).toBe('formatted {"seen":{"n":"x"}}');
    expect(logger.lines).toHaveLength(2);
    expect([...used].toSorted()).toEqual([
      'clock',
      'contextFactory',
      'rateLimiter',
      'responseFormatter',
      'schemaValidator',
      'store',
    ]);
  });

  it('may include a cache that is a plain object [S004-04]', async () => {
    const callers: string[] = [];
    const helpers: CacheHelpers = {
      wrap: async () => 'from the plain cache' as never,
      delete: async () => {},
      invalidate: async () => {},
    };
    const registry = new ToolRegistry({
      cache: {
        for: (caller) => {
          callers.push(caller);
          return helpers;
        },
      },
    }).register(
      { ...greet, handler: ({ context }) => context.cache.wrap('k', () => 'loaded', { ttlMs: 1 }) },
      {
        name: 'kept',
        description: 'Kept',
        inputSchema: {},
        readOnly: true,
        cached: { ttlMs: 1 },
        handler: () => 'loaded',
      },
    );
    expect(text(await registry.executeTool({ name: 'greet', arguments: { who: 'you' } }))).toBe(
      'from the plain cache',
    );
    expect(text(await registry.executeTool({ name: 'kept', accessToken: 'abc' }))).toBe(
      'from the plain cache',
    );
    expect(new Set(callers).size).toBe(2);
  });

  it('may include cache helpers of a class, which handlers get whole [S004-04] [S004-15]', async () => {
    class Helpers implements CacheHelpers {
      #hits = 0;
      readonly label: string = 'mine';
      readonly #values = new Map<string, unknown>();
      async wrap<T>(key: CacheKey, loader: () => T | Promise<T>, _options: object): Promise<T> {
        const text = JSON.stringify(key);
        if (this.#values.has(text)) this.#hits++;
        else this.#values.set(text, await loader());
        return this.#values.get(text) as T;
      }
      async delete() {}
      async invalidate() {
        this.#values.clear();
      }
      get hits() {
        return this.#hits;
      }
      stats() {
        return `${this.label}: ${this.#hits}`;
      }
    }
    const seen: unknown[] = [];
    const frozen: CacheHelpers = Object.freeze(new Helpers());
    const registry = new ToolRegistry({ cache: { for: () => frozen } }).register({
      ...greet,
      handler: async ({ input, context }) => {
        const cache = context.cache as Helpers;
        await cache.wrap('k', () => input.who, { ttlMs: 1 });
        const { stats } = cache;
        seen.push(cache.hits, stats(), cache instanceof Helpers, 'stats' in cache, 'none' in cache);
        return context.signal.aborted ? 'aborted' : cache.wrap('k', () => 'never', { ttlMs: 1 });
      },
    });
    const call = async () => text(await registry.executeTool({ name: 'greet', arguments: { who: 'you' } }));
    expect([await call(), await call()]).toEqual(['you', 'you']);
    expect(seen).toEqual([0, 'mine: 0', true, true, false, 2, 'mine: 2', true, true, false]);
  });

  it('keep the session contexts of callers apart in a cache of the author', async () => {
    const keys: unknown[] = [];
    const helpers = {
      wrap: async (key: unknown) => void keys.push(key),
      delete: async () => {},
      invalidate: async () => {},
      own: () => 'own',
    };
    const registry = new ToolRegistry({ cache: { for: () => helpers as CacheHelpers } }).register({
      ...greet,
      handler: ({ context }) => context.cache.wrap('k', () => 1, { ttlMs: 1, shared: true }),
    });
    const session = { context: {}, hash: 'h' } as never;
    await registry.executeTool({ name: 'greet', arguments: { who: 'you' }, session });
    expect(keys).toEqual([['toolfold/context', 'h', 'k']]);
  });

  it('can all be mocks, for validation, security and error paths [S004-47]', async () => {
    const errorHandler = plainErrorHandler();
    const registry = new ToolRegistry({
      errorHandler,
      withSecurityWrapper: (_namespace, operation) => async (call, run) => {
        if (operation === 'forbidden') throw new Error('not for you');
        const args = await call.arguments();
        if (typeof args['who'] !== 'string') throw { issues: [{ path: ['who'], message: 'must be text' }] };
        return run(args);
      },
      responseFormatter: { format: String, runWithMinifyOverride: (_minify, run) => run() },
      cache: {
        for: () => ({
          wrap: async (_key, load) => load(),
          delete: async () => {},
          invalidate: async () => {},
        }),
      },
    }).register(
      greet,
      { ...greet, name: 'forbidden' },
      {
        ...greet,
        name: 'broken',
        handler: () => {
          throw new Error('broken');
        },
      },
    );
    const call = async (name: string, who: unknown) =>
      text(await registry.executeTool({ name, arguments: { who } }));
    expect(await call('greet', 'you')).toBe('hello you');
    expect(await call('greet', 7)).toMatch(/^invalid: /);
    expect(await call('forbidden', 'you')).toBe('failed: not for you');
    expect(await call('broken', 'you')).toBe('failed: broken');
    expect(errorHandler.createValidationError).toHaveBeenCalledTimes(1);
    expect(errorHandler.handleError).toHaveBeenCalledTimes(2);
  });

  it('that are equal give equal answers to equal calls [S004-42]', async () => {
    const once = async () => {
      const logger = memoryLogger();
      let now = 0;
      const registry = new ToolRegistry({ logger, clock: () => (now += 1) }).register(greet, {
        ...greet,
        name: 'fail',
        handler: () => {
          throw new Error('broken');
        },
      });
      const results = [];
      for (const name of ['greet', 'fail', 'none'])
        for (const args of [{ who: 'you' }, { who: 1 }, {}])
          results.push(await registry.executeTool({ name, arguments: args }));
      return JSON.stringify([results, logger.lines, registry.listTools()]);
    };
    // One place calls it, because the log contains the place of the call.
    const answers = new Set<string>();
    for (let run = 0; run < 2; run++) answers.add(await once());
    expect(answers.size).toBe(1);
  });

  it('that observe calls see every call of every tool [S004-48]', async () => {
    const seen: string[] = [];
    const registry = new ToolRegistry({
      observe: async ({ request, record }, run) => {
        const result = await run();
        seen.push(`${request.name} ${record.address} ${result.isError === true}`);
        return result;
      },
    }).register(greet, new GroupedToolBuilder('math').action({ name: 'one', handler: () => 1 }));
    await registry.executeTool({ name: 'greet', arguments: { who: 'you' } });
    await registry.executeTool({ name: 'greet' });
    await registry.executeTool({ name: 'math', arguments: { action: 'one' } });
    await registry.executeTool({ name: 'nothing' });
    expect(seen).toEqual([
      'greet greet false',
      'greet greet true',
      'math math/one false',
      'nothing undefined true',
    ]);
  });

  it('that throw do not make a call reject', async () => {
    const broken = new ToolRegistry({
      responseFormatter: {
        format: () => {
          throw new Error('cannot format');
        },
        runWithMinifyOverride: (_minify, run) => run(),
      },
    }).register({ ...greet, handler: () => ({}) });
    expect((await broken.executeTool({ name: 'greet', arguments: { who: 'you' } })).isError).toBe(true);
    const limited = new ToolRegistry({
      rateLimiter: {
        consume: async () => {
          throw new Error('redis is gone');
        },
      },
    }).register(greet);
    expect(report(await limited.executeTool({ name: 'greet', arguments: { who: 'you' } })).code).toBe(
      'ErrOverloaded',
    );
  });
});

describe('a tool from any source', () => {
  it('is validated, guarded and formatted in the same way [S004-54]', async () => {
    const action = {
      name: 'go',
      description: 'Goes',
      inputSchema: z.object({ n: z.number() }),
      scopes: ['go'],
      handler: ({ input }: { input: { n: number } }) => {
        if (input.n === 0) throw new Error('no zero');
        return { n: input.n };
      },
    };
    const logger = memoryLogger();
    const registry = () =>
      new ToolRegistry({ logger, rateLimiter: { calls: 3, windowMs: 1_000_000 }, clock: () => 0 });
    const ways: [
      string,
      ToolRegistry,
      string,
      Record<string, unknown>,
      Parameters<ToolRegistry['view']>[0],
    ][] = [
      ['alone', registry().register(action), 'go', {}, undefined],
      [
        'flat builder',
        registry().register(new GroupedToolBuilder('t').action(action)),
        't',
        { action: 'go' },
        undefined,
      ],
      [
        'grouped builder',
        registry().register(new GroupedToolBuilder('t').group('g', (g) => g.action(action))),
        't',
        { action: 'g.go' },
        undefined,
      ],
      [
        'flat view',
        registry().register(new GroupedToolBuilder('t').group('g', (g) => g.action(action))),
        't_g_go',
        {},
        { form: 'flat' },
      ],
    ];
    const outcomes = [];
    for (const [, tools, name, extra, policy] of ways) {
      const call = async (args: Record<string, unknown>, scopes = ['go']) => {
        const result = await tools.executeTool(
          { name, arguments: { ...extra, ...args }, caller: { auth: { sub: 'me', scopes } } },
          tools.view(policy),
        );
        return result.isError === true ? report(result).code : text(result);
      };
      logger.lines.length = 0;
      outcomes.push([
        await call({ n: 1 }, []),
        await call({ n: 1, minify: false }),
        await call({ n: 'x' }),
        await call({ n: 0 }),
        await call({ n: 1 }),
        ...logger.lines.map(
          ({ level, message, fields }) => `${level} ${message} ${String(fields['outcome'])}`,
        ),
      ]);
    }
    expect(outcomes[0]).toEqual([
      'ErrInsufficientScope',
      '{\n  "n": 1\n}',
      'ErrValidationFailed',
      'ErrToolFailed',
      'ErrRateLimited',
      'warn tool call rejected ErrInsufficientScope',
      'info tool call undefined',
      'info tool call done ok',
      'info tool call undefined',
      'warn tool call rejected ErrValidationFailed',
      'info tool call undefined',
      'error tool call failed error',
      'info tool call undefined',
      'warn tool call rejected ErrRateLimited',
    ]);
    for (const outcome of outcomes) expect(outcome).toEqual(outcomes[0]);
  });
});
