import type { PlannedCategory } from '../books/plan.js';
import { overOf, readFunds, readPlan } from '../books/plan.js';
import type { Budget } from '../books/references.js';
import type { Queryable } from '../database/database.js';
import { formatAmount } from '../money.js';
import { showReady } from './ready.js';

/** The categories that a month overspent, the largest first, and what could cover them. */
export async function readOverspending(q: Queryable, { id, name, currency }: Budget, month: string) {
  const plan = await readPlan(q, id, month);
  const text = (amount: bigint): string => formatAmount(amount, currency);
  const show = (row: PlannedCategory) => ({
    category: row.category,
    assigned: text(row.assigned),
    carried_over: text(row.carried),
    spent: text(row.spent),
    over: text(overOf(row)),
    available: text(row.available),
  });
  const over = plan
    .filter((row) => overOf(row) > 0n)
    .toSorted((a, b) => Number(overOf(b) - overOf(a)) || (a.category < b.category ? -1 : 1));
  return {
    budget: name,
    month,
    currency,
    what_counts:
      'over = spent - assigned - carried_over, where a carried_over below zero (a deficit of earlier months) counts as 0. ' +
      'available = assigned + carried_over - spent includes the deficit. Uncategorized spending is in no category.',
    total_over: text(over.reduce((sum, row) => sum + overOf(row), 0n)),
    categories: over.map(show),
    only_earlier_deficits: plan.filter((row) => row.available < 0n && overOf(row) === 0n).map(show),
    ...showReady(await readFunds(q, id, month), currency),
    most_available: plan
      .filter(({ available }) => available > 0n)
      .toSorted((a, b) => Number(b.available - a.available))
      .slice(0, 5)
      .map(({ category, available }) => ({ category, available: text(available) })),
  };
}
