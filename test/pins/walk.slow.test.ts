import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Walk } from '../../scripts/walk/walk-calls.js';

interface Printed {
  readonly limits: Readonly<Record<Walk['client'], { readonly files: number; readonly functions: number }>>;
  readonly walks: readonly Walk[];
}

/** V8 counts the functions of a whole process, so the walk needs one of its own. */
async function walk(): Promise<Printed> {
  const args = ['--import', 'tsx', 'scripts/walk.ts', '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    env: { ...process.env, TSX_TSCONFIG_PATH: 'tsconfig.sources.json' },
    maxBuffer: 10_000_000,
  });
  return JSON.parse(stdout) as Printed;
}

describe('the path of one call', () => {
  it('crosses no more files and functions than npm run walk allows', async () => {
    const { limits, walks } = await walk();
    expect(walks.map(({ client }) => client)).toEqual(['2026 request', '2025 session']);
    for (const { client, files, functions } of walks) {
      expect(files.length, client).toBeLessThanOrEqual(limits[client].files);
      expect(functions, client).toBeLessThanOrEqual(limits[client].functions);
    }
  });
});
