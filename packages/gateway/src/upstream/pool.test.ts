import { describe, expect, it } from 'vitest';
import { neverSignal } from 'toolfold/internal';
import { setUp, turns } from '../../test/upstream/pool-setup.js';

describe('a pool of connections', () => {
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
