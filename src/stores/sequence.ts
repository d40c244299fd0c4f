/** Numbers of which each is above all that were given out before, to whichever process. */
export interface Sequence {
  /** A number above all that it gave before. */
  next(): Promise<number>;
}

/**
 * The numbers of one process. They follow the time, in microseconds, so that they go on above the old ones when a
 * process is started anew, or comes to share a sequence with others.
 */
export function createSequence(clock: () => number = Date.now): Sequence {
  let last = 0;
  return {
    next: async () => (last = Math.max(last + 1, Math.floor(clock() * 1_000))),
  };
}
