// #region fencing
/** Stands for a database. Each account knows the highest token that has written to it. */
export class Ledger {
  readonly #accounts = new Map<string, { balance: number; token: number }>();

  pay(name: string, amount: number, token: number): string {
    const account = this.#accounts.get(name) ?? { balance: 0, token: 0 };
    // Whoever was held up is refused where a later call has written already.
    if (token <= account.token) throw new Error(`A later call has written to ${name}.`);
    this.#accounts.set(name, { balance: account.balance + amount, token });
    return `${name}: ${account.balance + amount}`;
  }

  balanceOf(name: string): number {
    return this.#accounts.get(name)?.balance ?? 0;
  }
}
// #endregion fencing
