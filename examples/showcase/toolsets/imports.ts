import { ErrToolFailed } from 'toolfold/errors';
import * as z from 'zod';
import type { Entry } from '../books/postings.js';
import { lockAccounts, unpost } from '../books/postings.js';
import { recordIn } from '../books/record.js';
import { findAccount, findBudget } from '../books/references.js';
import type { Budget } from '../books/references.js';
import { readStatement } from '../books/statements.js';
import type { StatementLine } from '../books/statements.js';
import type { Queryable } from '../database/database.js';
import { only } from '../database/database.js';
import type { Finance } from '../finance.js';
import { formatAmount } from '../money.js';
import { fitPage, lists, pageFields, pages, removes, sets, toolInBudget } from './actions.js';

const statement = {
  account: z.string().describe('Name or id of the account that the statement is of'),
  csv: z
    .string()
    .min(1)
    .max(500_000)
    .describe(
      'Lines of date,payee,amount,memo such as 2026-03-01,Shop,-12.50,lunch. A negative amount is money out',
    ),
};

/** At most this many ids of added transactions and skipped lines are listed; the counts cover all. */
const MAX_IDS = 500;
const MAX_SKIPPED = 50;

export function importsTool(finance: Finance) {
  const { db } = finance;
  return toolInBudget('imports', finance)
    .description('Bank statements as CSV. A line that was imported before is not added again')
    .action({
      ...pages,
      name: 'preview',
      description:
        'Shows the status of each line, and changes nothing: new, imported_before, or possible_duplicate of the similar transaction in the books (same account and amount within three days, such as one entered by hand).',
      inputSchema: z.object({ ...statement, ...pageFields }),
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        const account = await findAccount(db, budget.id, input.account);
        const lines = readStatement(input.csv, budget.currency);
        const known = await findKnown(
          db,
          account.id,
          lines.map(({ key }) => key),
        );
        const fresh = lines.filter(({ key }) => !known.has(key));
        const similar = await findSimilar(db, account.id, fresh);
        const page = lines
          .slice(input.offset, input.offset + input.limit)
          .map(({ key, date, payee, amount, memo }) => ({
            date,
            payee,
            amount: formatAmount(amount, budget.currency),
            memo,
            status: known.has(key) ? 'imported_before' : similar.has(key) ? 'possible_duplicate' : 'new',
            similar_id: similar.get(key)?.id ?? null,
            similar_date: similar.get(key)?.date ?? null,
            similar_payee: similar.get(key)?.payee ?? null,
          }));
        const { rows, next_offset } = fitPage(page, { offset: input.offset, count: lines.length });
        const sum = (some: readonly StatementLine[]): string =>
          formatAmount(
            some.reduce((total, { amount }) => total + amount, 0n),
            budget.currency,
          );
        const [added, doubtful] = [
          fresh.filter(({ key }) => !similar.has(key)),
          fresh.filter(({ key }) => similar.has(key)),
        ];
        return {
          currency: budget.currency,
          count: lines.length,
          new: added.length,
          sum_of_new: sum(added),
          possible_duplicates: doubtful.length,
          sum_of_possible_duplicates: sum(doubtful),
          imported_before: lines.length - fresh.length,
          next_offset,
          lines: rows,
        };
      },
    })
    .action({
      ...sets,
      name: 'run',
      description:
        'Imports the CSV of a bank as cleared transactions: adds all new lines and possible duplicates, or none, with categories from rules and payees. A repeat adds nothing. imports/preview shows what it would do.',
      inputSchema: z.object({
        ...statement,
        skip_possible_duplicates: z
          .boolean()
          .default(false)
          .describe('true leaves out lines that imports/preview calls possible_duplicate'),
        name: z.string().max(120).default('statement').describe('Label of the import in imports/list'),
      }),
      handler: async ({ input, context }) => {
        const budget = await findBudget(db, input.budget);
        const account = await findAccount(db, budget.id, input.account);
        const lines = readStatement(input.csv, budget.currency);
        const result = await db.transaction(async (tx) => {
          // Of two concurrent imports, the second sees the rows of the first.
          await lockAccounts(tx, [account.id]);
          const known = await findKnown(
            tx,
            account.id,
            lines.map(({ key }) => key),
          );
          const unknown = lines.filter(({ key }) => !known.has(key));
          const skipped: ReadonlyMap<string, Similar> = input.skip_possible_duplicates
            ? await findSimilar(tx, account.id, unknown)
            : new Map();
          const fresh = unknown.filter(({ key }) => !skipped.has(key));
          const counts = {
            added: fresh.length,
            imported_before: lines.length - unknown.length,
            skipped_duplicates: skipped.size,
            skipped: unknown
              .filter(({ key }) => skipped.has(key))
              .slice(0, MAX_SKIPPED)
              .map(({ key, date, payee, amount }) => ({
                date,
                payee,
                amount: formatAmount(amount, budget.currency),
                similar_id: skipped.get(key)?.id ?? null,
              })),
          };
          if (fresh.length === 0) return { import: null, ...counts, ids: [] };
          const { id } = only(
            await tx.query<{ id: number }>(
              'insert into imports (account_id, name) values ($1, $2) returning id',
              [account.id, input.name],
            ),
          );
          const ids: number[] = [];
          for (const [index, { key, ...line }] of fresh.entries()) {
            const added = await recordIn(tx, budget.id, [
              { ...line, accountId: account.id, isCleared: true, importId: id, importKey: key },
            ]);
            ids.push(...added);
            if (index % 50 === 0) await context.progress(index, fresh.length, 'Importing');
          }
          return { import: id, ...counts, ids: ids.slice(0, MAX_IDS) };
        });
        finance.changed(account.id);
        return { ...result, account_balance: await balanceOf(budget, account.id) };
      },
    })
    .action({
      ...lists,
      name: 'list',
      description: 'Lists the last 100 imports, the newest first.',
      handler: async ({ input }) => {
        const { id } = await findBudget(db, input.budget);
        return db.query(
          `select i.id, i.name, a.name as account, count(t.id)::integer as transaction_count, i.undone_at is not null as is_undone
           from imports i join accounts a on a.id = i.account_id left join transactions t on t.import_id = i.id
           where a.budget_id = $1 group by i.id, a.id order by i.id desc limit 100`,
          [id],
        );
      },
    })
    .action({
      ...removes,
      name: 'undo',
      description:
        'Undoes an import: deletes all transactions that it added. Payees that it created stay. The lines can be imported again.',
      inputSchema: z.object({ import: z.int32().min(1).describe('Id of the import') }),
      handler: async ({ input }) => {
        const budget = await findBudget(db, input.budget);
        const removed = await db.transaction(async (tx) => {
          const [found] = await tx.query<{ account_id: number }>(
            `select i.account_id from imports i join accounts a on a.id = i.account_id
             where i.id = $1 and a.budget_id = $2`,
            [input.import, budget.id],
          );
          if (!found) throw new ErrToolFailed(`There is no import ${input.import}.`);
          await lockAccounts(tx, [found.account_id]);
          const entries = await tx.query<Entry>(
            'select * from transactions where import_id = $1 order by id',
            [input.import],
          );
          await unpost(tx, entries);
          await tx.query('update imports set undone_at = coalesce(undone_at, now()) where id = $1', [
            input.import,
          ]);
          return { accountId: found.account_id, count: entries.length };
        });
        finance.changed(removed.accountId);
        return {
          import: input.import,
          removed: removed.count,
          account_balance: await balanceOf(budget, removed.accountId),
        };
      },
    });

  async function balanceOf(budget: Budget, accountId: number): Promise<string> {
    const { balance } = await findAccount(db, budget.id, String(accountId));
    return formatAmount(balance, budget.currency);
  }
}

