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
          '1. Apply my rules (rules/apply), then list transactions of that month without a category and propose one for each.',
          '2. Show where more was spent than assigned (reports/overspent).',
          '3. Compare spending with the average of the six months before (reports/spending), and name the three largest differences.',
          '4. Check that the books balance (reports/check).',
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
        `Plan ${input.month ?? addMonths(await thisMonth(), 1)}: take the monthly average of each category (reports/spending), ` +
        'keep recurring payments (reports/recurring), look at my goals, and propose amounts that do not exceed what is ready to ' +
        'assign. Assign them once I agree (categories/plan.assign_many).',
    })
    .registerPrompt({
      name: 'find_subscriptions',
      title: 'Find subscriptions',
      description: 'Looks for payments that come back every month',
      handler: () =>
        'Find my recurring payments (reports/recurring). List the subscriptions among them with their yearly cost, the most ' +
        'expensive first, and name those that have become more expensive.',
    });
}
