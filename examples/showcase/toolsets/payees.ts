import * as z from 'zod';
import { findBudget, findCategory, findPayee } from '../books/references.js';
import type { Payee } from '../books/references.js';
import { only } from '../database/database.js';
import { assertInOrder, dateSchema } from '../dates.js';
import { InvalidInput } from '../errors.js';
import type { Finance } from '../finance.js';
import { formatAmount } from '../money.js';
import { lists, removes, sets, sums, toolInBudget } from './actions.js';

const reference = { payee: z.string().describe('Name or id of the payee') };

export function payeesTool(finance: Finance) {
  const { db } = finance;
  return toolInBudget('payees', finance)
    .description('Who is paid, and who pays')
    .action({
      ...lists,
      name: 'list',
      description: 'Lists payees with their usual category.',
      inputSchema: z.object({ contains: z.string().default('').describe('Part of the name') }),
      handler: async ({ input }) => {
        const { id } = await findBudget(db, input.budget);
        return db.query(
          `select p.id, p.name, c.name as category from payees p left join categories c on c.id = p.category_id
           where p.budget_id = $1 and position(lower($2) in lower(p.name)) > 0 order by p.name`,
          [id, input.contains],
        );
      },
    })
    .action({
      ...sums,
      name: 'totals',
      description: 'Shows who was paid most, and how often.',
      inputSchema: z.object({
        from: dateSchema.optional(),
        to: dateSchema.optional(),
        limit: z.int().min(1).max(100).default(10),
      }),
      textFormat: 'toon',
      handler: async ({ input }) => {
        assertInOrder(input);
        const { id, currency } = await findBudget(db, input.budget);
        const rows = await db.query<{ payee: string; count: number; total: bigint }>(
          `select p.name as payee, count(*)::integer as count, sum(t.amount)::bigint as total
           from transactions t join payees p on p.id = t.payee_id
           where p.budget_id = $1 and t.date between coalesce($2::date, '-infinity') and coalesce($3::date, 'infinity')
           group by p.id order by sum(t.amount), p.name limit $4`,
          [id, input.from ?? null, input.to ?? null, input.limit],
        );
        return {
          currency,
          payees: rows.map((row) => ({ ...row, total: formatAmount(row.total, currency) })),
        };
      },
    })
    .action({
      ...sets,
      name: 'rename',
      description: 'Renames a payee.',
      inputSchema: z.object({ ...reference, name: z.string().trim().min(1).max(120) }),
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        const { id } = await findPayee(db, budget.id, input.payee);
        return only(
          await db.query<Payee>('update payees set name = $2 where id = $1 returning id, name', [
            id,
            input.name,
          ]),
        );
      },
    })
    .action({
      ...sets,
      name: 'set_category',
      description: 'Sets what a payee is usually paid for; new transactions get that category.',
      inputSchema: z.object({
        ...reference,
        category: z.string().nullable().describe('Name or id; null for none'),
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
      description: 'Makes one payee of two: all transactions go to the one that is kept.',
      inputSchema: z.object({ keep: z.string(), merge: z.string().describe('The payee that goes') }),
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        return db.transaction(async (tx) => {
          const keep = await findPayee(tx, budget.id, input.keep);
          const gone = await findPayee(tx, budget.id, input.merge);
          if (keep.id === gone.id) throw new InvalidInput('A payee cannot be merged with itself.');
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
