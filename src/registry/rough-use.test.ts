import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { GroupedToolBuilder } from '../build/grouped-tool-builder.js';
import type { Middleware } from '../define/tool-definition.js';
import { ErrInvalidBuilder, ErrInvalidModel, ErrInvalidPolicy, ErrInvalidTool } from '../errors.js';
import type { CallToolResult } from '../protocol/tool-result.js';
import { parseUriTemplate } from '../define/uri-template.js';
import { ToolRegistry } from './tool-registry.js';

const text = ({ content }: CallToolResult): string =>
  content.map((block) => ('text' in block ? block.text : '')).join();
const tool = (handler: (call: never) => unknown, more: object = {}) => ({
  name: 't',
  description: 'Does something',
  inputSchema: {},
  handler,
  ...more,
});

describe('a middleware', () => {
  it('that calls next() again makes the call fail, waits or not, and takes no process down', async () => {
    const unhandled = vi.fn<(reason: unknown) => void>();
    process.on('unhandledRejection', unhandled);
    const careless: Middleware[] = [
      async (_call, next) => {
        const result = await next();
        void next();
        return result;
      },
      (_call, next) => {
        void next();
        return next();
      },
    ];
    for (const middleware of careless) {
      const handler = vi.fn<() => string>(() => 'ok');
      const builder = new GroupedToolBuilder('b').use(middleware).action({ name: 'a', handler });
      const result = await builder.execute({ action: 'a' });
      expect(result.isError).toBe(true);
      expect(text(result)).toContain('next() twice');
      expect(handler).toHaveBeenCalledTimes(1);
    }
    const registry = new ToolRegistry().register(tool(() => 'ok')).use((_request, next) => {
      void next();
      return next();
    });
    expect((await registry.executeTool({ name: 't' })).isError).toBe(true);
    await new Promise((resolve) => setTimeout(resolve));
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it('that does not wait for a handler which fails later takes no process down', async () => {
    const unhandled = vi.fn<(reason: unknown) => void>();
    process.on('unhandledRejection', unhandled);
    const builder = new GroupedToolBuilder('b')
      .use((_call, next) => {
        void next();
        return 'answered';
      })
      .action({ name: 'a', handler: async () => Promise.reject(new Error('late')) });
    expect(text(await builder.execute({ action: 'a' }))).toBe('answered');
    await new Promise((resolve) => setTimeout(resolve));
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it('that needs no application fits everywhere, and may be a generator', async () => {
    const plain: Middleware = async (_call, next) => next();
    const builder = new GroupedToolBuilder<{ db: string }>('b')
      .use(plain)
      .use(async function* (_call, next) {
        yield 1;
        return await next();
      })
      .action({ name: 'a', handler: ({ context }) => context.app.db });
    expect(text(await builder.execute({ action: 'a' }, { app: { db: 'x' } }))).toBe('x');
  });

  it('knows the action in every form', async () => {
    const registry = new ToolRegistry().register(
      new GroupedToolBuilder('platform')
        .use(({ context }, next) => {
          if (context.action === 'users.ban') throw new Error('denied');
          return next();
        })
        .group('users', (users) =>
          users.action({ name: 'ban', handler: () => 'ran' }).action({ name: 'list', handler: () => 'ran' }),
        ),
    );
    const flat = registry.view({ form: 'flat' });
    expect(text(await registry.executeTool({ name: 'platform_users_ban' }, flat))).toContain('denied');
    expect(text(await registry.executeTool({ name: 'platform_users_list' }, flat))).toBe('ran');
    expect(
      text(await registry.executeTool({ name: 'platform', arguments: { action: 'users.ban' } })),
    ).toContain('denied');
  });
});

describe('a middleware that is in a hurry', () => {
  it('takes no process down, whatever it does with next() and when', async () => {
    const unhandled = vi.fn<(reason: unknown) => void>();
    process.on('unhandledRejection', unhandled);
    process.on('uncaughtException', unhandled);
    const boom = async (): Promise<never> => Promise.reject(new Error('boom'));
    const hurried: Middleware[] = [
      (_call, next) => {
        void next();
        throw new Error('mw');
      },
      (_call, next) => {
        void next();
        return next();
      },
      (_call, next) => {
        const result = next();
        setTimeout(() => void next(), 3);
        return result;
      },
      async (_call, next) => {
        setTimeout(() => void next(), 3);
        return next();
      },
    ];
    for (const middleware of hurried) {
      for (const handler of [boom, async () => 'ok']) {
        await new GroupedToolBuilder('b')
          .use(middleware)
          .action({ name: 'a', handler })
          .execute({ action: 'a' });
      }
      const registry = new ToolRegistry()
        .register(tool(boom))
        .use((_request, next) => middleware({} as never, next as never));
      await registry.executeTool({ name: 't' });
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
    process.off('unhandledRejection', unhandled);
    process.off('uncaughtException', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});

describe('a handler that returns a promise of another make', () => {
  const later = (value: string, ms: number) => ({
    // oxlint-disable-next-line no-thenable
    then: (resolve: (value: string) => void) => void setTimeout(() => resolve(value), ms),
  });
  const logger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

  it.each([{}, { logger }])('is waited for', async (options) => {
    const registry = new ToolRegistry(options).register(tool(() => later('data', 1)));
    expect(text(await registry.executeTool({ name: 't' }))).toBe('data');
  });

  it('is given up like any other', async () => {
    vi.useFakeTimers();
    const registry = new ToolRegistry().register(tool(() => later('late', 500), { timeoutMs: 50 }));
    const pending = registry.executeTool({ name: 't' });
    await vi.advanceTimersByTimeAsync(60);
    expect(text(await pending)).toContain('longer than 50 ms');
    vi.useRealTimers();
  });
});

describe('a URI template', () => {
  it('takes no longer for a hostile URI', () => {
    const template = parseUriTemplate('weather://{city},{state},{country}');
    expect(template.match('weather://a,b,c')).toEqual({ city: 'a', state: 'b', country: 'c' });
    expect(template.match(`weather://${','.repeat(4_000)}/`)).toBeUndefined();
    expect(template.match(`weather://${'a,'.repeat(2_000)}/`)).toBeUndefined();
  });

  it('must say where one variable ends and the next begins', () => {
    expect(() => parseUriTemplate('x://{a}{b}')).toThrow(ErrInvalidModel);
    expect(() => parseUriTemplate('x://{a}-{b}')).not.toThrow();
  });
});

describe('a result', () => {
  it.each<[string, unknown]>([
    ['a map inside', { users: new Map() }],
    ['a set in a list', [new Set()]],
    ['a number that is none', { n: Number.NaN }],
    ['a promise inside', { later: Promise.resolve(1) }],
    ['an iterator', [1][Symbol.iterator]()],
    ['bytes', { data: new Uint8Array(2) }],
    ['an image that is no base64', { type: 'image', data: 'not base64!!', mimeType: 'image/png' }],
    ['annotations that are no object', { type: 'text', text: 'x', annotations: 'bad' }],
    ['a _meta that is no object', { content: [], _meta: 5 }],
    ['a link whose size is no number', { type: 'resource_link', uri: 'a://b', name: 'b', size: 'big' }],
    [
      'a resource whose type is no text',
      { type: 'resource', resource: { uri: 'a://b', text: 'x', mimeType: 5 } },
    ],
  ])('is never sent with a loss or against the protocol: %s', async (_what, value) => {
    const result = await new ToolRegistry().register(tool(() => value)).executeTool({ name: 't' });
    expect(result.isError).toBe(true);
  });

  it('may be deep, wide, shared and hold dates', async () => {
    const shared = { a: 1 };
    const value = {
      list: [shared, shared],
      when: new Date(0),
      nothing: undefined,
      deep: { deep: { deep: { shared } } },
    };
    const result = await new ToolRegistry().register(tool(() => value)).executeTool({ name: 't' });
    expect(text(result)).toBe(JSON.stringify(value));
    const circle: Record<string, unknown> = {};
    Object.assign(circle, { a: circle, b: circle, c: { circle } });
    expect((await new ToolRegistry().register(tool(() => circle)).executeTool({ name: 't' })).isError).toBe(
      true,
    );
  });

  it('comes although the client can no longer be told of progress, and the generator is closed', async () => {
    const closed = vi.fn<() => void>();
    const handler = async function* () {
      try {
        yield 'half';
        return 'done';
      } finally {
        closed();
      }
    };
    const progress = vi.fn<() => Promise<void>>(async () => Promise.reject(new Error('client gone')));
    const result = await new ToolRegistry().register(tool(handler)).executeTool({ name: 't', progress });
    expect(text(result)).toBe('done');
    expect(progress).toHaveBeenCalledWith(1, undefined, 'half');
    expect(closed).toHaveBeenCalledTimes(1);
  });

  it('comes whatever is thrown, and in an ordinary size whatever is asked for', async () => {
    const hostile = new Proxy(
      {},
      {
        get: () => {
          throw new Error('trap');
        },
        getPrototypeOf: () => {
          throw new Error('trap');
        },
        has: () => {
          throw new Error('trap');
        },
      },
    );
    const registry = new ToolRegistry().register(
      tool(() => {
        throw hostile;
      }),
      new GroupedToolBuilder('b').action({ name: 'a', handler: () => 1 }),
    );
    expect((await registry.executeTool({ name: 't' })).isError).toBe(true);
    const long = 'x'.repeat(1_000_000);
    for (const call of [
      { name: long },
      { name: 'b', arguments: { action: long } },
      { name: 't', arguments: { [long]: 1 } },
    ])
      expect(JSON.stringify(await registry.executeTool(call)).length).toBeLessThan(20_000);
  });
});

describe('a view', () => {
  it('cannot be changed through what it holds', () => {
    const registry = new ToolRegistry().register(
      new GroupedToolBuilder('p').action({ name: 'a', handler: () => 1 }),
    );
    const actions = registry.view().tools.get('p')?.actions as Map<string, unknown>;
    expect(() => actions.delete('a')).toThrow();
  });

  it('is one for policies that mean the same', () => {
    const registry = new ToolRegistry().register(
      new GroupedToolBuilder('p').tags('x', 'y').action({ name: 'a', handler: () => 1 }),
    );
    expect(registry.view({ tags: ['x', 'y'] })).toBe(registry.view({ tags: ['Y', 'x', 'x'] }));
    expect(registry.view({ form: 'grouped', readOnly: false })).toBe(registry.view());
    expect(() => registry.view(null as never)).toThrow(ErrInvalidPolicy);
  });
});

describe('what an author gets told at once', () => {
  const builder = () => new GroupedToolBuilder('b');

  it.each<[string, () => unknown]>([
    ['a middleware that is none', () => builder().use('x' as never)],
    ['a description that is no text', () => builder().description(5 as never)],
    ['tags that are no text', () => builder().tags(5 as never)],
    ['an annotation that is no flag', () => builder().annotations({ readOnlyHint: 'yes' as never })],
    ['a strategy that there is not', () => builder().strategies({ describe: () => '' } as never)],
    ['a strategy that is none', () => builder().strategies({ description: undefined } as never)],
    ['a group without actions', () => builder().group('g', () => {})],
  ])('%s', (_what, build) => {
    expect(build).toThrow(ErrInvalidBuilder);
  });

  it('a prompt or a resource without a handler or a name', () => {
    const registry = new ToolRegistry();
    expect(() => registry.registerPrompt({ name: 'p' } as never)).toThrow(ErrInvalidModel);
    expect(() => registry.registerResource({ name: 'r', uri: 'a://b' } as never)).toThrow(ErrInvalidModel);
    expect(() => registry.registerResource({ uri: 'a://b', handler: () => '' } as never)).toThrow(
      ErrInvalidModel,
    );
  });

  it('an option that a registry does not have', () => {
    expect(() => new ToolRegistry({ ratelimiter: false } as never)).toThrow(/Did you mean "rateLimiter"/);
  });

  it('a name that some clients refuse, unless that is wanted', () => {
    const dotted = { ...tool(() => 1), name: 'd.e' };
    expect(() => new ToolRegistry().register(dotted)).toThrow(ErrInvalidTool);
    expect(() =>
      new ToolRegistry().register(
        new GroupedToolBuilder('x'.repeat(65)).action({ name: 'a', handler: () => 1 }),
      ),
    ).toThrow(/at most 64/);
    expect(new ToolRegistry({ wireNames: 'any' }).register(dotted).has('d.e')).toBe(true);
  });

  it('and a group that failed can be declared again', () => {
    const platform = builder();
    expect(() =>
      platform.group('g', () => {
        throw new Error('oops');
      }),
    ).toThrow('oops');
    expect(() => platform.group('g', (g) => g.action({ name: 'a', handler: () => 1 }))).not.toThrow();
  });
});

describe('arguments', () => {
  it('are repaired in records and tuples too', async () => {
    const builder = new GroupedToolBuilder('b').action({
      name: 'a',
      inputSchema: {
        r: z.record(z.string(), z.object({ n: z.number() })),
        t: z.tuple([z.array(z.number()), z.string()]),
      },
      handler: ({ input, context }) => ({ input, repairs: context.repairs }),
    });
    const result = await builder.execute({ action: 'a', r: { k: '{"n":1}' }, t: ['[1]', '[2]'] });
    expect(JSON.parse(text(result))).toEqual({
      input: { r: { k: { n: 1 } }, t: [[1], '[2]'] },
      repairs: ['r.k', 't.0'],
    });
  });
});

describe('a description', () => {
  it('says what groups are for', () => {
    const { description } = new GroupedToolBuilder('b')
      .group('users', 'People', (users) => users.action({ name: 'list', handler: () => 1 }))
      .buildToolDefinition();
    expect(description).toBe('b. Modules: users (list)\n\nActions:\n- `users`: People');
  });
});
