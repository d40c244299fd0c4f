/** What the process ends with, for scripts. */
export const exitCodes = Object.freeze({
  done: 0,
  /** It was asked for the right thing, and could not do it. */
  failed: 1,
  /** The command line is wrong. */
  usage: 2,
});

/** A command line that cannot be understood. The message says what to write instead. */
export class UsageError extends Error {}
