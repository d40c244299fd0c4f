import { ErrToolFailed } from 'toolfold/errors';
import * as z from 'zod';
import { findBudget, findCategory, findPayee } from '../books/references.js';
import type { Payee } from '../books/references.js';
import { only } from '../database/database.js';
import { readSpending } from '../books/reports.js';
import { findLostRules } from '../books/rules.js';
import { assertInOrder, fromField, toField } from '../dates.js';
import type { Finance } from '../finance.js';
import { formatAmount } from '../money.js';
import { fitPage, pageFields, pages, quote, removes, sets, sums, toolInBudget } from './actions.js';

const reference = { payee: z.string().describe('Name or id of the payee') };

export function payeesTool(finance: Finance) {
  const { db } = finance;
  return toolInBudget('payees', finance)
    .description('Payees: shops, companies and people who are paid or who pay')
    .action({
      ...pages,
      name: 'list',
      description:
        'Lists payees by name, with their usual category, which new transactions get unless a rule matches or the call gives one.',
      inputSchema: z.object({
        contains: z.string().default('').describe('Part of the name, in any case. Default: all payees'),
        ...pageFields,
      }),
      handler: async ({ input }) => {
        const { id } = await findBudget(db, input.budget);
        const found = await db.query(
          `select p.id, p.name, c.name as usual_category from payees p left join categories c on c.id = p.category_id
           where p.budget_id = $1 and position(lower($2) in lower(p.name)) > 0 order by p.name, p.id`,
          [id, input.contains],
        );
        const page = found.slice(input.offset, input.offset + input.limit);
        const { rows, next_offset } = fitPage(page, { offset: input.offset, count: found.length });
        return { count: found.length, next_offset, payees: rows };
      },
    })
    .action({
      ...sums,
      name: 'totals',
      description:
        'Shows the payees (merchants) that got most: spent is spending minus refunds. Transfers and income do not count.',
      inputSchema: z.object({
        from: fromField.describe('First day, such as 2026-03-01. Default: since the books began'),
        to: toField,
        top: z.int().min(1).max(50).default(10).describe('Number of payees'),
      }),
      textFormat: 'toon',
      handler: async ({ input }) => {
        assertInOrder(input);
        const { id, currency } = await findBudget(db, input.budget);
        const period = {
          ...(input.from === undefined ? {} : { from: input.from }),
          ...(input.to === undefined ? {} : { to: input.to }),
        };
        const rows = await readSpending(db, id, period, 'payee');
        return {
          currency,
          payee_count: rows.length,
          total_spent: formatAmount(
            rows.reduce((sum, { spent }) => sum + spent, 0n),
            currency,
          ),
          payees: rows.slice(0, input.top).map(({ name, count, spent }) => ({
            payee: name,
            count,
            spent: formatAmount(spent, currency),
          })),
        };
      },
    })
    .action({
      ...sets,
      name: 'rename',
      description:
        'Renames a payee: all its transactions show the new name, and rules match that name. To combine it with an existing payee use payees/merge.',
      inputSchema: z.object({ ...reference, name: z.string().trim().min(1).max(120).describe('New name') }),
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        const { id, name: oldName } = await findPayee(db, budget.id, input.payee);
        const renamed = only(
          await db.query<Payee & { transactions: number }>(
            `update payees set name = $2 where id = $1
             returning id, name, (select count(*) from transactions t where t.payee_id = $1)::integer as transactions`,
            [id, input.name],
          ),
        );
        return {
          id: renamed.id,
          name: renamed.name,
          transaction_count: renamed.transactions,
          rules_that_no_longer_match: await findLostRules(db, budget.id, oldName, renamed.name),
        };
      },
    })
    .action({
      ...sets,
      name: 'set_category',
      description:
        'Sets the usual category of a payee. New transactions get it unless a rule matches or the call gives a category; past ones stay as they are.',
      inputSchema: z.object({
        ...reference,
        category: z.string().nullable().describe('Name or id of the category; null for none'),
      }),
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        const { id, name } = await findPayee(db, budget.id, input.payee);
        const category =
          input.category === null ? undefined : await findCategory(db, budget.id, input.category);
        await db.query('update payees set category_id = $2 where id = $1', [id, category?.id ?? null]);
        return { id, name, category: category?.name ?? null };
      },
    })
    .action({
      ...removes,
      name: 'merge',
      description:
        'Merges two payees that are the same: moves all transactions to the one that is kept, and deletes the other. It cannot be undone.',
      inputSchema: z.object({
        keep: z.string().describe('Name or id of the payee that stays'),
        merge: z.string().describe('Name or id of the payee that is deleted'),
      }),
      confirm: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        const [keep, gone] = [
          await findPayee(db, budget.id, input.keep),
          await findPayee(db, budget.id, input.merge),
        ];
        return `Move all transactions of ${quote(gone.name)} to ${quote(keep.name)}, and delete ${quote(gone.name)}? It cannot be undone.`;
      },
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        return db.transaction(async (tx) => {
          const keep = await findPayee(tx, budget.id, input.keep);
          const gone = await findPayee(tx, budget.id, input.merge);
          if (keep.id === gone.id) throw new ErrToolFailed('A payee cannot be merged with itself.');
          // A concurrent transaction for this payee either finishes before, or no longer finds the payee.
          await tx.query('select 1 from payees where id = $1 for update', [gone.id]);
          const moved = await tx.query(
            'update transactions set payee_id = $1 where payee_id = $2 returning id',
            [keep.id, gone.id],
          );
          await tx.query('delete from payees where id = $1', [gone.id]);
          return { id: keep.id, name: keep.name, moved_transactions: moved.length };
        });
      },
    });
}
