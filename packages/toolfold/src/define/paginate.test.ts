import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ErrValidationFailed } from '@toolfold/schema/errors';
import { paginate } from './paginate.js';
import type { RowKey } from './paginate.js';

interface Row {
  readonly day: string;
  readonly id: number;
}

const keyOf = ({ day, id }: Row): RowKey => [day, id];
const compare = (one: RowKey, other: RowKey): number =>
  one[0] === other[0] ? Number(one[1]) - Number(other[1]) : String(one[0]) < String(other[0]) ? -1 : 1;
const readerOf =
  (rows: () => readonly Row[]) =>
  (after: RowKey | undefined, count: number): readonly Row[] =>
    rows()
      .toSorted((one, other) => compare(keyOf(one), keyOf(other)))
      .filter((row) => after === undefined || compare(keyOf(row), after) > 0)
      .slice(0, count);

const day = fc.constantFrom('2026-01-01', '2026-01-02', 'März');
const rowsWith = (ids: fc.Arbitrary<number>) =>
  fc.uniqueArray(fc.record({ day, id: ids }), { selector: ({ id }) => id, maxLength: 20 });

describe('the pages of a list', () => {
  it('have every row that stays exactly once, although others are added and deleted between the calls', async () => {
    await fc.assert(
      fc.asyncProperty(
        rowsWith(fc.nat(50)),
        rowsWith(fc.integer({ min: 100, max: 150 })),
        fc.integer({ min: 1, max: 5 }),
        async (staying, passing, limit) => {
          let rows: readonly Row[] = [...staying, ...passing];
          const seen: Row[] = [];
          for (let cursor: string | undefined, turn = 0; ; turn++) {
            const page = await paginate({ cursor, limit, read: readerOf(() => rows), keyOf });
            expect(page.rows.length).toBeLessThanOrEqual(limit);
            seen.push(...page.rows);
            if (page.nextCursor === null) break;
            cursor = page.nextCursor;
            rows = turn % 2 === 0 ? staying : [...staying, ...passing];
          }
          const kept = seen.filter(({ id }) => id <= 50);
          expect(kept).toEqual(staying.toSorted((one, other) => compare(keyOf(one), keyOf(other))));
        },
      ),
    );
  });

  it('end without a cursor, also if the last page is full', async () => {
    const rows = [{ day: 'a', id: 1 }];
    const read = readerOf(() => rows);
    expect(await paginate({ limit: 1, read, keyOf })).toEqual({ rows, nextCursor: null });
    expect(await paginate({ limit: 1, read: () => [], keyOf })).toEqual({ rows: [], nextCursor: null });
  });

  it.each(['', 'x', '!!', btoa('{"a":1}'), btoa('[null]'), btoa('[[1]]'), btoa('5')])(
    'reject the cursor %j, and say what to do',
    async (cursor) => {
      const reading = paginate({ cursor, limit: 1, read: () => [], keyOf });
      await expect(reading).rejects.toThrow(ErrValidationFailed);
      await expect(reading).rejects.toThrow('Leave it out for the first page.');
    },
  );
});
