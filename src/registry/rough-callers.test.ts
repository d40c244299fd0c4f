import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { GroupedToolBuilder } from '../build/grouped-tool-builder.js';
import type { Caller } from '../callers/caller.js';
import { ErrInvalidOptions, ErrValidationFailed } from '../errors.js';
import type { CallToolResult } from '../protocol/tool-result.js';
import { MemoryStore } from '../stores/memory/memory-store.js';
import { ToolRegistry } from './tool-registry.js';
import type { ToolRegistryOptions } from './registry-options.js';

const text = ({ content }: CallToolResult): string =>
  content.map((block) => ('text' in block ? block.text : '')).join();
const tool = (handler: (call: never) => unknown, more: object = {}) => ({
  name: 't',
  description: 'Does something',
  inputSchema: {},
  handler,
  ...more,
});
const keepLines = () => {
  const lines: unknown[] = [];
  const at = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, ...fields, message });
  return { lines, logger: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } };
};
const reading = (registry: ToolRegistry) => (caller: Caller, accessToken?: string) =>
  registry.executeTool({ name: 't', caller, accessToken }).then(text);

describe('what is kept', () => {
  it('does not tell one caller why the load of another failed', async () => {
    const registry = new ToolRegistry().register(
      tool(
        async ({ context }: { context: { accessToken: string } }) => {
          await new Promise((resolve) => setTimeout(resolve, 5));
          throw new Error(`refused ${context.accessToken}`);
        },
        { readOnly: true, cached: { ttlMs: 1_000, shared: true } },
      ),
    );
    const [alice, bob] = await Promise.all([
      registry.executeTool({ name: 't', accessToken: 'alice-cred-001' }),
      registry.executeTool({ name: 't', accessToken: 'bob-cred-0002' }),
    ]);
    expect(text(alice)).toContain('refused [redacted]');
    expect(JSON.stringify(bob)).not.toContain('alice');
    expect(text(bob)).toContain('could not be loaded');
  });

  it.each<[string, Caller, Caller]>([
    [
      'tenants',
      { auth: { token: 'a', extra: { iss: 'i', sub: 'ada', org_id: 'acme' } } },
      { auth: { token: 'b', extra: { iss: 'i', sub: 'ada', org_id: 'rival' } } },
    ],
    [
      'scopes',
      { auth: { token: 'a', extra: { sub: 'ada' }, scopes: ['admin'] } },
      { auth: { token: 'b', extra: { sub: 'ada' }, scopes: [] } },
    ],
    [
      'subjects behind accessors',
      {
        auth: new (class {
          get sub() {
            return 'ada';
          }
        })() as never,
      },
      {
        auth: new (class {
          get sub() {
            return 'eve';
          }
        })() as never,
      },
    ],
  ])('is not shared between %s', async (_what, one, other) => {
    let runs = 0;
    const read = reading(
      new ToolRegistry().register(tool(() => `run ${++runs}`, { readOnly: true, cached: { ttlMs: 60_000 } })),
    );
    expect(await read(one)).toBe('run 1');
    expect(await read(other)).toBe('run 2');
    expect(await read(one)).toBe('run 1');
  });

  it('is refused where callers cannot be told apart', async () => {
    const read = reading(
      new ToolRegistry().register(tool(() => 'secret', { readOnly: true, cached: { ttlMs: 60_000 } })),
    );
    expect(await read({ auth: { claims: new Map([['sub', 'ada']]) } })).toContain('not JSON');
  });

  it('belongs to the tenant that the registry names', async () => {
    let runs = 0;
    const registry = new ToolRegistry({ tenant: ({ meta }) => meta?.['tenant'] as string }).register(
      tool(() => `run ${++runs}`, { readOnly: true, cached: { ttlMs: 60_000 } }),
    );
    const read = (tenant: string) => registry.executeTool({ name: 't', meta: { tenant } }).then(text);
    expect([await read('a'), await read('b'), await read('a')]).toEqual(['run 1', 'run 2', 'run 1']);
  });

  it('has no token in its keys', async () => {
    const store = new MemoryStore();
    const keys: string[] = [];
    const watched = {
      get: (key: string) => (keys.push(key), store.get(key)),
      set: (key: string, value: string, ttlMs: number) => (keys.push(key), store.set(key, value, ttlMs)),
      setIfAbsent: (key: string, value: string, ttlMs: number) => (
        keys.push(key),
        store.setIfAbsent(key, value, ttlMs)
      ),
      delete: (key: string) => store.delete(key),
    };
    const limited: string[] = [];
    const registry = new ToolRegistry({
      store: watched,
      rateLimiter: { consume: async (key) => (limited.push(key), { msBeforeNext: 0, remainingPoints: 1 }) },
    }).register(tool(() => 1, { readOnly: true, cached: { ttlMs: 1_000 }, idempotency: true }));
    await registry.executeTool({ name: 't', accessToken: 'very-secret-token', idempotencyKey: 'k' });
    expect(keys.length + limited.length).toBeGreaterThan(2);
    expect([...keys, ...limited].join()).not.toContain('very-secret-token');
  });
});

