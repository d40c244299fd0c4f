import { afterEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { GroupedToolBuilder } from '../build/grouped-tool-builder.js';
import type { ErrorReport } from './error-handler.js';
import { error, success, toonSuccess } from '../protocol/tool-result.js';
import type { CallToolResult } from '../protocol/tool-result.js';
import { ToolRegistry } from '../registry/tool-registry.js';
import { toolWith } from '../../../../test/calls.js';

const text = ({ content }: CallToolResult): string =>
  content.map((block) => ('text' in block ? block.text : block.type)).join();
const report = (result: CallToolResult): ErrorReport => result._meta!['toolfold/error'] as ErrorReport;

const platform = () =>
  new GroupedToolBuilder('platform')
    .commonSchema(z.object({ workspace_id: z.string() }))
    .group('users', (users) =>
      users
        .action({
          name: 'create',
          inputSchema: z.object({
            email: z.string(),
            age: z.coerce.number().optional(),
            role: z.enum(['admin', 'guest']).default('guest'),
          }),
          handler: ({ input, context }) => ({ input, action: context.action, operation: context.operation }),
        })
        .action({
          name: 'fail',
          handler: () => {
            throw new Error('the database is gone');
          },
        }),
    );
const registry = () => new ToolRegistry({ name: 'acme' }).register(platform());
const call = (args: Record<string, unknown>) => registry().executeTool({ name: 'platform', arguments: args });

describe('the lookup of a call', () => {
  it('uses the tool name, then the discriminator [S000-82] [S000-84] [S001-19] [S001-20]', async () => {
    const result = await call({ action: 'users.create', workspace_id: 'w', email: 'a@b.c' });
    expect(JSON.parse(text(result))).toMatchObject({
      action: 'users.create',
      operation: 'platform/users.create',
    });
  });

  it('lists the available tools when the name is unknown', async () => {
    const result = await registry().executeTool({ name: 'platfrom' });
    expect(text(result)).toBe('Unknown tool "platfrom". Did you mean "platform"? Available: platform');
    expect(result.isError).toBe(true);
    expect(report(result)).toMatchObject({ code: 'ErrUnknownTool', suggestions: ['platform'] });
  });

  it.each([{}, { action: '' }, { action: 7 }, { action: null }])(
    'requires the action if arguments are %j [S000-85]',
    async (args) => {
      const result = await call(args);
      expect(text(result)).toBe('action is required. Available: users.create, users.fail');
      expect(report(result).code).toBe('ErrActionRequired');
    },
  );

  it('lists all actions and suggests the nearest when the action is unknown [S000-86]', async () => {
    const result = await call({ action: 'users.crate' });
    expect(text(result)).toBe(
      'Unknown action. Available: users.create, users.fail. Did you mean "users.create"?',
    );
    expect(report(result)).toMatchObject({ code: 'ErrUnknownAction', suggestions: ['users.create'] });
    expect(text(await call({ action: 'zzz' }))).toBe('Unknown action. Available: users.create, users.fail');
  });

  it.each(['constructor', '__proto__', 'toString'])('does not find the inherited name %s', async (name) => {
    expect(report(await call({ action: name })).code).toBe('ErrUnknownAction');
    expect(report(await registry().executeTool({ name })).code).toBe('ErrUnknownTool');
  });

  it('rejects arguments that are not an object', async () => {
    for (const args of [[], 'text', 7]) {
      const result = await registry().executeTool({ name: 'platform', arguments: args as never });
      expect(report(result).code).toBe('ErrValidationFailed');
    }
  });

  it('suggests nothing for a name of one letter', async () => {
    const result = await call({ action: 'x' });
    expect(JSON.stringify(result)).not.toContain('Did you mean');
  });
});

describe('scopes', () => {
  const ran = vi.fn<() => string>(() => 'ran');
  const tools = new ToolRegistry().register({
    name: 'ban',
    description: 'Does something',
    inputSchema: {},
    scopes: ['users:read', 'users:write'],
    handler: ran,
  });
  const as = (scopes: unknown) =>
    tools.executeTool({ name: 'ban', caller: { auth: { scopes: scopes as string[] } } });

  it('that are missing prevent a call, and the error names all required ones', async () => {
    const result = await as(['users:read']);
    expect(text(result)).toBe('"ban" needs the scope users:read, users:write; missing: users:write.');
    expect(report(result)).toMatchObject({
      code: 'ErrInsufficientScope',
      details: { required: ['users:read', 'users:write'] },
    });
    for (const other of [[], undefined, 'users:read users:write', { includes: () => true }]) {
      expect(report(await as(other)).code).toBe('ErrInsufficientScope');
    }
    expect(report(await tools.executeTool({ name: 'ban' })).code).toBe('ErrInsufficientScope');
    expect(ran).not.toHaveBeenCalled();
  });

  it('that are granted let a call run', async () => {
    expect(text(await as(['users:write', 'users:read', 'more']))).toBe('ran');
  });
});

describe('validation', () => {
  it('does not see the discriminator, which only the context of the handler has [S000-88] [S000-94]', async () => {
    const result = await call({ action: 'users.create', workspace_id: 'w', email: 'a@b.c' });
    expect(JSON.parse(text(result))).toEqual({
      input: { workspace_id: 'w', email: 'a@b.c', role: 'guest' },
      action: 'users.create',
      operation: 'platform/users.create',
    });
  });

  it('passes the parsed data on, not the raw arguments [S000-90] [S001-23]', async () => {
    const result = await call({ action: 'users.create', workspace_id: 'w', email: 'a@b.c', age: '41' });
    expect(JSON.parse(text(result))).toMatchObject({ input: { age: 41 } });
  });

  it('names every invalid field with its value and what is expected [S000-89] [S001-22]', async () => {
    const result = await call({ action: 'users.create', email: 7, role: 'boss' });
    expect(text(result)).toBe(
      'Validation failed: workspace_id: Invalid input: expected string, received undefined; ' +
        'email: Invalid input: expected string, received number; ' +
        'role: Invalid option: expected one of "admin"|"guest", but "boss" was sent',
    );
    expect(report(result)).toMatchObject({
      code: 'ErrValidationFailed',
      details: {
        action: 'platform/users.create',
        issues: [{ path: ['workspace_id'] }, { path: ['email'] }, { path: ['role'] }],
      },
    });
  });

  it('rejects unknown fields by name, together with all other issues [S001-21] [S001-24] [S000-96]', async () => {
    const result = await call({ action: 'users.create', workspace_id: 'w', emial: 'a@b.c' });
    expect(text(result)).toBe(
      'Validation failed: emial: is not a known field. Did you mean "email"?; email: Invalid input: expected string, received undefined',
    );
    expect(
      text(await call({ action: 'users.create', workspace_id: 'w', email: 'x', __proto__x: 1 })),
    ).toContain('__proto__x');
  });

  it('parses JSON text where only an object or array is valid, before middleware runs', async () => {
    const seen: (readonly string[])[] = [];
    const tool = new GroupedToolBuilder('t')
      .use((callIn, next) => {
        seen.push(callIn.context.repairs);
        return next();
      })
      .action({
        name: 'run',
        inputSchema: z.object({ filter: z.object({ a: z.number() }), note: z.string() }),
        handler: ({ input }) => input,
      });
    const result = await tool.execute({ action: 'run', filter: '{"a":1}', note: '{"a":1}' });
    expect(JSON.parse(text(result))).toEqual({ filter: { a: 1 }, note: '{"a":1}' });
    await tool.execute({ action: 'run', filter: { a: 1 }, note: '' });
    expect(seen).toEqual([['filter'], []]);
    expect(await tool.execute({ action: 'run', filter: '{broken', note: '' })).toMatchObject({
      isError: true,
    });
  });

  it('awaits asynchronous schemas', async () => {
    const tool = new GroupedToolBuilder('t').action({
      name: 'run',
      inputSchema: z.object({ id: z.string().refine(async (id) => id === 'known', 'unknown id') }),
      handler: ({ input }) => input.id,
    });
    expect(text(await tool.execute({ action: 'run', id: 'known' }))).toBe('known');
    expect(text(await tool.execute({ action: 'run', id: 'other' }))).toBe(
      'Validation failed: id: unknown id, but "other" was sent',
    );
  });

  it('hides the discriminator from a schema with preprocessing', async () => {
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

describe('running', () => {
  it('passes through global, group and action middleware to the handler [S000-92]', async () => {
    const order: string[] = [];
    const note =
      (name: string) =>
      async (_call: unknown, next: () => Promise<unknown>): Promise<unknown> => {
        order.push(name);
        return next();
      };
    const tool = new GroupedToolBuilder('t').use(note('global 1'), note('global 2')).group('g', (group) =>
      group.use(note('group')).action({
        name: 'a',
        middleware: [note('action')],
        handler: () => {
          order.push('handler');
        },
      }),
    );
    await tool.execute({ action: 'g.a' });
    expect(order).toEqual(['global 1', 'global 2', 'group', 'action', 'handler']);
  });

  it('prefixes errors of a handler with tool and action [S000-93]', async () => {
    const result = await call({ action: 'users.fail', workspace_id: 'w' });
    expect(text(result)).toBe('[platform/users.fail] the database is gone');
    expect(result.isError).toBe(true);
    expect(report(result).code).toBe('ErrToolFailed');
  });

  it('gives a handler the token, the raw arguments, the signal, the caller and the app', async () => {
    const contexts: unknown[] = [];
    const controller = new AbortController();
    const tools = new ToolRegistry({
      contextFactory: async ({ accessToken }) => ({ db: `for ${accessToken}` }),
    }).register({
      name: 'whoami',
      description: 'Does something',
      inputSchema: z.object({ n: z.coerce.number() }),
      handler: ({ context }) => void contexts.push(context),
    });
    await tools.executeTool({
      name: 'whoami',
      arguments: { n: '4' },
      accessToken: 'secret',
      caller: { sessionId: 's1' },
      signal: controller.signal,
      sdk: 'raw',
    });
    expect(contexts).toEqual([
      expect.objectContaining({
        accessToken: 'secret',
        rawArguments: { n: '4' },
        operation: 'whoami',
        action: undefined,
        app: { db: 'for secret' },
        caller: { sessionId: 's1' },
        sdk: 'raw',
      }),
    ]);
  });

  it('reports the progress that a generator yields, and returns its final value', async () => {
    const progress = vi.fn<(...parts: unknown[]) => Promise<void>>(async () => {});
    const tools = new ToolRegistry().register({
      name: 'long',
      description: 'Does something',
      inputSchema: {},
      handler: async function* () {
        yield 1;
        yield { progress: 2, total: 3, message: 'nearly' };
        return 'done';
      },
    });
    expect(text(await tools.executeTool({ name: 'long', progress }))).toBe('done');
    expect(progress.mock.calls).toEqual([
      [1, undefined, undefined],
      [2, 3, 'nearly'],
    ]);
  });
});

describe('the result for a returned value', () => {
  const answer = async (value: unknown): Promise<CallToolResult> =>
    new ToolRegistry()
      .register({ name: 't', description: 'Does something', inputSchema: {}, handler: () => value })
      .executeTool({ name: 't' });
  const link = { type: 'resource_link', uri: 'file:///a', name: 'a' } as const;
  const blocks = [
    { type: 'text', text: 'a' },
    { type: 'image', data: 'AA==', mimeType: 'image/png' },
    { type: 'audio', data: 'AA==', mimeType: 'audio/wav' },
    link,
    { type: 'resource', resource: { uri: 'file:///a', text: 'a' } },
  ] as const;

  it.each(blocks)('is the content for a content block of type $type', async (block) => {
    expect(await answer(block)).toEqual({ content: [block] });
  });

  it('is the content for a list of blocks, and the result itself for a result', async () => {
    expect(await answer(blocks)).toEqual({ content: blocks });
    const result = { content: [blocks[0]], structuredContent: { a: 1 }, _meta: { x: 1 } };
    expect(await answer(result)).toEqual(result);
    expect(await answer(success('fine'))).toEqual({ content: [{ type: 'text', text: 'fine' }] });
    expect(await answer(error('not so'))).toEqual({
      content: [{ type: 'text', text: 'not so' }],
      isError: true,
    });
    expect(
      text(
        await answer(
          toonSuccess([
            { a: 1, b: 2 },
            { a: 3, b: 4 },
          ]),
        ),
      ),
    ).toContain('{a,b}');
  });

  it.each([
    ['text', 'plain', 'plain'],
    ['a number', 7, '7'],
    ['null', null, 'null'],
    ['an empty list', [], '[]'],
    ['an object', { a: [1] }, '{"a":[1]}'],
    [
      'an object that only resembles a block',
      { type: 'text', text: 'a', extra: 1 },
      '{"type":"text","text":"a","extra":1}',
    ],
    [
      'an object that only resembles a result',
      { content: [{ type: 'text' }] },
      '{"content":[{"type":"text"}]}',
    ],
    ['a page with a content field', { content: [], title: 'x' }, '{"content":[],"title":"x"}'],
    ['a list with one block in it', [{ type: 'text', text: 'a' }, 1], '[{"type":"text","text":"a"},1]'],
  ])('is a text block for %s', async (_what, value, expected) => {
    expect(await answer(value)).toEqual({ content: [{ type: 'text', text: expected }] });
  });

  it('is structured data if there is an output schema', async () => {
    const tools = new ToolRegistry().register({
      name: 't',
      description: 'Does something',
      inputSchema: {},
      outputSchema: z.object({ type: z.literal('text'), text: z.string() }),
      handler: () => ({ type: 'text', text: 'a' }),
    });
    expect(await tools.executeTool({ name: 't' })).toEqual({
      content: [{ type: 'text', text: '{"type":"text","text":"a"}' }],
      structuredContent: { type: 'text', text: 'a' },
    });
  });

  it('is empty for undefined', async () => {
    expect(await answer(undefined)).toEqual({ content: [] });
  });

  it.each([
    ['a bigint', 1n, 'Write String(…).'],
    ['a function', () => 1, 'Call it, and return its result.'],
    ['a symbol', Symbol('x'), 'Return text, JSON, content blocks or a result.'],
    ['a Map', new Map([['a', 1]]), 'Write Object.fromEntries(map).'],
    ['a Set', new Set([1]), 'Write [...set].'],
    ['an Error', new Error('x'), 'Throw it, or return error(message).'],
    ['a Uint8Array', new Uint8Array([1]), 'Return text, JSON, content blocks or a result.'],
    ['a Response', new Response('x'), 'Write await response.json() or await response.text().'],
    ['the number NaN', Number.NaN, 'Write null or text instead.'],
  ])('is an error for %s, with what to write instead', async (given, value, hint) => {
    const result = await answer(value);
    expect(text(result)).toBe(`[t] The handler returned ${given}, which JSON cannot express. ${hint}`);
    expect(report(result).details).toMatchObject({ cause: 'ErrInvalidResult' });
  });
});

describe('a call that is aborted', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('fails with a timeout when its time is over, and so does its signal', async () => {
    vi.useFakeTimers();
    let aborted: unknown;
    const tools = new ToolRegistry().register({
      name: 'slow',
      description: 'Does something',
      inputSchema: {},
      timeoutMs: 50,
      handler: ({ context }) =>
        new Promise((_resolve, reject) => {
          context.signal.addEventListener('abort', () => {
            aborted = context.signal.reason;
            reject(new Error('stopped'));
          });
        }),
    });
    const pending = tools.executeTool({ name: 'slow' });
    await vi.advanceTimersByTimeAsync(60);
    const result = await pending;
    expect(text(result)).toBe(
      'The call took longer than 50 ms and was cancelled. Ask for less at once, or try again later.',
    );
    expect(report(result).code).toBe('ErrTimeout');
    expect(aborted).toMatchObject({ code: 'ErrTimeout' });
  });

  it('is reported as cancelled, even before it starts', async () => {
    const controller = new AbortController();
    const ran = vi.fn<() => void>();
    const tools = new ToolRegistry().register(
      { name: 'never', description: 'Does something', inputSchema: {}, handler: () => new Promise(() => {}) },
      { name: 'quick', description: 'Does something', inputSchema: {}, handler: () => ran() },
    );
    const pending = tools.executeTool({ name: 'never', signal: controller.signal });
    controller.abort();
    expect(report(await pending).code).toBe('ErrCancelled');
    expect(report(await tools.executeTool({ name: 'quick', signal: controller.signal })).code).toBe(
      'ErrCancelled',
    );
    expect(ran).not.toHaveBeenCalled();
  });

  it('leaves no listener and no timer behind', async () => {
    const controller = new AbortController();
    const removed = vi.spyOn(controller.signal, 'removeEventListener');
    const added = vi.spyOn(controller.signal, 'addEventListener');
    const tools = new ToolRegistry().register({
      name: 'quick',
      description: 'Does something',
      inputSchema: {},
      timeoutMs: 60_000,
      handler: () => 'x',
    });
    for (let run = 0; run < 100; run++) await tools.executeTool({ name: 'quick', signal: controller.signal });
    expect(added).toHaveBeenCalledTimes(100);
    expect(removed).toHaveBeenCalledTimes(100);
  });
});

describe('under load', () => {
  it('every call is completed, timed out or cancelled as expected', async () => {
    const tools = new ToolRegistry({ concurrency: { max: 50, queue: 1000 } }).register({
      name: 'work',
      description: 'Does something',
      timeoutMs: 60,
      inputSchema: z.object({ ms: z.number() }),
      handler: ({ input, context }) =>
        new Promise((resolve, reject) => {
          const timer = setTimeout(() => resolve('done'), input.ms);
          context.signal.addEventListener('abort', () => {
            clearTimeout(timer);
            reject(new Error('stopped'));
          });
        }),
    });
    const outcomes = await Promise.all(
      Array.from({ length: 600 }, async (_, index) => {
        const controller = new AbortController();
        const ms = index % 3 === 0 ? 1 : 10_000;
        const pending = tools.executeTool({ name: 'work', arguments: { ms }, signal: controller.signal });
        if (index % 3 === 1) controller.abort();
        const result = await pending;
        return [index % 3, result.isError ? report(result).code : text(result)];
      }),
    );
    for (const [kind, outcome] of outcomes)
      expect(outcome).toBe(['done', 'ErrCancelled', 'ErrTimeout'][kind as number]);
  });
});

describe('the concurrency limit', () => {
  it('runs and queues as many calls as configured, and rejects the rest at once', async () => {
    let running = 0;
    let most = 0;
    const tools = new ToolRegistry({ concurrency: { max: 5, queue: 10 } }).register({
      name: 'work',
      description: 'Does something',
      inputSchema: {},
      handler: async () => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, 5));
        running--;
        return 'done';
      },
    });
    const results = await Promise.all(Array.from({ length: 100 }, () => tools.executeTool({ name: 'work' })));
    expect(most).toBe(5);
    expect(results.filter(({ isError }) => !isError)).toHaveLength(15);
    expect(report(results.find(({ isError }) => isError)!).code).toBe('ErrOverloaded');
    const again = await Promise.all(Array.from({ length: 15 }, () => tools.executeTool({ name: 'work' })));
    expect(again.every(({ isError }) => !isError)).toBe(true);
  });

  it('frees the place of a call that throws', async () => {
    const tools = new ToolRegistry({ concurrency: { max: 1, queue: 0 } }).register({
      name: 'work',
      description: 'Does something',
      inputSchema: {},
      handler: () => {
        throw new Error('x');
      },
    });
    for (let run = 0; run < 20; run++)
      expect(report(await tools.executeTool({ name: 'work' })).code).toBe('ErrToolFailed');
  });
});

describe('concurrent callers', () => {
  it('never see each other’s arguments, identity or context', async () => {
    const tools = new ToolRegistry({
      contextFactory: ({ accessToken }) => ({ tenant: accessToken }),
    }).register({
      name: 'echo',
      description: 'Does something',
      inputSchema: z.object({ n: z.number() }),
      handler: async ({ input, context }) => {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 5));
        return {
          n: input.n,
          app: context.app,
          token: context.accessToken,
          session: context.caller.sessionId,
          raw: context.rawArguments,
        };
      },
    });
    await Promise.all(
      Array.from({ length: 2000 }, async (_, n) => {
        const result = await tools.executeTool({
          name: 'echo',
          arguments: { n },
          accessToken: `t${n}`,
          caller: { sessionId: `s${n}` },
        });
        expect(JSON.parse(text(result))).toEqual({
          n,
          app: { tenant: `t${n}` },
          token: `t${n}`,
          session: `s${n}`,
          raw: { n },
        });
      }),
    );
  });
});

describe('a handler that returns a thenable', () => {
  const later = (value: string, ms: number) => ({
    // oxlint-disable-next-line no-thenable
    then: (resolve: (value: string) => void) => void setTimeout(() => resolve(value), ms),
  });
  const logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

  it.each([{}, { logger }])('the call waits for the value, with and without a logger', async (options) => {
    const registry = new ToolRegistry(options).register(toolWith(() => later('data', 1)));
    expect(text(await registry.executeTool({ name: 't' }))).toBe('data');
  });

  it('the call times out if the value comes too late', async () => {
    vi.useFakeTimers();
    const registry = new ToolRegistry().register(toolWith(() => later('late', 500), { timeoutMs: 50 }));
    const pending = registry.executeTool({ name: 't' });
    await vi.advanceTimersByTimeAsync(60);
    expect(text(await pending)).toContain('longer than 50 ms');
    vi.useRealTimers();
  });
});
