import { readFileSync, statSync } from 'node:fs';
import { CommandError, MAX_INPUT_BYTES } from './command-error.js';

/** Reads a text within the size limit. `advice` completes the error if the file does not exist. */
export function readTextFile(file: string, advice?: string): string {
  try {
    if (statSync(file).size > MAX_INPUT_BYTES)
      throw new CommandError(`${file} has more than ${MAX_INPUT_BYTES / 1024 / 1024} MiB.`);
    return readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    if (error instanceof CommandError) throw error;
    if (advice !== undefined && (error as { code?: unknown }).code === 'ENOENT')
      throw new CommandError(`${file} does not exist. ${advice}`);
    throw new CommandError(`${file} cannot be read: ${(error as Error).message}`);
  }
}