describe('an idempotent call', () => {
  it('stays done, whatever others do', async () => {
    let paid = 0;
    const registry = new ToolRegistry({ rateLimiter: false }).register(
      tool(() => `paid ${++paid} ${'x'.repeat(200_000)}`, { idempotency: true }),
    );
    const pay = (accessToken: string, idempotencyKey: string) =>
      registry
        .executeTool({ name: 't', accessToken, idempotencyKey })
        .then((result) => text(result).slice(0, 6));
    expect(await pay('victim-token', 'k1')).toBe('paid 1');
    for (let call = 0; call < 700; call++) await pay('eve-token', `e${call}`);
    expect(await pay('victim-token', 'k1')).not.toMatch(/^paid [2-9]/);
  }, 60_000);

  it('is the same call with other defaults and in another form', async () => {
    let day = 0;
    let runs = 0;
    const registry = new ToolRegistry().register(
      new GroupedToolBuilder('shop').action({
        name: 'pay',
        inputSchema: z.object({ amount: z.number(), day: z.number() }),
        idempotency: true,
        defaultArgumentResolver: () => ({ day: ++day }),
        handler: () => `run ${++runs}`,
      }),
    );
    const key = { idempotencyKey: 'k' };
    const grouped = { name: 'shop', arguments: { action: 'pay', amount: 1 }, ...key };
    expect(text(await registry.executeTool(grouped))).toBe('run 1');
    expect(text(await registry.executeTool(grouped))).toBe('run 1');
    const flat = registry.view({ form: 'flat' });
    expect(
      text(await registry.executeTool({ name: 'shop_pay', arguments: { amount: 1 }, ...key }, flat)),
    ).toBe('run 1');
  });

  it('keeps nothing that would lose by it', async () => {
    const registry = new ToolRegistry().register(tool(() => ({ users: new Map() }), { idempotency: true }));
    expect((await registry.executeTool({ name: 't', idempotencyKey: 'k' })).isError).toBe(true);
  });
});

