import { describe, expect, it, vi } from 'vitest';
import { describeStore } from '../../test/stores/store-contract.js';
import { ErrInvalidModel } from '../errors.js';
import { MemoryStore } from './memory-store.js';

describeStore('MemoryStore', () => {
  let now = 0;
  return {
    store: new MemoryStore({ clock: () => now }),
    advance: (ms) => {
      now += ms;
    },
    hasExactClock: true,
  };
});

describe('MemoryStore', () => {
  it.each([0, 1, 1_700_000_000_000])(
    'ends an entry on the millisecond, from the time %d on',
    async (start) => {
      let now = start;
      const store = new MemoryStore({ clock: () => now });
      await store.set('a', 'x', 10);
      await store.increment('n', 10);
      now = start + 9;
      expect(await store.get('a')).toBe('x');
      expect(await store.increment('n', 10)).toBe(2);
      now = start + 10;
      expect(await store.get('a')).toBeUndefined();
      expect(await store.increment('n', 10)).toBe(1);
    },
  );

  it('holds no more entries than it may, and lets go of what was not used for longest', async () => {
    const store = new MemoryStore({ maxEntries: 3 });
    for (const key of ['a', 'b', 'c']) await store.set(key, key, 1000);
    await store.get('a');
    await store.set('d', 'd', 1000);
    const found = await Promise.all(['a', 'b', 'c', 'd'].map((key) => store.get(key)));
    expect(found).toEqual(['a', undefined, 'c', 'd']);
  });

  it('holds no more text than it may, keys included', async () => {
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

  it('does not keep an entry that is too large, nor the old one in its place, nor throws', async () => {
    const store = new MemoryStore({ maxBytes: 100 });
    await store.set('a', 'small', 1000);
    await store.set('b', 'other', 1000);
    await store.set('a', 'x'.repeat(100), 1000);
    expect(await store.get('a')).toBeUndefined();
    expect(await store.get('b')).toBe('other');
    expect(await store.setIfAbsent('a', 'x'.repeat(100), 1000)).toBeUndefined();
    expect(await store.get('a')).toBeUndefined();
  });

  it('keeps no timers', async () => {
    vi.useFakeTimers();
    try {
      const store = new MemoryStore();
      await store.set('a', 'x', 1000);
      await store.increment('n', 1000);
      await store.get('a');
      expect(vi.getTimerCount()).toBe(0);
      vi.advanceTimersByTime(1000);
      expect(await store.get('a')).toBeUndefined();
    } finally {
      vi.useRealTimers();
    }
  });

  it.each([0, -1, 1.5, NaN, Infinity])('refuses %d as a bound', (bound) => {
    expect(() => new MemoryStore({ maxEntries: bound })).toThrow(ErrInvalidModel);
    expect(() => new MemoryStore({ maxBytes: bound })).toThrow(ErrInvalidModel);
  });
});
