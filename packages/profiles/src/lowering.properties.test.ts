import fc from 'fast-check';
import { expect, it } from 'vitest';
import { assertGenerated } from '../test/lossless.js';
import { enough, runs } from '../../../test/runs.js';
import type { ProfileName } from './profile.js';
import { profileNames } from './profile.js';

it('lowering loses no input of generated schemas, is accepted, and changes nothing the second time, for each profile', () => {
  const inputs: Partial<Record<ProfileName, number>> = {};
  fc.assert(
    fc.property(fc.integer({ min: 1 }), (seed) => assertGenerated(seed, 10, inputs)),
    { numRuns: runs(1_000) },
  );
  for (const profile of profileNames) expect(inputs[profile], profile).toBeGreaterThan(enough(4_000));
});
