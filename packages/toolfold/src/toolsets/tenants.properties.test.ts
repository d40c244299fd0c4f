import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ErrInvalidSessionContext } from '@toolfold/schema/errors';
import { runs } from '../../../../test/runs.js';
import { KEY, base64, request, setUp } from '../../test/toolsets/tenants-setup.js';

describe('tenants', () => {
  it('never get the token of the operator, or any tool, with a malformed configuration', async () => {
    const malformed = fc.oneof(
      fc.string(),
      fc.base64String(),
      fc.jsonValue().map(base64),
      fc.jsonValue().map((value) => base64({ [KEY]: value })),
      fc.string().map((key) => base64({ [KEY]: 'mine', [key]: 1 })),
      fc.constantFrom('', '{}', base64([]), base64(null), base64({ [KEY]: '' }), base64({ [KEY]: null })),
    );
    await fc.assert(
      fc.asyncProperty(malformed, fc.constantFrom('header', 'query'), async (text, place) => {
        const { toolsets } = setUp('ALL_TOOLS');
        let context: Readonly<Record<string, unknown>>;
        try {
          ({ context } = toolsets.contextOf(request({ [place]: text })));
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(ErrInvalidSessionContext);
          return;
        }
        const said = JSON.parse(Buffer.from(text, 'base64').toString()) as Record<string, unknown>;
        // A valid context is empty, or brings its own credential.
        expect(Object.keys(said).filter((key) => key !== KEY)).toEqual([]);
        expect(context['accessToken']).toBe(Object.hasOwn(said, KEY) ? said[KEY] : 'token-of-the-operator');
      }),
      { numRuns: runs(300) },
    );
  });
});
