import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { PendingWrites } from './pending-writes.js';

describe('PendingWrites', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('retries each write until it succeeds, and no failing write blocks the others', async () => {
    const pending = new PendingWrites();
    const never = Array.from({ length: 5 }, () =>
      vi.fn<() => Promise<void>>(async () => Promise.reject(new Error('no'))),
    );
    for (const [index, write] of never.entries()) pending.add(`never ${index}`, write);
    let fails = 1;
    const later = vi.fn<() => Promise<void>>(async () => {
      if (fails-- > 0) throw new Error('not yet');
    });
    pending.add('later', later);
    await vi.advanceTimersByTimeAsync(15_000);
    expect(later).toHaveBeenCalledTimes(2);
    const first = vi.fn<() => Promise<void>>(async () => undefined);
    const second = vi.fn<() => Promise<void>>(async () => undefined);
    pending.add('a', first);
    pending.add('a', second);
    await vi.advanceTimersByTimeAsync(15_000);
    expect(second).toHaveBeenCalledTimes(1);
    expect(first).not.toHaveBeenCalled();
    expect(later).toHaveBeenCalledTimes(2);
  });
});
