import { readToday } from './books/settings.js';
import type { Database } from './database/database.js';
import { monthOf } from './dates.js';
import { loadMarket } from './market/market.js';
import type { Market } from './market/market.js';

/** What all toolsets work with. */
export interface Finance {
  readonly db: Database;
  readonly market: Market;
  readonly now: () => Date;
  /** The day, and the month, that it is for the user. */
  today(): Promise<string>;
  thisMonth(): Promise<string>;
  /** Tells whoever listens that what these accounts hold has changed. */
  changed(...accountIds: readonly number[]): void;
  onChange(listener: (accountId: number) => void): void;
}

export function createFinance(db: Database, now: () => Date = () => new Date()): Finance {
  const listeners: ((accountId: number) => void)[] = [];
  const today = (): Promise<string> => readToday(db, now());
  return {
    db,
    market: loadMarket(),
    now,
    today,
    thisMonth: async () => monthOf(await today()),
    changed: (...accountIds) => {
      for (const id of accountIds) for (const listener of listeners) listener(id);
    },
    onChange: (listener) => void listeners.push(listener),
  };
}
