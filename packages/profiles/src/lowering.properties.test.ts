import fc from 'fast-check';
import { expect, it } from 'vitest';
import { assertGenerated } from '../test/lossless.js';
import { enough, runs } from '../../../test/runs.js';

const PART = 2 ** 28;

// In parts, because all of it takes longer than one test may on a busy machine.
it.each([0, 1, 2, 3, 4])(
  'lowering loses no input of generated schemas, is accepted, and changes nothing the second time, for each profile: part %i',
  (part) => {
    let inputs = 0;
    fc.assert(
      fc.property(fc.integer({ min: part * PART + 1, max: (part + 1) * PART }), (seed) => {
        inputs += assertGenerated(seed, 10);
      }),
      { numRuns: runs(200) },
    );
    expect(inputs).toBeGreaterThan(enough(800));
  },
);
