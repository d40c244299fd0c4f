import { decode } from '@toon-format/toon';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { GroupedToolBuilder } from '../build/grouped-tool-builder.js';
import type { ToolContext } from '../define/tool-definition.js';
import { ErrorHandler } from './error-handler.js';
import { ResponseFormatter } from './shape-output.js';
import { error } from '../protocol/tool-result.js';
import type { CallToolResult } from '../protocol/tool-result.js';
import { ToolRegistry } from '../registry/tool-registry.js';
import { toolWith } from '../../../../test/calls.js';
import { report, base, run } from '../../test/engine/formatting-setup.js';

const text = ({ content }: CallToolResult): string =>
  content.map((block) => ('text' in block ? block.text : block.type)).join();

const rows = [
  { id: 1, name: 'Ada' },
  { id: 2, name: 'Bob' },
];
const throwing = (thrown: unknown) => ({
  handler: () => {
    throw thrown;
  },
});

describe('the text of a result', () => {
  it('is compact by default, and indented on request or if the formatter is configured so', async () => {
    const action = { handler: () => ({ rows }) };
    const pretty = JSON.stringify({ rows }, undefined, 2);
    const compact = JSON.stringify({ rows });
    expect(text(await run(action))).toBe(compact);
    expect(text(await run(action, {}, { minify: false }))).toBe(pretty);
    expect(text(await run(action, {}, { arguments: { minify: 'false' } }))).toBe(pretty);
    const responseFormatter = new ResponseFormatter({ minify: false });
    expect(text(await run(action, { responseFormatter }))).toBe(pretty);
    expect(text(await run(action, { responseFormatter }, { arguments: { _minify: true } }))).toBe(compact);
  });

  it('follows the hint if there is an output schema, while structured content stays data', async () => {
    const result = await run(
      { outputSchema: z.object({ id: z.number() }), handler: () => ({ id: 1 }) },
      {},
      { arguments: { minify: false } },
    );
    expect(result).toEqual({
      content: [{ type: 'text', text: '{\n  "id": 1\n}' }],
      structuredContent: { id: 1 },
    });
  });

  it('is TOON if the action sets it as text format', async () => {
    const result = await run({ textFormat: 'toon', handler: () => ({ rows }) });
    expect(decode(text(result))).toEqual({ rows });
    expect(text(result)).not.toContain('{"');
    const structured = await run({
      textFormat: 'toon',
      outputSchema: z.object({ rows: z.array(z.object({ id: z.number(), name: z.string() })) }),
      handler: () => ({ rows }),
    });
    expect(structured.structuredContent).toEqual({ rows });
    expect(decode(text(structured))).toEqual({ rows });
  });

  it('is unchanged if a handler returns text or content', async () => {
    expect(text(await run({ handler: () => '{ "a" : 1 }' }, {}, { minify: false }))).toBe('{ "a" : 1 }');
    expect(text(await run({ textFormat: 'toon', handler: () => 'plain' }))).toBe('plain');
    expect((await run({ handler: () => undefined })).content).toEqual([]);
    expect((await run({ handler: () => ({ type: 'text', text: 'block' }) })).content).toEqual([
      { type: 'text', text: 'block' },
    ]);
  });
});

