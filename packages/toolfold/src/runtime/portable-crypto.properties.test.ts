import * as node from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../test/runs.js';
import * as portable from './portable-crypto.js';

const bytes = fc.uint8Array({ maxLength: 200 });
const texts = fc.string({ unit: 'binary', maxLength: 200 });

describe('the portable crypto functions', () => {
  it.each(['hex', 'base64url'] as const)('make the digests of Node, in %s', (encoding) => {
    fc.assert(
      fc.property(fc.oneof(bytes, texts), (data) => {
        const expected = node.createHash('sha256').update(data).digest(encoding);
        expect(portable.createHash('sha256').update(data).digest(encoding)).toBe(expected);
      }),
      { numRuns: runs(200) },
    );
  });

  it('make the signatures of Node with keys of any length', () => {
    fc.assert(
      fc.property(bytes, bytes, (key, data) => {
        const expected = node.createHmac('sha256', key).update(data).digest('base64url');
        expect(portable.createHmac('sha256', key).update(data).digest('base64url')).toBe(expected);
      }),
      { numRuns: runs(200) },
    );
  });
});
