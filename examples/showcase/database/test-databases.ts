/** Databases for tests: PGlite in memory, and a PostgreSQL server if one is installed or DATABASE_URL names one. */
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createFiles } from './create-files.js';
import type { Database } from './database.js';
import { migrate } from './migrate.js';
import { openPglite } from './pglite.js';

const cache = new URL('../../../node_modules/.cache/showcase/', import.meta.url);

/**
 * Creates a database in memory with its tables and the data that `fill` writes. Creating it takes seconds, so its files
 * are cached under the given name between runs, until the migrations, the seed, `dates.ts` or PGlite's version change.
 */
export async function openInMemory(
  name = 'empty',
  fill: (db: Database) => Promise<unknown> = async () => {},
): Promise<Database> {
  const kept = new URL(`${name}-${await digestOfMakers()}.tar`, cache);
  if (!existsSync(kept)) {
    const db = await openPglite();
    await migrate(db);
    await fill(db);
    const files = new Uint8Array(await (await db.dump()).arrayBuffer());
    await db.close();
    keep(kept, (mine) => writeFileSync(mine, files));
  }
  return openPglite(undefined, new Blob([readFileSync(kept)]));
}

/** Copies the files of an empty database into a folder, because creating them is slow. */
export async function putFiles(folder: string): Promise<void> {
  const kept = new URL(`pgdata-${await pgliteVersion()}`, cache);
  if (!existsSync(kept)) {
    const mine = mkdtempSync(join(tmpdir(), 'showcase-pgdata-'));
    await createFiles(join(mine, 'pgdata'));
    keep(kept, (place) => cpSync(join(mine, 'pgdata'), place, { recursive: true }));
    rmSync(mine, { recursive: true });
  }
  cpSync(kept, join(folder, 'pgdata'), { recursive: true });
}

/** Writes a file or folder into the cache. Concurrent tests each write their own, and one of them is kept. */
function keep(place: URL, write: (mine: URL) => void): void {
  mkdirSync(cache, { recursive: true });
  const mine = new URL(`${place.href}.${process.pid}.${Math.random()}`);
  write(mine);
  try {
    renameSync(mine, place);
  } catch (error) {
    // The folder already exists, because another test was faster.
    if (!existsSync(place)) throw error;
    rmSync(mine, { recursive: true });
  }
}

async function pgliteVersion(): Promise<string> {
  const about = new URL('../package.json', import.meta.resolve('@electric-sql/pglite'));
  return (JSON.parse(readFileSync(about, 'utf8')) as { version: string }).version;
}

/** A digest of PGlite's version and the files that create a test database: migrations, seed and `dates.ts`. */
async function digestOfMakers(): Promise<string> {
  const hash = createHash('sha256').update(await pgliteVersion());
  for (const folder of ['migrations/', '../seed/'])
    for (const file of readdirSync(new URL(folder, import.meta.url)).toSorted())
      hash.update(readFileSync(new URL(`${folder}${file}`, import.meta.url)));
  hash.update(readFileSync(new URL('../dates.ts', import.meta.url)));
  return hash.digest('hex').slice(0, 16);
}

export interface PostgresServer {
  /** Creates an empty database and resolves to its address. */
  createDatabase(): Promise<string>;
  stop(): Promise<void>;
}

/** Starts a PostgreSQL server. Resolves to `undefined`, with a warning, if none is installed. */
export async function startPostgres(): Promise<PostgresServer | undefined> {
  const given = process.env['DATABASE_URL'];
  if (given !== undefined && given !== '') return serverAt(given, async () => {});
  const bin = findBinaries();
  if (bin === undefined) {
    process.stderr.write(
      '\n*** SKIPPED: the showcase on PostgreSQL. Install postgresql, or set DATABASE_URL to a server. ***\n\n',
    );
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), 'showcase-postgres-'));
  // PostgreSQL does not run as root.
  const user = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : undefined;
  if (user) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const quiet = { ...user, cwd: folder, stdio: 'ignore' as const };
  execFileSync(join(bin, 'initdb'), ['-D', data, '-U', 'test', '-A', 'trust', '--no-sync'], quiet);
  const settings = ['listen_addresses=', `unix_socket_directories=${folder}`, 'fsync=off'];
  const child = spawn(
    join(bin, 'postgres'),
    ['-D', data, ...settings.flatMap((each) => ['-c', each])],
    quiet,
  );
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  return serverAt(`postgresql://test@localhost/postgres?host=${encodeURIComponent(folder)}`, async () => {
    child.kill('SIGINT');
    await ended;
    process.off('exit', kill);
    rmSync(folder, { recursive: true, force: true });
  });
}

async function serverAt(url: string, stop: () => Promise<void>): Promise<PostgresServer> {
  const names: string[] = [];
  await untilReady(url);
  return {
    createDatabase: async () => {
      const name = `showcase_test_${process.pid}_${Date.now()}_${names.length}`;
      await runOn(url, `create database ${name}`);
      names.push(name);
      const address = new URL(url);
      address.pathname = `/${name}`;
      return String(address);
    },
    stop: async () => {
      for (const name of names) await runOn(url, `drop database ${name} with (force)`);
      await stop();
    },
  };
}

async function runOn(url: string, statement: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

async function untilReady(url: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await runOn(url, 'select 1');
    } catch (error) {
      if (attempt === 100) throw error;
      await new Promise((resolve) => {
        setTimeout(resolve, 100);
      });
    }
  }
}

function findBinaries(): string | undefined {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(debian, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(':'),
  ];
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')));
}

function idOf(flag: '-u' | '-g'): number {
  return Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
}
