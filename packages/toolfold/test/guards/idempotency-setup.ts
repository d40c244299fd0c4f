import { vi } from 'vitest';
import type { IdempotentRequest } from '../../src/guards/idempotency/key.js';

export const pay = (more: Partial<IdempotentRequest> = {}): IdempotentRequest => ({
  caller: 'ada',
  address: 'shop/pay',
  key: 'k1',
  input: { amount: 5 },
  ...more,
});

export const turn = async () => new Promise((resolve) => setImmediate(resolve));

/** Advances the clock of the polls until a promise has settled, however long real operations take. */
export async function untilSettled<T>(promise: Promise<T>): Promise<T> {
  const state = { isSettled: false };
  const settle = (): void => {
    state.isSettled = true;
  };
  promise.then(settle, settle);
  while (!state.isSettled) {
    await turn();
    vi.advanceTimersByTime(50);
  }
  return promise;
}
