/** Generates a year of books in memory, day by day. Amounts are in the smallest unit. */
import { addDays, addMonths, firstDay, monthOf } from '../dates.js';
import type { Account } from '../books/references.js';
import type { Currency } from '../money.js';
import { createRandom } from './random.js';
import type { Random } from './random.js';

export interface BudgetSeed {
  readonly name: string;
  readonly currency: Currency;
  readonly seed: number;
  readonly accounts: readonly {
    readonly name: string;
    readonly kind: Account['kind'];
    readonly opening: number;
  }[];
  readonly categories: Readonly<Record<string, readonly string[]>>;
  readonly income: readonly string[];
  /** Monthly budget of each category. */
  readonly planned: Readonly<Record<string, number>>;
  /** Payees and their usual categories. */
  readonly payees: Readonly<Record<string, string>>;
  readonly rules: readonly { readonly name: string; readonly contains: string; readonly category: string }[];
  readonly goals: readonly {
    readonly name: string;
    readonly target: number;
    readonly saved: number;
    readonly inDays: number;
  }[];
  readonly day: (day: SeedDay, random: Random, maker: DayMaker) => void;
}

export interface SeedDay {
  readonly date: string;
  readonly dayOfMonth: number;
  /** 0 is January. */
  readonly month: number;
  /** 0 is Sunday. */
  readonly weekday: number;
  /** The last generated day. */
  readonly last: string;
}

export interface DayMaker {
  pay(account: string, payee: string, category: string | undefined, amount: number): void;
  move(from: string, to: string, amount: number, memo: string): void;
  balanceOf(account: string): number;
}

export interface SeedEntry {
  readonly date: string;
  readonly account: string;
  readonly amount: number;
  readonly payee?: string;
  readonly category?: string | undefined;
  readonly memo?: string;
  readonly isCleared: boolean;
  readonly isOpening?: boolean;
  /** Equal on both sides of a transfer. */
  readonly transfer?: string;
}

/** Generates the entries from the first day of the month a year ago until today. */
export function makeYear(seed: BudgetSeed, today: string): SeedEntry[] {
  const random = createRandom(seed.seed);
  const entries: SeedEntry[] = [];
  const balances = new Map<string, number>();
  const clearedUntil = addDays(today, -10);
  const add = (entry: Omit<SeedEntry, 'isCleared'>): void => {
    balances.set(entry.account, (balances.get(entry.account) ?? 0) + entry.amount);
    entries.push({ ...entry, isCleared: entry.date <= clearedUntil });
  };
  const start = firstDay(addMonths(monthOf(today), -12));
  for (const { name, opening } of seed.accounts)
    if (opening !== 0)
      add({ date: start, account: name, amount: opening, memo: 'Opening balance', isOpening: true });
  let transfers = 0;
  for (let date = start; date <= today; date = addDays(date, 1)) {
    const moment = new Date(`${date}T00:00:00Z`);
    seed.day(
      {
        date,
        dayOfMonth: moment.getUTCDate(),
        month: moment.getUTCMonth(),
        weekday: moment.getUTCDay(),
        last: today,
      },
      random,
      {
        pay: (account, payee, category, amount) => add({ date, account, payee, category, amount }),
        move: (from, to, amount, memo) => {
          const transfer = `seed-${++transfers}`;
          add({ date, account: from, amount: -amount, memo, transfer });
          add({ date, account: to, amount, memo, transfer });
        },
        balanceOf: (account) => balances.get(account) ?? 0,
      },
    );
  }
  return entries;
}
