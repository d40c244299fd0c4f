import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: [
      'src/**/*.test.ts',
      'test/**/*.test.ts',
      'examples/*/*.test.ts',
      'examples/showcase/*/*.test.ts',
    ],
    // The JSON report is what .ci/run counts.
    reporters: process.env['CI']
      ? ['default', ['json', { outputFile: 'node_modules/.cache/test-report.json' }]]
      : ['default'],
    testTimeout: 120_000,
    // By default one core is left idle, which is half of two.
    maxWorkers: availableParallelism(),
  },
});
