/** Compares the books at the end of the month with the reference ledger. */
import { expect } from 'vitest';
import type { Bookkeeper } from './bookkeeper.js';
import type { Ledger } from './ledger.js';
import { toCents, toText } from './ledger.js';
import { listAll, MONTH } from './month.js';

const FIRST_OF_YEAR = '2024-04';

interface Accounts {
  readonly accounts: readonly { readonly id: number; readonly name: string; readonly balance: string }[];
}

export async function closeMonth(reader: Bookkeeper, paper: Ledger, budget: string): Promise<void> {
  const { accounts } = await reader.call<Accounts>('accounts', 'list');
  expect(Object.fromEntries(accounts.map(({ name, balance }) => [name, balance]))).toEqual(paper.balances());

  // Compare entry by entry: no entry is lost, duplicated or changed.
  const listed = await listAll(reader);
  const shown = listed.map(({ id, account, date, amount, category }) => [
    id,
    account,
    date,
    toCents(amount),
    category ?? undefined,
  ]);
  const written = paper.entries.map((entry) => [
    entry.id,
    entry.account,
    entry.date,
    entry.cents,
    entry.category,
  ]);
  expect(byId(shown)).toEqual(byId(written));

  const spending = paper.spending(MONTH);
  const report = await reader.call<{ total: string; rows: { name: string; spent: string }[] }>(
    'reports',
    'spending',
    { month: MONTH },
  );
  expect(Object.fromEntries(report.rows.map(({ name, spent }) => [name, spent]))).toEqual(spending);
  expect(report.total).toBe(toText(paper.spent(MONTH)));

  const plan = await reader.call<{
    categories: { category: string; assigned: string; available: string }[];
  }>('categories', 'plan.month', { month: MONTH });
  for (const { category, assigned, available } of plan.categories)
    expect([category, assigned, available]).toEqual([
      category,
      toText(paper.assignedTo(category)),
      toText(paper.left(category)),
    ]);
  const over = plan.categories.filter(({ category }) => paper.left(category) < 0);
  expect(over.map(({ category }) => category)).toContain('Groceries');
  const overspent = await reader.call<{ categories: object[] }>('reports', 'overspent', { month: MONTH });
  expect(overspent.categories).toEqual(
    over.map(({ category }) => ({
      category,
      assigned: toText(paper.assignedTo(category)),
      carried_over: '0.00',
      spent: spending[category],
      over: toText(-paper.left(category)),
      available: toText(paper.left(category)),
    })),
  );

  const steps: number[] = [];
  const year = await reader.call<string>(
    'reports',
    'year',
    { until: MONTH },
    { onprogress: ({ progress }) => steps.push(progress) },
  );
  // The SDK clients drop a progress notification that arrives in one chunk with the answer.
  expect(steps.length).toBeGreaterThanOrEqual(11);
  expect(steps).toEqual(Array.from(steps, (_, index) => index + 1));
  expectYear(year, paper, budget);

  expect(await reader.prompt('monthly_review', { month: MONTH })).toContain(
    `Review ${MONTH} of my budget "${budget}".`,
  );
  const markdown = await reader.resource(`report://${encodeURIComponent(budget)}/${MONTH}`);
  const lines = markdown.split('\n').filter((line) => line.startsWith('- '));
  expect(lines.toSorted()).toEqual(
    Object.entries(spending)
      .map(([name, spent]) => `- ${name}: ${spent}`)
      .toSorted(),
  );
  const card = accounts.find(({ name }) => name === 'Card');
  expect(JSON.parse(await reader.resource(`account://${card?.id}`))).toMatchObject({
    name: 'Card',
    balance: card?.balance,
  });
  expect(await reader.call('reports', 'check')).toEqual({
    budgets: [budget],
    is_balanced: true,
    problems: [],
  });
}

function byId(rows: readonly (readonly unknown[])[]): (readonly unknown[])[] {
  return rows.toSorted(([a], [b]) => Number(a) - Number(b));
}

/** The last twelve months, of which only the last one has entries. */
export function expectYear(report: string, paper: Ledger, budget: string): void {
  expect(report).toContain(`# ${budget}, ${FIRST_OF_YEAR} to ${MONTH} (EUR)`);
  const [income, spent] = [paper.income(MONTH), paper.spent(MONTH)];
  const [, last = ''] = report.split(`## ${MONTH}\n`);
  expect(last.trim().split('\n')[0]).toBe(
    `In ${toText(income)}, out ${toText(spent)}, net ${toText(income - spent)}. ` +
      `Net worth at the end ${toText(paper.worthAtTheEndOf(MONTH))}.`,
  );
}
