import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ErrProtocol, ErrToolFailed, ErrValidationFailed } from 'toolfold/errors';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import type { HandlerOptions } from 'toolfold/web';
import { faces } from './faces.js';
import { createModernClient } from './modern-requests.js';
import { openSession } from './session-requests.js';

interface Logged {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  readonly cause?: Logged;
  readonly errors?: readonly Logged[];
}

const { stack: foreignStack = '' } = new Error('of another place');

/** Errors whose texts or parts contain a stack trace. */
const errors: Readonly<Record<string, () => unknown>> = {
  plain: () => new TypeError('boom'),
  causes: () => new Error('boom', { cause: new Error('inner', { cause: new Error('innermost') }) }),
  aggregate: () => new AggregateError([new Error('one'), new Error('two')], 'boom'),
  'stack in message': () => new Error(`boom\n${foreignStack}`),
  'stack in JSON': () => new Error(`boom ${JSON.stringify({ stack: foreignStack })}`),
  text: () => `boom\n${foreignStack}`,
  object: () => ({ message: 'boom', stack: foreignStack }),
};
let thrown: unknown;
const fail = (): never => {
  throw thrown;
};

/** Every place in which code of the author runs during a request. */
const places: Readonly<Record<string, (registry: ToolRegistry) => void>> = {
  handler: (registry) => registry.register(grouped((builder) => builder.action(action(fail)))),
  'async handler': (registry) =>
    registry.register(grouped((builder) => builder.action(action(async () => fail())))),
  generator: (registry) =>
    registry.register(
      grouped((builder) =>
        builder.action(
          action(async function* () {
            yield { progress: 1 };
            fail();
          }),
        ),
      ),
    ),
  middleware: (registry) =>
    registry.register(grouped((builder) => builder.use(fail).action(action(() => 1)))),
  'registry middleware': (registry) =>
    registry.register(grouped((builder) => builder.action(action(() => 1)))).use((request, next) => {
      return request.method === 'tools/call' ? fail() : next();
    }),
  resolver: (registry) =>
    registry.register(
      grouped((builder) => builder.action({ ...action(() => 1), defaultArgumentResolver: fail })),
    ),
};

function grouped(fill: (builder: GroupedToolBuilder) => GroupedToolBuilder): GroupedToolBuilder {
  return fill(new GroupedToolBuilder('notes').description('Notes'));
}

function action(handler: () => unknown) {
  return { name: 'read', readOnly: true, inputSchema: {}, handler };
}

const forms = {
  grouped: { view: {}, call: { name: 'notes', arguments: { action: 'read' } } },
  flat: { view: { form: 'flat' }, call: { name: 'notes_read', arguments: {} } },
  search: {
    view: { form: 'search' },
    call: { name: 'call_read_tool', arguments: { address: 'notes/read', arguments: {} } },
  },
} as const;

/** Whether a text contains a frame of a stack trace, or the name of this file. */
const showsStack = (text: string): boolean => /\\n\s*at |author-errors/.test(text);

type Log = (fields: object, message: string) => void;

const createLogger = () => ({
  debug: vi.fn<Log>(),
  info: vi.fn<Log>(),
  warn: vi.fn<Log>(),
  error: vi.fn<Log>(),
});

let printed: ReturnType<typeof vi.spyOn>;
beforeEach(() => {
  printed = vi.spyOn(console, 'error').mockImplementation(() => undefined);
});
/** Waits until the lines are written, whose code is loaded with the first of them. */
async function printAll(): Promise<void> {
  await import('../../packages/toolfold/src/engine/describe-fault.js');
  await new Promise((resolve) => setImmediate(resolve));
}

afterEach(async () => {
  await printAll();
  vi.restoreAllMocks();
});

