import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { GroupedToolBuilder } from '../build/grouped-tool-builder.js';
import type { RequestContext, ToolContext } from '../define/tool-definition.js';
import { ErrInvalidRequestState, ErrUnknownTask } from '@toolfold/schema/errors';
import type { CallToolResult } from '../protocol/tool-result.js';
import { hashOf, SessionContext } from '../callers/session-context.js';
import type { ResolvedContext, ContextValues } from '../callers/session-context.js';
import { MemoryStore } from '../stores/memory/memory-store.js';
import type { CallRecord } from './services.js';
import type { RequestOptions } from './request.js';
import { TASKS_EXTENSION } from '../tasks/tasks.js';
import type { Task } from '../stores/contracts.js';
import { ToolRegistry } from '../registry/tool-registry.js';
import type { ToolRegistryOptions } from '../registry/registry-options.js';
import { internalsOf } from '../registry/any-registry.js';

const of = (context: ContextValues): ResolvedContext => ({ context, hash: hashOf(context) });
const textOf = ({ content }: CallToolResult): string =>
  content.map((block) => ('text' in block ? block.text : block.type)).join();
const codeOf = (result: CallToolResult): unknown =>
  (result._meta?.['toolfold/error'] as { code?: unknown } | undefined)?.code;

const ada = of({ tenant: 'ada', apiToken: 'secret-of-ada' });
const bob = of({ tenant: 'bob', apiToken: 'secret-of-bob' });
const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the session context', () => {
  it('reaches handlers, middleware, resolvers, contextFactory, prompts and resources', async () => {
    const seen = new Map<string, unknown>();
    const see = (where: string, context: Pick<RequestContext, 'session'>): void =>
      void seen.set(where, context.session);
    const registry = new ToolRegistry({
      contextFactory: ({ session }: RequestOptions) => void seen.set('factory', session?.context),
      observe: async ({ request }: { request: RequestOptions; record: CallRecord }, run) => {
        seen.set('observer', request.session?.context);
        await run();
      },
    });
    registry.use((request, next) => {
      seen.set('use', request.session?.context);
      return next();
    });
    registry.register(
      new GroupedToolBuilder('t')
        .use((call, next) => {
          see('middleware', call.context);
          return next();
        })
        .action({
          name: 'a',
          inputSchema: z.object({ x: z.string() }),
          defaultArgumentResolver: ({ session }) => {
            seen.set('resolver', session);
            return { x: String(session['tenant']) };
          },
          handler: ({ input, context }) => {
            see('handler', context);
            return input.x;
          },
        }),
    );
    registry.registerPrompt({
      name: 'p',
      handler: ({ context }) => {
        see('prompt', context);
        return 'text';
      },
    });
    registry.registerResource({
      name: 'r',
      uri: 'r://r',
      handler: ({ context }) => {
        see('resource', context);
        return 'text';
      },
    });
    const request = { name: 't', arguments: { action: 'a' }, session: ada };
    expect(textOf(await registry.executeTool(request))).toBe('ada');
    await registry.getPrompt({ name: 'p', session: ada });
    await registry.readResource({ uri: 'r://r', session: ada });
    const places = ['factory', 'handler', 'middleware', 'observer', 'prompt', 'resolver', 'resource', 'use'];
    expect([...seen.keys()].toSorted()).toEqual(places);
    for (const place of places) expect(seen.get(place), place).toEqual(ada.context);
  });

  it('is an empty record by default, also for requests with a signal', async () => {
    const registry = new ToolRegistry().register({
      name: 'see',
      description: 'Sees',
      inputSchema: {},
      handler: ({ context }) => ({ session: context.session, frozen: Object.isFrozen(context.session) }),
    });
    const requests: RequestOptions[] = [
      {},
      { lazySignal: () => new AbortController().signal },
      { signal: new AbortController().signal },
    ];
    for (const request of requests) {
      expect(textOf(await registry.executeTool({ name: 'see', ...request }))).toBe(
        '{"session":{},"frozen":true}',
      );
      const given = await registry.executeTool({ name: 'see', ...request, session: of({ a: 1 }) });
      expect(textOf(given)).toBe('{"session":{"a":1},"frozen":true}');
    }
  });

  it('cannot be changed by one call for another, at any depth', async () => {
    // The server sets this context for all its callers.
    const base = { region: { name: 'eu' }, list: [{ n: 1 }], client: new Map([['calls', 0]]) };
    const registry = new ToolRegistry().register({
      name: 'change',
      description: 'Changes',
      inputSchema: {},
      handler: ({ context: { session } }) => {
        const { region, list, client } = session as typeof base;
        for (const change of [
          () => (region.name = 'mine'),
          () => list.push({ n: 2 }),
          () => (list[0]!.n = 3),
          () => Object.assign(session, { token: 'mine' }),
        ])
          expect(change).toThrow(TypeError);
        // Only plain data is frozen: a Map stays the object that the server passed.
        client.set('calls', (client.get('calls') ?? 0) + 1);
        return JSON.stringify([session, client.get('calls')]);
      },
    });
    const session = of(base);
    const answers = [1, 2].map(async () => textOf(await registry.executeTool({ name: 'change', session })));
    const [first, second] = (await Promise.all(answers)).map((text) => JSON.parse(text) as unknown[]);
    expect(first?.[0]).toEqual({ region: { name: 'eu' }, list: [{ n: 1 }], client: {} });
    expect(second?.[0]).toEqual(first?.[0]);
    expect(second?.[1]).toBe(2);
    expect(Object.isFrozen(base.region)).toBe(false);
  });
});

