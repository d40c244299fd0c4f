import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { ErrInvalidOptions } from '../errors.js';
import { ClientBundles, bundleKey } from './client-cache.js';
import type { Bundle, BundleOwner } from './client-cache.js';
import { clientIdOf } from '../callers/client-identity.js';
import { hashOf, SessionContext } from '../callers/session-context.js';
import { runs } from '../../test/runs.js';

interface View {
  readonly of: string;
  readonly number: number;
}

const owner = (clientId: string, config: Record<string, unknown> = {}): BundleOwner => ({
  clientId,
  sessionConfigHash: hashOf(config),
});

function getOrMake(bundles: ClientBundles<View>, who: BundleOwner, make: () => View): View {
  const known = bundles.get(who);
  if (known) return known;
  const made = make();
  bundles.set(who, made);
  return made;
}

/** Bundles that are numbered in the order of creation. */
function setUp(options: ConstructorParameters<typeof ClientBundles>[0] = {}) {
  let made = 0;
  const bundles = new ClientBundles<View>(options);
  const get = (who: BundleOwner): View =>
    getOrMake(bundles, who, () => ({ of: bundleKey(who), number: ++made }));
  return { bundles, get, made: () => made };
}

describe('client bundles', () => {
  it('[S003-41] are stored under the client id and the hash of the configuration', () => {
    const { get, made } = setUp();
    const who = owner('acme', { key: 1 });
    expect(bundleKey(who)).toBe(`acme:${who.sessionConfigHash}`);
    const first = get(who);
    expect(first.of).toBe(`acme:${hashOf({ key: 1 })}`);
    expect(get({ ...who })).toBe(first);
    expect(made()).toBe(1);
  });

  it('[S003-42] [S003-44] [S003-45] never belong to another client or another configuration', () => {
    const { get, made } = setUp();
    const context = new SessionContext({
      header: { name: 'x-config', encoding: 'json', allowedKeys: ['key'] },
    });
    const ask = (headers: Record<string, string>, address: string): View => {
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
    const first = requests.map((request) => ask(...request));
    expect(new Set(first.map(({ of }) => of)).size).toBe(requests.length);
    for (const [index, request] of requests.entries()) expect(ask(...request)).toBe(first[index]);
    expect(made()).toBe(requests.length);
    // The header identifies the client, from any address.
    expect(ask({ 'mcp-client-id': 'a' }, '9.9.9.9')).toBe(first[0]);
  });

  it('[S003-42] have keys that no other client id and configuration can produce', () => {
    // These ids could be mistaken for the end of an id and the start of a hash.
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
      { numRuns: runs(2_000) },
    );
    expect(hashOf({ any: 'thing' })).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });

  it.each(['', 'b:c', 'short', `${'A'.repeat(42)}:`, `x:${'A'.repeat(43)}`, `${'A'.repeat(43)}\n`])(
    'reject %j as a hash, because two clients could share a key',
    (sessionConfigHash) => {
      const { get, made } = setUp();
      expect(() => get({ clientId: 'a', sessionConfigHash })).toThrow(ErrInvalidOptions);
      expect(made()).toBe(0);
    },
  );

  it('reject a client without an id, and invalid limits', () => {
    expect(() => setUp().get(owner(''))).toThrow(ErrInvalidOptions);
    for (const wrong of [0, -1, 1.5, Number.NaN, Infinity]) {
      expect(() => new ClientBundles({ max: wrong })).toThrow('clientBundles.max');
      expect(() => new ClientBundles({ ttlMs: wrong })).toThrow('clientBundles.ttlMs');
    }
  });

  it('contain no credentials, as far as types can tell', () => {
    expectTypeOf<{ view: object; modules: object[] }>().toExtend<Bundle>();
    for (const name of ['auth', 'caller', 'scopes', 'token', 'accessToken', 'permissions'] as const)
      expectTypeOf<{ view: object } & Record<typeof name, string>>().not.toExtend<Bundle>();
    expectTypeOf<string>().not.toExtend<Bundle>();
  });

  it('are not evicted by clients that come once', () => {
    const { bundles, get, made } = setUp({ max: 50 });
    const live = Array.from({ length: 50 }, (_, index) => {
      get(owner(`live-${index}`));
      return get(owner(`live-${index}`));
    });
    for (let junk = 0; junk < 2_000; junk++) get(owner(`junk-${junk}`, { junk }));
    const before = made();
    for (const [index, bundle] of live.entries()) expect(get(owner(`live-${index}`))).toBe(bundle);
    expect(made()).toBe(before);
    expect(bundles.size).toBe(100);
  });

  it('expire when they are not used for their ttl', () => {
    let now = 1;
    const { bundles, get } = setUp({ ttlMs: 100, clock: () => now });
    const first = get(owner('a'));
    for (let turn = 0; turn < 5; turn++) {
      now += 90;
      expect(get(owner('a'))).toBe(first);
    }
    now += 101;
    expect(get(owner('a'))).not.toBe(first);
    now += 101;
    bundles.sweep();
    expect(bundles.size).toBe(0);
  });

  it('are replaced in place, and evicted by their size', () => {
    const bundles = new ClientBundles<View>({ maxSize: 10, sizeOf: ({ number }) => number });
    const put = (who: string, number: number): void => bundles.set(owner(who), { of: who, number });
    put('a', 4);
    put('b', 4);
    expect(bundles.get(owner('a'))).toBeDefined();
    put('a', 6);
    expect([bundles.get(owner('a'))?.number, bundles.size]).toEqual([6, 2]);
    put('c', 100);
    // The entry fills the whole place for new bundles.
    expect([bundles.get(owner('b')), bundles.get(owner('a'))?.number]).toEqual([undefined, 6]);
    expect(bundles.get(owner('c'))?.number).toBe(100);
    expect(bundles.get(owner('a'))).toBeUndefined();
  });

  it.each(['delete', 'clear'] as const)('are created again after %s', (method) => {
    const { bundles, get, made } = setUp();
    const first = get(owner('a'));
    expect(get(owner('a'))).toBe(first);
    bundles[method](owner('a'));
    expect(get(owner('a'))).not.toBe(first);
    expect(made()).toBe(2);
  });
});

