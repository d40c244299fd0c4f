import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arbitraryOf } from './arbitrary.js';

describe('the values for a JSON Schema', () => {
  it('end for a schema whose lists contain such lists again', () => {
    const schema = {
      $ref: '#/$defs/node',
      $defs: {
        node: {
          type: 'object',
          required: ['children'],
          properties: { children: { type: 'array', items: { $ref: '#/$defs/node' } } },
        },
      },
    };
    for (const value of fc.sample(arbitraryOf(fc, schema), { numRuns: 20 }))
      expect(value).toEqual({ children: expect.any(Array) as unknown });
  });
});