/** A registry whose tools return the context and the number of runs. */
function setUp(options: ToolRegistryOptions<unknown> = {}) {
  let runs = 0;
  const answer = async ({ session }: ToolContext): Promise<object> => {
    await pause();
    return { tenant: session['tenant'], run: ++runs };
  };
  const common = { description: 'Answers', inputSchema: {} };
  const cached = { ttlMs: 1_000, staleWhileRevalidateMs: 1_000, tags: ['t'] };
  const registry = new ToolRegistry<unknown>({ rateLimiter: false, ...options }).register(
    {
      ...common,
      name: 'own',
      readOnly: true,
      cached,
      handler: ({ context }) => answer(context),
    },
    {
      ...common,
      name: 'shared',
      readOnly: true,
      cached: { ...cached, shared: true },
      handler: ({ context }) => answer(context),
    },
    {
      ...common,
      name: 'helper',
      handler: ({ context }) => context.cache.wrap('k', () => answer(context), cached),
    },
    {
      ...common,
      name: 'helper_shared',
      handler: ({ context }) => context.cache.wrap('k', () => answer(context), { ...cached, shared: true }),
    },
    {
      ...common,
      name: 'forget',
      handler: async ({ context }) => {
        await context.cache.delete('k');
        await context.cache.delete('k', { shared: true });
        return 'forgotten';
      },
    },
    { ...common, name: 'once', idempotency: true, handler: ({ context }) => answer(context) },
    { ...common, name: 'write', invalidates: ['t'], handler: () => 'written' },
  );
  const call = async (name: string, session?: ResolvedContext, more: RequestOptions = {}) => {
    const request = { name, session, idempotencyKey: 'key', ...more };
    return JSON.parse(textOf(await registry.executeTool(request))) as { tenant?: string; run: number };
  };
  return { registry, call, runs: () => runs };
}

