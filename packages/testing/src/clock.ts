import { invalidOption } from '@toolfold/schema/internal';

/** A clock that stands still until a test advances it. */
export interface TestClock {
  /** Returns the time in milliseconds. Pass this function as the `clock` of a registry. */
  readonly now: () => number;
  /** Moves the time forward by a number of milliseconds. */
  advance(ms: number): void;
}

/** This is 2026-01-01T00:00:00Z, so that times in results are the same in every run. */
const START = Date.UTC(2026, 0, 1);

/** Creates a clock for the option `clock` of a registry: `createClock()` starts at 2026-01-01T00:00:00Z. */
export function createClock(startMs = START): TestClock {
  if (!Number.isFinite(startMs)) throw invalidOption('createClock', `a time in milliseconds, not ${startMs}`);
  let nowMs = startMs;
  return {
    now: () => nowMs,
    advance: (ms) => {
      if (!Number.isFinite(ms) || ms < 0)
        throw invalidOption('clock.advance', `milliseconds of at least 0, not ${ms}`);
      nowMs += ms;
    },
  };
}
