/** Databases for tests: PGlite in memory, and a PostgreSQL server where one is installed or named by DATABASE_URL. */
import { execFileSync, spawn } from 'node:child_process';
import {
  chownSync,
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
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import type { Database } from './database.js';
import { migrate } from './migrate.js';
import { openPglite } from './pglite.js';

/** An empty one with its tables. To create the files takes seconds, so they are kept from run to run. */
export async function openInMemory(): Promise<Database> {
  const kept = new URL(
    `../../../node_modules/.cache/showcase/pglite-${await pgliteVersion()}.tar`,
    import.meta.url,
  );
  if (!existsSync(kept)) await keepTemplate(kept);
  const db = await openPglite(undefined, new Blob([readFileSync(kept)]));
  await migrate(db);
  return db;
}

async function pgliteVersion(): Promise<string> {
  const about = new URL('../package.json', import.meta.resolve('@electric-sql/pglite'));
  return (JSON.parse(readFileSync(about, 'utf8')) as { version: string }).version;
}

/** Several tests may do this at the same time: each writes its own file, and the last one to be renamed stays. */
async function keepTemplate(file: URL): Promise<void> {
  const pglite = await PGlite.create();
  const files = await pglite.dumpDataDir('none');
  await pglite.close();
  mkdirSync(new URL('.', file), { recursive: true });
  const mine = new URL(`${file.href}.${process.pid}.${Math.random()}`);
  writeFileSync(mine, new Uint8Array(await files.arrayBuffer()));
  renameSync(mine, file);
}

export interface PostgresServer {
  /** An empty database of its own. */
  createDatabase(): Promise<string>;
  stop(): Promise<void>;
}

/** `undefined`, said loudly, where there is no PostgreSQL. */
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
  // PostgreSQL refuses to run as root.
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
