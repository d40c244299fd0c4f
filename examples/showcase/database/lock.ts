import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../errors.js';

/**
 * Locks a folder for this process, because PGlite does not detect other processes and two of them would corrupt the
 * files. The lock of a dead process is taken over. Returns a function that releases the lock.
 */
export function lockFolder(folder: string): () => void {
  const lock = join(folder, 'lock');
  const mine = `${lock}.${process.pid}`;
  writeFileSync(mine, String(process.pid));
  try {
    // Creating a link is atomic, including its content.
    if (!tryLink(mine, lock)) takeOver(lock, mine, folder);
  } finally {
    rmSync(mine, { force: true });
  }
  return () => {
    if (ownerOf(lock) === process.pid) rmSync(lock, { force: true });
  };
}

function takeOver(lock: string, mine: string, folder: string): void {
  const stale = `${mine}.stale`;
  const owner = ownerOf(lock);
  if (owner !== undefined && isRunning(owner)) throw inUse(folder, owner, lock);
  try {
    renameSync(lock, stale);
  } catch (error) {
    // Another process was faster.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  try {
    const moved = ownerOf(stale);
    // A new owner may have taken the lock between reading and moving: give it back.
    if (moved !== undefined && isRunning(moved)) tryLink(stale, lock);
    if (!tryLink(mine, lock)) throw inUse(folder, ownerOf(lock), lock);
  } finally {
    rmSync(stale, { force: true });
  }
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function ownerOf(lock: string): number | undefined {
  try {
    return Number(readFileSync(lock, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function isRunning(pid: number): boolean {
  // In a container every start may have the same process id.
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function inUse(folder: string, owner: number | undefined, lock: string): StartError {
  return new StartError(
    `The books in ${folder} are in use by process ${owner ?? 'unknown'}. End it first, or choose another folder with ` +
      `--data. If that process is something else, delete ${lock}.`,
  );
}
