import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** The test files of the fast suite. Files named `*.slow.test.ts` belong to the slow suite. */
export const include = [
  'src/**/*.test.ts',
  'page/src/**/*.test.ts',
  'test/**/*.test.ts',
  'examples/*/*.test.ts',
  'examples/showcase/*/*.test.ts',
  'templates/server/src/*.test.ts',
];

/** Reports to the terminal and, in CI, to a JSON file from which `.ci/run` counts. */
export function reporters(name: string): (string | [string, { outputFile: string }])[] {
  return process.env['CI']
    ? ['default', ['json', { outputFile: `node_modules/.cache/${name}.json` }]]
    : ['default'];
}

/** These tests need modules that no other test file has loaded, or a heap of their own. */
const isolated = [
  'page/src/api/events.test.ts',
  'page/src/api/stores.test.ts',
  'src/engine/lazy-signal.test.ts',
  'src/schema/validate/default-validator-engines.test.ts',
  'src/serve/modern/envelope.test.ts',
  'src/views/lower-view.test.ts',
];

export default defineConfig({
  test: {
    reporters: reporters('test-report'),
    setupFiles: ['test/property-seed.ts'],
    testTimeout: 120_000,
    // The default of one second is too short for other processes on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    // Vitest leaves one core idle by default, which is half of two.
    maxWorkers: availableParallelism(),
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          include,
          exclude: ['**/node_modules/**', '**/*.slow.test.ts', ...isolated],
          // Importing the sources again for every file takes as long as half of the tests.
          isolate: false,
        },
      },
      { extends: true, test: { name: 'isolated', include: isolated } },
    ],
  },
});
