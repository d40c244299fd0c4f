import { lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommandError } from '../terminal/exit-codes.js';

const endings: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'application/pdf': 'pdf',
  'application/json': 'json',
  'application/gzip': 'gz',
  'application/zip': 'zip',
  'text/plain': 'txt',
  'text/csv': 'csv',
};
const MAX_TRIES = 10_000;

interface SaveOptions {
  readonly name: string;
  readonly mimeType: string | undefined;
  readonly folder: string;
  /** Whether a file that is there may be overwritten. */
  readonly force: boolean;
  /** Files that are not overwritten even with `force`. */
  readonly taken?: ReadonlySet<string>;
}

/** Writes to a file that is not there yet, and says which. The name comes from elsewhere and stays in the folder. */
export function saveFile(
  bytes: Uint8Array,
  { name, mimeType = '', folder, force, taken }: SaveOptions,
): string {
  const safe =
    name
      .replaceAll(/[^A-Za-z0-9._-]+/g, '_')
      .replace(/^[._-]+/, '')
      .slice(0, 100) || 'result';
  const dot = safe.lastIndexOf('.');
  const hasEnding = dot > 0 && /^[A-Za-z0-9]{1,5}$/.test(safe.slice(dot + 1));
  const stem = hasEnding ? safe.slice(0, dot) : safe;
  const ending = hasEnding ? safe.slice(dot + 1) : endingOf(mimeType);
  try {
    mkdirSync(folder, { recursive: true });
    for (let count = 1; count < MAX_TRIES; count++) {
      const path = join(folder, `${stem}${count === 1 ? '' : `-${count}`}.${ending}`);
      if (taken?.has(path) !== true && write(path, bytes, force)) return path;
    }
  } catch (error) {
    throw new CommandError(`What the tool gave cannot be written: ${(error as Error).message}`);
  }
  throw new CommandError(`There are too many files like ${stem}.${ending} in ${folder}.`);
}

function endingOf(mimeType: string): string {
  const plain = mimeType.split(';')[0]?.trim().toLowerCase() ?? '';
  return Object.hasOwn(endings, plain) ? (endings[plain] as string) : 'bin';
}

function write(path: string, bytes: Uint8Array, force: boolean): boolean {
  if (force) {
    replace(path, bytes);
    return true;
  }
  try {
    writeFileSync(path, bytes, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as { code?: unknown }).code === 'EEXIST') return false;
    throw error;
  }
}

/** Replaces regular files only. A symbolic link is never followed, because it may lead to a file that the user did not name. */
function replace(path: string, bytes: Uint8Array): void {
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there && !there.isFile()) throw new Error(`${path} is not a file, and is not replaced`);
  const temporary = `${path}.${crypto.randomUUID()}`;
  try {
    writeFileSync(temporary, bytes, { flag: 'wx', ...(there ? { mode: there.mode } : {}) });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
