/** A month of bookkeeping as a person with a client does it, recorded in the reference ledger at the same time. */
import { expect } from 'vitest';
import type { Bookkeeper } from './bookkeeper.js';
import { Ledger, toCents, toText } from './ledger.js';

export const MONTH = '2025-03';
const day = (number: number): string => `${MONTH}-${String(number).padStart(2, '0')}`;

interface Shown {
  readonly id: number;
  readonly account: string;
  readonly date: string;
  readonly amount: string;
  readonly category: string | null;
  readonly memo: string;
  readonly transfer_id: number | null;
}

interface Listing {
  readonly count: number;
  readonly next_offset: number | null;
  readonly transactions: readonly Shown[];
}

/** The callers of the month: one that may do everything and, with API keys, one that may not delete. */
export interface Household {
  readonly owner: Bookkeeper;
  readonly clerk?: Bookkeeper;
  /** The name of the budget that all entries belong to. */
  readonly budget: string;
}

export async function keepBooks({ owner, clerk, budget }: Household): Promise<Ledger> {
  const paper = new Ledger(['Income']);
  const writer = clerk ?? owner;
  await owner.call('budgets', 'create', { name: budget, currency: 'EUR' });
  // The following calls omit the budget.
  await owner.call('budgets', 'set_default', { budget });
  for (const [name, kind] of Object.entries({
    Checking: 'checking',
    Savings: 'savings',
    Card: 'card',
    Cash: 'cash',
  }))
    await owner.call('accounts', 'open', { name, kind });
  await owner.call('categories', 'names.create', { name: 'Power', section: 'Home' });

  await plan(owner, paper);
  await receiveAndPay(writer, paper, budget);
  await shop(writer, paper, budget);
  await moveMoney(writer, paper, budget);
  await categorize(writer, paper);
  await importStatement(owner, paper);
  await correct(owner, clerk, paper);
  await reconcile(writer, paper);
  return paper;
}

async function plan(owner: Bookkeeper, paper: Ledger): Promise<void> {
  const wanted = { Rent: 85_000, Groceries: 18_000, Power: 8_000, Transport: 4_900, Leisure: 20_000 };
  for (const [category, cents] of Object.entries(wanted)) {
    await owner.call('categories', 'plan.assign', { category, amount: toText(cents), month: MONTH });
    paper.assign(category, cents);
  }
  await owner.call('categories', 'plan.move', {
    from_category: 'Leisure',
    to_category: 'Groceries',
    amount: '20',
    month: MONTH,
  });
  paper.assign('Leisure', -2_000);
  paper.assign('Groceries', 2_000);
}

/** Adds an entry, and records the requested values instead of the answered ones. */
async function add(
  writer: Bookkeeper,
  paper: Ledger,
  line: { account: string; day: number; cents: number; payee: string; category?: string },
  categoryByRule?: string,
): Promise<number> {
  const { account, payee, category, cents } = line;
  const { id } = await writer.call<Shown>('transactions', 'add', {
    account,
    payee,
    amount: toText(cents),
    date: day(line.day),
    ...(category === undefined ? {} : { category }),
  });
  paper.write({ id, account, date: day(line.day), cents, category: category ?? categoryByRule });
  return id;
}

async function receiveAndPay(writer: Bookkeeper, paper: Ledger, budget: string): Promise<void> {
  const lines = [
    { day: 1, cents: 150_000, payee: 'What was there', category: 'Income' },
    { day: 1, cents: -85_000, payee: 'Landlord', category: 'Rent' },
    { day: 4, cents: -7_485, payee: 'Power Works', category: 'Power' },
    { day: 5, cents: -4_900, payee: 'City Transit', category: 'Transport' },
    { day: 25, cents: 287_531, payee: 'Employer', category: 'Income' },
    { day: 31, cents: -1_999, payee: 'Cinema', category: 'Leisure' },
  ];
  for (const line of lines) await add(writer, paper, { account: 'Checking', ...line });
  // A client without an answer repeats its request.
  const again = { account: 'Checking', amount: '-12.34', payee: 'Cinema', date: day(8), category: 'Leisure' };
  const sent = { ...again, request_id: `${budget}: cinema` };
  const [first, second] = await Promise.all([
    writer.call<Shown>('transactions', 'add', sent),
    writer.call<Shown>('transactions', 'add', sent),
  ]);
  expect(second).toEqual(first);
  paper.write({ id: first.id, account: 'Checking', date: day(8), cents: -1_234, category: 'Leisure' });
}

