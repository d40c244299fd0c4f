import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { ErrInvalidModel } from '../errors.js';
import { ClientBundles, bundleKey } from './client-bundles.js';
import type { Bundle, BundleOwner } from './client-bundles.js';
import { clientIdOf } from './client-identity.js';
import { hashOf } from './context-hash.js';
import { SessionContext } from './session-context.js';

interface View {
  readonly of: string;
  readonly number: number;
}

const owner = (clientId: string, config: Record<string, unknown> = {}): BundleOwner => ({
  clientId,
  sessionConfigHash: hashOf(config),
});

/** Bundles that are numbered as they are made. */
function setUp(options: ConstructorParameters<typeof ClientBundles>[0] = {}) {
  let made = 0;
  const bundles = new ClientBundles<View>(options);
  const get = (who: BundleOwner): Promise<View> =>
    bundles.getOrMake(who, (given) => ({ of: bundleKey(given), number: ++made }));
  return { bundles, get, made: () => made };
}

describe('client bundles', () => {
  it('[S003-41] are kept under the client id and the hash of the configuration', async () => {
    const { get, made } = setUp();
    const who = owner('acme', { key: 1 });
    expect(bundleKey(who)).toBe(`acme:${who.sessionConfigHash}`);
    const first = await get(who);
    expect(first.of).toBe(`acme:${hashOf({ key: 1 })}`);
    expect(await get({ ...who })).toBe(first);
    expect(made()).toBe(1);
  });

  it('[S003-42] [S003-44] [S003-45] are never those of another client or of another configuration', async () => {
    const { get, made } = setUp();
    const context = new SessionContext({
      header: { name: 'x-config', encoding: 'json', allowedKeys: ['key'] },
    });
    const ask = (headers: Record<string, string>, address: string): Promise<View> => {
      const header = (name: string): string | undefined => headers[name];
      return get({
        clientId: clientIdOf({ header, address }),
        sessionConfigHash: context.resolve({ header, query: () => [] }).hash,
      });
    };
    const requests: [Record<string, string>, string][] = [
      [{ 'mcp-client-id': 'a' }, '1.1.1.1'],
      [{ 'mcp-client-id': 'b' }, '1.1.1.1'],
      [{ 'mcp-client-id': 'a', 'x-config': '{"key":1}' }, '1.1.1.1'],
      [{ 'mcp-client-id': 'a', 'x-config': '{"key":2}' }, '1.1.1.1'],
      [{}, '1.1.1.1'],
      [{}, '2.2.2.2'],
      [{ 'x-config': '{"key":1}' }, '2.2.2.2'],
    ];
    const first = await Promise.all(requests.map((request) => ask(...request)));
    expect(new Set(first.map(({ of }) => of)).size).toBe(requests.length);
    for (const [index, request] of requests.entries()) expect(await ask(...request)).toBe(first[index]);
    expect(made()).toBe(requests.length);
    // The header is who it is, from wherever it comes.
    expect(await ask({ 'mcp-client-id': 'a' }, '9.9.9.9')).toBe(first[0]);
  });

  it('[S003-42] have keys that no other client id and configuration can make', () => {
    // With what could pass for the end of an id and the beginning of a hash.
    const hash = fc.oneof(
      fc.jsonValue().map((value) => hashOf({ value })),
      fc.constantFrom(hashOf({}), 'A'.repeat(43), '_'.repeat(43)),
    );
    const id = fc.oneof(
      fc.string({ minLength: 1 }),
      fc.tuple(fc.string({ minLength: 1 }), hash).map(([text, end]) => `${text}:${end}`),
      hash.map((text) => text.slice(1)),
      fc.constantFrom('a', 'a:', 'a:b', ':', '::', 'a:A'),
    );
    const who = fc.record({ clientId: id, sessionConfigHash: hash });
    fc.assert(
      fc.property(who, who, (one, other) => {
        const isSame = one.clientId === other.clientId && one.sessionConfigHash === other.sessionConfigHash;
        expect(bundleKey(one) === bundleKey(other)).toBe(isSame);
        expect(bundleKey(one)).toBe(`${one.clientId}:${one.sessionConfigHash}`);
      }),
      { numRuns: 2_000 },
    );
    expect(hashOf({ any: 'thing' })).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });

  it.each(['', 'b:c', 'short', `${'A'.repeat(42)}:`, `x:${'A'.repeat(43)}`, `${'A'.repeat(43)}\n`])(
    'refuse %j for a hash, with which two clients could look alike',
    async (sessionConfigHash) => {
      const { get, made } = setUp();
      await expect(get({ clientId: 'a', sessionConfigHash })).rejects.toThrow(ErrInvalidModel);
      expect(made()).toBe(0);
    },
  );

  it('refuse a client without an id, and bounds that are none', async () => {
    await expect(setUp().get(owner(''))).rejects.toThrow(ErrInvalidModel);
    for (const wrong of [0, -1, 1.5, Number.NaN, Infinity]) {
      expect(() => new ClientBundles({ max: wrong })).toThrow('bundles.max');
      expect(() => new ClientBundles({ ttl: wrong })).toThrow('bundles.ttl');
    }
  });

  it('hold no authority, as far as types can tell', () => {
    expectTypeOf<{ view: object; modules: object[] }>().toExtend<Bundle>();
    for (const name of ['auth', 'caller', 'scopes', 'token', 'accessToken', 'permissions'] as const)
      expectTypeOf<{ view: object } & Record<typeof name, string>>().not.toExtend<Bundle>();
    expectTypeOf<string>().not.toExtend<Bundle>();
    // What makes one knows no request, of which it could keep something.
    type Make = Parameters<ClientBundles<View>['getOrMake']>[1];
    expectTypeOf<Parameters<Make>>().toEqualTypeOf<[BundleOwner]>();
  });

  it('are dropped by none of the clients that come once', async () => {
    const { bundles, get, made } = setUp({ max: 50 });
    const live = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        await get(owner(`live-${index}`));
        return get(owner(`live-${index}`));
      }),
    );
    for (let junk = 0; junk < 2_000; junk++) await get(owner(`junk-${junk}`, { junk }));
    const before = made();
    for (const [index, bundle] of live.entries()) expect(await get(owner(`live-${index}`))).toBe(bundle);
    expect(made()).toBe(before);
    expect(bundles.size).toBe(100);
  });

  it('are no longer kept when they were not used for their time', async () => {
    let now = 1;
    const { bundles, get } = setUp({ ttl: 100, clock: () => now });
    const first = await get(owner('a'));
    for (let turn = 0; turn < 5; turn++) {
      now += 90;
      expect(await get(owner('a'))).toBe(first);
    }
    now += 101;
    expect(await get(owner('a'))).not.toBe(first);
    now += 101;
    bundles.sweep();
    expect(bundles.size).toBe(0);
  });

  it('are made once for all who ask meanwhile, and are not kept when that fails', async () => {
    const bundles = new ClientBundles<View>();
    let runs = 0;
    let isDown = true;
    const make = async (): Promise<View> => {
      const number = ++runs;
      await new Promise((resolve) => setImmediate(resolve));
      if (isDown) throw new Error(`down ${number}`);
      return { of: 'a', number };
    };
    const ask = () => bundles.getOrMake(owner('a'), make);
    const failed = await Promise.allSettled([ask(), ask(), ask()]);
    for (const outcome of failed) expect(outcome).toMatchObject({ reason: { message: 'down 1' } });
    expect(bundles.size).toBe(0);
    isDown = false;
    const [one, two] = await Promise.all([ask(), ask()]);
    expect(one).toBe(two);
    expect(await ask()).toBe(one);
    expect(runs).toBe(2);
    await expect(
      bundles.getOrMake(owner('b'), () => {
        throw new Error('at once');
      }),
    ).rejects.toThrow('at once');
    expect(bundles.size).toBe(1);
  });

  it.each(['delete', 'clear'] as const)('that are being made are not kept after %s', async (method) => {
    const { bundles, get, made } = setUp();
    const first = get(owner('a'));
    bundles[method](owner('a'));
    // Who comes now gets what is made from now on.
    const second = get(owner('a'));
    expect(await second).not.toBe(await first);
    expect(await get(owner('a'))).toBe(await second);
    bundles[method](owner('a'));
    expect(await get(owner('a'))).not.toBe(await second);
    expect(made()).toBe(3);
  });
});