describe.each(faces)('an error of the author over %s', (_face, open) => {
  const clientsOf = async (registry: ToolRegistry, options?: HandlerOptions) => {
    const face = await open(registry, options);
    return { clients: [await openSession(face), createModernClient(face)], close: face.close };
  };

  describe.each(Object.keys(places))('in a %s', (place) => {
    it.each(Object.keys(errors))('never shows its stack to a client (%s)', async (kind) => {
      thrown = errors[kind]?.();
      for (const { view, call } of Object.values(forms)) {
        const registry = new ToolRegistry({ rateLimiter: false });
        places[place]?.(registry);
        const onError = vi.fn<(error: unknown) => void>();
        const { clients, close } = await clientsOf(registry, { view, onError });
        for (const client of clients) {
          const answer = JSON.stringify(await client.request('tools/call', call));
          expect(answer).toContain('boom');
          expect(showsStack(answer)).toBe(false);
        }
        expect(onError).toHaveBeenCalledTimes(clients.length);
        const [reported] = onError.mock.calls[0] ?? [];
        expect(reported).toBe(thrown);
        await close();
      }
      await printAll();
      expect(printed).not.toHaveBeenCalled();
    });
  });

  it('goes to the logger with its stack and its causes', async () => {
    const logger = createLogger();
    const registry = new ToolRegistry({ logger });
    places['handler']?.(registry);
    const { clients, close } = await clientsOf(registry);
    thrown = new AggregateError([new Error('one')], 'boom', {
      cause: new RangeError('inner', { cause: new Error('password=hunter2') }),
    });
    for (const client of clients) {
      await client.request('tools/call', forms.grouped.call);
      const [{ error, address }] = logger.error.mock.lastCall as unknown as [
        { error: Logged; address: string },
      ];
      expect(address).toBe('notes/read');
      for (const each of [error, error.cause, error.errors?.[0], error.cause?.cause])
        expect(each?.stack).toContain('author-errors.test.ts');
      expect(error).toMatchObject({ name: 'AggregateError', message: 'boom', cause: { name: 'RangeError' } });
      expect(JSON.stringify(error)).not.toContain('hunter2');
    }
    expect(logger.error).toHaveBeenCalledTimes(clients.length);
    await printAll();
    expect(printed).not.toHaveBeenCalled();
    await close();
  });

  it('is written to standard error in one line if there is neither a logger nor onError', async () => {
    const registry = new ToolRegistry();
    places['handler']?.(registry);
    const { clients, close } = await clientsOf(registry);
    thrown = new TypeError(`boom\n\u001b[31m${'x'.repeat(5_000)}`, {
      cause: new Error('token=abcdefgh12345'),
    });
    for (const client of clients) await client.request('tools/call', forms.grouped.call);
    await printAll();
    expect(printed).toHaveBeenCalledTimes(clients.length);
    for (const [line] of printed.mock.calls as [string][]) {
      expect(line).toMatch(/^toolfold: notes\/read failed: TypeError: boom\\u000a\\u001b\[31mx+/);
      expect(line).toMatch(/ at \S*author-errors\.test\.ts:\d+:\d+$/);
      expect(line.length).toBeLessThanOrEqual(1_000);
      for (const hidden of ['\n', '\u001b', 'abcdefgh12345']) expect(line).not.toContain(hidden);
    }
    await close();
  });

  it.each([
    ['prompts/get', { name: 'broken' }],
    ['resources/read', { uri: 'note://broken' }],
  ])('of %s goes to onError once, else to the logger, else to standard error', async (method, params) => {
    thrown = new Error('boom');
    const create = (logger?: ReturnType<typeof createLogger>): ToolRegistry =>
      new ToolRegistry(logger ? { logger } : {})
        .registerPrompt({ name: 'broken', handler: fail })
        .registerResource({ name: 'broken', uri: 'note://broken', handler: fail });
    const onError = vi.fn<(error: unknown) => void>();
    const logger = createLogger();
    const servers = [
      [create(), { onError }],
      [create(logger), {}],
      [create(), {}],
    ] as const;
    for (const [registry, options] of servers) {
      const { clients, close } = await clientsOf(registry, options);
      for (const client of clients) {
        const answer = await client.request(method, params);
        expect(answer).toMatchObject({ error: { code: -32_603, message: 'The server failed to answer.' } });
      }
      await close();
    }
    expect(onError.mock.calls).toEqual([[thrown], [thrown]]);
    expect(logger.error).toHaveBeenCalledTimes(2);
    expect((logger.error.mock.lastCall as unknown as [{ error: Logged }])[0].error.stack).toContain(
      'author-errors',
    );
    await printAll();
    expect(printed).toHaveBeenCalledTimes(2);
  });

  it('of a context factory or a toolset loader is reported as well', async () => {
    thrown = new Error('boom');
    const registry = new ToolRegistry({ contextFactory: (): unknown => fail() });
    registry.register(grouped((builder) => builder.action(action(() => 1))));
    const first = await clientsOf(registry);
    for (const client of first.clients) {
      const answer = JSON.stringify(await client.request('tools/call', forms.grouped.call));
      expect(showsStack(answer)).toBe(false);
    }
    await printAll();
    expect(printed).toHaveBeenCalledTimes(2);
    await first.close();
    printed.mockClear();
    const toolsets = {
      catalog: { mail: { name: 'Mail', description: 'Mail', modules: ['mail'] } },
      moduleLoaders: { mail: fail },
      startup: { mode: 'STATIC', toolsets: 'ALL' },
    } as const;
    const second = await clientsOf(new ToolRegistry(), { toolsets });
    for (const client of second.clients) {
      const answer = JSON.stringify(await client.request('tools/list'));
      expect(answer).toContain('The server failed to answer.');
    }
    await printAll();
    expect(printed).toHaveBeenCalledTimes(2);
    expect(String(printed.mock.lastCall)).toMatch(/ErrModuleFailed.*author-errors\.test\.ts:\d+:\d+$/);
    await second.close();
  });

  it('is no error of the author if the caller made a mistake', async () => {
    const logger = createLogger();
    const onError = vi.fn<(error: unknown) => void>();
    const create = (options: object): ToolRegistry =>
      new ToolRegistry(options)
        .register(
          {
            name: 'strict',
            description: 'd',
            inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
            handler: () => 1,
          },
          { name: 'scoped', description: 'd', scopes: ['a'], inputSchema: {}, handler: () => 1 },
          {
            name: 'refuses',
            description: 'd',
            inputSchema: {},
            handler: () => {
              throw new ErrToolFailed('Not today.');
            },
          },
          {
            name: 'protocol',
            description: 'd',
            inputSchema: {},
            handler: () => {
              throw new ErrProtocol(`no\n${foreignStack}`);
            },
          },
          {
            name: 'reports',
            description: 'd',
            inputSchema: {},
            handler: () => ({ content: [{ type: 'text' as const, text: 'no' }], isError: true }),
          },
        )
        .registerPrompt({
          name: 'picky',
          handler: () => {
            throw new ErrValidationFailed(`no\n${foreignStack}`);
          },
        });
    for (const [registry, options] of [
      [create({}), { onError }],
      [create({ logger }), {}],
      [create({}), {}],
    ] as const) {
      const { clients, close } = await clientsOf(registry, options);
      for (const client of clients)
        for (const [method, params] of [
          ['tools/call', { name: 'strict', arguments: {} }],
          ['tools/call', { name: 'scoped', arguments: {} }],
          ['tools/call', { name: 'refuses', arguments: {} }],
          ['tools/call', { name: 'reports', arguments: {} }],
          ['tools/call', { name: 'protocol', arguments: {} }],
          ['tools/call', { name: 'unknown', arguments: {} }],
          ['prompts/get', { name: 'unknown' }],
          ['prompts/get', { name: 'picky' }],
          ['nonsense', {}],
        ] as const)
          expect(showsStack(JSON.stringify(await client.request(method, params)))).toBe(false);
      await close();
    }
    expect(onError).not.toHaveBeenCalled();
    expect(logger.error).not.toHaveBeenCalled();
    await printAll();
    expect(printed).not.toHaveBeenCalled();
  });

  it('does not end the process if an asynchronous onError fails', async () => {
    const registry = new ToolRegistry();
    places['handler']?.(registry);
    thrown = new Error('boom');
    const onError = vi.fn<(error: unknown) => Promise<void>>(async () => {
      throw new Error('of the listener');
    });
    const { clients, close } = await clientsOf(registry, { onError });
    for (const client of clients) await client.request('tools/call', forms.grouped.call);
    expect(onError).toHaveBeenCalledTimes(2);
    await close();
  });
});
