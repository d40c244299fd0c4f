import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../../test/runs.js';
import { setUp } from '../../../test/guards/cache-setup.js';

describe('callers', () => {
  it('cannot reach the entries of other callers with any name or key', async () => {
    const word = fc.constantFrom(
      '',
      'a',
      ':',
      '"',
      '":',
      'all',
      'cache:all:',
      'cache:of:"a":',
      'tag',
      '__proto__',
    );
    const text = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(''));
    const one = fc.record({ caller: text.filter((name) => name !== ''), key: text, shared: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(one, one, async (a, b) => {
        const { cache } = setUp();
        await cache.for(a.caller).wrap(a.key, () => 'a', { ttlMs: 1, shared: a.shared, tags: [a.key] });
        const found = await cache
          .for(b.caller)
          .wrap(b.key, () => 'b', { ttlMs: 1, shared: b.shared, tags: [a.key] });
        const isSame = a.key === b.key && a.shared === b.shared && (a.shared || a.caller === b.caller);
        expect(found).toBe(isSame ? 'a' : 'b');
      }),
      { numRuns: runs(500) },
    );
  });
});

describe('invalidate', () => {
  it('never serves the value from before a write to a caller that asks after it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.constantFrom('read', 'write'), { maxLength: 12 }),
        async (s, acts) => {
          const { store, create } = setUp();
          store.delay = () => s.schedule(Promise.resolve());
          const processes = [create().for('ann'), create().for('ann')];
          let stored = 0;
          /** The last write whose invalidation had completed. */
          let ended = 0;
          const act = async (what: string, index: number): Promise<void> => {
            const helpers = processes[index % 2]!;
            await s.schedule(Promise.resolve());
            if (what === 'write') {
              const version = ++stored;
              await helpers.invalidate('x');
              ended = Math.max(ended, version);
              return;
            }
            const least = ended;
            const load = async () => {
              const read = stored;
              await s.schedule(Promise.resolve());
              return read;
            };
            const seen = await helpers.wrap('a', load, {
              ttlMs: 100,
              staleWhileRevalidateMs: 100,
              tags: ['x'],
            });
            expect(seen).toBeGreaterThanOrEqual(least);
          };
          await s.waitFor(Promise.all(acts.map(act)));
        },
      ),
      { numRuns: runs(1000) },
    );
  });
});
