import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NameIndex, nearestName } from './nearest-name.js';
import { runs } from '../../../../test/runs.js';
import { nearestByTheBook } from '../../test/values/nearest-name-setup.js';

describe('the nearest name', () => {
  const few = (max: number) =>
    fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'D', 'é', '_', '/'), maxLength: max });

  it('is the first with the fewest edits', () => {
    fc.assert(
      fc.property(few(24), fc.array(few(24), { maxLength: 30 }), (written, names) => {
        expect(nearestName(written, names)).toBe(nearestByTheBook(written, names));
      }),
      { numRuns: runs(500) },
    );
  });

  it('is the same in an index of few names', () => {
    fc.assert(
      fc.property(few(12), fc.array(few(12), { maxLength: 8 }), (written, names) => {
        expect(new NameIndex(names).nearest(written)).toBe(nearestByTheBook(written, names));
      }),
      { numRuns: runs(500) },
    );
  });
});
