import type { Funds } from '../books/plan.js';
import { formatAmount } from '../money.js';
import type { Currency } from '../money.js';

/** The amount that no category has yet, and the amounts that explain it. */
export function showReady({ ready, uncategorized, deficits }: Funds, currency: Currency) {
  return {
    ready_to_assign: formatAmount(ready, currency),
    ready_to_assign_is:
      'income, opening balances and uncategorized transactions (negative: spending) minus all assigned amounts. Deficits of categories are not deducted: with what all categories have available it is the balance of the accounts.',
    uncategorized: formatAmount(uncategorized, currency),
    deficits: formatAmount(deficits, currency),
  };
}
