import { describe, expect, it } from 'vitest';
import { textOf, toolWith } from '../../../../test/calls.js';
import type { Caller } from '../callers/caller.js';
import { ToolRegistry } from '../registry/tool-registry.js';
import { MemoryStore } from '../stores/memory/memory-store.js';

const reading = (registry: ToolRegistry) => (caller: Caller, accessToken?: string) =>
  registry.executeTool({ name: 't', caller, accessToken }).then(textOf);

describe('cached results', () => {
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
  ])('are not shared between %s', async (_what, one, other) => {
    let runs = 0;
    const read = reading(
      new ToolRegistry().register(
        toolWith(() => `run ${++runs}`, { readOnly: true, cached: { ttlMs: 60_000 } }),
      ),
    );
    expect(await read(one)).toBe('run 1');
    expect(await read(other)).toBe('run 2');
    expect(await read(one)).toBe('run 1');
  });

  it('are separated by the tenant that the registry names', async () => {
    let runs = 0;
    const registry = new ToolRegistry({ tenant: ({ meta }) => meta?.['tenant'] as string }).register(
      toolWith(() => `run ${++runs}`, { readOnly: true, cached: { ttlMs: 60_000 } }),
    );
    const read = (tenant: string) => registry.executeTool({ name: 't', meta: { tenant } }).then(textOf);
    expect([await read('a'), await read('b'), await read('a')]).toEqual(['run 1', 'run 2', 'run 1']);
  });

  it('do not tell other callers why a shared load failed', async () => {
    const registry = new ToolRegistry().register(
      toolWith(
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
    expect(textOf(alice)).toContain('refused [redacted]');
    expect(JSON.stringify(bob)).not.toContain('alice');
    expect(textOf(bob)).toContain('could not be loaded');
  });

  it('are not stored for callers that cannot be compared', async () => {
    const read = reading(
      new ToolRegistry().register(toolWith(() => 'secret', { readOnly: true, cached: { ttlMs: 60_000 } })),
    );
    expect(await read({ auth: { claims: new Map([['sub', 'ada']]) } })).toContain('not JSON');
  });

  it.each<[string, Caller]>([
    ['claims that are a map', { auth: new Map([['sub', 'a']]) as never }],
    ['claims that contain a map', { auth: { sub: 'x', extra: new Map([['org_id', 1]]) as never } }],
  ])('are not stored for a caller with %s', async (_what, caller) => {
    const registry = new ToolRegistry({ rateLimiter: false }).register(
      toolWith(() => 'x', { readOnly: true, cached: { ttlMs: 1_000 } }),
    );
    expect((await registry.executeTool({ name: 't', caller })).isError).toBe(true);
  });

  it('are not stored if the tenant is a promise', async () => {
    const registry = new ToolRegistry({ tenant: (async () => 'a') as never }).register(
      toolWith(() => 'x', { readOnly: true, cached: { ttlMs: 1_000 } }),
    );
    expect((await registry.executeTool({ name: 't' })).isError).toBe(true);
  });
});

describe('idempotent results', () => {
  it.each<[string, Caller, Caller]>([
    [
      'tenants in accessors',
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
      'tenants in claims named by a URL',
      { auth: { sub: 'a', 'https://x/org_id': '1' } },
      { auth: { sub: 'a', 'https://x/org_id': '2' } },
    ],
  ])('are not shared between %s', async (_what, one, other) => {
    let runs = 0;
    const registry = new ToolRegistry().register(toolWith(() => `run ${++runs}`, { idempotency: true }));
    const run = (caller: Caller) =>
      registry.executeTool({ name: 't', caller, idempotencyKey: 'k' }).then(textOf);
    expect([await run(one), await run(other), await run(one)]).toEqual(['run 1', 'run 2', 'run 1']);
  });
});

describe('the keys of stores and rate limiters', () => {
  it('contain no access token', async () => {
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
    }).register(toolWith(() => 1, { readOnly: true, cached: { ttlMs: 1_000 }, idempotency: true }));
    await registry.executeTool({ name: 't', accessToken: 'very-secret-token', idempotencyKey: 'k' });
    expect(keys.length + limited.length).toBeGreaterThan(2);
    expect([...keys, ...limited].join()).not.toContain('very-secret-token');
  });
});
