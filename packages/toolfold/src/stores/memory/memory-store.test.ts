import { describe, expect, it, vi } from 'vitest';
import { describeStore } from '../../../../../test/stores/store-contract.js';
import { ErrInvalidOptions, ErrOverloaded } from '@toolfold/schema/errors';
import { MemoryStore } from './memory-store.js';

for (const evicts of [true, false]) {
  describeStore(evicts ? 'MemoryStore' : 'MemoryStore that evicts nothing', () => {
    let now = 0;
    return {
      store: new MemoryStore({ clock: () => now, evicts }),
      advance: (ms) => {
        now += ms;
      },
      hasExactClock: true,
    };
  });
}

describe('MemoryStore', () => {
  it.each([0, 1, 1_700_000_000_000])(
    'expires an entry on the millisecond, starting at time %d',
    async (start) => {
      let now = start;
      const store = new MemoryStore({ clock: () => now });
      await store.set('a', 'x', 10);
      now = start + 9;
      expect(await store.get('a')).toBe('x');
      now = start + 10;
      expect(await store.get('a')).toBeUndefined();
    },
  );

  it('holds at most maxEntries, and evicts the least recently used entry', async () => {
    const store = new MemoryStore({ maxEntries: 3 });
    for (const key of ['a', 'b', 'c']) await store.set(key, key, 1000);
    await store.get('a');
    await store.set('d', 'd', 1000);
    const found = await Promise.all(['a', 'b', 'c', 'd'].map((key) => store.get(key)));
    expect(found).toEqual(['a', undefined, 'c', 'd']);
  });

  it('allocates memory for its entries, not for its limits', async () => {
    const store = new MemoryStore({ maxEntries: Number.MAX_SAFE_INTEGER });
    await store.set('a', 'x', 1000);
    expect(await store.get('a')).toBe('x');
  });

  it('holds at most maxBytes, keys included', async () => {
    const store = new MemoryStore({ maxBytes: 100 });
    for (let index = 0; index < 1000; index++) {
      await store.set(String(index).padStart(10, '0'), '0123456789', 1000);
    }
    const found = await Promise.all(
      Array.from({ length: 1000 }, (_, index) => store.get(String(index).padStart(10, '0'))),
    );
    // Two entries of 20 characters are 80 bytes.
    expect(found.filter((value) => value !== undefined)).toHaveLength(2);
    expect(found.at(-1)).toBe('0123456789');
  });

  it('keeps neither an entry that is too large nor the old one, and does not throw', async () => {
    const store = new MemoryStore({ maxBytes: 100 });
    await store.set('a', 'small', 1000);
    await store.set('b', 'other', 1000);
    await store.set('a', 'x'.repeat(100), 1000);
    expect(await store.get('a')).toBeUndefined();
    expect(await store.get('b')).toBe('other');
    expect(await store.setIfAbsent('a', 'x'.repeat(100), 1000)).toBeUndefined();
    expect(await store.get('a')).toBeUndefined();
  });

  it('uses no timers', async () => {
    vi.useFakeTimers();
    try {
      const store = new MemoryStore();
      await store.set('a', 'x', 1000);
      await store.get('a');
      expect(vi.getTimerCount()).toBe(0);
      vi.advanceTimersByTime(1000);
      expect(await store.get('a')).toBeUndefined();
    } finally {
      vi.useRealTimers();
    }
  });

  it.each([0, -1, 1.5, NaN, Infinity])('rejects %d as a limit', (bound) => {
    expect(() => new MemoryStore({ maxEntries: bound })).toThrow(ErrInvalidOptions);
    expect(() => new MemoryStore({ maxBytes: bound })).toThrow(ErrInvalidOptions);
  });
});

describe('MemoryStore that evicts nothing', () => {
  const isFull = async (asked: Promise<unknown>): Promise<void> => {
    const error: unknown = await asked.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(ErrOverloaded);
    expect(String(error)).toContain('The store is full.');
  };

  it('reports that it does not evict', () => {
    expect(new MemoryStore().evicts).toBe(true);
    expect(new MemoryStore({ evicts: false }).evicts).toBe(false);
  });

  it('rejects a further entry, and keeps the existing ones', async () => {
    const store = new MemoryStore({ maxEntries: 2, evicts: false });
    await store.set('a', '1', 1000);
    await store.set('b', '2', 1000);
    await isFull(store.set('c', '3', 1000));
    await isFull(store.setIfAbsent('c', '3', 1000));
    expect(await store.setIfAbsent('a', 'other', 1000)).toBe('1');
    expect(await Promise.all(['a', 'b', 'c'].map((key) => store.get(key)))).toEqual(['1', '2', undefined]);
    await store.delete('a');
    await store.set('c', '3', 1000);
    expect(await store.get('c')).toBe('3');
  });

  it('rejects a longer value that does not fit, and accepts a shorter one', async () => {
    const store = new MemoryStore({ maxBytes: 40, evicts: false });
    await store.set('a', 'x'.repeat(9), 1000);
    await store.set('b', 'x'.repeat(9), 1000);
    await isFull(store.set('a', 'x'.repeat(10), 1000));
    await isFull(store.set('a', 'x'.repeat(100), 1000));
    expect(await store.get('a')).toBe('x'.repeat(9));
    await store.set('a', 'y'.repeat(9), 1000);
    await store.set('a', '', 1000);
    await store.set('b', 'z'.repeat(18), 1000);
    expect(await store.get('a')).toBe('');
    expect(await store.get('b')).toBe('z'.repeat(18));
  });

  it('makes room by deleting expired entries, and no others', async () => {
    let now = 0;
    const store = new MemoryStore({ maxEntries: 3, evicts: false, clock: () => now });
    await store.set('long', '1', 1000);
    await store.set('short', '2', 10);
    await store.set('renewed', '3', 10);
    await store.set('renewed', '4', 1000);
    now = 9;
    await isFull(store.set('new', '5', 1000));
    now = 10;
    await store.set('new', '5', 1000);
    await isFull(store.set('newer', '6', 1000));
    expect(await Promise.all(['long', 'short', 'renewed', 'new'].map((key) => store.get(key)))).toEqual([
      '1',
      undefined,
      '4',
      '5',
    ]);
  });

  it('stays fast with many expired entries, and with many valid ones', async () => {
    let now = 0;
    const count = 100_000;
    const store = new MemoryStore({ maxEntries: count, evicts: false, clock: () => now });
    for (let index = 0; index < count; index++) await store.set(`a${index}`, 'x', 1 + (index % 1000));
    const start = performance.now();
    for (let index = 0; index < 10_000; index++) await isRejected(store.set(`b${index}`, 'x', 1000));
    for (now = 1; now <= 1000; now++) {
      // Each millisecond 100 entries expire and 100 new ones replace them.
      for (let index = 0; index < 100; index++) await store.set(`c${now}-${index}`, 'x', 5000);
    }
    await isRejected(store.set('one more', 'x', 1000));
    for (let index = 0; index < count; index++) await store.set('c1-0', 'x', 5000);
    // Searching all entries for each new one would take minutes.
    expect(performance.now() - start).toBeLessThan(20_000);
    expect(await store.get('c1000-99')).toBe('x');
  }, 30_000);

  async function isRejected(asked: Promise<unknown>): Promise<void> {
    if (
      await asked.then(
        () => true,
        () => false,
      )
    )
      throw new Error('It was taken.');
  }
});
