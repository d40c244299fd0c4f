/**
 * How many cases a property test runs: a tenth by default, so that `npm test` stays fast, and all of them in the slow suite
 * (`npm run test:slow`), which includes every file named `*.properties.test.ts`.
 */
export function runs(all: number): number {
  return process.env['PROPERTY_RUNS'] === 'all' ? all : Math.max(20, Math.ceil(all / 10));
}

/**
 * The minimum number of interesting cases that a property test must see: all that the author expects, or a 25th of
 * them.
 */
export function enough(all: number): number {
  return process.env['PROPERTY_RUNS'] === 'all' ? all : Math.ceil(all / 25);
}