describe('a call is answered', () => {
  const failing = (): never => {
    throw new Error('disk full');
  };
  const rejecting = async (): Promise<never> => failing();

  it.each<[string, ToolRegistryOptions<unknown>]>([
    ['a logger throws', { logger: { debug: failing, info: failing, warn: failing, error: failing } }],
    [
      'a logger rejects',
      { logger: { debug: rejecting, info: rejecting, warn: rejecting, error: rejecting } as never },
    ],
    ['an observer throws before', { observe: failing }],
    [
      'an observer throws afterwards',
      {
        observe: async (_call, run) => {
          await run();
          failing();
        },
      },
    ],
    [
      'an observer gives something else',
      {
        observe: async (_call, run) => {
          await run();
          return 'else';
        },
      },
    ],
  ])('as it should be although %s', async (_what, options) => {
    const handler = vi.fn<() => string>(() => 'done');
    const registry = new ToolRegistry(options).register(tool(handler));
    expect(text(await registry.executeTool({ name: 't' }))).toBe('done');
    expect(handler).toHaveBeenCalledTimes(1);
    expect((await registry.executeTool({ name: 'unknown' })).isError).toBe(true);
  });

  it.each<[string, ToolRegistryOptions<unknown>]>([
    [
      'the error handler rejects',
      { errorHandler: { createValidationError: rejecting as never, handleError: rejecting as never } },
    ],
    [
      'the error handler gives nothing',
      {
        errorHandler: {
          createValidationError: () => undefined as never,
          handleError: () => undefined as never,
        },
      },
    ],
  ])('with a failure when %s', async (_what, options) => {
    const registry = new ToolRegistry(options).register(tool(failing));
    for (const name of ['t', 'unknown', Object.create(null) as string])
      expect(await registry.executeTool({ name })).toMatchObject({ isError: true });
  });

  it('with a failure when a middleware of the registry gives nothing, and that is logged', async () => {
    const { lines, logger } = keepLines();
    const registry = new ToolRegistry({ logger }).register(tool(() => 1)).use(() => undefined);
    expect(await registry.executeTool({ name: 't' })).toMatchObject({ isError: true });
    const broken = new ToolRegistry({ logger }).register(tool(() => 1)).use(failing);
    expect(await broken.executeTool({ name: 't' })).toMatchObject({ isError: true });
    expect(JSON.stringify(lines)).toContain('disk full');
  });

  it('although the input makes one schema reject and another throw', async () => {
    const unhandled = vi.fn<() => void>();
    process.on('unhandledRejection', unhandled);
    const builder = new GroupedToolBuilder('b')
      .commonSchema(z.object({ a: z.string().refine(rejecting) }))
      .action({ name: 'x', inputSchema: z.object({ b: z.string().refine(failing) }), handler: () => 1 });
    expect((await builder.execute({ action: 'x', a: '1', b: '1' })).isError).toBe(true);
    await new Promise((resolve) => setTimeout(resolve));
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });
});

describe('a security wrapper', () => {
  it('cannot run a call twice, nor send out what the schema does not allow', async () => {
    const handler = vi.fn<() => object>(() => ({ a: 'x' }));
    const definition = tool(handler, { outputSchema: z.object({ a: z.string() }) });
    const twice = new ToolRegistry({
      withSecurityWrapper: () => async (_call, run) => {
        await run({});
        return run({});
      },
    }).register(definition);
    expect(text(await twice.executeTool({ name: 't' }))).toContain('twice');
    expect(handler).toHaveBeenCalledTimes(1);
    const inventing = new ToolRegistry({ withSecurityWrapper: () => () => ({ b: 1 }) }).register(definition);
    expect((await inventing.executeTool({ name: 't' })).isError).toBe(true);
  });

  it('leaves it to the registry to log what fails, and to name the fields', async () => {
    const { lines, logger } = keepLines();
    const registry = new ToolRegistry({
      logger,
      withSecurityWrapper: (_namespace, _operation, schema) => async (call, run) => {
        const checked = await schema['~standard'].validate(await call.arguments());
        if (checked.issues) throw { issues: checked.issues };
        return run(checked.value);
      },
    }).register(
      tool(
        () => {
          throw new Error('the database is gone');
        },
        { inputSchema: z.object({ limit: z.number().optional() }) },
      ),
    );
    expect(text(await registry.executeTool({ name: 't', arguments: { limt: 1 } }))).toContain(
      'Did you mean "limit"',
    );
    await registry.executeTool({ name: 't' });
    expect(JSON.stringify(lines)).toContain('the database is gone');
  });

  it('waits for a limiter no longer than the call may take, and a cancelled call does not run', async () => {
    vi.useFakeTimers();
    const handler = vi.fn<() => string>(() => 'ran');
    const hanging = new ToolRegistry({ rateLimiter: { consume: () => new Promise(() => {}) } }).register(
      tool(handler, { timeoutMs: 50 }),
    );
    const pending = hanging.executeTool({ name: 't' });
    await vi.advanceTimersByTimeAsync(60);
    expect(text(await pending)).toContain('longer than 50 ms');
    const slow = new ToolRegistry({
      rateLimiter: {
        consume: () =>
          new Promise((resolve) => {
            setTimeout(() => resolve({ msBeforeNext: 0, remainingPoints: 1 }), 20);
          }),
      },
    }).register(tool(handler));
    const controller = new AbortController();
    const cancelled = slow.executeTool({ name: 't', signal: controller.signal });
    controller.abort();
    await vi.advanceTimersByTimeAsync(100);
    expect(text(await cancelled)).toContain('cancelled');
    expect(handler).not.toHaveBeenCalled();
    vi.useRealTimers();
  });
});

