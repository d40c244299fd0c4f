import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NameIndex, createEffort, nearestName } from './nearest-name.js';
import { runs } from '../../test/runs.js';

/** A reference implementation that compares every name completely. */
function nearestByTheBook(written: string, names: readonly string[]): string | undefined {
  const text = written.slice(0, 128).toLowerCase();
  if (text.length < 3) return undefined;
  let [best, bestDistance]: [string | undefined, number] = [undefined, Math.floor(text.length / 3) + 1];
  for (const name of names) {
    const distance = distanceByTheBook(text, name.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [name, distance];
  }
  return best;
}

function distanceByTheBook(left: string, right: string): number {
  const table = Array.from({ length: left.length + 1 }, (_, row) =>
    Array.from({ length: right.length + 1 }, (__, column) => (row === 0 ? column : column === 0 ? row : 0)),
  );
  const at = (row: number, column: number): number => table[row]?.[column] ?? Number.POSITIVE_INFINITY;
  for (let row = 1; row <= left.length; row++) {
    for (let column = 1; column <= right.length; column++) {
      const isSwap = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      table[row]![column] = Math.min(
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        at(row - 1, column - 1) + (left[row - 1] === right[column - 1] ? 0 : 1),
        isSwap && row > 1 && column > 1 ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
  }
  return at(left.length, right.length);
}

describe('the nearest name', () => {
  const few = (max: number) =>
    fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'D', 'é', '_', '/'), maxLength: max });

  it('is the first with the fewest edits', () => {
    fc.assert(
      fc.property(few(24), fc.array(few(24), { maxLength: 30 }), (written, names) => {
        expect(nearestName(written, names)).toBe(nearestByTheBook(written, names));
      }),
      { numRuns: runs(500) },
    );
  });

  it('is found in names of any length', () => {
    fc.assert(
      fc.property(few(300), fc.array(few(300), { maxLength: 4 }), (written, names) => {
        expect(nearestName(written, names)).toBe(nearestByTheBook(written, names));
      }),
      { numRuns: 50 },
    );
    expect(nearestName('x'.repeat(200), ['x'.repeat(140)])).toBe('x'.repeat(140));
  });

  const many = Array.from({ length: 10_000 }, (_, at) => `list_customer_record_${at}`);

  it('is found among many similar names', () => {
    expect(nearestName('list_custmer_record_9871', many)).toBe('list_customer_record_9871');
    expect(nearestName('lsit_customer_record_5012', many)).toBe('list_customer_record_5012');
  });

  it('is searched within the given effort, for any number of searches', () => {
    const effort = createEffort();
    for (let at = 0; at < 20; at++) nearestName(`lsit_custoner_rekord_x${at}y`, many, effort);
    // A comparison in progress may finish.
    expect(effort.left).toBeLessThanOrEqual(0);
    expect(effort.left).toBeGreaterThan(-10_000);
    expect(nearestName('list_customer_record_7', many, effort)).toBeUndefined();
    expect(nearestName('list_customer_record_7', many)).toBe('list_customer_record_7');
  });

  it('is the same in an index of few names', () => {
    fc.assert(
      fc.property(few(12), fc.array(few(12), { maxLength: 8 }), (written, names) => {
        expect(new NameIndex(names).nearest(written)).toBe(nearestByTheBook(written, names));
      }),
      { numRuns: runs(500) },
    );
  });

  it('is found in an index of many dissimilar names', () => {
    const words = ['invoice', 'customer', 'webhook', 'payment', 'label', 'milestone', 'project', 'budget'];
    const names = words.flatMap((first) => words.map((second) => `${first}_of_${second}`));
    const index = new NameIndex([...names, 'delete_repository']);
    expect(index.nearest('delete_repositry')).toBe('delete_repository');
    expect(index.nearest('invoice_of_webhok')).toBe('invoice_of_webhook');
  });

  it('is found by an index in microseconds, not milliseconds', () => {
    const index = new NameIndex(many);
    const search = (): number => {
      const start = performance.now();
      for (let at = 0; at < 100; at++) index.nearest(`lsit_custoner_rekord_x${at}y`);
      return (performance.now() - start) / 100;
    };
    search();
    // About 0.05 ms; without the limit about 2 ms.
    expect(Math.min(search(), search(), search())).toBeLessThan(0.6);
  });
});
