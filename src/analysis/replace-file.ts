import { accessSync, constants, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';

/**
 * Replaces the contents of a file at once, so that an interruption or a full disk leaves the old contents. A symbolic link stays, and
 * the file that it names is replaced. Devices and pipes are written directly.
 */
export function replaceFile(file: string, text: string): void {
  const there = statSync(file, { throwIfNoEntry: false });
  if (there && !there.isFile()) {
    writeFileSync(file, text);
    return;
  }
  // Renaming would also replace a file that is write-protected.
  if (there) accessSync(file, constants.W_OK);
  const real = there ? realpathSync(file) : file;
  const temporary = `${real}.${crypto.randomUUID()}`;
  try {
    writeFileSync(temporary, text, { flag: 'wx', ...(there ? { mode: there.mode } : {}) });
    renameSync(temporary, real);
  } catch (error) {
    rmSync(temporary, { force: true });
    // The user knows only the name of the file.
    throw new Error((error as Error).message.replaceAll(temporary, real), { cause: error });
  }
}
