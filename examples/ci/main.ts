/** Compares the tools of this example with its lockfiles, as the workflow and the hooks in this folder do. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('./', import.meta.url));
const program = fileURLToPath(new URL('../../packages/cli/dist/main.js', import.meta.url));

function toolfold(...args: readonly string[]): { readonly status: number | null; readonly stdout: string } {
  return spawnSync(process.execPath, [program, ...args], { cwd: folder, encoding: 'utf8' });
}

const checked = toolfold('lock', 'registry.ts', '--check');
assert.equal(checked.status, 0, checked.stdout);
console.log(checked.stdout.trim());

const compared = toolfold('diff', 'earlier.lock.json', 'registry.ts');
assert.equal(compared.status, 1);
console.log(compared.stdout.trim());
