import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { complaintsOf, toMarkdown, totalsOf } from '../conformance/report.js';
import type { RequirementSet } from '../conformance/report.js';
import { suiteVersion } from '../conformance/suite.js';
import { ToolRegistry } from 'toolfold';
import { serveHttp } from 'toolfold/node';

const root = fileURLToPath(new URL('../../', import.meta.url));
/** Long enough to install the suite. */
const MINUTES = 10 * 60_000;

const run = (...args: string[]) =>
  promisify(execFile)(process.execPath, ['--import', 'tsx', 'scripts/conformance.ts', ...args], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  });

describe('the official conformance suite', () => {
  let sets: RequirementSet[];
  beforeAll(async () => {
    // The promise rejects if the exit code is not 0.
    const { stdout } = await run('--json');
    sets = JSON.parse(stdout) as RequirementSet[];
  }, MINUTES);

  it.each([
    // The suite skips this one for every server.
    ['2026-07-28', [expect.stringMatching(/^SKIPPED tasks-status-notifications /)], 50],
    ['2025-11-25', [], 33],
  ])('finds no fault in the everything server, by the requirements of %s', (revision, said, scenarios) => {
    const set = sets.find((each) => each.revision === revision);
    expect(set && complaintsOf(set)).toEqual(said);
    expect(set?.scenarios).toHaveLength(scenarios);
    expect(set && totalsOf(set.scenarios).passed).toBeGreaterThan(2 * scenarios);
  });

  it('found what docs/reference/conformance.md states; otherwise run `npm run conformance -- --write`', () => {
    const page = readFileSync(new URL('../../docs/reference/conformance.md', import.meta.url), 'utf8');
    expect(page).toBe(toMarkdown(sets, suiteVersion));
  });

  it(
    'fails the command and names each check for a server that lacks a requirement',
    async () => {
      const bare = await serveHttp(new ToolRegistry(), { port: 0 });
      const failed = await run('--url', bare.url, '--requirements', '2025-11-25').catch(
        (error: { code: number; stdout: string }) => error,
      );
      await bare.close();
      expect(failed).toMatchObject({ code: 1 });
      expect(failed.stdout).toMatch(/^2025-11-25: \d+ passed, [1-9]\d* failed/);
      expect(failed.stdout).toContain('FAILURE prompts-get-simple ');
    },
    MINUTES,
  );
});
