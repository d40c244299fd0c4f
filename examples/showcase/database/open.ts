import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { StartError } from '../errors.js';
import { createFiles } from './create-files.js';
import type { Database } from './database.js';
import { lockFolder } from './lock.js';
import { migrate } from './migrate.js';

export interface OpenOptions {
  /** Address of a PostgreSQL server. Default: the books are in the folder. */
  readonly url?: string | undefined;
  /** Folder of the books. Default: the books are in memory. */
  readonly folder?: string | undefined;
  readonly onError: (error: unknown) => void;
  /** Called with a text for the operator before a slow step. */
  readonly tell?: (what: string) => void;
  /** Aborted when the program is asked to end. */
  readonly signal?: AbortSignal;
}

/** Opens the chosen database and runs pending migrations. */
export async function openDatabase(options: OpenOptions): Promise<Database> {
  const db = await connect(options);
  try {
    await migrate(db);
    return db;
  } catch (error) {
    await db.close();
    throw error;
  }
}

async function connect({ url, folder, onError, tell = () => {}, signal }: OpenOptions): Promise<Database> {
  // Only the chosen driver is loaded, because loading is slow.
  if (url !== undefined) return (await import('./postgres.js')).openPostgres(url, onError);
  if (folder === undefined) return (await import('./pglite.js')).openPglite();
  const path = resolve(folder);
  prepare(path);
  const unlock = lockFolder(path);
  try {
    const { openPglite } = await import('./pglite.js');
    const files = join(path, 'pgdata');
    if (!existsSync(files)) {
      tell('Creating the files of the database, once: this takes some seconds');
      await createFiles(files, signal);
    }
    const db = await openPglite(files);
    const close = async (): Promise<void> => {
      await db.close();
      unlock();
    };
    return { ...db, place: path, close };
  } catch (error) {
    unlock();
    if (signal?.aborted) throw new StartError('Stopped before the books were opened.', 0);
    throw new StartError(
      `The books in ${path} cannot be opened: ${error instanceof Error ? error.message : String(error)}. ` +
        'Choose another folder with --data, or delete this one to start over.',
    );
  }
}

function prepare(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
    accessSync(path, constants.W_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StartError(
      `The folder ${path} cannot be written to (${code ?? String(error)}). Choose another one with --data.`,
    );
  }
}
