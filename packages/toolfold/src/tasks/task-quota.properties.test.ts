import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NOBODY } from '../callers/caller-key.js';
import { TaskRoom } from './task-quota.js';
import { runs } from '../../../../test/runs.js';

describe('the quota of tasks', () => {
  it('behaves like a list of all tasks', () => {
    const owner = fc.constantFrom('ada', 'bob', 'mallory', '__proto__', NOBODY);
    const step = fc.oneof(
      fc.record({ do: fc.constant('take' as const), owner, bytes: fc.nat(30) }),
      fc.record({ do: fc.constant('leave' as const), which: fc.nat(40) }),
    );
    const [max, share] = [
      { places: 20, bytes: 200 },
      { places: 2, bytes: 50 },
    ];
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const room = new TaskRoom(max);
        const taken: { owner: string; bytes: number }[] = [];
        const sum = (of: typeof taken) => of.reduce((total, { bytes }) => total + bytes, 0);
        for (const each of steps) {
          if (each.do === 'leave') {
            const [left] = taken.splice(each.which, 1);
            if (left) room.add(left.owner, { places: -1, bytes: -left.bytes });
            continue;
          }
          const own = taken.filter((one) => one.owner === each.owner);
          const bound =
            each.owner === NOBODY
              ? { places: max.places - share.places, bytes: max.bytes - share.bytes }
              : share;
          const hasRoom = taken.length < max.places && sum(taken) < max.bytes;
          const hasShare = own.length < bound.places && sum(own) < bound.bytes;
          expect(room.hasRoom).toBe(hasRoom);
          expect(room.hasRoomFor(each.owner)).toBe(hasRoom && hasShare);
          if (!hasRoom || !hasShare) continue;
          room.add(each.owner, { places: 1 });
          room.add(each.owner, { bytes: each.bytes });
          taken.push(each);
        }
        expect(room.owners).toBe(new Set(taken.map((one) => one.owner)).size);
      }),
      { numRuns: runs(500) },
    );
  });
});