async function findKnown(q: Queryable, accountId: number, keys: readonly string[]): Promise<Set<string>> {
  const rows = await q.query<{ import_key: string }>(
    'select import_key from transactions where account_id = $1 and import_key = any($2)',
    [accountId, keys],
  );
  return new Set(rows.map((row) => row.import_key));
}

interface Similar {
  readonly id: number;
  readonly date: string;
  readonly payee: string | null;
}

/** Finds for each line a transaction with the same amount within three days that did not come from the same line. */
async function findSimilar(
  q: Queryable,
  accountId: number,
  lines: readonly StatementLine[],
): Promise<ReadonlyMap<string, Similar>> {
  const rows = await q.query<Similar & { key: string }>(
    `select distinct on (l.key) l.key, t.id, t.date, p.name as payee
     from unnest($2::text[], $3::date[], $4::bigint[]) as l(key, date, amount)
     join transactions t on t.account_id = $1 and t.amount = l.amount and t.date between l.date - 3 and l.date + 3
     left join payees p on p.id = t.payee_id
     order by l.key, abs(t.date - l.date), t.id`,
    [
      accountId,
      lines.map(({ key }) => key),
      lines.map(({ date }) => date),
      lines.map(({ amount }) => amount),
    ],
  );
  return new Map(rows.map(({ key, ...similar }) => [key, similar]));
}
