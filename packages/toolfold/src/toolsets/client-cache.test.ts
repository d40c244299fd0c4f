import { describe, expect, expectTypeOf, it } from 'vitest';
import { ErrInvalidOptions } from '@toolfold/schema/errors';
import { ClientBundles, bundleKey } from './client-cache.js';
import type { Bundle, BundleOwner } from './client-cache.js';
import { clientIdOf } from '../callers/client-identity.js';
import { hashOf, SessionContext } from '../callers/session-context.js';
import { owner, getOrMake } from '../../test/toolsets/client-cache-setup.js';
import type { View } from '../../test/toolsets/client-cache-setup.js';

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
    const { get } = setUp({ ttlMs: 100, clock: () => now });
    const first = get(owner('a'));
    for (let turn = 0; turn < 5; turn++) {
      now += 90;
      expect(get(owner('a'))).toBe(first);
    }
    now += 101;
    expect(get(owner('a'))).not.toBe(first);
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

  it('are created again after clear', () => {
    const { bundles, get, made } = setUp();
    const first = get(owner('a'));
    expect(get(owner('a'))).toBe(first);
    bundles.clear();
    expect(get(owner('a'))).not.toBe(first);
    expect(made()).toBe(2);
  });
});
