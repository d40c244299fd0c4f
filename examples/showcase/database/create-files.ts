/**
 * Creates the files of a PGlite, which takes seconds and hundreds of megabytes of memory. A separate process frees that
 * memory when it exits. The files are created in `<folder>.new`, which is renamed at the end, so `folder` is never
 * incomplete. The next attempt deletes the leftovers of an interrupted one.
 */
import { execFile } from 'node:child_process';
import { renameSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export async function createFiles(folder: string, signal?: AbortSignal): Promise<void> {
  const unfinished = `${folder}.new`;
  rmSync(unfinished, { recursive: true, force: true });
  const creator = fileURLToPath(new URL('create-files-main.ts', import.meta.url));
  const args = ['--import', import.meta.resolve('tsx'), creator, unfinished];
  await promisify(execFile)(process.execPath, args, signal ? { signal } : {});
  renameSync(unfinished, folder);
}
