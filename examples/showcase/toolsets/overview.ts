import { GroupedToolBuilder } from 'toolfold';
import { ErrToolFailed } from 'toolfold/errors';
import * as z from 'zod';
import { readBudgets } from '../books/references.js';
import { readTimeZone } from '../books/settings.js';
import { isTimeZone, timeIn } from '../dates.js';
import type { Finance } from '../finance.js';
import { formatAmount } from '../money.js';
import { reads, sets } from './actions.js';

/** Belongs to no toolset, so it is always listed. */
export function overviewTool({ db, now }: Finance) {
  return new GroupedToolBuilder('finance')
    .description('Overview of all budgets, and the time zone of the user')
    .action({
      ...reads,
      name: 'overview',
      description:
        'Shows all budgets with their open accounts and balances, which budget is the default, and the current date and time of the user. A good first call.',
      outputSchema: z.object({
        time_zone: z.string(),
        local_time: z.string(),
        budgets: z.array(
          z.object({
            id: z.int(),
            name: z.string(),
            currency: z.string(),
            is_default: z.boolean(),
            accounts: z.array(
              z.object({ id: z.int(), name: z.string(), kind: z.string(), balance: z.string() }),
            ),
          }),
        ),
      }),
      handler: async () => {
        const timeZone = await readTimeZone(db);
        const budgets = await readBudgets(db);
        const accounts = await db.query<{
          id: number;
          budget_id: number;
          name: string;
          kind: string;
          balance: bigint;
        }>('select id, budget_id, name, kind, balance from accounts where closed_on is null order by id');
        return {
          time_zone: timeZone,
          local_time: timeIn(timeZone, now()),
          budgets: budgets.map((budget) => ({
            ...budget,
            accounts: accounts
              .filter((account) => account.budget_id === budget.id)
              .map(({ id, name, kind, balance }) => ({
                id,
                name,
                kind,
                balance: formatAmount(balance, budget.currency),
              })),
          })),
        };
      },
    })
    .action({
      ...sets,
      name: 'set_time_zone',
      description: 'Sets the time zone of the user, which decides what today and the current month are.',
      inputSchema: z.object({ time_zone: z.string().describe('Name such as Europe/Berlin') }),
      handler: async ({ input }) => {
        if (!isTimeZone(input.time_zone))
          throw new ErrToolFailed(`"${input.time_zone}" is no time zone. Use a name such as Europe/Berlin.`);
        await db.query('update settings set time_zone = $1', [input.time_zone]);
        return { time_zone: input.time_zone, local_time: timeIn(input.time_zone, now()) };
      },
    });
}
