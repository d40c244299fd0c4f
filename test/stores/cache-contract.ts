import { describe, expect, it, vi } from 'vitest';
import { Cache } from 'toolfold';
import type { CacheHelpers, Store } from 'toolfold';
import { createWork } from './work.js';

export interface CacheNode {
  readonly store: Store;
  readonly now: () => number;
}

/** The contract of cached values in several processes. `create` returns a function that adds nodes to empty shared state. */
export function describeCache(name: string, create: () => () => CacheNode): void {
  const start = (): readonly [CacheHelpers, CacheHelpers, CacheHelpers] => {
    const node = create();
    const open = (): CacheHelpers => {
      const { store, now } = node();
      return new Cache({ store, clock: now }).for('ada');
    };
    return [open(), open(), open()];
  };
  const old = { ttlMs: 1, staleWhileRevalidateMs: 60_000 };

  describe(`the cache over ${name}`, () => {
    it('returns a value that another process has loaded', async () => {
      const [one, two] = start();
      const options = { ttlMs: 60_000, tags: ['t'] };
      expect(await one.wrap('a', () => ({ b: [1] }), options)).toEqual({ b: [1] });
      expect(await two.wrap('a', () => expect.unreachable(), options)).toEqual({ b: [1] });
      await two.invalidate('t');
      expect(await one.wrap('a', () => 'new', options)).toBe('new');
    });

    it('reloads a stale value in one process, and serves the stale one meanwhile', async () => {
      const nodes = start();
      await nodes[0].wrap('a', () => 0, old);
      await later();
      const { work: load, finish } = createWork<number>();
      for (let round = 0; round < 5; round++) {
        const values = await Promise.all(nodes.map((node) => node.wrap('a', load, old)));
        expect(values).toEqual([0, 0, 0]);
        await later();
      }
      expect(load).toHaveBeenCalledTimes(1);
      finish(1);
      await vi.waitFor(async () => {
        const values = await Promise.all(
          nodes.map((node) => node.wrap('a', () => 1, { ...old, ttlMs: 60_000 })),
        );
        expect(values).toEqual([1, 1, 1]);
      });
      expect(load).toHaveBeenCalledTimes(1);
    });

    it('lets another process load after a load has failed', async () => {
      const [one, two] = start();
      await one.wrap('a', () => 0, old);
      await later();
      const fail = vi.fn<() => Promise<number>>(async () => Promise.reject(new Error('down')));
      expect(await one.wrap('a', fail, old)).toBe(0);
      await vi.waitFor(() => expect(fail).toHaveBeenCalled());
      const load = vi.fn<() => number>(() => 1);
      await vi.waitFor(async () => {
        await two.wrap('a', load, old);
        expect(load).toHaveBeenCalledTimes(1);
      });
    });

    it.each(['', 'null', '[1,"[]"]', '["now","[]",1]', '[9e15,"[]","from the future"]'])(
      'ignores the invalid stored entry %s',
      async (text) => {
        const { store, now } = create()();
        await store.set('cache:of:"ada":"a"', text, 60_000);
        const helpers = new Cache({ store, clock: now }).for('ada');
        expect(await helpers.wrap('a', () => 'loaded', { ttlMs: 60_000 })).toBe('loaded');
      },
    );
  });
}

const later = async (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 10));