describe('a value stored in one context', () => {
  const kept = ['own', 'shared', 'helper', 'helper_shared', 'once'];

  it.each(kept)('is not visible in another context: %s', async (name) => {
    const { call } = setUp();
    expect(await call(name, ada)).toEqual({ tenant: 'ada', run: 1 });
    expect(await call(name, bob)).toEqual({ tenant: 'bob', run: 2 });
    expect(await call(name)).toEqual({ run: 3 });
    // The first values are still stored.
    expect(await call(name, ada)).toEqual({ tenant: 'ada', run: 1 });
    expect(await call(name, of({ apiToken: 'secret-of-bob', tenant: 'bob' }))).toEqual({
      tenant: 'bob',
      run: 2,
    });
    expect(await call(name)).toEqual({ run: 3 });
  });

  it.each(kept)('is not visible in another context while it is loaded: %s', async (name) => {
    const { call, runs } = setUp();
    const contexts = [ada, bob, undefined, ada, bob, undefined, ada];
    const answers = await Promise.all(contexts.map((context) => call(name, context)));
    expect(answers.map(({ tenant }) => tenant)).toEqual(
      contexts.map((context) => context?.context['tenant']),
    );
    expect(runs()).toBe(3);
  });

  it.each(['own', 'shared', 'helper', 'helper_shared'])(
    'is reloaded in its own context while the stale value is served: %s',
    async (name) => {
      let now = 1_000;
      const { call, runs } = setUp({ clock: () => now });
      await call(name, ada);
      await call(name, bob);
      now += 1_500;
      expect(await call(name, bob)).toEqual({ tenant: 'bob', run: 2 });
      await vi.waitFor(() => expect(runs()).toBe(3));
      await vi.waitFor(async () => expect(await call(name, bob)).toEqual({ tenant: 'bob', run: 3 }));
      expect(await call(name, ada)).toEqual({ tenant: 'ada', run: 1 });
    },
  );

  it('is shared among callers of that context only if it is marked as shared', async () => {
    const { call } = setUp();
    const as = (sub: string): RequestOptions => ({ caller: { auth: { sub } } });
    expect(await call('shared', ada, as('x'))).toEqual({ tenant: 'ada', run: 1 });
    expect(await call('shared', ada, as('y'))).toEqual({ tenant: 'ada', run: 1 });
    expect(await call('own', ada, as('x'))).toEqual({ tenant: 'ada', run: 2 });
    expect(await call('own', ada, as('y'))).toEqual({ tenant: 'ada', run: 3 });
  });

  it('is separated in a custom cache and in a store of several servers too', async () => {
    const store = new MemoryStore();
    const [one, other] = [setUp({ store }), setUp({ store })];
    for (const name of kept) {
      const first = await one.call(name, ada);
      expect(await other.call(name, ada)).toEqual(first);
      expect((await other.call(name, bob)).tenant).toBe('bob');
    }
    // A custom cache that ignores contexts and compares keys by equality.
    const values = new Map<string, unknown>();
    const { call } = setUp({
      cache: {
        for: (caller) => ({
          wrap: async (key, loader, { shared }) => {
            const name = JSON.stringify([shared === true ? '' : caller, key]);
            if (!values.has(name)) values.set(name, await loader());
            return values.get(name) as never;
          },
          delete: async () => {},
          invalidate: async () => {},
        }),
      },
    });
    for (const name of ['own', 'shared', 'helper', 'helper_shared'])
      for (const context of [ada, bob, undefined])
        expect((await call(name, context)).tenant).toBe(context?.context['tenant']);
  });

  it('is deleted by key in that context only', async () => {
    const { registry, call, runs } = setUp();
    for (const context of [ada, bob]) {
      await call('helper', context);
      await call('helper_shared', context);
    }
    expect(runs()).toBe(4);
    await registry.executeTool({ name: 'forget', session: ada });
    expect(await call('helper', bob)).toEqual({ tenant: 'bob', run: 3 });
    expect(await call('helper_shared', bob)).toEqual({ tenant: 'bob', run: 4 });
    expect(await call('helper', ada)).toEqual({ tenant: 'ada', run: 5 });
    expect(await call('helper_shared', ada)).toEqual({ tenant: 'ada', run: 6 });
  });

  it.each(['own', 'shared', 'helper', 'helper_shared'])(
    'is invalidated in all contexts when its tag is written in one: %s',
    async (name) => {
      const { registry, call } = setUp();
      for (const context of [ada, bob, undefined]) await call(name, context);
      await registry.executeTool({ name: 'write', session: ada });
      expect(await call(name, ada)).toEqual({ tenant: 'ada', run: 4 });
      expect(await call(name, bob)).toEqual({ tenant: 'bob', run: 5 });
      expect(await call(name)).toEqual({ run: 6 });
      await registry.executeTool({ name: 'write' });
      expect(await call(name, ada)).toEqual({ tenant: 'ada', run: 7 });
    },
  );

  it.each(kept)(
    'is rejected for a context without a hash, which all contexts would share: %s',
    async (name) => {
      const { registry, runs } = setUp();
      for (const hash of [undefined, '', 1]) {
        const session = { context: { tenant: 'ada' }, hash } as ResolvedContext;
        const result = await registry.executeTool({ name, session, idempotencyKey: 'key' });
        expect(textOf(result)).toContain('session must have the hash of its context');
      }
      expect(runs()).toBe(0);
    },
  );

  it('is distinguished by the content of the context, not by how a process numbers its objects', async () => {
    const seen = new Set<string>();
    // Each module instance numbers objects like a separate process.
    for (let process = 0; process < 3; process++) {
      vi.resetModules();
      const { hashOf: hash } = await import('../callers/session-context.js');
      const client = new Date(0);
      expect(hash({ client })).toBe(hash({ client }));
      seen.add(hash({ client }));
    }
    expect(seen.size).toBe(3);
  });
});

