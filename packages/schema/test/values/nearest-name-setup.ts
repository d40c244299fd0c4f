/** A reference implementation that compares every name completely. */
export function nearestByTheBook(written: string, names: readonly string[]): string | undefined {
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
      (table[row] ?? [])[column] = Math.min(
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        at(row - 1, column - 1) + (left[row - 1] === right[column - 1] ? 0 : 1),
        isSwap && row > 1 && column > 1 ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
  }
  return at(left.length, right.length);
}
