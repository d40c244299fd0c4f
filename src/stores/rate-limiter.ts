/** What is left of a caller's allowance, and when it is full again. */
export interface Allowance {
  /** Milliseconds until the allowance is full again. */
  readonly msBeforeNext: number;
  /** How many points are left until then. */
  readonly remainingPoints: number;
}

/**
 * Counts calls by key. The limiters of `rate-limiter-flexible` are such, so that several processes can share their
 * counts in Redis or elsewhere. It rejects with an `Allowance` when a key has used up its own, and with an `Error`
 * when it cannot count.
 */
export interface RateLimiter {
  /** Takes points from the allowance of a key. */
  consume(key: string, points?: number): Promise<Allowance>;
  /**
   * The same for the key of an anonymous caller, within what all anonymous callers have together for an action. Without
   * this method each of them is counted with `consume`, and nothing limits all of them together.
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
   * How many calls of each action all anonymous callers may make together; each of them, by its address, has `calls`.
   * Default: ten times `calls`.
   */
  readonly anonymousCalls?: number;
}