describe('structured content', () => {
  it('is checked without reading every branch of a union for every item', async () => {
    const kinds = Array.from({ length: 1_000 }, (_, at) =>
      z.object({ kind: z.literal(`k${at}`), at: z.number() }),
    );
    const outputSchema = z.object({ items: z.array(z.discriminatedUnion('kind', kinds as never)) });
    const registry = new ToolRegistry<unknown>().register({
      ...base,
      inputSchema: z.object({ count: z.number() }),
      outputSchema,
      handler: ({ input }: { input: { count: number } }) => ({
        items: Array.from({ length: input.count }, () => ({ kind: 'k999', at: 1 })),
      }),
    } as never);
    const call = (count: number) => registry.executeTool({ name: 'get', arguments: { count } });
    await call(1);
    const begun = process.cpuUsage();
    expect((await call(6_000)).isError).toBeUndefined();
    // Reading six million branches takes more than two seconds.
    expect(process.cpuUsage(begun).user / 1_000).toBeLessThan(1_000);
  });

  const outputSchema = z.object({ id: z.number(), inner: z.object({ a: z.string() }).optional() });

  it('is filled and validated for every output schema', async () => {
    expect((await run({ outputSchema, handler: () => ({ id: 1 }) })).structuredContent).toEqual({ id: 1 });
    const own = { content: [{ type: 'text', text: 'own' }], structuredContent: { id: 2 } };
    expect(await run({ outputSchema, handler: () => own })).toEqual(own);
    for (const wrong of [
      { id: 'x' },
      {},
      undefined,
      'text',
      [],
      { content: [{ type: 'text', text: 'only text' }] },
      { content: [], structuredContent: { id: 'x' } },
    ]) {
      const result = await run({ outputSchema, handler: () => wrong });
      expect(result.isError, JSON.stringify(wrong)).toBe(true);
      expect(result.structuredContent).toBeUndefined();
      expect(report(result).details['cause']).toBe('ErrInvalidResult');
    }
  });

  it('is filled for actions of a builder too', async () => {
    const registry = new ToolRegistry().register(
      new GroupedToolBuilder('t').action({ name: 'a', outputSchema, handler: () => ({ id: 1, more: 2 }) }),
    );
    const result = await registry.executeTool({ name: 't', arguments: { action: 'a' } });
    expect(result.structuredContent).toEqual({ id: 1 });
  });

  it('is not required of an error that a handler returns, which stays unchanged', async () => {
    const own = { ...error('I could not'), _meta: { 'acme/why': 'because' } };
    expect(await run({ outputSchema, handler: () => own })).toEqual(own);
    expect(await run({ handler: () => own })).toEqual(own);
  });

  const closed = {
    type: 'object',
    properties: {
      id: { type: 'number' },
      inner: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false },
      list: { type: 'array', items: { $ref: '#/$defs/item' } },
      maybe: {
        anyOf: [
          { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false },
          { type: 'null' },
        ],
      },
    },
    additionalProperties: false,
    $defs: { item: { type: 'object', properties: { n: { type: 'number' } }, additionalProperties: false } },
  };
  const strange: [string, object, object][] = [
    ['at the top', { id: 1, extra: true }, { id: 1 }],
    ['inside', { id: 1, inner: { a: 'x', extra: true } }, { id: 1, inner: { a: 'x' } }],
  ];

  it.each<[string, object, object]>([
    ...strange,
    ['inside a list', { list: [{ n: 1, extra: true }] }, { list: [{ n: 1 }] }],
    ['inside a choice', { maybe: { a: 'x', extra: true } }, { maybe: { a: 'x' } }],
  ])(
    'loses unknown keys %s by default, and is rejected if the author forbids them',
    async (_, given, expected) => {
      const stripped = await run({ outputSchema: closed, handler: () => given });
      expect(stripped.structuredContent).toEqual(expected);
      expect(JSON.parse(text(stripped))).toEqual(expected);
      const rejected = await run({ outputSchema: closed, unknownOutput: 'reject', handler: () => given });
      expect(rejected.isError).toBe(true);
      expect(
        await run({ outputSchema: closed, unknownOutput: 'reject', handler: () => expected }),
      ).toMatchObject({
        structuredContent: expected,
      });
    },
  );

  it.each(strange)(
    'follows the schema of a library in the same way, unknown keys %s',
    async (_, given, expected) => {
      expect((await run({ outputSchema, handler: () => given })).structuredContent).toEqual(expected);
      const rejected = await run({ outputSchema, unknownOutput: 'reject', handler: () => given });
      expect(rejected.isError).toBe(true);
      expect(text(rejected)).toContain('extra');
      const own = { content: [], structuredContent: given };
      expect((await run({ outputSchema, handler: () => own })).structuredContent).toEqual(expected);
      expect((await run({ outputSchema, unknownOutput: 'reject', handler: () => own })).isError).toBe(true);
    },
  );

  it('keeps keys that an open schema allows', async () => {
    const open = z.looseObject({ id: z.number() });
    for (const unknownOutput of ['strip', 'reject'])
      expect(
        (await run({ outputSchema: open, unknownOutput, handler: () => ({ id: 1, x: 2 }) }))
          .structuredContent,
      ).toEqual({
        id: 1,
        x: 2,
      });
  });

  it('a result that does not match the output schema is an error, and extra fields are removed', async () => {
    const registry = new ToolRegistry().register(
      {
        name: 'wrong',
        description: 'Does something',
        inputSchema: {},
        outputSchema: z.object({ n: z.number() }),
        handler: () => ({ n: 'text' }) as never,
      },
      {
        name: 'nothing',
        description: 'Does something',
        inputSchema: {},
        outputSchema: z.object({ n: z.number() }),
        handler: () => undefined as never,
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
});

describe('output budgets', () => {
  const bytes = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length;
  const item = z.object({ id: z.number(), note: z.string() });
  const outputSchema = z.object({ items: z.array(item), total: z.number() });
  const many = {
    items: Array.from({ length: 500 }, (_, id) => ({ id, note: `note number ${id}` })),
    total: 500,
  };

  it('cut a list within its schema, state the counts and say how to narrow the call', async () => {
    const result = await run({
      inputSchema: z.object({ limit: z.number().optional(), status: z.string().optional() }),
      outputSchema,
      outputBudget: { bytes: 2_000 },
      handler: () => many,
    });
    expect(result.isError).toBeUndefined();
    const cut = outputSchema.parse(result.structuredContent);
    expect(cut.items.length).toBeGreaterThan(10);
    expect(cut.items).toEqual(many.items.slice(0, cut.items.length));
    expect(bytes(cut)).toBeLessThanOrEqual(2_000);
    const [data, note] = result.content as { text: string }[];
    expect(JSON.parse(data!.text)).toEqual(cut);
    expect(note!.text).toContain(`items (first ${cut.items.length} of 500 items)`);
    expect(note!.text).toContain('limit');
    expect(note!.text).toContain('status');
    expect(text(result).length).toBeLessThanOrEqual(2_000);
  });

  it('leave small results unchanged, and override the budget of the registry', async () => {
    const small = { outputSchema, handler: () => ({ items: [], total: 0 }) };
    const untouched = {
      content: [{ type: 'text', text: '{"items":[],"total":0}' }],
      structuredContent: { items: [], total: 0 },
    };
    expect(await run(small, { outputBudget: { bytes: 2_000 } })).toEqual(untouched);
    const large = { outputSchema, handler: () => many };
    expect(
      bytes((await run(large, { outputBudget: { bytes: 1_000 } })).structuredContent),
    ).toBeLessThanOrEqual(1_000);
    const own = await run({ ...large, outputBudget: { bytes: 100_000 } }, { outputBudget: { bytes: 1_000 } });
    expect(own.structuredContent).toEqual(many);
  });

  it('apply to results without a schema, to text, content and TOON', async () => {
    for (const action of [
      { handler: () => many },
      { textFormat: 'toon', handler: () => many },
      { handler: () => 'word '.repeat(5_000) },
      { handler: () => ({ content: [{ type: 'text', text: 'word '.repeat(5_000) }] }) },
    ]) {
      const result = await run({ ...action, outputBudget: { bytes: 1_500 } });
      expect(result.isError).toBeUndefined();
      expect(new TextEncoder().encode(text(result)).length).toBeLessThanOrEqual(1_500);
      expect(text(result)).toContain('Cut to fit the output limit');
    }
  });

  it('count tokens with the counter of the author', async () => {
    const countTokens = vi.fn<(part: string) => number>((part) => part.split(/\s+/).length);
    const result = await run({
      outputBudget: { tokens: 50, countTokens },
      handler: () => 'word '.repeat(5_000),
    });
    expect(countTokens).toHaveBeenCalled();
    expect(text(result).split(/\s+/).length).toBeLessThanOrEqual(60);
  });

  it('cause an error if nothing can be cut within the schema', async () => {
    const result = await run({
      outputSchema: z.object({ items: z.array(z.string()).min(400) }),
      outputBudget: { bytes: 300 },
      handler: () => ({ items: Array.from({ length: 500 }, String) }),
    });
    expect(report(result).code).toBe('ErrOutputTooLarge');
  });

  it('apply to thrown errors too', async () => {
    const result = await run({ ...throwing(new Error('x'.repeat(100_000))), outputBudget: { bytes: 2_000 } });
    expect(result.isError).toBe(true);
    expect(new TextEncoder().encode(text(result)).length).toBeLessThanOrEqual(2_000);
  });
});

describe('failures of an upstream service', () => {
  it.each([
    [400, 'Correct them'],
    [401, 'A person must renew them'],
    [403, 'does not allow this'],
    [404, 'Look the name up first'],
    [409, 'read it again first'],
    [422, 'Correct them'],
    [429, 'Try again'],
    [500, 'Try again'],
    [503, 'Try again'],
  ])('with status %i say what to do: %s', async (status, advice) => {
    const failures = [
      Object.assign(new Error('upstream'), { status }),
      Object.assign(new Error('upstream'), { statusCode: status }),
      Object.assign(new Error('upstream'), { response: { status } }),
      new Error('upstream', { cause: { status } }),
    ];
    for (const failure of failures) {
      const result = await run(throwing(failure));
      expect(text(result)).toMatch(/^\[get\] upstream\. /);
      expect(text(result)).toContain(advice);
      expect(report(result)).toMatchObject({ code: 'ErrToolFailed', details: { status } });
      expect(report(result).suggestions).toHaveLength(1);
    }
  });

  it.each(['HTTP 404', '401 Unauthorized', 'status: 429', 'error 503', '{"status":404}'])(
    'are not classified by the digits in %j',
    async (message) => {
      const result = await run(throwing(new Error(message)));
      expect(text(result)).toBe(`[get] ${message}`);
      expect(report(result)).toMatchObject({ suggestions: [], details: {} });
      expect(report(result).details['status']).toBeUndefined();
    },
  );

  it('state when to retry if the service does', async () => {
    const failure = Object.assign(new Error('busy'), { status: 429, headers: { 'Retry-After': '7' } });
    const result = await run(throwing(failure));
    expect(text(result)).toBe('[get] busy. Try again in 7 s.');
    expect(report(result).details).toMatchObject({ status: 429, retryAfterMs: 7_000 });
  });

  it('have one shape: code, message, userMessage, suggestions, details', async () => {
    const registry = new ToolRegistry().register(
      { ...base, ...throwing(new Error('x')) },
      { ...base, name: 'typed', inputSchema: z.object({ n: z.number() }), handler: () => 1 },
      { ...base, name: 'scoped', scopes: ['s'], handler: () => 1 },
    );
    for (const name of ['get', 'typed', 'scoped', 'none']) {
      const result = await registry.executeTool({ name });
      expect(result.isError).toBe(true);
      expect(result.structuredContent).toBeUndefined();
      expect(Object.keys(report(result)).toSorted()).toEqual([
        'code',
        'details',
        'message',
        'suggestions',
        'userMessage',
      ]);
      expect(report(result).message).toBe(text(result));
    }
  });

  it('are hidden if the operator configures it, and validation errors are not', async () => {
    const errorHandler = new ErrorHandler({ exposeErrors: 'generic' });
    const hidden = await run(
      throwing(
        Object.assign(new Error('db7.internal is down'), { status: 503, details: { host: 'db7.internal' } }),
      ),
      { errorHandler },
    );
    expect(JSON.stringify(hidden)).not.toContain('db7');
    expect(text(hidden)).toContain('[get]');
    const invalid = await run(
      { inputSchema: z.object({ n: z.number() }), handler: () => 1 },
      { errorHandler },
    );
    expect(text(invalid)).toContain('n: Invalid input');
    expect(
      text(
        await run(throwing(new Error('told')), {
          errorHandler: new ErrorHandler({ exposeErrors: 'message' }),
        }),
      ),
    ).toBe('[get] told');
  });

  it('are logged in full even if they are hidden from clients', async () => {
    const log: unknown[] = [];
    const keep = (fields: object) => void log.push(fields);
    await run(throwing(new Error('db7.internal is down')), {
      errorHandler: new ErrorHandler({ exposeErrors: 'generic' }),
      logger: { debug: keep, info: keep, warn: keep, error: keep },
    });
    expect(JSON.stringify(log)).toContain('db7.internal is down');
  });
});

describe('credentials', () => {
  /** Runs a failing call and returns everything that leaves the server: answers and log lines. */
  async function leave(options: {
    fail: (context: ToolContext<App>) => unknown;
    app?: App;
    request?: object;
    where?: Place;
  }): Promise<string> {
    const { fail, app = {}, request = {}, where = 'handler' } = options;
    const log: unknown[] = [];
    const keep = (fields: object, message: string) => void log.push([fields, message]);
    const boom = (from: unknown): never => {
      throw fail(from as ToolContext<App>);
    };
    const registry = new ToolRegistry<App>({
      contextFactory: () => app,
      logger: { debug: keep, info: keep, warn: keep, error: keep },
    }).register({
      ...base,
      inputSchema: z.looseObject({}),
      ...(where === 'resolver' ? { defaultArgumentResolver: boom as never } : {}),
      middleware: where === 'middleware' ? [({ context: own }) => boom(own)] : [],
      handler: ({ context: own }) => (where === 'handler' ? boom(own) : 1),
    });
    if (where === 'use') registry.use(({ accessToken, caller }) => boom({ accessToken, caller, app }));
    const result = await registry.executeTool({ name: 'get', ...request });
    expect(result.isError).toBe(true);
    return JSON.stringify([result, log]);
  }
  type App = Record<string, unknown>;
  type Place = 'handler' | 'middleware' | 'resolver' | 'use';
  const secret = 'violet-harbour-nineteen';

  it('in error messages are redacted from answers and logs', async () => {
    for (const message of [
      'Authorization: Bearer abcdef123456789',
      'password=hunter2hunter2',
      'https://me:hunter2hunter2@example.com',
      'key ghp_0123456789abcdefghijABCDEFGHIJ012345',
      'AKIAIOSFODNN7EXAMPLE and api_key: "hunter2hunter2"',
    ]) {
      const left = await leave({ fail: () => new Error(message) });
      expect(left).not.toMatch(/abcdef123456789|hunter2hunter2|ghp_0123|AKIAIOSFODNN7EXAMPLE/);
    }
  });

  it.each<[string, { app?: App; request?: object }]>([
    ['the access token', { request: { accessToken: secret } }],
    ['the verified token', { request: { caller: { auth: { sub: 'me', token: secret } } } }],
    [
      'a secret of the verified claims',
      { request: { caller: { auth: { sub: 'me', extra: { refresh_token: secret } } } } },
    ],
    ['a key of context.app', { app: { apiKey: secret } }],
    ['a key deep in context.app', { app: { clients: { github: { auth: { token: secret } } } } }],
    ['a header of context.app', { app: { headers: new Map([['Authorization', `Bearer ${secret}`]]) } }],
    ['an argument', { request: { arguments: { password: secret } } }],
  ])('from %s are redacted from answers and logs', async (_, given) => {
    for (const where of ['handler', 'middleware'] as const)
      expect(
        await leave({ ...given, where, fail: () => new Error(`upstream refused ${secret}!`) }),
      ).not.toContain(secret);
  });

  it.each<[Place]>([['handler'], ['middleware'], ['resolver'], ['use']])(
    'are redacted from errors of the %s',
    async (where) => {
      const left = await leave({
        where,
        request: { accessToken: secret, caller: { auth: { sub: 'me', token: `${secret} two` } } },
        fail: ({ accessToken, caller }) => new Error(`${accessToken} and ${String(caller.auth?.['token'])}`),
      });
      expect(left).not.toContain(secret);
    },
  );

  it('of the server are redacted even if a caller sends many secrets', async () => {
    const app = { config: { upstream: { github: { apiKey: secret } } } };
    const floods: Record<string, unknown>[] = [
      { passwords: Array.from({ length: 200 }, (_, n) => `filler-${n}-filler`) },
      { token: Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`t${n}`, `filler-${n}-filler`])) },
      Object.fromEntries(
        Array.from({ length: 30 }, (_, n) => [`list${n}`, Array.from({ length: 1_000 }, () => 0)]),
      ),
    ];
    for (const args of floods) {
      const left = await leave({ app, request: { arguments: args }, fail: () => new Error(`no: ${secret}`) });
      expect(left).not.toContain(secret);
    }
  });

  it('are redacted from the log of a background reload', async () => {
    const log: unknown[] = [];
    const keep = (fields: object, message: string) => void log.push([fields, message]);
    let now = 0;
    let loads = 0;
    const registry = new ToolRegistry({
      clock: () => now,
      logger: { debug: keep, info: keep, warn: keep, error: keep },
    }).register({
      ...base,
      readOnly: true,
      cached: { ttlMs: 10, staleWhileRevalidateMs: 10 },
      handler: ({ context }) => {
        if (++loads > 1) throw new Error(`upstream refused ${context.accessToken}`);
        return 'value';
      },
    });
    const call = () => registry.executeTool({ name: 'get', accessToken: secret });
    await call();
    now = 15;
    expect(text(await call())).toBe('value');
    await vi.waitFor(() => expect(JSON.stringify(log)).toContain('cache failed'));
    expect(JSON.stringify(log)).not.toContain(secret);
  });
});

