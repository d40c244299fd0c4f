import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** The test files of the fast suite. Files named `*.slow.test.ts` belong to the slow suite. */
export const include = [
  'src/**/*.test.ts',
  'test/**/*.test.ts',
  'examples/*/*.test.ts',
  'examples/showcase/*/*.test.ts',
];

/** Reports to the terminal and, in CI, to a JSON file from which `.ci/run` counts. */
export function reporters(name: string): (string | [string, { outputFile: string }])[] {
  return process.env['CI']
    ? ['default', ['json', { outputFile: `node_modules/.cache/${name}.json` }]]
    : ['default'];
}

export default defineConfig({
  test: {
    include,
    exclude: ['**/node_modules/**', '**/*.slow.test.ts'],
    reporters: reporters('test-report'),
    testTimeout: 120_000,
    // Vitest leaves one core idle by default, which is half of two.
    maxWorkers: availableParallelism(),
  },
});