describe('limits', () => {
  it('belong to the caller, in any session context', async () => {
    const { registry } = setUp({ rateLimiter: { calls: 3, windowMs: 60_000 } });
    const callers: RequestOptions[] = [
      {},
      { caller: { auth: { sub: 'x' } } },
      { caller: { address: '10.0.0.1' }, accessToken: 'a token' },
    ];
    for (const caller of callers) {
      const codes: unknown[] = [];
      for (let n = 0; n < 5; n++)
        codes.push(codeOf(await registry.executeTool({ name: 'write', ...caller, session: of({ n }) })));
      expect(codes).toEqual([undefined, undefined, undefined, 'ErrRateLimited', 'ErrRateLimited']);
    }
  });
});

const protocolVersion = '2026-07-28';
const caller = {
  auth: { sub: 'x' },
  capabilities: { extensions: { [TASKS_EXTENSION]: {} }, elicitation: { form: {} } },
};

describe('a task', () => {
  const create = (handler: (context: ToolContext) => unknown = () => new Promise(() => {})) =>
    new ToolRegistry({ rateLimiter: false }).register({
      name: 'work',
      description: 'Works',
      inputSchema: {},
      task: true,
      handler: ({ context }) => handler(context),
    });
  const start = async (registry: ToolRegistry, request: RequestOptions) =>
    (await internalsOf(registry).callOrStartTask({
      name: 'work',
      protocolVersion,
      caller,
      ...request,
    })) as CallToolResult & Partial<Task>;
  const ask = (registry: ToolRegistry, method: string, params: object, request: RequestOptions) =>
    internalsOf(registry).taskMethods[`tasks/${method}`]?.({
      method: `tasks/${method}`,
      params: params as Record<string, unknown>,
      protocolVersion,
      caller,
      ...request,
    }) as Promise<Task>;

  it('is found only in the context that started it', async () => {
    const registry = create(({ session }) => ({ secret: session['tenant'] }));
    const { taskId } = await start(registry, { session: ada });
    await vi.waitFor(async () =>
      expect((await ask(registry, 'get', { taskId }, { session: ada })).status).toBe('completed'),
    );
    for (const session of [bob, undefined])
      for (const method of ['get', 'cancel', 'update'])
        await expect(ask(registry, method, { taskId }, { session })).rejects.toThrow(ErrUnknownTask);
    expect((await ask(registry, 'get', { taskId }, { session: ada })).result?.content).toEqual([
      { type: 'text', text: '{"secret":"ada"}' },
    ]);
  });

  it('counts against the quota of its caller, in any session context', async () => {
    const registry = create();
    for (let n = 0; n < 1_000; n++)
      expect((await start(registry, { session: of({ n }) })).resultType).toBe('task');
    expect(codeOf(await start(registry, { session: of({ n: 'new' }) }))).toBe('ErrOverloaded');
    const other = { ...caller, auth: { sub: 'y' } };
    expect((await start(registry, { caller: other, session: ada })).resultType).toBe('task');
  });
});

describe('a question', () => {
  it('is answered only in the context that asked it', async () => {
    const registry = new ToolRegistry({ rateLimiter: false }).register({
      name: 'pay',
      description: 'Pays',
      inputSchema: {},
      handler: async ({ context }) => {
        const question = { message: 'Sure?', schema: z.object({ value: z.string() }) };
        const { sure } = await context.requestInput({ sure: question });
        return `${String(context.session['tenant'])} ${JSON.stringify(sure)}`;
      },
    });
    const send = async (session: ResolvedContext | undefined, round: object = {}) => {
      const params = { name: 'pay', arguments: {} };
      const ask = internalsOf(registry).askInRounds(
        { method: 'tools/call', params, ...round },
        { caller, session },
      );
      return registry.executeTool({ ...params, caller, session, ask });
    };
    const { requestState } = await send(ada);
    const round = {
      requestState,
      inputResponses: { sure: { action: 'accept', content: { value: 'yes' } } },
    };
    for (const other of [bob, undefined])
      await expect(send(other, round)).rejects.toThrow(ErrInvalidRequestState);
    expect(textOf(await send(ada, round))).toMatch(/^ada .*yes/);
    const { requestState: without } = await send(undefined);
    await expect(send(ada, { ...round, requestState: without })).rejects.toThrow(ErrInvalidRequestState);
  });
});