/** Spends more than was planned. */
async function shop(writer: Bookkeeper, paper: Ledger, budget: string): Promise<void> {
  const amounts = [4_512, 1_999, 3_087, 2_501, 6_640, 999, 2_750];
  const { ids } = await writer.call<{ ids: number[] }>('transactions', 'add_many', {
    account: 'Card',
    request_id: `${budget}: groceries`,
    transactions: amounts.map((cents, index) => ({
      amount: toText(-cents),
      payee: index % 2 === 0 ? 'Corner Market' : 'Bakery',
      date: day(2 + 4 * index),
      category: 'Groceries',
    })),
  });
  expect(ids).toHaveLength(amounts.length);
  for (const [index, cents] of amounts.entries())
    paper.write({
      id: ids[index] ?? 0,
      account: 'Card',
      date: day(2 + 4 * index),
      cents: -cents,
      category: 'Groceries',
    });
}

async function move(writer: Bookkeeper, paper: Ledger, order: Record<string, string>): Promise<number> {
  const { id } = await writer.call<{ id: number }>('transfers', 'make', order);
  const { transactions } = await writer.call<Listing>('transactions', 'list', {
    from: order['date'],
    to: order['date'],
  });
  const sides = transactions.filter(({ transfer_id: transfer }) => transfer === id);
  expect(sides).toHaveLength(2);
  const cents = Math.round(Number(order['amount']) * 100);
  for (const [account = '', signed] of [
    [order['from_account'], -cents] as const,
    [order['to_account'], cents] as const,
  ]) {
    const side = sides.find((each) => each.account === account);
    expect(side?.category).toBeNull();
    paper.write({
      id: side?.id ?? 0,
      account,
      date: order['date'] ?? '',
      cents: signed,
      isTransfer: true,
    });
  }
  return id;
}

async function moveMoney(writer: Bookkeeper, paper: Ledger, budget: string): Promise<void> {
  const saving = {
    from_account: 'Checking',
    to_account: 'Savings',
    amount: '400.00',
    date: day(26),
    request_id: `${budget}: saving`,
  };
  const id = await move(writer, paper, saving);
  const repeats = await Promise.all(
    [1, 2, 3].map(() => writer.call<{ id: number }>('transfers', 'make', saving)),
  );
  expect(repeats.map((repeat) => repeat.id)).toEqual([id, id, id]);
  // The same key with other arguments is an error, and moves nothing.
  const other = await writer.ask('transfers', 'make', { ...saving, amount: '4.00' });
  expect(other.isError).toBe(true);
  await move(writer, paper, {
    from_account: 'Checking',
    to_account: 'Card',
    amount: '224.88',
    date: day(28),
  });
  await move(writer, paper, { from_account: 'Checking', to_account: 'Cash', amount: '80', date: day(2) });
}

async function categorize(writer: Bookkeeper, paper: Ledger): Promise<void> {
  const kiosk = { account: 'Cash', payee: 'Kiosk at the Station' };
  const early = await add(writer, paper, { ...kiosk, day: 6, cents: -450 });
  await writer.call('rules', 'create', { name: 'Kiosks', payee_contains: 'kiosk', category: 'Leisure' });
  // Entries after the rule get its category at once, earlier ones when the rule is applied.
  const later = await add(writer, paper, { ...kiosk, day: 9, cents: -380 }, 'Leisure');
  const { category } = await writer.call<Shown>('transactions', 'get', { transaction: later });
  expect(category).toBe('Leisure');
  const preview = await writer.call<Listing>('rules', 'preview');
  expect(preview.transactions).toMatchObject([
    { id: early, payee: 'Kiosk at the Station', amount: '-4.50', rule: 'Kiosks' },
  ]);
  expect(await writer.call('rules', 'apply')).toMatchObject({ count: 1, ids: [early] });
  paper.correct(early, { category: 'Leisure' });
}

const STATEMENT_LINES = 210;

