import { describe, expect, it } from 'vitest';
import type { Sequence } from 'toolfold';

/** The contract of a sequence, used from two processes. */
export function describeSequence(name: string, create: () => readonly [Sequence, Sequence]): void {
  describe(`the sequence of ${name}`, () => {
    it('returns each number once, higher than all before, in every process', async () => {
      const [one, two] = create();
      const numbers: number[] = [];
      for (let count = 0; count < 100; count++) numbers.push(await (count % 3 === 0 ? one : two).next());
      expect(numbers.every((number) => Number.isSafeInteger(number))).toBe(true);
      expect(numbers).toEqual([...new Set(numbers)].toSorted((left, right) => left - right));
    });

    it('returns no number twice to concurrent callers', async () => {
      const [one, two] = create();
      const numbers = await Promise.all(
        Array.from({ length: 500 }, (_, count) => (count % 2 === 0 ? one : two).next()),
      );
      expect(new Set(numbers).size).toBe(500);
    });
  });
}
