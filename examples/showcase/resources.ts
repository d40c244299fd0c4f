import type { ToolRegistry } from 'toolfold';
import { ErrToolFailed, ErrUnknownResource } from 'toolfold/errors';
import { readEntries } from './books/entries.js';
import type { Account, Budget } from './books/references.js';
import { findBudget, findDefaultBudget } from './books/references.js';
import { readSpending } from './books/reports.js';
import { completeMonth, firstDay, lastDay, monthSchema } from './dates.js';
import type { Finance } from './finance.js';
import { formatAmount } from './money.js';

export function addResources(registry: ToolRegistry, finance: Finance): void {
  const { db, thisMonth } = finance;
  const names = async (typed: string): Promise<string[]> => {
    const rows = await db.query<{ name: string }>('select name from budgets order by id');
    return rows.map(({ name }) => name).filter((name) => name.toLowerCase().startsWith(typed.toLowerCase()));
  };
  registry
    .registerResource({
      name: 'default-budget',
      uri: 'budget://default',
      title: 'Default budget',
      description: 'The budget that is meant where none is named, with its accounts',
      mimeType: 'application/json',
      handler: orUnknown(async () => {
        const budget = await findDefaultBudget(db);
        if (!budget) throw new ErrToolFailed('There is no budget yet.');
        const accounts = await db.query<Account>('select * from accounts where budget_id = $1 order by id', [
          budget.id,
        ]);
        return JSON.stringify({
          ...budget,
          accounts: accounts.map(({ id, name, balance }) => ({
            uri: accountUri(id),
            name,
            balance: formatAmount(balance, budget.currency),
          })),
        });
      }),
    })
    .registerResource({
      name: 'account',
      uriTemplate: 'account://{id}',
      title: 'Account',
      description: 'An account with its last 20 transactions. Subscribers are notified of changes',
      mimeType: 'application/json',
      complete: {
        id: async (typed) =>
          (await db.query<{ id: number }>('select id from accounts order by id'))
            .map(({ id }) => String(id))
            .filter((id) => id.startsWith(typed)),
      },
      handler: orUnknown(async ({ id = '' }) => {
        const [account] = await db.query<Account & { budget_id: number }>(
          'select * from accounts where id::text = $1',
          [id],
        );
        if (!account) throw new ErrToolFailed(`There is no account ${id}.`);
        const budget: Budget = await findBudget(db, String(account.budget_id));
        const { entries } = await readEntries(db, budget, { accountId: account.id, limit: 20 });
        const { name, kind, balance } = account;
        return JSON.stringify({
          id: account.id,
          name,
          kind,
          budget: budget.name,
          currency: budget.currency,
          balance: formatAmount(balance, budget.currency),
          transactions: entries,
        });
      }),
    })
    .registerResource({
      name: 'spending-report',
      uriTemplate: 'report://{budget}/{month}',
      title: 'Spending of a month',
      description: 'What was spent in a month, by category',
      mimeType: 'text/markdown',
      complete: {
        budget: names,
        month: async (typed) => completeMonth(typed, await thisMonth()),
      },
      handler: orUnknown(async ({ budget: reference = '', month = '' }) => {
        if (!monthSchema.safeParse(month).success)
          throw new ErrToolFailed(`"${month}" is no month such as 2026-03.`);
        const { id, name, currency } = await findBudget(db, reference);
        const rows = await readSpending(db, id, { from: firstDay(month), to: lastDay(month) }, 'category');
        return [
          `# ${name}, ${month} (${currency})`,
          '',
          ...rows.map((row) => `- ${row.name}: ${formatAmount(row.spent, currency)}`),
        ].join('\n');
      }),
    });
  finance.onChange((accountId) => {
    registry.notifyResourceUpdated(accountUri(accountId));
    registry.notifyResourceUpdated('budget://default');
  });
}

interface Reading {
  readonly uri: string;
  readonly variables: Readonly<Record<string, string>>;
}

/** Reports an expected failure, such as an unknown name, as an unknown resource. */
function orUnknown(read: (variables: Reading['variables']) => Promise<string>) {
  return async ({ uri, variables }: Reading): Promise<string> => {
    try {
      return await read(variables);
    } catch (error) {
      if (!(error instanceof ErrToolFailed)) throw error;
      throw new ErrUnknownResource(error.message, { details: { uri } });
    }
  };
}

function accountUri(id: number): string {
  return `account://${id}`;
}
