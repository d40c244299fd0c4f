import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { GroupedToolBuilder } from '../build/grouped-tool-builder.js';
import { ToolfoldError } from '@toolfold/schema/errors';
import { error } from '../protocol/tool-result.js';
import { createCaller } from './create-caller.js';
import { ToolRegistry } from './tool-registry.js';

const users = new GroupedToolBuilder('users')
  .commonSchema(z.object({ workspace: z.string() }))
  .action({
    name: 'list',
    readOnly: true,
    inputSchema: z.object({ limit: z.number().default(2) }),
    outputSchema: z.object({ names: z.array(z.string()) }),
    handler: ({ input }) => ({ names: ['ada', 'bob', 'cy'].slice(0, input.limit) }),
  })
  .action({ name: 'ban', scopes: ['users:write'], handler: ({ input }) => `banned in ${input.workspace}` });
const platform = new GroupedToolBuilder('platform', { namespace: 'acme' }).group('users', (g) =>
  g.action({ name: 'count', outputSchema: z.object({ count: z.number() }), handler: () => ({ count: 3 }) }),
);
const ping = { name: 'ping', description: 'Answers', inputSchema: {}, handler: () => 'pong' } as const;
const sum = {
  name: 'sum',
  namespace: 'math',
  description: 'Adds',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  outputSchema: z.object({ total: z.number() }),
  handler: ({ input }: { input: { a: number; b: number } }) => ({ total: input.a + input.b }),
} as const;
const registry = () => new ToolRegistry({ rateLimiter: false }).register(users, platform, ping, sum);

const failure = async (call: Promise<unknown>): Promise<ToolfoldError> => {
  const thrown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(thrown).toBeInstanceOf(ToolfoldError);
  return thrown as ToolfoldError;
};

