// #region fencing
import { ErrToolFailed } from 'toolfold/errors';

/** A fake database. Each account stores the highest fencing token that has written to it. */
export class Ledger {
  readonly #accounts = new Map<string, { balance: number; token: number }>();

  pay(name: string, amount: number, token: number): string {
    const account = this.#accounts.get(name) ?? { balance: 0, token: 0 };
    // A delayed call is rejected if a later call has already written.
    if (token <= account.token) throw new ErrToolFailed(`A later call has written to ${name}.`);
    this.#accounts.set(name, { balance: account.balance + amount, token });
    return `${name}: ${account.balance + amount}`;
  }

  balanceOf(name: string): number {
    return this.#accounts.get(name)?.balance ?? 0;
  }
}
// #endregion fencing
