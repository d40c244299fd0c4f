import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { alias } from './sources.config.js';

/** The test files of the fast suite. Files named `*.slow.test.ts` belong to the slow suite. */
export const include = [
  'packages/**/*.test.ts',
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

/** These tests need modules that no other test file has loaded, unload all modules, or need a heap of their own. */
const isolated = [
  'packages/devtools/page/src/api/events.test.ts',
  'packages/devtools/page/src/api/stores.test.ts',
  'packages/devtools/page/src/sections/try/history/history.test.ts',
  'packages/toolfold/src/engine/lazy-signal.test.ts',
  'packages/toolfold/src/engine/session.test.ts',
  'packages/schema/src/validate/default-validator-engines.test.ts',
  'packages/toolfold/src/serve/modern/envelope.test.ts',
  'packages/toolfold/src/toolsets/forms/load-form.test.ts',
  'packages/toolfold/src/views/lower-view.test.ts',
];

export default defineConfig({
  resolve: { alias },
  test: {
    reporters: reporters('test-report'),
    setupFiles: ['test/property-seed.ts', 'test/patient-waits.ts'],
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
          setupFiles: ['test/load-lazy-modules.ts'],
          // Importing the sources again for every file takes as long as half of the tests.
          isolate: false,
        },
      },
      { extends: true, test: { name: 'isolated', include: isolated } },
    ],
  },
});
