import type { Queryable } from '../database/database.js';
import { dayIn } from '../dates.js';

/** The user's time zone. */
export async function readTimeZone(q: Queryable): Promise<string> {
  const [settings] = await q.query<{ time_zone: string }>('select time_zone from settings');
  return settings?.time_zone ?? 'UTC';
}

/** The current day in the user's time zone. */
export async function readToday(q: Queryable, now: Date): Promise<string> {
  return dayIn(await readTimeZone(q), now);
}