describe('no credential of a call gets out', () => {
  const secret = 'zebra-9931-quagga';

  it.each<[string, object]>([
    ['a header of the SDK', { sdk: { requestInfo: { headers: { 'x-api-key': secret } } } }],
    ['the _meta', { meta: { 'acme/apiKey': secret } }],
    ['the session', { caller: { sessionId: secret } }],
    ['the arguments', { arguments: { password: secret, note: secret } }],
    ['the claims', { caller: { auth: { token: 't', extra: { upstreamToken: secret } } } }],
  ])('from %s', async (_where, request) => {
    const { lines, logger } = keepLines();
    const registry = new ToolRegistry({ logger }).register(
      tool(
        () => {
          throw new Error(`upstream said ${secret}`);
        },
        { inputSchema: z.object({ password: z.string(), note: z.string() }).partial() },
      ),
    );
    const result = await registry.executeTool({ name: 't', ...request });
    expect(JSON.stringify(result)).not.toContain(secret);
    expect(JSON.stringify(lines)).not.toContain(secret);
  });

  it('from prompts and resources', async () => {
    const { lines, logger } = keepLines();
    const fail = () => {
      throw new ErrValidationFailed(`no ${secret}`);
    };
    const registry = new ToolRegistry({ logger, contextFactory: () => ({ apiKey: secret }) })
      .registerPrompt({ name: 'p', handler: fail })
      .registerResource({ name: 'r', uri: 'a://b', handler: fail });
    await expect(registry.getPrompt({ name: 'p' })).rejects.toThrow('no [redacted]');
    await expect(registry.readResource({ uri: 'a://b' })).rejects.toThrow('no [redacted]');
    expect(lines).toHaveLength(2);
    expect(JSON.stringify(lines)).not.toContain(secret);
  });
});

describe('options', () => {
  it.each<[string, object]>([
    ['a logger without methods', { logger: {} }],
    ['a formatter without methods', { responseFormatter: {} }],
    ['a wrapper that is no function', { withSecurityWrapper: 1 }],
    ['an observer that is no function', { observe: 1 }],
    ['a store without methods', { store: { get: () => {} } }],
    ['a cache without for()', { cache: {} }],
    ['a clock that is none', { clock: 5 }],
  ])('are refused at once: %s', (_what, options) => {
    expect(() => new ToolRegistry(options as never)).toThrow(ErrInvalidOptions);
  });

  it('give the limiter the clock too', async () => {
    let now = 0;
    const registry = new ToolRegistry({
      clock: () => now,
      rateLimiter: { calls: 1, windowMs: 60_000 },
    }).register(tool(() => 'ran'));
    expect(text(await registry.executeTool({ name: 't' }))).toBe('ran');
    expect(text(await registry.executeTool({ name: 't' }))).toContain('too often');
    now += 61_000;
    expect(text(await registry.executeTool({ name: 't' }))).toBe('ran');
  });
});

