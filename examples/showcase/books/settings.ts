import type { Queryable } from '../database/database.js';
import { dayIn } from '../dates.js';

/** Where the user is, as far as clocks go. */
export async function readTimeZone(q: Queryable): Promise<string> {
  const [settings] = await q.query<{ time_zone: string }>('select time_zone from settings');
  return settings?.time_zone ?? 'UTC';
}

/** The day that it is for the user. */
export async function readToday(q: Queryable, now: Date): Promise<string> {
  return dayIn(await readTimeZone(q), now);
}
