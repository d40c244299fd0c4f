import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import type { CallToolResult, ToolContext } from 'toolfold';
import { serveHttp, serveStdio, toNodeListener } from 'toolfold/node';
import { createTestClient } from '@toolfold/testing';
import { createHandler, Exposure } from 'toolfold/web';

/** A value of a type that the compiler would reject. */
const wrong = (value: unknown): never => value as never;

const definition = (handler: () => unknown = () => 'a', more: object = {}): never =>
  wrong({ name: 'a', description: 'A', inputSchema: {}, handler, ...more });
const builder = (): GroupedToolBuilder =>
  new GroupedToolBuilder('b').description('B').action({ name: 'x', handler: () => 'x' });
const registryOf = (...items: readonly unknown[]): ToolRegistry =>
  new ToolRegistry({ name: 'r' }).register(...(items as never[]));
const textOf = ({ content }: CallToolResult): unknown =>
  content[0] && 'text' in content[0] && content[0].text;

async function messageOf(run: () => unknown): Promise<string> {
  try {
    const value = await run();
    return `no error: ${JSON.stringify(value)}`;
  } catch (error) {
    return (error as Error).message;
  }
}

describe('a server of something that is no registry', () => {
  const entryPoints: readonly [string, (given: never) => unknown][] = [
    ['serveHttp', (given) => serveHttp(given)],
    ['createHandler', (given) => createHandler(given)],
    ['serveStdio', (given) => serveStdio(given)],
    ['new Exposure', (given) => new Exposure(given)],
    ['createTestClient', (given) => createTestClient(given)],
  ];
  it.each(
    entryPoints.flatMap(([call, serve]) =>
      (
        [
          ['a promise', Promise.resolve(registryOf()), `Write ${call}(await …).`],
          [
            'the GroupedToolBuilder "b"',
            builder(),
            `Write ${call}(new ToolRegistry({ name: '…' }).register(…)).`,
          ],
          [
            'an object with name, description, inputSchema, handler',
            definition(),
            `Write ${call}(new ToolRegistry({ name: '…' }).register(…)).`,
          ],
          ['an object with registry', { registry: registryOf() }, `Write ${call}(….registry).`],
          ['a list', [registryOf()], `Write ${call}(registries[0]).`],
          ['the class ToolRegistry', ToolRegistry, `Write ${call}(new ToolRegistry()).`],
          ['the function make', function make() {}, `Write ${call}(await make()).`],
          [
            'undefined',
            undefined,
            `Write ${call}(registry) with const registry = new ToolRegistry({ name: '…' }).`,
          ],
        ] as const
      ).map(([words, given, hint]) => [call, words, given, hint, serve] as const),
    ),
  )('%s with %s is rejected with what to write instead', async (call, words, given, hint, serve) => {
    expect(await messageOf(() => serve(wrong(given)))).toBe(
      `${call} needs a ToolRegistry, but got ${words}. ${hint}`,
    );
  });

  it('names the right place for a view and for a server of an SDK', async () => {
    expect(await messageOf(() => serveHttp(wrong(registryOf(definition()).view())))).toContain(
      'Write serveHttp(registry, { view: { … } }).',
    );
    expect(await messageOf(() => serveHttp(wrong({ setRequestHandler: () => {} })))).toContain(
      'write registry.attachToServer(server).',
    );
  });

  it('accepts a registry of another copy of Toolfold, which is no instance of this class', async () => {
    const registry = registryOf(definition());
    const copy = new Proxy(registry, {
      getPrototypeOf: () => Object.prototype,
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    expect(copy).not.toBeInstanceOf(ToolRegistry);
    const handler = createHandler(copy);
    await handler.close();
  });

  it('does not reach toNodeListener, which needs a handler', async () => {
    expect(await messageOf(() => toNodeListener(wrong(registryOf())))).toBe(
      'toNodeListener needs the handler of createHandler(), but got the ToolRegistry "r". Write toNodeListener(createHandler(registry)).',
    );
    expect(await messageOf(() => toNodeListener(wrong(Promise.resolve())))).toBe(
      'toNodeListener needs the handler of createHandler(), but got a promise. Write toNodeListener(await …).',
    );
  });

  it('does not reach attachToServer, which needs a server of an SDK', async () => {
    expect(await messageOf(() => registryOf().attachToServer(Promise.resolve({})))).toBe(
      'attachToServer needs an McpServer or a Server of an MCP SDK, but got a promise. Write attachToServer(await …).',
    );
    expect(await messageOf(() => registryOf().attachToServer(registryOf()))).toContain(
      'but got the ToolRegistry "r". Pass an object with setRequestHandler()',
    );
  });
});

describe('the options of a server', () => {
  it.each([
    [
      { port: '3000' },
      'serveHttp: port must be a whole number from 0 to 65535. Got the text "3000". Write port: 3000, or Number(…) around the text.',
    ],
    [{ port: 'secret' }, 'serveHttp: port must be a whole number from 0 to 65535. Got text.'],
    [{ port: Number.NaN }, 'serveHttp: port must be a whole number from 0 to 65535. Got the number NaN.'],
    [{ port: 70_000 }, 'serveHttp: port must be a whole number from 0 to 65535. Got 70000.'],
    [
      { maxRequests: '5' },
      'serveHttp: maxRequests must be a whole number of at least 1. Got the text "5". Write maxRequests: 5, or Number(…) around the text.',
    ],
    [
      { auth: Promise.resolve({}) },
      'serveHttp: auth must be oauth(…), apiKeys(…) or an object with authenticate(). Got a promise. Write auth: await ….',
    ],
    [
      3000,
      'The second argument of serveHttp must be an object, not the number 3000. Write serveHttp(registry, { port: 3000 }).',
    ],
    [
      'x',
      'The second argument of serveHttp must be an object, not the text "x". Write serveHttp(registry, { port: 3000 }).',
    ],
  ])('%j are rejected with what they are and what to write', async (options, message) => {
    expect(await messageOf(() => serveHttp(registryOf(), wrong(options)))).toBe(message);
  });
});

describe('an item to register', () => {
  it.each([
    ['a promise', Promise.resolve(builder()), 'Write registry.register(await …).'],
    [
      'the ToolRegistry "r"',
      registryOf(),
      "Write registry.mount('prefix', other) to add the tools of another registry.",
    ],
    [
      'the text "a"',
      'a',
      `Write registry.register({ name: "a", description: '…', inputSchema: { … }, handler: ({ input }) => … }).`,
    ],
    ['the function make', function make() {}, 'Write registry.register(await make()).'],
    [
      'the class GroupedToolBuilder',
      GroupedToolBuilder,
      "Write registry.register(new GroupedToolBuilder('…')).",
    ],
    ['an object with default', { default: builder() }, 'Write registry.register(….default).'],
    [
      'a ZodObject',
      z.object({}),
      `Write registry.register({ name: '…', description: '…', inputSchema: schema, handler: ({ input }) => … }).`,
    ],
    [
      'null',
      null,
      `Write registry.register({ name: '…', description: '…', inputSchema: { … }, handler: ({ input }) => … }).`,
    ],
  ])('is not %s', async (words, given, hint) => {
    expect(await messageOf(() => registryOf(given))).toBe(
      `registry.register takes builders and definitions, but got ${words}. ${hint}`,
    );
  });

  it('is named if it lacks a name', async () => {
    expect(await messageOf(() => registryOf({ handler: () => 1, title: 'A' }))).toBe(
      "Tool has no name. Got an object with handler, title. Write name: '…'.",
    );
    expect(await messageOf(() => registryOf({ name: 5, handler: () => 1 }))).toBe(
      "Tool has no name. Its name is the number 5. Write name: '…'.",
    );
  });

  it('is no promise, text or builder for .action() either', async () => {
    const action = (given: unknown): Promise<string> =>
      messageOf(() => new GroupedToolBuilder('g').action(wrong(given)));
    expect(await action(Promise.resolve({}))).toBe(
      '.action takes a definition, but got a promise. Write .action(await …).',
    );
    expect(await action('x')).toContain(
      '.action takes a definition, but got the text "x". Write .action({ name: "x"',
    );
    expect(await action(builder())).toBe(
      '.action takes a definition, but got the GroupedToolBuilder "b". Register it on its own: registry.register(builder).',
    );
  });
});

describe('a call from the code of an author', () => {
  const registry = registryOf(definition());
  const call = (...args: readonly unknown[]): Promise<string> =>
    messageOf(() => registry.executeTool(...(args as Parameters<ToolRegistry['executeTool']>)));

  it.each([
    [
      ['a', {}],
      `executeTool takes one object, but got the text "a". Write executeTool({ name: 'a', arguments: { … } }).`,
    ],
    [
      [],
      `executeTool takes one object, but got undefined. Write executeTool({ name: '…', arguments: { … } }).`,
    ],
    [
      [Promise.resolve({ name: 'a' })],
      'executeTool takes one object, but got a promise. Write executeTool(await …).',
    ],
    [[{ name: 'a', args: {} }], 'executeTool has no field "args". Write "arguments" instead.'],
    [[{ name: 'a', input: {} }], 'executeTool has no field "input". Write "arguments" instead.'],
    [[{ tool: 'a' }], 'executeTool has no field "tool". Write "name" instead.'],
    [[{ name: 'a', sesion: {} }], 'executeTool has no field "sesion". Did you mean "session"?'],
    [
      [{ name: 'a' }, { caller: {} }],
      'The second argument of executeTool must be a view, not an object with caller. Write all fields in the first: executeTool({ name, arguments, caller }).',
    ],
  ])('%# is rejected if it has another form', async (args, message) => {
    expect(await call(...args)).toBe(message);
  });

  it('lists the fields if none is similar', async () => {
    expect(await call({ name: 'a', zzzzzzzz: 1 })).toMatch(
      /^executeTool has no field "zzzzzzzz"\. The fields are .*name, arguments/,
    );
  });

  it('is rejected before middleware of the registry sees it', async () => {
    let calls = 0;
    const watched = registryOf(definition()).use((_request, next) => {
      calls++;
      return next();
    });
    expect(await messageOf(() => watched.executeTool(wrong({ name: 'a', args: {} })))).toContain('"args"');
    expect(calls).toBe(0);
  });

  it('may have every documented field', async () => {
    const request = {
      name: 'a',
      arguments: {},
      minify: true,
      caller: {},
      meta: {},
      accessToken: 't',
      clientId: 'c',
    };
    expect(textOf(await registry.executeTool(request))).toBe('a');
  });

  it('may be a request of a client, which has its method and parameters', async () => {
    const request = { name: 'a', method: 'tools/call', params: { name: 'a' } };
    expect(textOf(await registry.executeTool(request))).toBe('a');
  });

  it('names the tool with text', async () => {
    expect(textOf(await registry.routeCall(wrong({ name: 'a' })))).toBe(
      'The name of a tool must be text, not an object with name. Available: a',
    );
  });

  it('of a builder, a prompt or a resource takes an object too', async () => {
    expect(await messageOf(() => builder().execute(wrong('x')))).toBe(
      `execute takes the arguments as an object, but got the text "x". Write execute({ action: 'x', … }).`,
    );
    expect(await messageOf(() => registry.getPrompt(wrong('p')))).toBe(
      `getPrompt takes one object, but got the text "p". Write getPrompt({ name: 'p', arguments: { … } }).`,
    );
    expect(await messageOf(() => registry.getPrompt(wrong({ name: 'p', args: {} })))).toBe(
      'getPrompt has no field "args". Write "arguments" instead.',
    );
    expect(await messageOf(() => registry.readResource(wrong('x:y')))).toBe(
      `readResource takes one object, but got the text "x:y". Write readResource({ uri: 'x:y' }).`,
    );
  });
});

describe('a schema', () => {
  const written = `Write { a: z.string() }, or in JSON Schema { type: 'object', properties: { a: { type: 'string' } } }.`;
  it.each([
    [{ a: 'string' }, `The field "a" is the text "string", which is not a schema. ${written}`],
    [{ a: String }, `The field "a" is the function String, which is not a schema. ${written}`],
    [{ a: { type: 'string' } }, `The field "a" is an object with type, which is not a schema. ${written}`],
    [
      { b: z.string(), a: 'string' },
      'The raw shape mixes Zod schemas with something else at "a", which is the text "string". Write a: z.string().',
    ],
    [Promise.resolve(z.object({})), 'A promise is not a schema. Write await in front of it.'],
    [
      function schema() {},
      'The function schema is not a schema. Call it, and pass what it returns: schema().',
    ],
    [
      'string',
      'The text "string" is not a schema. Pass a Zod schema, a Standard Schema with JSON Schema, a raw shape of Zod schemas, or JSON Schema.',
    ],
  ])('%# is rejected for input and output, with what to write', async (schema, message) => {
    expect(await messageOf(() => registryOf(definition(() => 1, { inputSchema: schema })))).toBe(
      `Tool "a", inputSchema: ${message}`,
    );
    expect(await messageOf(() => registryOf(definition(() => 1, { outputSchema: schema })))).toBe(
      `Tool "a", outputSchema: ${message}`,
    );
  });

  it('of another type than object names the type', async () => {
    expect(await messageOf(() => registryOf(definition(() => 1, { inputSchema: z.string() })))).toBe(
      'Tool "a", inputSchema: arguments must be an object, but this schema describes the type string. Wrap it in an object schema: z.object({ field: … }).',
    );
  });

  it.each([
    [{ type: 'object', properties: { a: { type: 'string' } }, note: 'string' }],
    [{ properties: { a: {} } }],
    [{ title: 'string', type: 'object' }],
    [{}],
  ])('%j is JSON Schema', async (inputSchema) => {
    expect(await messageOf(() => registryOf(definition(() => 1, { inputSchema })).size)).toBe('no error: 1');
  });
});

describe('a result with a promise in it', () => {
  const rows = (): unknown => ({ rows: Promise.resolve([1]) });
  const answer = async (handler: () => unknown, more: object = {}): Promise<unknown> =>
    textOf(await registryOf(definition(handler, more)).executeTool({ name: 'a' }));

  it.each([
    ['as JSON', rows, {}],
    ['as TOON', rows, { textFormat: 'toon' }],
    ['with an output schema', rows, { outputSchema: z.object({ rows: z.array(z.number()) }) }],
    ['with a JSON Schema of the output', rows, { outputSchema: { type: 'object' } }],
    ['as structured content', () => ({ content: [], structuredContent: rows() }), {}],
  ])('names its place: %s', async (_form, handler, more) => {
    expect(await answer(handler, more)).toBe(
      '[a] The handler returned a promise at "rows", which JSON cannot express. Write rows: await ….',
    );
  });

  it('names the index in a list, and what to write around the list', async () => {
    expect(await answer(() => ({ users: [1, 2].map(async (id) => ({ id })) }))).toBe(
      '[a] The handler returned a promise at "users.0", which JSON cannot express. Write await Promise.all(…) around the list.',
    );
  });

  it('is found in deep and circular values without exhausting the stack', async () => {
    const loop: Record<string, unknown> = { a: {} };
    (loop['a'] as Record<string, unknown>)['b'] = loop;
    expect(await answer(() => loop)).toBe(
      '[a] The handler returned an object that contains itself at "a.b", which JSON cannot express. Return only the fields that the model needs.',
    );
    let deep: unknown = Promise.resolve();
    for (let level = 0; level < 50_000; level++) deep = [deep];
    expect(await answer(() => deep)).toContain('JSON cannot express');
  });
});

describe('a middleware that forgets to return the result', () => {
  type Next = () => Promise<unknown>;
  const answer = async (
    middleware: readonly ((call: unknown, next: Next) => unknown)[],
    handler: () => unknown = () => 'value',
  ): Promise<CallToolResult> => registryOf(definition(handler, { middleware })).executeTool({ name: 'a' });
  const dropped =
    '[a] A middleware returned undefined, although next() returned text. Write return next(), or const result = await next() and return result.';
  const silent =
    '[a] A middleware returned undefined without calling next(). Write return next(), or return a result.';

  it.each([
    ['async, awaiting next()', async (_call: unknown, next: Next) => void (await next())],
    ['async, not awaiting next()', async (_call: unknown, next: Next) => void next()],
    ['not async', (_call: unknown, next: Next) => void next()],
    ['with then()', (_call: unknown, next: Next) => next().then(() => undefined)],
  ])('is reported: %s', async (_form, middleware) => {
    expect(textOf(await answer([middleware]))).toBe(dropped);
    const later = (): Promise<unknown> => new Promise((resolve) => void setTimeout(resolve, 1, 'value'));
    expect(textOf(await answer([middleware], later))).toBe(dropped);
  });

  it.each([
    ['async', async () => undefined],
    ['not async', () => undefined],
  ])('is reported if it does not call next() either: %s', async (_form, middleware) => {
    expect(textOf(await answer([middleware]))).toBe(silent);
  });

  it('is reported if an outer middleware makes a value of the missing result', async () => {
    const drop = async (_call: unknown, next: Next) => void (await next());
    const outerAsync = async (_call: unknown, next: Next) => ({ data: await next() });
    const outerSync = (_call: unknown, next: Next) => next().then((data) => ({ data }));
    expect(textOf(await answer([outerAsync, drop]))).toBe(dropped);
    expect(textOf(await answer([outerSync, drop]))).toBe(dropped);
  });

  it('is reported for middleware of a builder and of a group', async () => {
    const drop = async (_call: unknown, next: Next) => void (await next());
    const tool = new GroupedToolBuilder('t')
      .description('T')
      .use(drop)
      .group('g', 'G', (g) => g.action({ name: 'x', handler: () => 'x' }));
    expect(textOf(await tool.execute({ action: 'g.x' }))).toContain(
      'A middleware returned undefined, although',
    );
    const grouped = new GroupedToolBuilder('t')
      .description('T')
      .group('g', 'G', (g) => g.use(drop).action({ name: 'x', handler: () => 'x' }));
    expect(textOf(await grouped.execute({ action: 'g.x' }))).toContain(
      'A middleware returned undefined, although',
    );
  });

  it.each([
    ['answers itself', [() => 'own'], { content: [{ type: 'text', text: 'own' }] }],
    ['answers with null', [() => null], { content: [{ type: 'text', text: 'null' }] }],
    ['answers with no content', [() => ({ content: [] })], { content: [] }],
    [
      'replaces the result',
      [async (_call: unknown, next: Next) => `${String(await next())}!`],
      { content: [{ type: 'text', text: 'value!' }] },
    ],
  ])('is not one that %s', async (_what, middleware, result) => {
    expect(await answer(middleware as never)).toEqual(result);
  });

  it('is not one whose handler returns nothing, or fails', async () => {
    const pass = async (_call: unknown, next: Next) => void (await next());
    const swallow = async (_call: unknown, next: Next) => void (await next().catch(() => undefined));
    const fail = (): never => {
      throw new Error('broken');
    };
    expect(await answer([pass], () => undefined)).toEqual({ content: [] });
    expect(await answer([(_call, next) => next()], () => undefined)).toEqual({ content: [] });
    expect(await answer([swallow], fail)).toEqual({ content: [] });
    expect(textOf(await answer([pass], fail))).toBe('[a] broken');
  });

  it('does not change the results of concurrent calls', async () => {
    let turn = 0;
    const sometimes = async (_call: unknown, next: Next): Promise<unknown> => {
      const isForgotten = turn++ % 2 === 0;
      const value = await next();
      return isForgotten ? undefined : value;
    };
    const registry = registryOf(definition(async () => 'value', { middleware: [sometimes] }));
    const results = await Promise.all(Array.from({ length: 6 }, () => registry.executeTool({ name: 'a' })));
    expect(results.map(textOf)).toEqual([dropped, 'value', dropped, 'value', dropped, 'value']);
  });
});

describe('middleware of the registry', () => {
  it('must be a function', async () => {
    expect(await messageOf(() => registryOf().use(wrong('x')))).toBe(
      'registry.use takes functions, but got the text "x". Write registry.use(async (request, next) => { …; return next(); }).',
    );
    expect(await messageOf(() => registryOf().use(wrong(undefined)))).toContain('but got undefined.');
  });

  it('that forgets to return the result is reported for calls and lists', async () => {
    const registry = registryOf(definition()).use(async (_request, next) => void (await next()));
    expect(textOf(await registry.executeTool({ name: 'a' }))).toBe(
      'A middleware of registry.use() returned undefined for tools/call. Write return next(), or return a result: { content: [ … ] }.',
    );
  });
});

describe('a handler that does not await the answers to its question', () => {
  const ask = (context: ToolContext): Promise<unknown> =>
    context.requestInput({ sure: { message: 'Sure?', schema: z.object({ yes: z.boolean() }) } });

  it.each([true, false])('is reported to a test, also if no client can be asked (%j)', async (canAsk) => {
    const registry = new ToolRegistry().register({
      name: 'drop',
      description: 'Asks and runs on',
      inputSchema: {},
      handler: ({ context }) => {
        void ask(context);
        return 'dropped';
      },
    });
    const answer = async () => ({ sure: { action: 'decline' } });
    const result = await registry.executeTool({ name: 'drop', ...(canAsk ? { ask: answer } : {}) });
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('did not await context.requestInput()') as string }],
    });
  });

  it('may do other work before it awaits them, in any way', async () => {
    const registry = new ToolRegistry().register(
      ...[
        (context: ToolContext) => ask(context),
        async (context: ToolContext) => {
          const asked = ask(context);
          await Promise.resolve();
          return asked;
        },
        async (context: ToolContext) => (await Promise.all([ask(context), ask(context)]))[0],
        (context: ToolContext) => ask(context).finally(() => undefined),
      ].map((handler, index) => ({
        name: `drop_${index}`,
        description: 'Asks',
        inputSchema: {},
        handler: ({ context }: { context: ToolContext }) => handler(context),
      })),
    );
    for (const { name } of registry.listTools())
      expect(
        await registry.executeTool({ name, ask: async () => ({ sure: { action: 'decline' } }) }),
      ).toMatchObject({ content: [{ text: '{"sure":{"action":"decline"}}' }] });
  });

  it('is reported for prompts too', async () => {
    const registry = new ToolRegistry().registerPrompt({
      name: 'plan',
      handler: ({ context }) => {
        void context.requestInput({ where: { roots: true } });
        return 'Plan.';
      },
    });
    await expect(registry.getPrompt({ name: 'plan' })).rejects.toThrow(/did not await/);
  });
});
