import type { Database } from '../../examples/showcase/database/database.js';
import { addMonths, firstDay, lastDay, monthOf } from '../../examples/showcase/dates.js';
import { toText } from './ledger.js';
import type { Task } from './task-definition.js';

type Json = Record<string, unknown>;

const oneRow = async (db: Database, sql: string, values: readonly unknown[] = []): Promise<Json> =>
  (await db.query<Json>(sql, values))[0] ?? {};

export const tasksThatWrite: readonly Task[] = [
  {
    title: 'overspent categories, and how to cover them',
    actions: ['reports/overspent', 'categories/plan.move'],
    question: ({ lastMonth }) =>
      `In which categories did I spend more in ${lastMonth} than they had for that month, and by how much in total? Cover the largest one with budgeted money of Holidays in that month. How much does Holidays have left then?`,
    expected: ({ overspent }) => overspent,
    perform: async (call, { lastMonth }) => {
      type Found = { total_over: string; categories: { category: string; over: string }[] };
      const { total_over: total, categories } = await call<Found>('reports/overspent', { month: lastMonth });
      const [worst] = categories;
      const moved = await call<{ from_category: { available: string } }>('categories/plan.move', {
        from_category: 'Holidays',
        to_category: worst?.category,
        amount: worst?.over,
        month: lastMonth,
      });
      return {
        categories: categories.map(({ category, over }) => `${category} ${over}`).toSorted(),
        total,
        holidays: moved.from_category.available,
      };
    },
    isDone: async (db, { lastMonth, worst }) => {
      const { assigned } = await oneRow(
        db,
        `select sum(g.amount)::integer as assigned from assignments g join categories c on c.id = g.category_id
         where c.name = $1 and g.month = $2`,
        [worst.category, firstDay(lastMonth)],
      );
      return assigned === worst.assigned + worst.over;
    },
  },
  {
    title: 'budget for the next month',
    actions: ['categories/plan.copy'],
    question: ({ today }) =>
      `Plan ${addMonths(monthOf(today), 1)} like the current month, but with 600 for groceries. How much is left to assign then?`,
    expected: ({ readyNextMonth }) => ({ ready: readyNextMonth }),
    perform: async (call, { today }) => {
      const { ready_to_assign: ready } = await call('categories/plan.copy', {
        month: addMonths(monthOf(today), 1),
        changes: [{ category: 'Groceries', amount: '600' }],
      });
      return { ready };
    },
    isDone: async (db, { today, plannedNextMonth }) => {
      const { planned } = await oneRow(
        db,
        `select sum(g.amount)::integer as planned from assignments g join categories c on c.id = g.category_id
         where c.budget_id = 1 and g.month = $1`,
        [firstDay(addMonths(monthOf(today), 1))],
      );
      return planned === plannedNextMonth;
    },
  },
  {
    title: 'categories for uncategorised transactions',
    actions: ['rules/apply', 'transactions/categorize'],
    question: () =>
      'Some transactions have no category. Let my rules handle what they can, and put the rest into Household goods. How many did the rules handle, and how many were left?',
    expected: ({ uncategorized }) => uncategorized,
    perform: async (call) => {
      type Applied = { count: number; left_without_category: number; left_ids: number[] };
      const { count, left_without_category: left, left_ids: ids } = await call<Applied>('rules/apply');
      if (ids.length > 0)
        await call('transactions/categorize', { transaction_ids: ids, category: 'Household goods' });
      return { byRules: count, left };
    },
    isDone: async (db, { uncategorized }) => {
      const { open } = await oneRow(
        db,
        `select count(*)::integer as open from transactions t join accounts a on a.id = t.account_id
         where a.budget_id = 1 and t.category_id is null and t.transfer_id is null and not t.is_opening and t.payee_id is not null`,
      );
      return open === 0 && Number(uncategorized['left']) >= 0;
    },
  },
  {
    title: 'new name of a payee',
    actions: ['payees/rename'],
    question: () =>
      'Espresso am Eck is called Eckcafé now. Rename it everywhere. How many transactions does it have?',
    expected: ({ espressos }) => ({ transactions: espressos }),
    perform: async (call) => {
      const { transaction_count: transactions } = await call('payees/rename', {
        payee: 'Espresso am Eck',
        name: 'Eckcafé',
      });
      return { transactions };
    },
    isDone: async (db) => {
      const names = ['Eckcafé', 'Espresso am Eck'];
      const rows = await db.query<{ name: string }>('select name from payees where name = any($1)', [names]);
      return rows.length === 1 && rows[0]?.name === names[0];
    },
  },
  {
    title: 'a payment that was entered twice',
    actions: ['reports/duplicates', 'transactions/delete'],
    question: () =>
      'I think that I entered a payment twice within the last weeks. Find it and delete one of the two. What is the balance of the account then?',
    expected: ({ duplicate, card }) => ({ payee: duplicate.payee, balance: toText(card + duplicate.cents) }),
    perform: async (call) => {
      type Found = { pairs: { payee: string; safer_to_delete: number }[] };
      const [pair] = (await call<Found>('reports/duplicates')).pairs;
      const { account_balance: balance } = await call('transactions/delete', {
        transaction: pair?.safer_to_delete,
      });
      return { payee: pair?.payee, balance };
    },
    isDone: async (db, { duplicate }) => {
      const rows = await db.query('select 1 from transactions where id = any($1)', [duplicate.ids]);
      return rows.length === 1;
    },
  },
  {
    title: 'check and import of a statement',
    actions: ['imports/preview', 'imports/run'],
    question: ({ csv }) =>
      `These lines are from the statement of my card:\n${csv}\nWhich of them seem to be in my books already? Import only the others. What is the balance of the card then?`,
    expected: ({ card, duplicate }) => ({
      there: ['City Transit'],
      added: 2,
      balance: toText(card + duplicate.cents - 3_060),
    }),
    perform: async (call, { csv }) => {
      type Found = { lines: { payee: string; status: string }[] };
      const { lines } = await call<Found>('imports/preview', { account: 'Card', csv });
      const there = lines.filter(({ status }) => status !== 'new');
      const done = await call('imports/run', { account: 'Card', csv, skip_possible_duplicates: true });
      return {
        there: there.map(({ payee }) => payee),
        added: done['added'],
        balance: done['account_balance'],
      };
    },
    // The next task undoes the import, so only its record is left.
    isDone: async (db) => (await db.query('select 1 from imports')).length > 0,
  },
  {
    title: 'undo of an import',
    actions: ['imports/list', 'imports/undo'],
    question: () =>
      'The statement that you have just imported was the wrong one. Undo the import. What is the balance of the card now?',
    expected: ({ card, duplicate }) => ({ balance: toText(card + duplicate.cents) }),
    perform: async (call) => {
      const [last] = await call<{ id: number }[]>('imports/list');
      const { account_balance: balance } = await call('imports/undo', { import: last?.id });
      return { balance };
    },
    isDone: async (db) => {
      const rows = await db.query('select 1 from transactions where import_id is not null');
      const undone = await db.query('select 1 from imports where undone_at is not null');
      return rows.length === 0 && undone.length > 0;
    },
  },
  {
    title: 'split of a transfer',
    actions: ['transfers/list', 'transfers/update', 'transfers/make'],
    question: ({ lastMonth }) =>
      `Of the transfer from Checking to Savings in ${lastMonth}, 100.00 should have gone to Cash instead, on the same day. Correct that. What are the balances of Savings and Cash then?`,
    expected: ({ savings, cash }) => ({ savings: toText(savings - 10_000), cash: toText(cash + 10_000) }),
    perform: async (call, { lastMonth }) => {
      type Found = { transfers: { id: number; amount: string; date: string }[] };
      const { transfers } = await call<Found>('transfers/list', {
        from_account: 'Checking',
        to_account: 'Savings',
        from: firstDay(lastMonth),
        to: lastDay(lastMonth),
      });
      const [made] = transfers;
      const changed = await call('transfers/update', {
        transfer: made?.id,
        amount: (Number(made?.amount) - 100).toFixed(2),
      });
      const second = await call('transfers/make', {
        from_account: 'Checking',
        to_account: 'Cash',
        amount: '100.00',
        date: made?.date,
      });
      return { savings: changed['to_account_balance'], cash: second['to_account_balance'] };
    },
    isDone: async (db, { savings, cash, lastMonth }) => {
      const { first, second } = await oneRow(
        db,
        `select (select balance from accounts where name = 'Savings' and budget_id = 1)::integer as first,
                (select sum(t.amount) from transactions t join accounts a on a.id = t.account_id
                 where a.name = 'Cash' and t.amount = 10000 and t.date between $1 and $2)::integer as second`,
        [firstDay(lastMonth), lastDay(lastMonth)],
      );
      return first === savings - 10_000 && second === 10_000 && cash >= 0;
    },
  },
  {
    title: 'reconciliation of an account',
    actions: ['accounts/reconcile'],
    question: ({ checking }) =>
      `My bank says that Checking has ${toText(checking - 735)} today. Reconcile the account. Which correction was booked?`,
    expected: () => ({ adjustment: '-7.35' }),
    perform: async (call, { checking }) => {
      const { adjustment } = await call('accounts/reconcile', {
        account: 'Checking',
        bank_balance: toText(checking - 735),
      });
      return { adjustment };
    },
    isDone: async (db, { checking, today }) => {
      const { balance, open } = await oneRow(
        db,
        `select a.balance::integer as balance, (select count(*) from transactions t
           where t.account_id = a.id and not t.is_cleared and t.date <= $1)::integer as open
         from accounts a where a.name = 'Checking' and a.budget_id = 1`,
        [today],
      );
      return balance === checking - 735 && open === 0;
    },
  },
];
