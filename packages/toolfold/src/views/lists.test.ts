import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ErrInvalidCursor } from '@toolfold/schema/errors';
import { pageOf } from './lists.js';

const listOf = (length: number, what = 'entry') =>
  Object.freeze(Array.from({ length }, (_, index) => ({ name: `${what} ${index}` })));

/** Follows cursors from the first page to the last. */
function walk(
  list: readonly unknown[],
  pageSize?: number,
): { entries: unknown[]; cursors: string[]; sizes: number[] } {
  const [entries, cursors, sizes]: [unknown[], string[], number[]] = [[], [], []];
  let cursor: string | undefined;
  do {
    const { page, nextCursor } = pageOf(list, cursor, pageSize);
    entries.push(...page);
    sizes.push(page.length);
    if (nextCursor !== undefined) cursors.push(nextCursor);
    cursor = nextCursor;
  } while (cursor !== undefined && sizes.length <= list.length + 1);
  return { entries, cursors, sizes };
}

describe('pages', () => {
  it('contain every entry exactly once and in order, for any list and size', () => {
    fc.assert(
      fc.property(fc.nat(60), fc.integer({ min: 1, max: 70 }), (length, pageSize) => {
        const list = listOf(length);
        const { entries, sizes } = walk(list, pageSize);
        expect(entries).toEqual(list);
        expect(sizes).toHaveLength(Math.max(1, Math.ceil(length / pageSize)));
        // All pages but the last are full, and only an empty list has an empty page.
        expect(sizes.slice(0, -1).every((size) => size === pageSize)).toBe(true);
        expect(sizes.at(-1) === 0).toBe(length === 0);
      }),
    );
  });

  it('are one page if no size is given', () => {
    expect(walk(listOf(1_000))).toMatchObject({ cursors: [], sizes: [1_000] });
    expect(walk(listOf(0))).toMatchObject({ cursors: [], sizes: [0] });
  });

  it('can be requested again, in any order', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 40 }),
        fc.integer({ min: 1, max: 10 }),
        fc.nat(),
        (length, size, at) => {
          const list = listOf(length);
          const { cursors } = walk(list, size);
          fc.pre(cursors.length > 0);
          const index = at % cursors.length;
          const { page } = pageOf(list, cursors[index], size);
          expect(page).toEqual(list.slice((index + 1) * size, (index + 2) * size));
        },
      ),
    );
  });

  it('continue in another process that has the same list', () => {
    const [first] = walk(listOf(10), 3).cursors;
    expect(pageOf(listOf(10), first, 3).page).toEqual(listOf(10).slice(3, 6));
  });
});

describe('a cursor', () => {
  const rejected = (list: readonly unknown[], cursor: unknown, pageSize?: number): void => {
    expect(() => pageOf(list, cursor, pageSize), JSON.stringify(cursor)).toThrow(ErrInvalidCursor);
  };

  it('is rejected once the list has changed', () => {
    const [cursor] = walk(listOf(10), 3).cursors;
    rejected(listOf(9), cursor, 3);
    rejected(listOf(11), cursor, 3);
    rejected(listOf(10).toReversed(), cursor, 3);
    rejected(listOf(10, 'other'), cursor, 3);
    rejected([], cursor, 3);
  });

  it('is rejected with another page size, or none', () => {
    const [cursor] = walk(listOf(10), 3).cursors;
    rejected(listOf(10), cursor, 2);
    rejected(listOf(10), cursor);
  });

  it('is rejected if the server never issued it', () => {
    const list = listOf(10);
    const [given = ''] = walk(list, 3).cursors;
    const print = given.slice(given.indexOf('.') + 1);
    for (const forged of [
      '',
      '0',
      `0.${print}`,
      `1.${print}`,
      `4.${print}`,
      `10.${print}`,
      `12.${print}`,
      `-3.${print}`,
      `03.${print}`,
      `3e0.${print}`,
      ` 3.${print}`,
      `3.${print} `,
      `3.${print.slice(1)}`,
      `3.${print}x`,
      '3.',
      '3',
      `999999999.${print}`,
      `3000000000000000000000.${print}`,
      '3.__proto__',
      null,
      3,
      {},
      [given],
      true,
    ])
      rejected(list, forged, 3);
  });

  it('of any value is rejected, or never repeats an entry', () => {
    const list = listOf(20);
    const { cursors } = walk(list, 4);
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.constantFrom(...cursors).map((cursor) => `${cursor}${cursor}`),
        ),
        (cursor) => {
          fc.pre(!cursors.includes(cursor));
          rejected(list, cursor, 4);
        },
      ),
    );
  });
});
