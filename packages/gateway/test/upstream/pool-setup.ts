import { neverSignal } from 'toolfold/internal';
import { ConnectionPool } from '../../src/upstream/pool.js';

/** A pool whose connections record their state. */
export function setUp(max: number, waitMs = 5_000) {
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

export const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
};
