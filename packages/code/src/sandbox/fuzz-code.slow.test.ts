import { expect, it } from 'vitest';
import { fuzzCode } from '../../../../scripts/fuzz-code/run.js';

it('generated hostile programs end within their limits and harm no other run', async () => {
  const { programs, ends, faults } = await fuzzCode({ programs: 120, seed: 7, concurrent: 3 });
  expect(faults).toEqual([]);
  expect(programs).toBe(120);
  // The programs reach several limits, so that the test does not pass because nothing happens.
  expect(Object.keys(ends).length).toBeGreaterThan(3);
  // On a busy machine the threads get little time.
}, 600_000);
