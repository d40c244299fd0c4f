/** The remaining allowance of a caller. */
export interface Allowance {
  /** Milliseconds until the allowance is full again. */
  readonly msBeforeNext: number;
  /** Points left until then. */
  readonly remainingPoints: number;
}

/**
 * Counts calls by key. The limiters of `rate-limiter-flexible` implement this interface, so several processes can share
 * their counts in Redis or another database. It rejects with an `Allowance` when a key has no points left, and with an
 * `Error` when it cannot count.
 */
export interface RateLimiter {
  /** Takes points from the allowance of a key. */
  consume(key: string, points?: number): Promise<Allowance>;
  /**
   * Takes points for an anonymous caller, also from the common allowance of all anonymous callers for the action. If it is
   * missing, anonymous callers are counted with `consume` and have no common limit.
   */
  consumeAnonymous?(key: string, action: string, points: number): Promise<Allowance>;
}

/** How many calls each caller may make of each action within a window of time. */
export interface RateLimit {
  /** Calls allowed within the window. */
  readonly calls: number;
  /** Length of the window, in milliseconds. */
  readonly windowMs: number;
  /**
   * Calls of each action that all anonymous callers may make together. Each of them, identified by address, has `calls`.
   * Default: ten times `calls`.
   */
  readonly anonymousCalls?: number;
}
