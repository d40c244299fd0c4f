import fc from 'fast-check';
import { expect, it } from 'vitest';
import { assertGenerated } from '../test/lossless.js';
import { enough, runs } from '../../../test/runs.js';
import type { ProfileName } from './profile.js';
import { profileNames } from './profile.js';

const PART = 2 ** 28;

// In parts, because all of it takes longer than one test may on a busy machine.
it.each([0, 1, 2, 3, 4])(
  'lowering loses no input of generated schemas, is accepted, and changes nothing the second time, for each profile: part %i',
  (part) => {
    const inputs: Partial<Record<ProfileName, number>> = {};
    fc.assert(
      fc.property(fc.integer({ min: part * PART + 1, max: (part + 1) * PART }), (seed) =>
        assertGenerated(seed, 10, inputs),
      ),
      { numRuns: runs(200) },
    );
    for (const profile of profileNames) expect(inputs[profile], profile).toBeGreaterThan(enough(800));
  },
);
