import {
  accessSync,
  constants,
  lstatSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { CommandError } from './command-error.js';

/**
 * Replaces a file atomically, so that an interruption or a full disk leaves the old contents. Follows a symbolic link and replaces
 * its target. Writes directly to devices and pipes.
 */
export function replaceFile(file: string, text: string | Uint8Array): void {
  const there = statSync(file, { throwIfNoEntry: false });
  if (there && !there.isFile()) {
    writeFileSync(file, text);
    return;
  }
  // Check the permission first, because renaming would also replace a write-protected file.
  if (there) accessSync(file, constants.W_OK);
  const real = there ? realpathSync(file) : file;
  const temporary = `${real}.${crypto.randomUUID()}`;
  try {
    writeFileSync(temporary, text, { flag: 'wx', ...(there ? { mode: there.mode } : {}) });
    renameSync(temporary, real);
  } catch (error) {
    rmSync(temporary, { force: true });
    // Show the file's own name in the error: the user does not know the temporary one.
    throw new Error((error as Error).message.replaceAll(temporary, real), { cause: error });
  }
}

/**
 * Writes the result of a command. Never follows a symbolic link, because it may lead to a file that the user did not name. `problemOf`
 * tells why an existing file is not replaced.
 */
export function saveFile(
  file: string,
  text: string,
  problemOf: () => string | undefined = () => undefined,
): void {
  const there = lstatSync(file, { throwIfNoEntry: false });
  if (there && !there.isFile())
    throw new CommandError(`${file} is not a regular file, so it is not replaced.`);
  const problem = there && problemOf();
  if (problem !== undefined) throw new CommandError(`${file} ${problem}`);
  try {
    replaceFile(file, text);
  } catch (error) {
    throw new CommandError(`${file} cannot be written: ${(error as Error).message}`);
  }
}
