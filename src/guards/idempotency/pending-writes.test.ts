import { describe, expect, it, vi } from 'vitest';
import { PendingWrites } from './pending-writes.js';

describe('PendingWrites', () => {
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
    await vi.waitFor(() => expect(later).toHaveBeenCalledTimes(2), { timeout: 15_000 });
    const first = vi.fn<() => Promise<void>>(async () => undefined);
    const second = vi.fn<() => Promise<void>>(async () => undefined);
    pending.add('a', first);
    pending.add('a', second);
    await vi.waitFor(() => expect(second).toHaveBeenCalledTimes(1), { timeout: 15_000 });
    expect(first).not.toHaveBeenCalled();
    expect(later).toHaveBeenCalledTimes(2);
  }, 40_000);
});
