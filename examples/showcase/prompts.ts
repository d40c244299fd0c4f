import type { ToolRegistry } from 'toolfold';
import * as z from 'zod';
import { findDefaultBudget } from './books/references.js';
import { addMonths, completeMonth, monthSchema } from './dates.js';
import type { Finance } from './finance.js';

export function addPrompts(registry: ToolRegistry, { db, thisMonth }: Finance): void {
  const month = monthSchema.optional();
  const complete = { month: async (typed: string) => completeMonth(typed, await thisMonth()) };
  registry
    .registerPrompt({
      name: 'monthly_review',
      title: 'Monthly review',
      description: 'Goes through a month: what is uncategorized, what was overspent, what to change',
      inputSchema: z.object({ month }),
      complete,
      handler: async ({ input }) => {
        const budget = await findDefaultBudget(db);
        const chosen = input.month ?? (await thisMonth());
        return [
          `Review ${chosen}${budget ? ` of my budget "${budget.name}"` : ''}.`,
          '1. Apply my rules, then list transactions of that month without a category and propose one for each.',
          '2. Show spending by category beside what was planned, and say where more was spent.',
          '3. Compare with the average of the last six months, and name the three largest differences.',
          '4. Check that the books balance.',
          'Ask me before you change anything but categories.',
        ].join('\n');
      },
    })
    .registerPrompt({
      name: 'plan_month',
      title: 'Plan a month',
      description: 'Proposes what each category gets in a month',
      inputSchema: z.object({ month }),
      complete,
      handler: async ({ input }) =>
        `Plan ${input.month ?? addMonths(await thisMonth(), 1)}: take the average of the last three months of each ` +
        'category, keep what is fixed, look at my goals, and propose amounts that do not exceed what is ready to assign. ' +
        'Assign them once I agree.',
    })
    .registerPrompt({
      name: 'find_subscriptions',
      title: 'Find subscriptions',
      description: 'Looks for payments that come back every month',
      handler: () =>
        'Look through the payees of the last twelve months for payments of about the same amount that come back every ' +
        'month. List them with their yearly cost, the most expensive first.',
    });
}
