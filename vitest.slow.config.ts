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

/**
 * Small files that take more than ten seconds, longest first. Without the times of an earlier run, Vitest starts large files first, so
 * one of these would keep a worker busy after the others have ended.
 */
const long = [
  'test/docs-examples.slow.test.ts',
  'test/runtimes/installs.slow.test.ts',
  'packages/devtools/test/page/try.slow.test.ts',
  'packages/gateway/test/gateway/orphans.slow.test.ts',
  'test/walk-through.slow.test.ts',
  'test/pins/package.slow.test.ts',
  'test/scale/fleet.slow.test.ts',
  'packages/profiles/src/lowering.properties.test.ts',
  'examples/showcase/end.slow.test.ts',
  'packages/openapi/test/specifications.slow.test.ts',
  'packages/gateway/test/gateway/restarts.slow.test.ts',
  'test/wire/ci-recipes.slow.test.ts',
  'packages/cli/test/cli-code.slow.test.ts',
  'test/showcase/month.slow.test.ts',
  'test/showcase/storm.slow.test.ts',
  'test/showcase/code-tasks.slow.test.ts',
  'packages/schema/src/compare/compare-schemas.properties.test.ts',
  'packages/devtools/test/page/sections-accessible.slow.test.ts',
  'test/newcomer.slow.test.ts',
  'test/runtimes/servers.slow.test.ts',
  'test/runtimes/code.slow.test.ts',
  'test/wire/faithful-calls.properties.test.ts',
  'test/showcase/day.slow.test.ts',
];

/** Isolated files come first, because a worker that shares modules ends when the next file is isolated. */
function rankOf({ moduleId, project }: TestSpecification): number {
  if (project.config.isolate) return -1;
  const rank = long.findIndex((file) => moduleId.endsWith(`/${file}`));
  return rank === -1 ? long.length : rank;
}

class LongFirst extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- This is the method of Vitest.
    const sorted = await super.sort(specifications);
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other));
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
    setupFiles: ['test/property-seed.ts', 'test/patient-waits.ts'],
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
          setupFiles: ['test/load-lazy-modules.ts'],
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
