import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sessionOf } from '../../../../../test/stores/session-store-contract.js';
import { MemorySessionStore } from './memory-session-store.js';
import { runs } from '../../../../../test/runs.js';

describe('MemorySessionStore', () => {
  function setUp(max = 3) {
    let now = 1;
    const ended: string[] = [];
    const store = new MemorySessionStore({
      max,
      ttlMs: 1_000,
      onEnd: (id) => ended.push(id),
      clock: () => now,
    });
    const open = (...ids: string[]): void => {
      for (const id of ids) store.create(sessionOf(id));
    };
    const use = (...ids: string[]): void => {
      for (const id of ids) store.get(id);
    };
    const advance = (ms: number): void => {
      now += ms;
    };
    return { store, ended, open, use, advance };
  }

  describe('with many sessions of one caller', () => {
    it('behaves like plain lists', () => {
      const callers = ['ada', 'bob', 'mallory', 'nobody'];
      const ids = Array.from({ length: 48 }, (_, index) => index);
      const step = fc.record({
        do: fc.constantFrom('use', 'use', 'use', 'delete', 'update', 'advance', 'sweep'),
        which: fc.constantFrom(...ids),
      });
      interface Modelled {
        readonly id: string;
        readonly caller: string;
        uses: number;
        until: number;
      }
      const [max, share, ttlMs] = [24, 10, 1_000];
      const tierOf = ({ uses }: Modelled): number => (uses >= 3 ? 2 : Math.min(uses, 1));
      /** The sessions that may be evicted: those of the least used tier, of a caller with most of them. */
      const candidates = (all: readonly Modelled[], caller?: string): readonly Modelled[] => {
        const own = caller === undefined ? all : all.filter((each) => each.caller === caller);
        const least = Math.min(...own.map(tierOf));
        const tier = own.filter((each) => tierOf(each) === least);
        const countOf = (who: string): number => tier.filter((each) => each.caller === who).length;
        const most = Math.max(...callers.map(countOf));
        return callers
          .filter((who) => countOf(who) === most)
          .map((who) => tier.find((each) => each.caller === who)!);
      };
      fc.assert(
        fc.property(fc.array(step, { minLength: 30, maxLength: 200 }), (steps) => {
          const { store, ended, advance } = setUp(max);
          let now = 0;
          /** Ordered by last use. */
          let model: Modelled[] = [];
          for (const { do: what, which } of steps) {
            const caller = callers[which % callers.length]!;
            const id = String(which);
            const alive = model.filter(({ until }) => until >= now);
            const found = alive.find((each) => each.id === id);
            if (what === 'advance') {
              now += which * 5;
              advance(which * 5);
            } else if (what === 'sweep') {
              store.sweep();
              model = alive;
            } else if (what === 'delete') {
              store.delete(id);
              model = model.filter((each) => each.id !== id);
            } else if (what === 'update' || found) {
              if (what === 'update') store.update(sessionOf(id, { caller }));
              else expect(store.get(id)).toEqual(sessionOf(id, { caller }));
              model = model.filter((each) => each.id !== id);
              if (found) {
                found.until = now + ttlMs;
                if (what !== 'update') found.uses++;
                model.push(found);
              }
            } else {
              model = model.filter((each) => each.id !== id);
              expect(store.get(id)).toBeUndefined();
              const isOverShare =
                caller !== 'nobody' && model.filter((each) => each.caller === caller).length === share;
              const may = candidates(model, isOverShare ? caller : undefined);
              const before = ended.length;
              store.create(sessionOf(id, { caller }));
              if (isOverShare || model.length === max) {
                const gone = ended.slice(before);
                expect(gone).toHaveLength(1);
                expect(may.map((each) => each.id)).toContain(gone[0]);
                model = model.filter((each) => each.id !== gone[0]);
              }
              model.push({ id, caller, uses: 0, until: now + ttlMs });
            }
            expect(store.size).toBe(model.length);
          }
        }),
        { numRuns: runs(200) },
      );
    });
  });
});