describe('credentials of a context', () => {
  const request = {
    query: () => [],
    header: () => JSON.stringify({ acme: 'plain-words-of-ada', tenant: 'ada-and-sons' }),
  };
  const session = new SessionContext({
    header: { name: 'x-config', encoding: 'json', allowedKeys: ['acme', 'tenant'] },
    credentialKeys: ['acme'],
  }).resolve(request, { client_secret: 'words-of-the-server' });

  it('are redacted from answers and logs, by their names and by credentialKeys', async () => {
    const lines: string[] = [];
    const write = (fields: object, message: string): void =>
      void lines.push(`${message} ${JSON.stringify(fields)}`);
    const registry = new ToolRegistry({ logger: { debug: write, info: write, warn: write, error: write } });
    registry.register({
      name: 'fail',
      description: 'Fails',
      inputSchema: z.object({ note: z.string() }),
      handler: ({ context }) => {
        throw new Error(`refused: ${JSON.stringify(context.session)}`);
      },
    });
    registry.registerPrompt({
      name: 'p',
      handler: ({ context }) => {
        throw new ErrUnknownTask(`refused: ${JSON.stringify(context.session)}`);
      },
    });
    const note = 'with plain-words-of-ada and words-of-the-server';
    const answer = JSON.stringify(await registry.executeTool({ name: 'fail', arguments: { note }, session }));
    const thrown = await registry.getPrompt({ name: 'p', session }).then(String, String);
    expect(lines).toHaveLength(3);
    for (const text of [answer, thrown, ...lines]) {
      expect(text).not.toContain('plain-words-of-ada');
      expect(text).not.toContain('words-of-the-server');
      expect(text).toContain('[redacted]');
    }
    // Values that are not credentials stay, so that the error remains useful.
    expect(answer).toContain('ada-and-sons');
  });
});

describe('the id of a client', () => {
  const setUpLog = (rateLimiter: ToolRegistryOptions<unknown>['rateLimiter'] = false) => {
    const lines: Record<string, unknown>[] = [];
    const write = (fields: object): void => void lines.push(fields as Record<string, unknown>);
    const logger = { debug: write, info: write, warn: write, error: write };
    return { ...setUp({ logger, ...(rateLimiter === undefined ? {} : { rateLimiter }) }), lines };
  };

  it('is in both log lines, without credentials and truncated', async () => {
    const { registry, lines } = setUpLog();
    await registry.executeTool({ name: 'write', clientId: 'desk-7' });
    await registry.executeTool({ name: 'write', clientId: 'x secret-of-ada', session: ada });
    await registry.executeTool({ name: 'write', clientId: 'y'.repeat(10_000) });
    await registry.executeTool({ name: 'write' });
    expect(lines.map(({ clientId }) => clientId)).toEqual(
      ['desk-7', 'x [redacted]', 'y'.repeat(256), undefined].flatMap((id) => [id, id]),
    );
  });

  it('gives a caller no separate limit, cached value or record', async () => {
    const { registry, call } = setUpLog({ calls: 4, windowMs: 60_000, anonymousCalls: 100 });
    const known = { caller: { auth: { sub: 'x' } } };
    const first = await call('own', undefined, { ...known, clientId: 'a' });
    expect(await call('own', undefined, { ...known, clientId: 'b' })).toEqual(first);
    const once = await call('once', undefined, { ...known, clientId: 'a' });
    expect(await call('once', undefined, { ...known, clientId: 'b' })).toEqual(once);
    const codes = ['a', 'b', 'c', 'd', 'e'].map(async (clientId) =>
      codeOf(await registry.executeTool({ name: 'write', ...known, clientId })),
    );
    expect(await Promise.all(codes)).toEqual([undefined, undefined, undefined, undefined, 'ErrRateLimited']);
    // Anonymous callers get no separate limit for it either.
    const anonymous = ['a', 'b', 'c', 'd', 'e'].map(async (clientId) =>
      codeOf(await registry.executeTool({ name: 'write', clientId })),
    );
    expect((await Promise.all(anonymous)).filter((code) => code === undefined)).toHaveLength(4);
  });
});
