import { describe, expect, it, vi } from 'vitest';
import { OwedWrites } from './pending-writes.js';

describe('OwedWrites', () => {
  it('tries again until a write is taken, and lets none keep the others waiting', async () => {
    const owed = new OwedWrites();
    const never = Array.from({ length: 5 }, () =>
      vi.fn<() => Promise<void>>(async () => Promise.reject(new Error('no'))),
    );
    for (const [index, write] of never.entries()) owed.owe(`never ${index}`, write);
    let fails = 1;
    const later = vi.fn<() => Promise<void>>(async () => {
      if (fails-- > 0) throw new Error('not yet');
    });
    owed.owe('later', later);
    await vi.waitFor(() => expect(later).toHaveBeenCalledTimes(2), { timeout: 15_000 });
    const first = vi.fn<() => Promise<void>>(async () => undefined);
    const second = vi.fn<() => Promise<void>>(async () => undefined);
    owed.owe('a', first);
    owed.owe('a', second);
    await vi.waitFor(() => expect(second).toHaveBeenCalledTimes(1), { timeout: 15_000 });
    expect(first).not.toHaveBeenCalled();
    expect(later).toHaveBeenCalledTimes(2);
  }, 40_000);
});
