/** Pseudo-random numbers that are the same for the same seed (mulberry32). */
export interface Random {
  /** A whole number from `low` to `high`, both included. */
  whole(low: number, high: number): number;
  /** Returns true with this probability, in percent. */
  chance(percent: number): boolean;
  pick<T>(items: readonly [T, ...T[]]): T;
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  const whole = (low: number, high: number): number => low + (next() % (high - low + 1));
  return {
    whole,
    chance: (percent) => whole(1, 100) <= percent,
    pick: (items) => items[whole(0, items.length - 1)] ?? items[0],
  };
}