/** One place of the reference model: the least recently used first, with the time of its last use. */
class Place {
  readonly entries: { key: string; value: View; at: number }[] = [];
  readonly max: number;
  readonly ttlMs: number;

  constructor(max: number, ttlMs: number) {
    this.max = max;
    this.ttlMs = ttlMs;
  }

  take(key: string, now: number): View | undefined {
    const at = this.entries.findIndex((entry) => entry.key === key);
    const [found] = at < 0 ? [] : this.entries.splice(at, 1);
    return found && now - found.at <= this.ttlMs ? found.value : undefined;
  }

  put(key: string, value: View, now: number): void {
    if (this.entries.length === this.max) this.entries.shift();
    this.entries.push({ key, value, at: now });
  }

  sweep(now: number): void {
    const kept = this.entries.filter(({ at }) => now - at <= this.ttlMs);
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

  it('behave like a simple list of two places', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 4 }), (steps, max) => {
        let now = 1;
        let made = 0;
        const ttlMs = 100;
        const bundles = new ClientBundles<View>({ max, ttlMs, clock: () => now });
        const [opened, used] = [new Place(max, ttlMs), new Place(max, ttlMs)];
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
            const give = () =>
              getOrMake(bundles, each.who, () => {
                if (each.do === 'fail') throw new Error('down');
                return { of: key, number: ++made };
              });
            if (known) expect(give()).toBe(known);
            else if (each.do === 'fail') expect(give).toThrow('down');
            else {
              const value = give();
              expect(value).toEqual({ of: key, number: made });
              opened.put(key, value, now);
            }
          }
          expect(bundles.size).toBe(opened.entries.length + used.entries.length);
          expect(bundles.size).toBeLessThanOrEqual(2 * max);
        }
      }),
      { numRuns: runs(500) },
    );
  });
});
