import { describe, expect, it } from 'vitest';
import { stepParts } from './step-parts.js';

describe('the steps of a call', () => {
  it('add up to its duration, with the time between them', () => {
    const parts = stepParts(
      [
        { step: 'find', ms: 0.02 },
        { step: 'run', ms: 1 },
      ],
      1.5,
    );
    expect(parts.map(({ label }) => label)).toEqual(['find', 'run', 'between steps']);
    expect(parts.reduce((sum, { ms }) => sum + ms, 0)).toBeCloseTo(1.5);
  });

  it('have no rest if they are nearly all of it', () => {
    expect(stepParts([{ step: 'run', ms: 0.999 }], 1)).toHaveLength(1);
    expect(stepParts([{ step: 'run', ms: 1.2 }], 1)).toHaveLength(1);
  });
});
