import { readToday } from './books/settings.js';
import type { Database } from './database/database.js';
import { monthOf } from './dates.js';
import { loadMarket } from './market/market.js';
import type { Market } from './market/market.js';

/** The services that all toolsets use. */
export interface Finance {
  readonly db: Database;
  readonly market: Market;
  readonly now: () => Date;
  /** The current day and month in the user's time zone. */
  today(): Promise<string>;
  thisMonth(): Promise<string>;
  /** Notifies subscribers that the balances of these accounts changed. */
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
