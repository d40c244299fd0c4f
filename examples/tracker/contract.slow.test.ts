import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const path = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url));

it.each([1, 2, 3])('keeps the promises of its schemas and hints, with the inputs of seed %i', (seed) => {
  const scopes = 'tracker:write,tracker:admin,reports:export';
  const { status, stdout } = spawnSync(
    process.execPath,
    [
      path('../../packages/cli/dist/main.js'),
      'test',
      path('server.ts'),
      '--include-destructive',
      '--scopes',
      scopes,
      '--seed',
      String(seed),
    ],
    { encoding: 'utf8', timeout: 110_000 },
  );
  expect(stdout).toContain(`34 passed, 0 failed. Seed: ${seed}`);
  expect(status).toBe(0);
});
