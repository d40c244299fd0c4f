import { readFileSync, readdirSync } from 'node:fs';
import type { Database } from './database.js';

const folder = new URL('migrations/', import.meta.url);
/** An arbitrary lock number, shared by all processes that may migrate. */
const LOCK = 724_301;

/** Runs the pending migrations in the order of their names, in one transaction. */
export async function migrate(db: Database): Promise<readonly string[]> {
  return db.transaction(async (tx) => {
    await tx.query('select pg_advisory_xact_lock($1)', [LOCK]);
    await tx.script(
      'create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())',
    );
    const done = new Set(
      (await tx.query<{ name: string }>('select name from migrations')).map(({ name }) => name),
    );
    const names = readdirSync(folder).filter((name) => name.endsWith('.sql') && !done.has(name));
    for (const name of names.toSorted()) {
      await tx.script(readFileSync(new URL(name, folder), 'utf8'));
      await tx.query('insert into migrations (name) values ($1)', [name]);
    }
    return names;
  });
}