async function importStatement(owner: Bookkeeper, paper: Ledger): Promise<void> {
  const lines = Array.from({ length: STATEMENT_LINES }, (_, index) => ({
    day: 1 + (index % 28),
    cents: -(101 + ((index * 37) % 900)),
  }));
  const csv = [
    'date,payee,amount,memo',
    ...lines.map(
      ({ day: on, cents }, index) => `${day(on)},"Coffee, ""to go""",${toText(cents)},cup ${index}`,
    ),
    // Two equal lines are two transactions.
    `${day(30)},Parking,-2.00,`,
    `${day(30)},Parking,-2.00,`,
  ].join('\n');
  const total = STATEMENT_LINES + 2;
  expect(await owner.call('imports', 'preview', { account: 'Cash', csv })).toMatchObject({ new: total });
  const added = await owner.call('imports', 'run', { account: 'Cash', csv });
  expect(added).toMatchObject({ added: total, imported_before: 0 });
  expect(await owner.call('imports', 'run', { account: 'Cash', csv })).toMatchObject({
    added: 0,
    imported_before: total,
  });
  // Imports a wrong statement and undoes it.
  const wrong = await owner.call<{ import: number }>('imports', 'run', {
    account: 'Cash',
    csv: `${day(3)},Stranger,-999.99,`,
  });
  expect(await owner.call('imports', 'undo', { import: wrong.import })).toMatchObject({ removed: 1 });

  const listed = await listAll(owner, { account: 'Cash' });
  const expected = [
    ...lines.map(({ day: on, cents }, index) => [day(on), cents, `cup ${index}`]),
    [day(30), -200, ''],
    [day(30), -200, ''],
  ];
  const known = new Set(paper.entries.map(({ id }) => id));
  const fresh = listed.filter(({ id }) => !known.has(id));
  const facts = fresh.map(({ date, amount, memo }) => [date, toCents(amount), memo]);
  expect(sorted(facts)).toEqual(sorted(expected));
  for (const { id, account, date, amount } of fresh)
    paper.write({ id, account, date, cents: toCents(amount) });
}

function sorted(rows: readonly unknown[]): string[] {
  return rows.map((row) => JSON.stringify(row)).toSorted();
}

/** Lists all entries page by page. No page is cut, and next_offset leads to the next one. */
export async function listAll(reader: Bookkeeper, filter: Record<string, unknown> = {}): Promise<Shown[]> {
  const all: Shown[] = [];
  for (let offset: number | null = 0; offset !== null;) {
    const { isError, text, value, meta } = await reader.ask('transactions', 'list', {
      ...filter,
      limit: 200,
      offset,
    });
    if (isError) throw new Error(text);
    expect(meta['toolfold/cut']).toBeUndefined();
    const { count, next_offset, transactions } = value as Listing;
    all.push(...transactions);
    if (next_offset === null) expect(all).toHaveLength(count);
    offset = next_offset;
  }
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  return all;
}

async function correct(owner: Bookkeeper, clerk: Bookkeeper | undefined, paper: Ledger): Promise<void> {
  const writer = clerk ?? owner;
  const taxi = await add(writer, paper, {
    account: 'Cash',
    day: 11,
    cents: -1_810,
    payee: 'Taxi',
    category: 'Transport',
  });
  await writer.call('transactions', 'update', { transaction: taxi, amount: '-18.01', date: day(12) });
  paper.correct(taxi, { cents: -1_801, date: day(12) });
  await writer.call('transactions', 'categorize', { transaction_ids: [taxi], category: 'Leisure' });
  paper.correct(taxi, { category: 'Leisure' });

  const double = await add(writer, paper, { account: 'Card', day: 12, cents: -5_555, payee: 'Twice' });
  const transfer = await move(writer, paper, {
    from_account: 'Savings',
    to_account: 'Checking',
    amount: '55.50',
    date: day(13),
  });
  if (clerk) {
    const balances = await clerk.call('accounts', 'list');
    for (const [tool, action, args] of [
      ['transactions', 'delete', { transaction: double }],
      ['transfers', 'undo', { transfer }],
    ] as const) {
      const rejected = await clerk.ask(tool, action, args);
      expect(rejected).toMatchObject({ isError: true, text: expect.stringContaining('finance:manage') });
    }
    expect(await clerk.call('accounts', 'list')).toEqual(balances);
  }
  await owner.call('transactions', 'delete', { transaction: double });
  paper.strike(double);
  await owner.call('transfers', 'undo', { transfer });
  for (const { id } of paper.entries.filter(({ date, isTransfer }) => isTransfer && date === day(13)))
    paper.strike(id);
  // A second undo has no effect, and one side of a transfer cannot be changed separately.
  await owner.call('transfers', 'undo', { transfer });
  const side = paper.entries.find(({ isTransfer }) => isTransfer)?.id;
  const half = await writer.ask('transactions', 'update', { transaction: side, amount: '-1' });
  expect(half.isError).toBe(true);
}

async function reconcile(writer: Bookkeeper, paper: Ledger): Promise<void> {
  const missing = -37;
  const bank = toText(paper.balanceOf('Cash') + missing);
  const order = { account: 'Cash', bank_balance: bank, date: day(31) };
  expect(await writer.call('accounts', 'reconcile', order)).toMatchObject({
    balance: bank,
    adjustment: toText(missing),
  });
  const { transactions } = await writer.call<Listing>('transactions', 'list', { text: 'Reconciliation' });
  expect(transactions).toHaveLength(1);
  paper.write({ id: transactions[0]?.id ?? 0, account: 'Cash', date: day(31), cents: missing });
}
