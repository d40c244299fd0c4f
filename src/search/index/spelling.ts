const SHORTEST = 4;
const LONGEST = 32;
/** A word may be part of another that is at most twice as long. */
const LEAST_PART = 0.5;

/**
 * How alike two words are spelt, from 0 to 1, for words whose meaning is not known. One may be the other misspelt: one
 * slip, or two in a long word, but not in its first letter. Or one may be part of the other.
 */
export function compareSpelling(one: string, other: string): number {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (short.length < SHORTEST || long.length > LONGEST) return 0;
  const slips = long.length < 8 ? 1 : 2;
  if (long.length - short.length <= slips && short[0] === long[0]) {
    const distance = countSlips(short, long, slips);
    if (distance <= slips) return 1 - distance / long.length;
  }
  const part = short.length / long.length;
  return part >= LEAST_PART && long.includes(short) ? part : 0;
}

/** Letters to change, leave out, put in or swap with the next; not counted beyond `most`. */
function countSlips(one: string, other: string, most: number): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1];
      let slips = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (isSame ? 0 : 1));
      if (i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]) {
        slips = Math.min(slips, (beforeLast[j - 2] ?? 0) + 1);
      }
      row.push(slips);
    }
    if (Math.min(...row) > most) return most + 1;
    beforeLast = last;
    last = row;
  }
  return last[other.length] ?? 0;
}
