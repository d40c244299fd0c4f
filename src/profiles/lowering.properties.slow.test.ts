import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assertGenerated } from '../../test/profiles/lossless.js';
import { profileNames } from './profile.js';

describe.each(profileNames)('lowering for %s', (profile) => {
  it('loses no input of 1,000 generated schemas', () => {
    let inputs = 0;
    fc.assert(
      fc.property(fc.integer({ min: 1 }), (seed) => void (inputs += assertGenerated(seed, profile, 10))),
      { numRuns: 1_000 },
    );
    expect(inputs).toBeGreaterThan(4_000);
  });
});
