import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collectCredentials, SentData } from './collect-credentials.js';
import { enough, runs } from '../../../../../test/runs.js';

const collect = (...roots: unknown[]): string[] => collectCredentials(...roots) ?? [];

describe('collectCredentials', () => {
  it('finds the same credentials in plain data and in class instances', () => {
    const name = fc.constantFrom('a', 'token', 'name', 'value', 'apiKey', 'auth', 'headers', 'accessToken');
    const leaf = fc.constantFrom<unknown>(
      'credential-1',
      'credential-2',
      'X-Api-Key',
      12_345,
      null,
      true,
      '',
    );
    const { data } = fc.letrec((tie) => ({
      data: fc.oneof(
        { weight: 3, arbitrary: fc.dictionary(name, tie('node'), { maxKeys: 4 }) },
        fc.array(tie('node'), { maxLength: 3 }),
      ),
      // Objects of the server are read to a lesser depth than data of the client, so no value is deeper than both limits.
      node: fc.oneof({ depthSize: 'small', maxDepth: 5 }, leaf, tie('data')),
    }));
    let found = 0;
    fc.assert(
      fc.property(data, (plain) => {
        const instance = Object.assign(Object.create({}) as object, plain);
        const expected = collect(instance).toSorted();
        if (expected.length > 0) found++;
        // The copy of a list has its indexes as names, but the same items.
        expect(collect(plain).toSorted()).toEqual(expected);
        expect(collect(new SentData(plain)).toSorted()).toEqual(expected);
      }),
      { numRuns: runs(2_000) },
    );
    expect(found).toBeGreaterThan(enough(100));
  });
});
