import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { neverSignal } from '../engine/request-context.js';
import { ConnectionPool } from './pool.js';
import { runs } from '../../test/runs.js';

/** A pool whose connections record their state. */
function setUp(max: number, waitMs = 5_000) {
  const state = { open: 0, most: 0, closedInUse: 0, using: new Map<object, number>() };
  const pool = new ConnectionPool<{ retire(): Promise<void>; close(): Promise<void> }>({
    name: 'far',
    max,
    waitMs,
    onError: () => {},
  });
  const create = () => {
    state.most = Math.max(state.most, ++state.open);
    const end = async (): Promise<void> => {
      if ((state.using.get(item) ?? 0) > 0) state.closedInUse++;
      await new Promise(setImmediate);
      state.open--;
    };
    const item = { retire: end, close: end };
    return item;
  };
  const use = (key: string, work: () => Promise<unknown>, signal = neverSignal()) =>
    pool.use({ key, create, signal }, async (item) => {
      state.using.set(item, (state.using.get(item) ?? 0) + 1);
      await work();
      state.using.set(item, (state.using.get(item) ?? 0) - 1);
      return key;
    });
  return { pool, state, use };
}

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
};

describe('a pool of connections', () => {
  it('serves every caller within the limit, and closes no connection in use', async () => {
    const uses = fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.nat(4), fc.nat(3)), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 4 }), uses, async (max, list) => {
        const { pool, state, use } = setUp(max);
        const running: Promise<string>[] = [];
        for (const [key, duration, pause] of list) {
          running.push(use(String(key), () => turns(duration)));
          await turns(pause);
        }
        expect(await Promise.all(running)).toEqual(list.map(([key]) => String(key)));
        expect(state.most).toBeLessThanOrEqual(max);
        expect(state.closedInUse).toBe(0);
        await pool.close();
        expect(state.open).toBe(0);
      }),
      { numRuns: runs(100) },
    );
  });

  it('does not keep a caller waiting forever, and advises what to do', async () => {
    const { pool, use } = setUp(1, 50);
    let finish: (() => void) | undefined;
    const busy = use('a', () => new Promise<void>((resolve) => (finish = resolve)));
    await expect(use('b', async () => {})).rejects.toThrow(
      'All 1 connections to the server "far" are in use. Try again later, or raise maxConnections.',
    );
    const controller = new AbortController();
    const cancelled = use('b', async () => {}, controller.signal);
    controller.abort(new Error('enough'));
    await expect(cancelled).rejects.toThrow('enough');
    finish?.();
    expect(await busy).toBe('a');
    expect(await use('b', async () => {})).toBe('b');
    await pool.close();
    await expect(use('c', async () => {})).rejects.toThrow('was closed');
  });

  it('lets subscriptions hold at most half of the connections, so that calls find one', async () => {
    const { pool, use } = setUp(4);
    const create = () => ({ retire: async () => {}, close: async () => {} });
    const hold = (key: string) => pool.hold({ key, create, signal: neverSignal() });
    const [first, second, again] = [await hold('a'), await hold('b'), await hold('a')];
    await expect(hold('c')).rejects.toThrow('already keep 2 of 4 connections');
    expect(await Promise.all(['c', 'd', 'e', 'f'].map((key) => use(key, () => turns(2))))).toHaveLength(4);
    second.release();
    second.release();
    const third = await hold('c');
    await expect(hold('b')).rejects.toThrow('already keep 2 of 4 connections');
    for (const each of [first, again, third]) each.release();
    await pool.close();
  });
});