describe('at the edges', () => {
  it('hides what a request of the web standard brought', async () => {
    const req = new Request('http://x/', { headers: { 'x-api-key': 'zq9opaque-plain-7731' } });
    const { lines, logger } = keepLines();
    const registry = new ToolRegistry({ logger }).register(
      tool(() => {
        throw new Error('bad key zq9opaque-plain-7731');
      }),
    );
    const result = await registry.executeTool({ name: 't', sdk: { http: { req } } });
    expect(JSON.stringify([result, lines])).not.toContain('opaque-plain');
  });

  it.each<[string, Caller, Caller]>([
    [
      'tenants behind accessors',
      {
        auth: new (class {
          sub = 'a';
          get org_id() {
            return 1;
          }
        })() as never,
      },
      {
        auth: new (class {
          sub = 'a';
          get org_id() {
            return 2;
          }
        })() as never,
      },
    ],
    ['tenants in camel case', { auth: { sub: 'a', orgId: '1' } }, { auth: { sub: 'a', orgId: '2' } }],
    [
      'tenants by URL',
      { auth: { sub: 'a', 'https://x/org_id': '1' } },
      { auth: { sub: 'a', 'https://x/org_id': '2' } },
    ],
  ])('keeps what was done by %s apart', async (_what, one, other) => {
    let runs = 0;
    const registry = new ToolRegistry().register(tool(() => `run ${++runs}`, { idempotency: true }));
    const run = (caller: Caller) =>
      registry.executeTool({ name: 't', caller, idempotencyKey: 'k' }).then(text);
    expect([await run(one), await run(other), await run(one)]).toEqual(['run 1', 'run 2', 'run 1']);
  });

  it.each<[string, Caller]>([
    ['a map of claims', { auth: new Map([['sub', 'a']]) as never }],
    ['claims in a map', { auth: { sub: 'x', extra: new Map([['org_id', 1]]) as never } }],
  ])('refuses to keep anything for a caller that is %s', async (_what, caller) => {
    const registry = new ToolRegistry({ rateLimiter: false }).register(
      tool(() => 'x', { readOnly: true, cached: { ttlMs: 1_000 } }),
    );
    expect((await registry.executeTool({ name: 't', caller })).isError).toBe(true);
  });

  it('wants a tenant now, not later', async () => {
    const registry = new ToolRegistry({ tenant: (async () => 'a') as never }).register(
      tool(() => 'x', { readOnly: true, cached: { ttlMs: 1_000 } }),
    );
    expect((await registry.executeTool({ name: 't' })).isError).toBe(true);
  });

  it('answers requests that are none and formatters that do nothing', async () => {
    const { logger } = keepLines();
    for (const registry of [
      new ToolRegistry({ logger }).register(tool(() => 1)),
      new ToolRegistry({ logger }).register(tool(() => 1)).use((_request, next) => next()),
    ]) {
      expect(await registry.executeTool(undefined as never)).toMatchObject({ isError: true });
    }
    const odd = [
      { format: () => '', runWithMinifyOverride: () => undefined },
      { format: () => undefined, runWithMinifyOverride: (_minify: unknown, run: () => unknown) => run() },
    ];
    for (const responseFormatter of odd) {
      const registry = new ToolRegistry({ responseFormatter: responseFormatter as never }).register(
        tool(() => ({ a: 1 })),
      );
      expect(await registry.executeTool({ name: 't' })).toMatchObject({ isError: true });
    }
    const idle = new ToolRegistry({ withSecurityWrapper: () => () => undefined }).register(tool(() => 1));
    expect(await idle.executeTool({ name: 't' })).toMatchObject({ isError: true });
  });

  it('keeps a place until idempotent work has ended', async () => {
    let running = 0;
    let most = 0;
    const registry = new ToolRegistry({ concurrency: { max: 1, queue: 50 } }).register(
      tool(
        async () => {
          most = Math.max(most, ++running);
          await new Promise((resolve) => setTimeout(resolve, 30));
          running--;
          return 'x';
        },
        { idempotency: true, timeoutMs: 5 },
      ),
    );
    await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        registry.executeTool({ name: 't', idempotencyKey: `k${index}` }),
      ),
    );
    await vi.waitFor(() => expect(running).toBe(0), { timeout: 5_000 });
    expect(most).toBe(1);
  });

  it('shows nothing of a session id', async () => {
    const { lines, logger } = keepLines();
    const registry = new ToolRegistry({ logger }).register(tool(() => 1));
    await registry.executeTool({ name: 't', caller: { sessionId: 's3cr-77' } });
    expect(JSON.stringify(lines)).not.toContain('s3cr');
  });
});
