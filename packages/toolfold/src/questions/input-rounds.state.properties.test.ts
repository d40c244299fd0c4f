import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ErrInvalidRequestState } from '@toolfold/schema/errors';
import { runs } from '../../../../test/runs.js';
import { createStates, text, json } from '../../test/questions/input-rounds-state-setup.js';

describe('a request state', () => {
  it('is rejected with any character changed, removed or added', () => {
    const change = fc.record({ at: fc.nat(), by: text, cut: fc.nat(2) });
    fc.assert(
      fc.property(json, change, (value, { at, by, cut }) => {
        const { states } = createStates();
        const sealed = states.seal(value, 'subject');
        const start = at % (sealed.length + 1);
        const changed = sealed.slice(0, start) + by + sealed.slice(start + cut);
        fc.pre(changed !== sealed);
        expect(() => states.open(changed, 'subject')).toThrow(ErrInvalidRequestState);
      }),
      { numRuns: runs(300) },
    );
  });
});