describe('a caller', () => {
  it('calls actions, groups, namespaces and definitions by their names', async () => {
    const caller = createCaller(registry());
    expect(await caller.users.list({ workspace: 'w' })).toEqual({ names: ['ada', 'bob'] });
    expect((await caller.users.list({ workspace: 'w', limit: 1 })).names).toEqual(['ada']);
    expect(await caller.acme.platform.users.count()).toEqual({ count: 3 });
    expect((await caller.ping()).content).toEqual([{ type: 'text', text: 'pong' }]);
    expect(await caller.math.sum({ a: 1, b: 2 })).toEqual({ total: 3 });
  });

  it('calls the tools of a flat view', async () => {
    const all = registry();
    const caller = createCaller(all, { view: all.view({ form: 'flat' }) });
    expect(await caller.users.list({ workspace: 'w' })).toEqual({ names: ['ada', 'bob'] });
    expect(await caller.acme.platform.users.count()).toEqual({ count: 3 });
  });

  it('sees tools that are registered later', async () => {
    const all = registry();
    const caller = createCaller(all);
    await caller.ping();
    all.register({ name: 'late', description: 'Answers', inputSchema: {}, handler: () => 'now' });
    const { late } = caller as unknown as { late: () => Promise<{ content: unknown }> };
    expect((await late()).content).toEqual([{ type: 'text', text: 'now' }]);
  });

  it('rejects with the code, the message and the suggestions of the report', async () => {
    const caller = createCaller(registry());
    const invalid = await failure(caller.users.list({ workspace: 5 as never }));
    expect(invalid.code).toBe('ErrValidationFailed');
    expect(invalid.message).toContain('workspace');
    const untyped = caller as unknown as Record<string, Record<string, () => Promise<unknown>>>;
    const action = await failure(untyped['users']!['lst']!());
    expect(action).toMatchObject({ code: 'ErrUnknownAction', details: { suggestions: ['list'] } });
    const tool = await failure((untyped as unknown as { pingg: () => Promise<unknown> }).pingg());
    expect(tool).toMatchObject({ code: 'ErrUnknownTool', details: { suggestions: ['ping'] } });
  });

  it('rejects for a result that a handler returned as an error', async () => {
    const caller = createCaller(
      new ToolRegistry().register({
        name: 'fail',
        description: 'Fails',
        inputSchema: {},
        handler: () => error('no such order'),
      }),
    );
    expect(await failure(caller.fail())).toMatchObject({ code: 'ErrToolFailed', message: 'no such order' });
  });

  it('keeps the code that an author has given an error', async () => {
    class Declined extends Error {
      readonly code = 'card_declined';
    }
    const caller = createCaller(
      new ToolRegistry().register({
        name: 'pay',
        description: 'Pays',
        inputSchema: {},
        handler: () => {
          throw new Declined('The card was declined.');
        },
      }),
    );
    const thrown = await failure(caller.pay());
    expect(thrown.message).toContain('declined');
  });

  it('passes the scopes of its caller through the pipeline, call by call', async () => {
    const all = registry();
    const reader = createCaller(all, { caller: { auth: { clientId: 'reader', scopes: [] } } });
    const writer = createCaller(all, { caller: { auth: { clientId: 'writer', scopes: ['users:write'] } } });
    const [denied, done, elevated] = await Promise.allSettled([
      reader.users.ban({ workspace: 'w' }),
      writer.users.ban({ workspace: 'w' }),
      reader.users.ban({ workspace: 'v' }, { caller: { auth: { scopes: ['users:write'] } } }),
    ]);
    expect(denied).toMatchObject({ status: 'rejected', reason: { code: 'ErrInsufficientScope' } });
    expect(done).toMatchObject({ value: { content: [{ text: 'banned in w' }] } });
    expect(elevated).toMatchObject({ value: { content: [{ text: 'banned in v' }] } });
  });

  it('runs the middleware of the registry', async () => {
    const seen = vi.fn<(method: string) => void>();
    const caller = createCaller(
      registry().use((request, next) => {
        seen(request.method);
        return next();
      }),
    );
    await caller.ping();
    expect(seen).toHaveBeenCalledWith('tools/call');
  });

  it('cancels a call through the signal of the caller or of the call', async () => {
    const waiting = new ToolRegistry().register({
      name: 'wait',
      description: 'Waits',
      inputSchema: {},
      handler: ({ context }) =>
        new Promise((_, reject) => {
          context.signal.addEventListener('abort', () => reject(new Error('stopped')));
        }),
    });
    for (const which of ['caller', 'call'] as const) {
      const [own, other] = [new AbortController(), new AbortController()];
      const caller = createCaller(waiting, { signal: which === 'caller' ? own.signal : other.signal });
      const call = caller.wait({}, { signal: which === 'call' ? own.signal : other.signal });
      own.abort();
      expect((await failure(call)).code).toBe('ErrCancelled');
    }
    const controller = new AbortController();
    const call = createCaller(waiting, { signal: controller.signal }).wait({}, { signal: undefined });
    controller.abort();
    expect((await failure(call)).code).toBe('ErrCancelled');
  });

  it('is not a promise, and reads no tool when JavaScript inspects it', async () => {
    const handler = vi.fn<() => string>(() => 'called');
    const caller = createCaller(
      new ToolRegistry().register({ name: 'then', description: 'A trap', inputSchema: {}, handler }),
    );
    expect(await (caller as unknown)).toBe(caller);
    expect(JSON.stringify({ caller })).toBe('{}');
    expect(String(Object.prototype.toString.call(caller))).toBe('[object Function]');
    expect((caller as unknown as Record<string, unknown>)['constructor']).toBeUndefined();
    expect((caller as unknown as Record<string, unknown>)['__proto__']).toBeUndefined();
    expect(() => Object.assign(caller, { ping: 1 })).toThrow(TypeError);
    expect(handler).not.toHaveBeenCalled();
  });

  it('calls tools that have the names of properties of functions', async () => {
    const named = <const Name extends string>(name: Name) =>
      ({ name, description: 'Answers', inputSchema: {}, handler: () => name }) as const;
    const caller = createCaller(new ToolRegistry().register(named('call'), named('name'), named('length')));
    expect((await caller.call()).content).toEqual([{ type: 'text', text: 'call' }]);
    expect((await caller.name()).content).toEqual([{ type: 'text', text: 'name' }]);
    expect((await caller.length()).content).toEqual([{ type: 'text', text: 'length' }]);
  });

  it('rejects options that do not exist', async () => {
    const caller = createCaller(registry());
    expect(() => createCaller(registry(), { sgnal: 1 } as never)).toThrow('signal');
    expect(() => createCaller({} as never)).toThrow('createCaller needs a ToolRegistry');
    expect(() => createCaller(Promise.resolve(registry()) as never)).toThrow('createCaller(await …)');
    expect(() => createCaller({ registry: registry() } as never)).toThrow('createCaller(….registry)');
    expect((await failure(caller.ping({}, { minfy: true } as never))).code).toBe('ErrInvalidOptions');
  });
});
