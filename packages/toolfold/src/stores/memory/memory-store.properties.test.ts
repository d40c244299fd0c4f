import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ErrOverloaded } from '@toolfold/schema/errors';
import { MemoryStore } from './memory-store.js';
import { runs } from '../../../../../test/runs.js';

describe('MemoryStore that evicts nothing', () => {
  const isFull = async (asked: Promise<unknown>): Promise<void> => {
    const error: unknown = await asked.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(ErrOverloaded);
    expect(String(error)).toContain('The store is full.');
  };

  it('behaves like a list without eviction', async () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const step = fc.record({
      do: fc.constantFrom('set', 'set', 'setIfAbsent', 'delete', 'wait'),
      key,
      length: fc.nat({ max: 12 }),
      ms: fc.integer({ min: 1, max: 10 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 80 }), async (steps) => {
        let now = 0;
        const store = new MemoryStore({ maxEntries: 3, maxBytes: 50, evicts: false, clock: () => now });
        const model = new Map<string, { value: string; end: number }>();
        const live = () => [...model].filter(([, { end }]) => end > now);
        for (const { do: what, key: name, length, ms } of steps) {
          const value = 'x'.repeat(length);
          if (what === 'wait') now += ms;
          else if (what === 'delete') {
            await store.delete(name);
            model.delete(name);
          } else {
            const others = live().filter(([each]) => each !== name);
            const used = others.reduce((sum, [each, entry]) => sum + each.length + entry.value.length, 0);
            const fits = others.length < 3 && 2 * (used + name.length + length) <= 50;
            const found = what === 'setIfAbsent' && live().some(([each]) => each === name);
            const asked = what === 'set' ? store.set(name, value, ms) : store.setIfAbsent(name, value, ms);
            if (fits || found) await asked;
            else await isFull(asked);
            if (fits && !found) model.set(name, { value, end: now + ms });
          }
          const expected = new Map(live().map(([each, entry]) => [each, entry.value]));
          for (const each of ['a', 'b', 'c', 'd', 'e']) {
            // Reading deletes expired entries, so some steps do not read.
            if (ms % 3 === 0) expect(await store.get(each)).toBe(expected.get(each));
          }
        }
      }),
      { numRuns: runs(300) },
    );
  });
});
