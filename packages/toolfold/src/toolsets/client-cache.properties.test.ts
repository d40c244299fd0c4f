import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ClientBundles, bundleKey } from './client-cache.js';
import { hashOf } from '../callers/session-context.js';
import { runs } from '../../../../test/runs.js';
import { owner, getOrMake } from '../../test/toolsets/client-cache-setup.js';
import type { View } from '../../test/toolsets/client-cache-setup.js';

describe('client bundles', () => {
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
}

describe('client bundles, in any order of use', () => {
  const who = fc
    .record({ clientId: fc.constantFrom('a', 'b', 'a:b', 'c', 'd', 'e'), config: fc.nat(1) })
    .map(({ clientId, config }) => owner(clientId, { config }));
  const step = fc.oneof(
    { weight: 8, arbitrary: fc.record({ do: fc.constant('get' as const), who }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('fail' as const), who }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.nat(60) }) },
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
          else if (each.do === 'clear') {
            bundles.clear();
            for (const place of [opened, used]) place.entries.length = 0;
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
