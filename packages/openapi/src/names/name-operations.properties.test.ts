import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../test/runs.js';
import { candidatesOf, chooseNames, groupOf } from './name-operations.js';
import type { NamedOperation } from './name-operations.js';

const word = fc.constantFrom('user', 'users', 'get', 'list', 'by', 'id', 'team', 'Repo', 'v1', 'api');
const segment = fc.oneof(
  word,
  word.map((name) => `{${name}}`),
);
const operation: fc.Arbitrary<NamedOperation> = fc.record({
  method: fc.constantFrom('GET', 'POST', 'DELETE'),
  path: fc.array(segment, { minLength: 1, maxLength: 4 }).map((parts) => `/${parts.join('/')}`),
  operationId: fc.option(
    fc.oneof(
      fc.array(word, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('_')),
      fc.string({ maxLength: 120 }),
    ),
    { nil: undefined },
  ),
  tags: fc.array(fc.oneof(word, fc.string({ maxLength: 60 })), { maxLength: 2 }),
});
const specification = fc.uniqueArray(operation, {
  maxLength: 25,
  selector: ({ method, path }) => `${method} ${path}`,
});

interface NameModel {
  readonly group: string;
  readonly short: string;
  readonly full: string;
  readonly name: string;
}

/** The names of all operations, by method and path. */
function nameAll(operations: readonly NamedOperation[], groupBy: 'tag' | 'path'): Map<string, NameModel> {
  const named = operations.map((each) => ({ ...each, ...candidatesOf(each, groupOf(each, groupBy)) }));
  const found = new Map<string, NameModel>();
  for (const group of new Set(named.map((each) => each.group))) {
    const members = named.filter((each) => each.group === group);
    const names = chooseNames(members);
    for (const [at, { method, path, short, full }] of members.entries())
      found.set(`${method} ${path}`, { group, short, full, name: names[at]! });
  }
  return found;
}

describe('the names of operations', () => {
  it('are unique in their group, portable, and at most 64 characters long with it', () => {
    fc.assert(
      fc.property(specification, fc.constantFrom('tag' as const, 'path' as const), (operations, groupBy) => {
        const names = [...nameAll(operations, groupBy).values()].map(({ group, name }) => `${group}_${name}`);
        for (const name of names) expect(name).toMatch(/^[a-z0-9_]{3,64}$/);
        const addresses = [...nameAll(operations, groupBy).values()].map(
          ({ group, name }) => `${group}.${name}`,
        );
        expect(new Set(addresses).size).toBe(addresses.length);
      }),
      { numRuns: runs(5_000) },
    );
  });

  it('stay when operations are added, unless an added one claims the same name', () => {
    fc.assert(
      fc.property(specification, fc.nat(), (operations, cut) => {
        const before = nameAll(operations.slice(0, cut % (operations.length + 1)), 'tag');
        const after = nameAll(operations, 'tag');
        const added = [...after].filter(([route]) => !before.has(route)).map(([, each]) => each);
        for (const [route, { group, name, short }] of before) {
          if (after.get(route)?.name === name) continue;
          const claims = new Set(
            added.flatMap((each) => (each.group === group ? [each.short, each.full] : [])),
          );
          expect(claims.has(name) || claims.has(short)).toBe(true);
        }
      }),
      { numRuns: runs(5_000) },
    );
  });

  it('do not depend on the order of the specification', () => {
    fc.assert(
      fc.property(specification, (operations) => {
        const reversed = nameAll(operations.toReversed(), 'tag');
        expect([...nameAll(operations, 'tag')].toSorted()).toEqual([...reversed].toSorted());
      }),
      { numRuns: runs(2_000) },
    );
  });
});