describe('a value that a handler returns', () => {
  it.each<[string, unknown]>([
    ['a map in an object', { users: new Map() }],
    ['a set in a list', [new Set()]],
    ['NaN', { n: Number.NaN }],
    ['a promise in an object', { later: Promise.resolve(1) }],
    ['an iterator', [1][Symbol.iterator]()],
    ['a byte array', { data: new Uint8Array(2) }],
    ['an image without base64 data', { type: 'image', data: 'not base64!!', mimeType: 'image/png' }],
    ['a text block with annotations that are not an object', { type: 'text', text: 'x', annotations: 'bad' }],
    ['a result with a _meta that is not an object', { content: [], _meta: 5 }],
    [
      'a link with a size that is not a number',
      { type: 'resource_link', uri: 'a://b', name: 'b', size: 'big' },
    ],
    [
      'a resource with a MIME type that is not a string',
      { type: 'resource', resource: { uri: 'a://b', text: 'x', mimeType: 5 } },
    ],
  ])('%s is an error, because JSON or the protocol cannot represent it', async (_what, value) => {
    const result = await new ToolRegistry().register(toolWith(() => value)).executeTool({ name: 't' });
    expect(result.isError).toBe(true);
  });

  it('nested objects, shared objects and dates become JSON, and cycles are errors', async () => {
    const shared = { a: 1 };
    const value = {
      list: [shared, shared],
      when: new Date(0),
      nothing: undefined,
      deep: { deep: { deep: { shared } } },
    };
    const result = await new ToolRegistry().register(toolWith(() => value)).executeTool({ name: 't' });
    expect(text(result)).toBe(JSON.stringify(value));
    const circle: Record<string, unknown> = {};
    Object.assign(circle, { a: circle, b: circle, c: { circle } });
    expect(
      (await new ToolRegistry().register(toolWith(() => circle)).executeTool({ name: 't' })).isError,
    ).toBe(true);
  });
});
