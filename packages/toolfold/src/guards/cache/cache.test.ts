import { describe, expect, it } from 'vitest';
import { ErrInvalidOptions, ErrInvalidResult } from '@toolfold/schema/errors';
import { Cache } from './cache.js';
import type { CacheOptions } from './cache.js';
import { MemoryStore } from '../../stores/memory/memory-store.js';
import { MAX_PENDING } from './cache-entry.js';
import { setUp } from '../../../test/guards/cache-setup.js';
import type { Method } from '../../../test/guards/cache-setup.js';

const ALL: readonly Method[] = ['get', 'set', 'setIfAbsent', 'delete'];

/** A loader that counts its runs. The test settles each run. */
function createLoader<T>() {
  const runs: PromiseWithResolvers<T>[] = [];
  const load = async (): Promise<T> => {
    let resolve: (value: T | PromiseLike<T>) => void = () => {};
    let reject: (reason?: unknown) => void = () => {};
    const promise = new Promise<T>((done, fail) => {
      resolve = done;
      reject = fail;
    });
    runs.push({ promise, resolve, reject });
    return promise;
  };
  return { load, runs };
}

interface PromiseWithResolvers<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T | PromiseLike<T>) => void;
  readonly reject: (reason?: unknown) => void;
}

/** Waits until all pending promises have settled. */
const idle = async (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const fresh: CacheOptions = { ttlMs: 100 };

describe('wrap', () => {
  it('loads once and serves the loaded value until ttlMs is over', async () => {
    const { helpers, time } = setUp();
    let runs = 0;
    const load = () => ++runs;
    expect(await helpers.wrap('a', load, fresh)).toBe(1);
    time.now = 99;
    expect(await helpers.wrap('a', load, fresh)).toBe(1);
    time.now = 100;
    expect(await helpers.wrap('a', load, fresh)).toBe(2);
  });

  it('counts the ttlMs from the end of the load', async () => {
    const { helpers, time } = setUp();
    await helpers.wrap('a', () => ((time.now = 500), 1), fresh);
    time.now = 599;
    expect(await helpers.wrap('a', () => 2, fresh)).toBe(1);
  });

  it('never serves a value that is older than the caller asked for', async () => {
    const { helpers, time } = setUp();
    await helpers.wrap('a', () => 1, { ttlMs: 1000 });
    time.now = 10;
    expect(await helpers.wrap('a', () => 2, { ttlMs: 10 })).toBe(2);
  });

  it('returns a copy to every caller, including the first and those that waited', async () => {
    const { helpers } = setUp();
    const original = { list: [1], absent: undefined };
    const load = () => original;
    const copies = await Promise.all([1, 2, 3].map(() => helpers.wrap('a', load, fresh)));
    copies.push(await helpers.wrap('a', load, fresh), await helpers.wrap('a', load, fresh));
    expect(new Set([original, ...copies]).size).toBe(6);
    expect(new Set(copies.map(({ list }) => list)).size).toBe(5);
    for (const copy of copies) {
      expect(Object.keys(copy)).toEqual(['list']);
      copy.list.push(2);
    }
    expect(await helpers.wrap('a', load, fresh)).toEqual({ list: [1] });
    expect(original).toEqual({ list: [1], absent: undefined });
  });

  it('caches null, false and empty texts, and returns undefined without caching it', async () => {
    const { helpers } = setUp();
    for (const value of [null, false, 0, '', undefined]) {
      const key = [value];
      expect(await helpers.wrap<unknown>(key, () => value, fresh)).toBe(value);
      expect(await helpers.wrap<unknown>(key, () => 'again', fresh)).toBe(
        value === undefined ? 'again' : value,
      );
    }
  });

  it('rejects a value that JSON cannot express, for all waiting callers, and caches nothing', async () => {
    const { helpers, errors } = setUp();
    const waiting = [1, 2].map(() => helpers.wrap<unknown>('a', () => ({ when: new Date() }), fresh));
    for (const each of waiting) await expect(each).rejects.toThrow(ErrInvalidResult);
    expect(await helpers.wrap('a', () => 1, fresh)).toBe(1);
    expect(errors).toEqual([]);
  });

  it('shares one load among concurrent callers', async () => {
    const { helpers } = setUp();
    const { load, runs } = createLoader<number>();
    const first = Array.from({ length: 100 }, () => helpers.wrap('a', load, fresh));
    await idle();
    const second = Array.from({ length: 100 }, () => helpers.wrap('a', load, fresh));
    await idle();
    expect(runs).toHaveLength(1);
    runs[0]!.resolve(7);
    expect(new Set(await Promise.all([...first, ...second]))).toEqual(new Set([7]));
  });

  it('rejects for all waiting callers and loads again for the next', async () => {
    const { helpers, errors } = setUp();
    const { load, runs } = createLoader<number>();
    const waiting = Promise.allSettled([1, 2, 3].map(() => helpers.wrap('a', load, fresh)));
    await idle();
    const error = new Error('no');
    runs[0]!.reject(error);
    expect(await waiting).toEqual([1, 2, 3].map(() => ({ status: 'rejected', reason: error })));
    expect(await helpers.wrap('a', () => 1, fresh)).toBe(1);
    const thrower = () => {
      throw error;
    };
    await expect(helpers.wrap('b', thrower, fresh)).rejects.toBe(error);
    expect(errors).toEqual([]);
  });

  it('does not block a key forever when a load never ends', async () => {
    const { helpers, time } = setUp();
    const { load, runs } = createLoader<number>();
    void helpers.wrap('a', load, fresh);
    await idle();
    time.now = 10 * 60_000;
    expect(await helpers.wrap('a', () => 2, fresh)).toBe(2);
    runs[0]!.resolve(1);
    await idle();
    expect(await helpers.wrap('a', () => 3, fresh)).toBe(2);
  });

  it.each<[string, unknown]>([
    ['no options', undefined],
    ['no ttlMs', {}],
    ['a ttlMs of 0', { ttlMs: 0 }],
    ['a negative ttlMs', { ttlMs: -1 }],
    ['NaN', { ttlMs: NaN }],
    ['Infinity', { ttlMs: Infinity }],
    ['a text as ttlMs', { ttlMs: '5' }],
    ['a negative staleWhileRevalidateMs', { ttlMs: 1, staleWhileRevalidateMs: -1 }],
    ['an endless staleWhileRevalidateMs', { ttlMs: 1, staleWhileRevalidateMs: Infinity }],
    ['one tag without a list', { ttlMs: 1, tags: 'a' }],
    ['a tag that is not a string', { ttlMs: 1, tags: [1] }],
  ])('rejects %s before it loads', async (_, options) => {
    const { helpers, store } = setUp();
    const { load, runs } = createLoader<number>();
    await expect(helpers.wrap('a', load, options as CacheOptions)).rejects.toThrow(ErrInvalidOptions);
    expect([runs, store.asked]).toEqual([[], []]);
  });

  it('accepts the largest durations', async () => {
    const { helpers, time } = setUp();
    const options = { ttlMs: Number.MAX_VALUE, staleWhileRevalidateMs: Number.MAX_VALUE };
    await helpers.wrap('a', () => 1, options);
    time.now = 1e12;
    expect(await helpers.wrap('a', () => 2, options)).toBe(1);
  });
});

describe('callers', () => {
  it('have separate entries unless they share one', async () => {
    const { cache } = setUp();
    const [ann, bob] = [cache.for('ann'), cache.for('bob')];
    const shared = { ...fresh, shared: true };
    expect(await ann.wrap('a', () => 'of ann', fresh)).toBe('of ann');
    expect(await bob.wrap('a', () => 'of bob', fresh)).toBe('of bob');
    expect(await ann.wrap('a', () => 'of all', shared)).toBe('of all');
    expect(await bob.wrap('a', () => 'never', shared)).toBe('of all');
    await ann.delete('a');
    expect(await bob.wrap('a', () => 'never', fresh)).toBe('of bob');
    expect(await bob.wrap('a', () => 'never', shared)).toBe('of all');
    await bob.delete('a', { shared: true });
    expect(await ann.wrap('a', () => 'again', shared)).toBe('again');
  });

  it('share nothing if shared is not exactly true', async () => {
    const { cache } = setUp();
    const options = { ttlMs: 100, shared: 'false' as unknown as boolean };
    await cache.for('ann').wrap('a', () => 'of ann', options);
    expect(await cache.for('bob').wrap('a', () => 'of bob', options)).toBe('of bob');
  });

  it.each([undefined, null, '', 1])('must have a name, not %j', (caller) => {
    expect(() => setUp().cache.for(caller as string)).toThrow(ErrInvalidOptions);
  });

  it('never see the value of another caller when thousands of calls interleave', async () => {
    const { cache, store, errors, time } = setUp();
    let seed = 1;
    const random = (below: number): number => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    const pause = async (): Promise<void> => {
      for (let turns = random(5); turns > 0; turns--) await Promise.resolve();
    };
    store.delay = pause;
    const act = async (): Promise<void> => {
      const caller = `caller ${random(200)}`;
      const key = ['item', random(5)];
      const tag = `tag ${random(3)}`;
      const helpers = cache.for(caller);
      time.now += random(3);
      const load = async () => {
        await pause();
        if (random(20) === 0) throw new Error('no');
        return { caller, key };
      };
      const options = { ttlMs: 50, staleWhileRevalidateMs: 50, tags: [tag] };
      if (random(20) === 0) await helpers.invalidate(tag);
      if (random(20) === 0) await helpers.delete(key);
      const result = await helpers.wrap(key, load, options).catch((error: Error) => error.message);
      if (result !== 'no') expect(result).toEqual({ caller, key });
    };
    await Promise.all(
      Array.from({ length: 5000 }, async () => {
        await pause();
        await act();
      }),
    );
    expect(errors.filter((error) => (error as Error).message !== 'no')).toEqual([]);
  });
});

describe('staleWhileRevalidateMs', () => {
  const options: CacheOptions = { ttlMs: 100, staleWhileRevalidateMs: 50 };

  it('serves the stale value at once while one load runs', async () => {
    const { helpers, time } = setUp();
    const { load, runs } = createLoader<string>();
    await helpers.wrap('a', () => 'old', options);
    time.now = 100;
    for (let index = 0; index < 5; index++) expect(await helpers.wrap('a', load, options)).toBe('old');
    await idle();
    expect(runs).toHaveLength(1);
    runs[0]!.resolve('new');
    await idle();
    expect(await helpers.wrap('a', load, options)).toBe('new');
    expect(runs).toHaveLength(1);
  });

  it('waits for the load in flight when the stale value has expired', async () => {
    const { helpers, time } = setUp();
    const { load, runs } = createLoader<string>();
    await helpers.wrap('a', () => 'old', options);
    time.now = 149;
    expect(await helpers.wrap('a', load, options)).toBe('old');
    time.now = 150;
    const waiting = helpers.wrap('a', load, options);
    await idle();
    expect(runs).toHaveLength(1);
    runs[0]!.resolve('new');
    expect(await waiting).toBe('new');
  });

  it('reports a failed reload once, keeps the stale value until it expires, and retries', async () => {
    const { helpers, time, errors } = setUp();
    const { load, runs } = createLoader<string>();
    await helpers.wrap('a', () => 'old', options);
    time.now = 100;
    await Promise.all([1, 2, 3].map(() => helpers.wrap('a', load, options)));
    await idle();
    const error = new Error('no');
    runs[0]!.reject(error);
    await idle();
    expect(errors).toEqual([error]);
    time.now = 149;
    expect(await helpers.wrap('a', load, options)).toBe('old');
    await idle();
    expect(runs).toHaveLength(2);
    runs[1]!.reject(error);
    await idle();
    time.now = 150;
    expect(await helpers.wrap('a', () => 'new', options)).toBe('new');
  });

  it('deletes the stale value when a load returns undefined', async () => {
    const { helpers, time } = setUp();
    await helpers.wrap<string | undefined>('a', () => 'old', options);
    time.now = 100;
    expect(await helpers.wrap<string | undefined>('a', () => undefined, options)).toBe('old');
    await idle();
    expect(await helpers.wrap('a', () => 'new', options)).toBe('new');
  });

  it('does not serve a stale value that was invalidated or deleted', async () => {
    const { helpers, time } = setUp();
    const tagged = { ...options, tags: ['t'] };
    await helpers.wrap('a', () => 'old', tagged);
    await helpers.wrap('b', () => 'old', options);
    time.now = 100;
    await helpers.invalidate('t');
    await helpers.delete('b');
    expect(await helpers.wrap('a', () => 'new', tagged)).toBe('new');
    expect(await helpers.wrap('b', () => 'new', options)).toBe('new');
  });
});

describe('invalidate', () => {
  const tagged = (...tags: string[]): CacheOptions => ({ ttlMs: 100, tags });

  it('invalidates every entry with one of the tags, of all callers and in all processes, and no other', async () => {
    const { cache, create } = setUp();
    const [ann, bob] = [cache.for('ann'), create().for('bob')];
    const entries = [
      [ann, 'both', tagged('x', 'y')],
      [bob, 'x', tagged('x')],
      [ann, 'z', tagged('z')],
      [bob, 'none', tagged()],
      [ann, 'shared', { ...tagged('x'), shared: true }],
    ] as const;
    for (const [helpers, key, options] of entries) await helpers.wrap(key, () => 'old', options);
    await ann.invalidate('x');
    const found = [];
    for (const [helpers, key, options] of entries) found.push(await helpers.wrap(key, () => 'new', options));
    expect(found).toEqual(['new', 'new', 'old', 'old', 'new']);
    await bob.invalidate('unused', 'z', 'z');
    expect(await ann.wrap('z', () => 'newer', tagged('z'))).toBe('newer');
    await bob.invalidate();
  });

  it('treats tags as a set, and does not find an entry under other tags', async () => {
    const { helpers } = setUp();
    await helpers.wrap('a', () => 1, tagged('x', 'y'));
    expect(await helpers.wrap('a', () => 2, tagged('y', 'x', 'y'))).toBe(1);
    expect(await helpers.wrap('a', () => 3, tagged('x'))).toBe(3);
    expect(await helpers.wrap('a', () => 4, tagged('x,y'))).toBe(4);
  });

  it('rejects a tag that is not a text', async () => {
    await expect(setUp().helpers.invalidate(undefined as unknown as string)).rejects.toThrow(
      ErrInvalidOptions,
    );
  });

  it('invalidates a load in flight: later callers do not wait for it, and its value is not cached', async () => {
    const { helpers } = setUp();
    const { load, runs } = createLoader<string>();
    const before = helpers.wrap('a', load, tagged('x'));
    await idle();
    await helpers.invalidate('x');
    const after = helpers.wrap('a', load, tagged('x'));
    await idle();
    expect(runs).toHaveLength(2);
    runs[1]!.resolve('new');
    expect(await after).toBe('new');
    runs[0]!.resolve('old');
    expect(await before).toBe('old');
    expect(await helpers.wrap('a', load, tagged('x'))).toBe('new');
  });

  it('invalidates loads in flight from another process', async () => {
    const { helpers, create } = setUp();
    const { load, runs } = createLoader<string>();
    const before = [helpers.wrap('a', load, tagged('x')), helpers.wrap('b', load, tagged('x'))];
    await idle();
    await create().for('bob').invalidate('x');
    for (const run of runs) run.resolve('old');
    await Promise.all(before);
    expect(await helpers.wrap('a', () => 'new', tagged('x'))).toBe('new');
    expect(
      await create()
        .for('ann')
        .wrap('b', () => 'new', tagged('x')),
    ).toBe('new');
  });

  it('stays in effect when the store loses generations', async () => {
    const { helpers, store } = setUp();
    await helpers.wrap('a', () => 'old', tagged('x'));
    await helpers.invalidate('x');
    await helpers.wrap('b', () => 'old', tagged('x'));
    for (const [, key] of store.asked.filter(([, key]) => key.startsWith('cache:tag:'))) {
      await store.inner.delete(key);
    }
    expect(await helpers.wrap('a', () => 'new', tagged('x'))).toBe('new');
    expect(await helpers.wrap('b', () => 'new', tagged('x'))).toBe('new');
  });

  it('sends the store one request for each tag, without searching', async () => {
    const { helpers, store } = setUp();
    for (let index = 0; index < 100; index++) await helpers.wrap([index], () => 1, tagged('x', 'y'));
    store.asked.length = 0;
    await helpers.invalidate('x', 'y');
    expect(store.asked).toHaveLength(2);
  });
});

describe('delete', () => {
  it('keeps a load in flight from restoring the entry, and later callers from waiting for it', async () => {
    const { helpers } = setUp();
    const { load, runs } = createLoader<string>();
    const before = helpers.wrap('a', load, fresh);
    await idle();
    await helpers.delete('a');
    const after = helpers.wrap('a', load, fresh);
    await idle();
    runs[1]!.resolve('new');
    expect(await after).toBe('new');
    runs[0]!.resolve('old');
    expect(await before).toBe('old');
    expect(await helpers.wrap('a', load, fresh)).toBe('new');
  });

  it('does not affect a newer load when the older one ends first', async () => {
    const { helpers } = setUp();
    const { load, runs } = createLoader<string>();
    const before = helpers.wrap('a', load, fresh);
    await idle();
    await helpers.delete('a');
    const after = helpers.wrap('a', load, fresh);
    await idle();
    runs[0]!.resolve('old');
    expect(await before).toBe('old');
    const joined = helpers.wrap('a', load, fresh);
    await idle();
    expect(runs).toHaveLength(2);
    runs[1]!.resolve('new');
    expect(await Promise.all([after, joined])).toEqual(['new', 'new']);
    expect(await helpers.wrap('a', load, fresh)).toBe('new');
  });

  it('works from inside the loader', async () => {
    const { helpers } = setUp();
    const load = async () => {
      await helpers.delete('a');
      return 'old';
    };
    expect(await helpers.wrap('a', load, fresh)).toBe('old');
    expect(await helpers.wrap('a', () => 'new', fresh)).toBe('new');
  });
});

describe('a store that fails', () => {
  const tagged: CacheOptions = { ttlMs: 100, tags: ['x'] };

  it.each<[readonly Method[]]>([[ALL], ...ALL.map((method): [Method[]] => [[method]])])(
    'breaks no call when it rejects %j',
    async (broken) => {
      const { helpers, store, errors } = setUp();
      await helpers.wrap('a', () => 'old', tagged);
      store.broken = broken;
      let version = 1;
      for (const options of [fresh, tagged, { ...tagged, tags: ['y'] }]) {
        for (const key of ['a', 'b']) {
          version++;
          await helpers.delete(key);
          await helpers.invalidate('x', 'y');
          expect(await helpers.wrap(key, () => version, options)).toBe(version);
        }
      }
      expect(errors.length > 0).toBe(broken.length > 0);
      expect(errors.every((error) => (error as Error).message.endsWith('is broken'))).toBe(true);
    },
  );

  it('still returns copies, passes on loader errors, and rejects values that JSON cannot express', async () => {
    const { helpers, store } = setUp();
    store.broken = ALL;
    const original = { a: 1 };
    for (const options of [fresh, tagged]) {
      expect(await helpers.wrap('a', () => original, options)).not.toBe(original);
      await expect(helpers.wrap('a', () => Promise.reject(new Error('no')), options)).rejects.toThrow('no');
      await expect(helpers.wrap('a', () => NaN, options)).rejects.toThrow(ErrInvalidResult);
      expect(await helpers.wrap('a', () => undefined, options)).toBeUndefined();
    }
  });

  it('still shares loads of values without tags', async () => {
    const { helpers, store } = setUp();
    store.broken = ALL;
    const { load, runs } = createLoader<string>();
    const waiting = [1, 2, 3].map(() => helpers.wrap('a', load, fresh));
    await idle();
    expect(runs).toHaveLength(1);
    runs[0]!.resolve('x');
    expect(await Promise.all(waiting)).toEqual(['x', 'x', 'x']);
    await Promise.all([1, 2, 3].map(() => helpers.wrap('a', async () => void runs.length++, tagged)));
    expect(runs).toHaveLength(4);
  });

  it('serves no value that was deleted or invalidated while the store was down', async () => {
    const { helpers, store } = setUp();
    await helpers.wrap('a', () => 'old', fresh);
    await helpers.wrap('b', () => 'old', tagged);
    store.broken = ['delete'];
    await helpers.delete('a');
    await helpers.invalidate('x');
    expect(await helpers.wrap('a', () => 'new', fresh)).toBe('new');
    expect(await helpers.wrap('b', () => 'new', tagged)).toBe('new');
    store.broken = [];
    expect(await helpers.wrap('a', () => 'newer', fresh)).toBe('newer');
    expect(await helpers.wrap('b', () => 'newer', tagged)).toBe('newer');
    expect(await helpers.wrap('a', () => 'never', fresh)).toBe('newer');
    expect(await helpers.wrap('b', () => 'never', tagged)).toBe('newer');
  });

  it('receives the pending deletes as soon as it answers, because other processes read it too', async () => {
    const { helpers, store, create } = setUp();
    const other = create().for('ann');
    for (const key of ['a', 'b', 'c']) await helpers.wrap(key, () => 'old', { ttlMs: 100, tags: [key] });
    store.broken = ALL;
    await helpers.invalidate('a', 'b');
    await helpers.delete('c');
    store.broken = [];
    await helpers.wrap('unrelated', () => 1, fresh);
    await idle();
    for (const key of ['a', 'b', 'c']) {
      expect(await other.wrap(key, () => 'new', { ttlMs: 100, tags: [key] })).toBe('new');
    }
  });

  it('does not lose a second invalidation while the first one is retried', async () => {
    const { helpers, store, create } = setUp();
    const other = create().for('ann');
    store.broken = ['delete'];
    await helpers.invalidate('x');
    store.broken = [];
    let release = (): void => {};
    store.delay = () => new Promise((resolve) => (release = resolve));
    const reading = helpers.wrap('a', () => 'any', tagged);
    await idle();
    const releaseFirst = release;
    store.delay = () => {};
    // The retried delete of the first invalidation is in flight; another process creates an entry, and a write follows.
    await other.wrap('a', () => 'old', tagged);
    const inner = store.inner.delete.bind(store.inner);
    store.broken = ['delete'];
    await helpers.invalidate('x');
    store.inner.delete = async () => {};
    store.broken = [];
    releaseFirst();
    await reading;
    store.inner.delete = inner;
    expect(await helpers.wrap('a', () => 'new', tagged)).toBe('new');
  });

  it('makes an invalidation reject when it can be neither sent nor remembered', async () => {
    const { helpers, store } = setUp();
    store.broken = ALL;
    const tags = Array.from({ length: MAX_PENDING }, (_, index) => String(index));
    await helpers.invalidate(...tags);
    await helpers.invalidate('0');
    await expect(helpers.invalidate('one more')).rejects.toThrow('delete is broken');
    store.broken = [];
    await helpers.invalidate('one more');
  });

  it.each(['', 'x', '{}', '[]', '[1,2]', '["0","[]",1]', '[0,[],1]', '[0,"[]"', 'null', '[0,"[]",1,2]'])(
    'is reported and not believed when it holds %j',
    async (text) => {
      const { helpers, store, errors } = setUp();
      await helpers.wrap('a', () => 'old', fresh);
      const [, key] = store.asked.find(([method]) => method === 'set')!;
      await store.inner.set(key, text, 100);
      expect(await helpers.wrap('a', () => 'new', fresh)).toBe('new');
      expect(errors).toEqual([expect.any(ErrInvalidOptions)]);
      expect(await helpers.wrap('a', () => 'never', fresh)).toBe('new');
    },
  );

  it('works without onError', async () => {
    const { store } = setUp();
    store.broken = ALL;
    expect(await new Cache({ store }).for('ann').wrap('a', () => 1, tagged)).toBe(1);
  });
});

it('works with a store that keeps nothing', async () => {
  const helpers = new Cache({ store: new MemoryStore({ maxBytes: 1 }) }).for('ann');
  let runs = 0;
  for (let index = 1; index <= 3; index++) {
    expect(await helpers.wrap('a', () => ++runs, { ttlMs: 100, tags: ['x'] })).toBe(index);
  }
});
