import { readFileSync, readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { reporters } from './vitest.config.js';

/** Property tests run here with all their cases; see `test/runs.ts`. */
const withProperties = ['src', 'page/src', 'test'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file}`)
    .filter((file) => file.endsWith('.test.ts') && !file.includes('node_modules'))
    .filter((file) => /\bruns\(/.test(readFileSync(file, 'utf8'))),
);

/** Outages, fleets, real processes, conformance and long property runs. */
export default defineConfig({
  test: {
    include: [
      'src/**/*.slow.test.ts',
      'page/src/**/*.slow.test.ts',
      'test/**/*.slow.test.ts',
      'examples/**/*.slow.test.ts',
      ...withProperties,
    ],
    exclude: ['**/node_modules/**'],
    reporters: reporters('slow-test-report'),
    env: { PROPERTY_RUNS: 'all' },
    setupFiles: ['test/property-seed.ts'],
    testTimeout: 120_000,
    // The default of one second is too short for other processes on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: availableParallelism(),
  },
});
