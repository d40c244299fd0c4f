/**
 * How many cases a property test runs: a tenth by default, so that `npm test` stays fast, and all of them in the slow suite
 * (`npm run test:slow`), which includes every test file that calls this function.
 */
export function runs(all: number): number {
  return process.env['PROPERTY_RUNS'] === 'all' ? all : Math.max(20, Math.ceil(all / 10));
}

/** How many interesting cases a property test must have seen: all that the author counted on, or a 25th of them. */
export function enough(all: number): number {
  return process.env['PROPERTY_RUNS'] === 'all' ? all : Math.ceil(all / 25);
}
