import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Store } from 'toolfold';

export interface StoreUnderTest {
  readonly store: Store;
  /** Advances the clock of the store by at least `ms`. */
  readonly advance: (ms: number) => void | Promise<void>;
  /** Whether `advance` is the only way that time passes for the store, and is exact. */
  readonly hasExactClock: boolean;
  /** A short ttl in milliseconds. On a real clock it must be longer than any test takes. Default: 20. */
  readonly short?: number;
}

/** A ttl that never expires during a test. */
const LONG = 600_000;

/** The contract of a store. `create` returns an empty one. */
export function describeStore(name: string, create: () => StoreUnderTest | Promise<StoreUnderTest>): void {
  describe(`${name} as a store`, () => {
    it('returns undefined for a key that was not set', async () => {
      const { store } = await create();
      expect(await store.get('a')).toBeUndefined();
      await store.delete('a');
      expect(await store.get('a')).toBeUndefined();
    });

    it('stores any text under any key', async () => {
      const { store } = await create();
      const texts = [
        '',
        ' ',
        'ä€😀',
        '\0',
        'a\nb',
        '__proto__',
        'constructor',
        'a:b',
        '*',
        'x'.repeat(10_000),
      ];
      for (const text of texts) await store.set(text, `value of ${text}`, LONG);
      for (const text of texts) expect(await store.get(text)).toBe(`value of ${text}`);
      for (const text of texts) await store.set('same', text, LONG).then(() => expectText(store, text));
    });

    it('replaces a value and its expiry time', async () => {
      const { store, advance, short = 20 } = await create();
      await store.set('a', 'old', short);
      await store.set('a', 'new', LONG);
      await advance(short + 10);
      expect(await store.get('a')).toBe('new');
    });

    it('sets a value once until it is deleted or expires, and returns the existing one', async () => {
      const { store, advance, short = 20 } = await create();
      expect(await store.setIfAbsent('a', 'first', LONG)).toBeUndefined();
      expect(await store.setIfAbsent('a', 'second', LONG)).toBe('first');
      expect(await store.get('a')).toBe('first');
      await store.delete('a');
      expect(await store.setIfAbsent('a', 'third', short)).toBeUndefined();
      await advance(short + 10);
      expect(await store.setIfAbsent('a', 'fourth', LONG)).toBeUndefined();
      expect(await store.get('a')).toBe('fourth');
    });

    it('treats an empty string as a value', async () => {
      const { store } = await create();
      await store.set('a', '', LONG);
      expect(await store.setIfAbsent('a', 'b', LONG)).toBe('');
    });

    it('does not change the expiry time of an existing value', async () => {
      const { store, advance, short = 20 } = await create();
      await store.set('a', 'first', short);
      await store.setIfAbsent('a', 'second', LONG);
      await advance(short + 10);
      expect(await store.get('a')).toBeUndefined();
    });

    it('lets one of many concurrent callers win', async () => {
      const { store } = await create();
      const names = Array.from({ length: 50 }, (_, index) => `caller ${index}`);
      const found = await Promise.all(names.map((caller) => store.setIfAbsent('a', caller, LONG)));
      const winner = await store.get('a');
      expect(found.filter((value) => value === undefined)).toHaveLength(1);
      expect(winner).toBe(names[found.indexOf(undefined)]);
      expect(found.filter((value) => value === winner)).toHaveLength(49);
    });

    it('executes operations in order, awaited or not', async () => {
      const { store } = await create();
      const asked = [
        store.set('a', '1', LONG),
        store.setIfAbsent('a', '2', LONG),
        store.get('a'),
        store.delete('a'),
        store.setIfAbsent('a', '7', LONG),
        store.get('a'),
      ];
      expect(await Promise.all(asked)).toEqual([undefined, '1', '1', undefined, undefined, '7']);
    });

    it.each([0, -1, NaN, Infinity])('rejects a ttl of %d ms and changes nothing', async (ttlMs) => {
      const { store } = await create();
      expect(await settle(store.setIfAbsent('b', '1', ttlMs))).toBe('rejected');
      expect(await store.get('b')).toBeUndefined();
      await store.set('a', '1', LONG);
      expect(await settle(store.set('a', '2', ttlMs))).toBe('rejected');
      expect(await settle(store.setIfAbsent('a', '2', ttlMs))).toBe('rejected');
      expect(await store.get('a')).toBe('1');
    });

    it('behaves like a list of entries with expiry times', async () => {
      const { hasExactClock } = await create();
      const key = fc.constantFrom('a', 'b', '__proto__');
      const value = fc.constantFrom('', '0', '41', 'x');
      const ttlMs = hasExactClock ? fc.integer({ min: 1, max: 20 }) : fc.constant(LONG);
      const step = fc.oneof(
        fc.record({ do: fc.constantFrom('get', 'delete'), key }),
        fc.record({ do: fc.constantFrom('set', 'setIfAbsent'), key, value, ttlMs }),
        ...(hasExactClock ? [fc.record({ do: fc.constant('advance'), ttlMs })] : []),
      );
      await fc.assert(
        fc.asyncProperty(fc.array(step as fc.Arbitrary<Step>, { maxLength: 60 }), async (steps) => {
          const { store, advance } = await create();
          const model = createModel();
          for (const each of steps) {
            if (each.do === 'advance') {
              await advance(each.ttlMs);
              model.advance(each.ttlMs);
            } else expect(await settle(ask(store, each))).toEqual(await settle(ask(model.store, each)));
          }
        }),
        { numRuns: hasExactClock ? 500 : 30 },
      );
    });
  });
}

type Step =
  | { readonly do: 'advance'; readonly ttlMs: number }
  | { readonly do: 'get' | 'delete'; readonly key: string }
  | {
      readonly do: 'set' | 'setIfAbsent';
      readonly key: string;
      readonly value: string;
      readonly ttlMs: number;
    };

async function ask(store: Store, step: Exclude<Step, { do: 'advance' }>): Promise<unknown> {
  return 'value' in step ? store[step.do](step.key, step.value, step.ttlMs) : store[step.do](step.key);
}

async function settle(asked: Promise<unknown>): Promise<unknown> {
  return asked.then(
    (value) => ({ value }),
    () => 'rejected',
  );
}

async function expectText(store: Store, text: string): Promise<void> {
  expect(await store.get('same')).toBe(text);
}

/** A plain reference implementation: a list, searched from its end. */
function createModel(): { store: Store; advance: (ms: number) => void } {
  let now = 0;
  let entries: readonly { key: string; value: string; end: number }[] = [];
  const find = (key: string) => entries.findLast((entry) => entry.key === key && entry.end > now);
  const remove = (key: string): void => {
    entries = entries.filter((entry) => entry.key !== key);
  };
  const put = (key: string, value: string, end: number): void => {
    remove(key);
    entries = [...entries, { key, value, end }];
  };
  return {
    advance: (ms) => {
      now += ms;
    },
    store: {
      get: async (key) => find(key)?.value,
      set: async (key, value, ttlMs) => put(key, value, now + ttlMs),
      setIfAbsent: async (key, value, ttlMs) => {
        const found = find(key);
        if (!found) put(key, value, now + ttlMs);
        return found?.value;
      },
      delete: async (key) => remove(key),
    },
  };
}
