import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';
import { alias } from './sources.config.js';
import { reporters } from './vitest.config.js';

const include = ['packages', 'test', 'examples'].flatMap((folder) => [
  `${folder}/**/*.slow.test.ts`,
  `${folder}/**/*.properties.test.ts`,
]);

/** These tests measure the memory of their process, which other tests must not fill. */
const isolated = [
  'packages/code/src/sandbox/attacks.slow.test.ts',
  'test/wire/session-memory.slow.test.ts',
  'test/wire/small-chunks.slow.test.ts',
  'test/wire/toolset-bounds.slow.test.ts',
];

/** These tests measure how fast a server or the page answers, so that each needs a core. */
const timed = [
  'packages/gateway/test/gateway/floods.slow.test.ts',
  'packages/devtools/test/page/live.slow.test.ts',
];

/** These files take more than half a minute, so that they would keep one worker busy after the others have ended. */
const long = [
  'test/docs-examples.slow.test.ts',
  'test/newcomer.slow.test.ts',
  'test/pins/package.slow.test.ts',
  'test/runtimes/installs.slow.test.ts',
  'test/walk-through.slow.test.ts',
];

const isLong = ({ moduleId }: TestSpecification): boolean =>
  long.some((file) => moduleId.endsWith(`/${file}`));

/** Starts the long files first. Without the times of an earlier run, Vitest starts the largest files first, and these are small. */
class LongFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- This is the method of Vitest.
    const sorted = await super.sort(specifications);
    return [...sorted.filter(isLong), ...sorted.filter((each) => !isLong(each))];
  }
}

const cores = availableParallelism();
/** Most of these tests wait for other processes, so that more of them than cores can run at once. */
const more = { maxWorkers: cores * 2, sequence: { groupOrder: 1 } };

/** Outages, fleets, real processes, conformance, and property tests with all their cases. */
export default defineConfig({
  resolve: { alias },
  test: {
    reporters: reporters('slow-test-report'),
    sequence: { sequencer: LongFirst },
    env: { PROPERTY_RUNS: 'all' },
    setupFiles: ['test/property-seed.ts', 'test/settle-imports.ts', 'test/patient-waits.ts'],
    testTimeout: 120_000,
    // The default of ten seconds is too short for removing installed packages on a busy machine.
    hookTimeout: 120_000,
    // The default of one second is too short for other processes on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    projects: [
      { extends: true, test: { name: 'timed', include: timed, maxWorkers: cores } },
      {
        extends: true,
        test: {
          name: 'shared',
          include,
          exclude: ['**/node_modules/**', ...isolated, ...timed],
          // Importing the sources again for every file takes long.
          isolate: false,
          globalSetup: 'test/pack-server.ts',
          ...more,
        },
      },
      { extends: true, test: { name: 'isolated', include: isolated, ...more } },
    ],
  },
});