/** One place of the model: the least recently used first, with the time of its last use. */
class Place {
  readonly entries: { key: string; value: View; at: number }[] = [];
  readonly max: number;
  readonly ttl: number;

  constructor(max: number, ttl: number) {
    this.max = max;
    this.ttl = ttl;
  }

  take(key: string, now: number): View | undefined {
    const at = this.entries.findIndex((entry) => entry.key === key);
    const [found] = at < 0 ? [] : this.entries.splice(at, 1);
    return found && now - found.at <= this.ttl ? found.value : undefined;
  }

  put(key: string, value: View, now: number): void {
    if (this.entries.length === this.max) this.entries.shift();
    this.entries.push({ key, value, at: now });
  }

  sweep(now: number): void {
    const kept = this.entries.filter(({ at }) => now - at <= this.ttl);
    this.entries.splice(0, this.entries.length, ...kept);
  }
}

describe('client bundles, in any order of use', () => {
  const who = fc
    .record({ clientId: fc.constantFrom('a', 'b', 'a:b', 'c', 'd', 'e'), config: fc.nat(1) })
    .map(({ clientId, config }) => owner(clientId, { config }));
  const step = fc.oneof(
    { weight: 8, arbitrary: fc.record({ do: fc.constant('get' as const), who }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('fail' as const), who }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), who }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.nat(60) }) },
    { weight: 1, arbitrary: fc.constant({ do: 'sweep' as const }) },
    { weight: 1, arbitrary: fc.constant({ do: 'clear' as const }) },
  );

  it('are what a simple list of two places would keep', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 60 }),
        fc.integer({ min: 1, max: 4 }),
        async (steps, max) => {
          let now = 1;
          let made = 0;
          const ttl = 100;
          const bundles = new ClientBundles<View>({ max, ttl, clock: () => now });
          const [opened, used] = [new Place(max, ttl), new Place(max, ttl)];
          for (const each of steps) {
            if (each.do === 'wait') now += each.ms;
            else if (each.do === 'sweep') {
              bundles.sweep();
              for (const place of [opened, used]) place.sweep(now);
            } else if (each.do === 'clear') {
              bundles.clear();
              for (const place of [opened, used]) place.entries.length = 0;
            } else if (each.do === 'delete') {
              bundles.delete(each.who);
              for (const place of [opened, used]) place.take(bundleKey(each.who), now);
            } else {
              const key = bundleKey(each.who);
              const known = used.take(key, now) ?? opened.take(key, now);
              if (known) used.put(key, known, now);
              const given = bundles.getOrMake(each.who, () => {
                if (each.do === 'fail') throw new Error('down');
                return { of: key, number: ++made };
              });
              if (known) expect(await given).toBe(known);
              else if (each.do === 'fail') await expect(given).rejects.toThrow('down');
              else {
                const before = made;
                const value = await given;
                expect(value).toEqual({ of: key, number: before });
                opened.put(key, value, now);
              }
            }
            expect(bundles.size).toBe(opened.entries.length + used.entries.length);
            expect(bundles.size).toBeLessThanOrEqual(2 * max);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it('are made once at a time for each owner and never given to another, however requests overlap', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ who, wait: fc.nat(3), slow: fc.nat(3), fails: fc.boolean() }), {
          minLength: 2,
          maxLength: 30,
        }),
        fc.integer({ min: 1, max: 4 }),
        async (requests, max) => {
          const bundles = new ClientBundles<View>({ max });
          const making = new Set<string>();
          const turns = async (count: number): Promise<void> => {
            for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
          };
          await Promise.all(
            requests.map(async ({ who: asker, wait, slow, fails }, number) => {
              await turns(wait);
              const key = bundleKey(asker);
              const given = bundles.getOrMake(asker, async () => {
                expect(making.has(key)).toBe(false);
                making.add(key);
                await turns(slow);
                making.delete(key);
                if (fails) throw new Error(key);
                return { of: key, number };
              });
              const answer = await given.then(
                ({ of }) => of,
                (thrown: Error) => thrown.message,
              );
              expect(answer).toBe(key);
            }),
          );
          expect(making.size).toBe(0);
          expect(bundles.size).toBeLessThanOrEqual(2 * max);
        },
      ),
      { numRuns: 150 },
    );
  });
});
