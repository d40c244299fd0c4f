import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ErrInvalidPolicy } from '@toolfold/schema/errors';
import { allowedToolsets, assertLimit, assertRoom } from './exposure-policy.js';

const keys = ['a', 'b', 'c', 'd'];

describe('an exposure policy', () => {
  it('allows toolsets on the allowlist and not on the denylist, in the order of the catalog', () => {
    const lists = fc.option(fc.subarray(keys), { nil: undefined });
    fc.assert(
      fc.property(lists, lists, (allowlist, denylist) => {
        const allowed = allowedToolsets({ allowlist: allowlist?.toReversed(), denylist }, keys);
        expect(allowed).toEqual(
          keys.filter((key) => (allowlist ?? keys).includes(key) && !(denylist ?? []).includes(key)),
        );
      }),
    );
  });

  it.each([
    ['a misspelled option', { alowlist: ['a'] }, 'Did you mean "allowlist"?'],
    ['an unknown toolset', { denylist: ['nope'] }, 'Unknown toolset "nope" in exposurePolicy.denylist'],
    ['a key of a prototype', { allowlist: ['constructor'] }, 'Unknown toolset "constructor"'],
    ['text for a list', { allowlist: 'a' }, 'exposurePolicy.allowlist must be a list of text'],
    ['text for a flag', { readOnly: 'true' }, 'exposurePolicy.readOnly must be true or false'],
    ['a limit of zero', { maxActiveToolsets: 0 }, 'at least 1'],
    ['a limit that is not a number', { maxActiveToolsets: '2' }, 'at least 1'],
    ['nothing', null, 'exposurePolicy must be an object'],
  ])('is rejected with %s', (_, policy, message) => {
    expect(() => allowedToolsets(policy as never, keys)).toThrow(message);
  });
});

describe('the limit of active toolsets', () => {
  it('does not exist by default', () => {
    expect(() => assertLimit({}, keys, [])).not.toThrow();
  });

  it('counts each toolset once, and calls the listener when it is exceeded', () => {
    const told: unknown[] = [];
    const policy = { maxActiveToolsets: 2, onLimitExceeded: (...args: unknown[]) => told.push(args) };
    expect(() => assertLimit(policy, ['b', 'b'], ['a', 'b'])).not.toThrow();
    expect(told).toEqual([]);
    expect(() => assertLimit(policy, ['c'], ['a', 'b'])).toThrow(ErrInvalidPolicy);
    expect(told).toEqual([[['c'], ['a', 'b']]]);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('no metrics today');
      },
    ],
    [
      'rejects',
      async () => {
        throw new Error('no metrics today');
      },
    ],
  ])('is reported to the caller although the listener %s', async (_, onLimitExceeded) => {
    const unhandled: unknown[] = [];
    const listener = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', listener);
    const errors: unknown[] = [];
    const policy = { maxActiveToolsets: 1, onLimitExceeded };
    expect(() => assertRoom(policy, ['b'], ['a'])).toThrow('At most 1 toolsets');
    expect(() => assertLimit(policy, ['b'], ['a'], (error) => errors.push(error))).toThrow(ErrInvalidPolicy);
    await new Promise((done) => setTimeout(done, 5));
    process.off('unhandledRejection', listener);
    expect(errors).toEqual([new Error('no metrics today')]);
    expect(unhandled).toEqual([]);
  });
});
