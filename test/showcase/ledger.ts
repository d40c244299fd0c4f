/** A reference ledger: sums up the same month without the showcase. Amounts are in cents. */
export interface PaperEntry {
  readonly id: number;
  readonly account: string;
  readonly date: string;
  readonly cents: number;
  readonly category?: string | undefined;
  readonly isTransfer?: boolean;
}

export class Ledger {
  readonly #entries = new Map<number, PaperEntry>();
  readonly #assigned = new Map<string, number>();
  readonly #income: ReadonlySet<string>;

  constructor(income: readonly string[]) {
    this.#income = new Set(income);
  }

  write(entry: PaperEntry): void {
    if (this.#entries.has(entry.id)) throw new Error(`Entry ${entry.id} is there already.`);
    this.#entries.set(entry.id, entry);
  }

  correct(id: number, changes: Partial<PaperEntry>): void {
    const entry = this.#entries.get(id);
    if (!entry) throw new Error(`There is no entry ${id}.`);
    this.#entries.set(id, { ...entry, ...changes });
  }

  strike(id: number): void {
    if (!this.#entries.delete(id)) throw new Error(`There is no entry ${id}.`);
  }

  assign(category: string, cents: number): void {
    this.#assigned.set(category, cents + (this.#assigned.get(category) ?? 0));
  }

  assignedTo(category: string): number {
    return this.#assigned.get(category) ?? 0;
  }

  get entries(): readonly PaperEntry[] {
    return [...this.#entries.values()];
  }

  balanceOf(account: string): number {
    return sum(this.entries.filter((entry) => entry.account === account));
  }

  balances(): Record<string, string> {
    const accounts = [...new Set(this.entries.map(({ account }) => account))];
    return Object.fromEntries(accounts.map((account) => [account, toText(this.balanceOf(account))]));
  }

  /** Spending minus refunds by category. Uncategorised entries are spending if they are negative. */
  spending(month: string): Record<string, string> {
    const spent = new Map<string, number>();
    for (const entry of this.#flow(month)) {
      if (this.#isIncome(entry)) continue;
      const name = entry.category ?? 'Uncategorized';
      spent.set(name, (spent.get(name) ?? 0) - entry.cents);
    }
    return Object.fromEntries([...spent].map(([name, cents]) => [name, toText(cents)]));
  }

  income(month: string): number {
    return sum(this.#flow(month).filter((entry) => this.#isIncome(entry)));
  }

  spent(month: string): number {
    return -sum(this.#flow(month).filter((entry) => !this.#isIncome(entry)));
  }

  worthAtTheEndOf(month: string): number {
    return sum(this.entries.filter(({ date }) => date.slice(0, 7) <= month));
  }

  /** The unspent part of the amount assigned to a category. */
  left(category: string): number {
    return this.assignedTo(category) + sum(this.entries.filter((entry) => entry.category === category));
  }

  #flow(month: string): PaperEntry[] {
    return this.entries.filter(({ date, isTransfer }) => !isTransfer && date.startsWith(month));
  }

  #isIncome({ category, cents }: PaperEntry): boolean {
    return category === undefined ? cents > 0 : this.#income.has(category);
  }
}

function sum(entries: readonly PaperEntry[]): number {
  return entries.reduce((total, { cents }) => total + cents, 0);
}

export function toText(cents: number): string {
  const digits = String(Math.abs(cents)).padStart(3, '0');
  return `${cents < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

export function toCents(text: string): number {
  return Number(text.replace('.', ''));
}
