/**
 * Several clients write concurrently, some cancel a call midway, and some repeat answered requests. Every order has
 * a key and is repeated until it is answered, so each must take effect once.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Bookkeeper } from './bookkeeper.js';
import { toCents, toText } from './ledger.js';

export const ACCOUNTS = ['North', 'South', 'East'] as const;
type Account = (typeof ACCOUNTS)[number];

/** How an order is sent. */
interface Manner {
  /** The number of concurrent copies, each from another client. */
  readonly copies: number;
  /** Milliseconds after which the first copy is cancelled, if at all. */
  readonly giveUpAfter: number | undefined;
  /** Whether the order is repeated at the end. */
  readonly isRepeatedLater: boolean;
}

export type Order = Manner &
  (
    | { readonly kind: 'pay'; readonly account: Account; readonly cents: number }
    | { readonly kind: 'move'; readonly from: Account; readonly to: Account; readonly cents: number }
    /** Adds an entry and changes it. */
    | {
        readonly kind: 'correct';
        readonly account: Account;
        readonly cents: number;
        readonly corrected: number;
      }
    /** Adds an entry and deletes it. */
    | { readonly kind: 'withdraw'; readonly account: Account; readonly cents: number }
    /** Makes a transfer and undoes it. */
    | { readonly kind: 'undo'; readonly from: Account; readonly to: Account; readonly cents: number }
  );

type Json = Record<string, unknown>;

/** Executes all orders, distributed over the clients, and compares the books with the orders. */
export async function rage(
  clients: readonly Bookkeeper[],
  orders: readonly Order[],
  budget: string,
): Promise<void> {
  const [first] = clients as [Bookkeeper, ...Bookkeeper[]];
  await first.call('budgets', 'create', { name: budget, currency: 'EUR' });
  for (const name of ACCOUNTS) await first.call('accounts', 'open', { budget, name, kind: 'checking' });
  await Promise.all(
    clients.map(async (_, index) => {
      for (const [number, order] of orders.entries())
        if (number % clients.length === index) await new Sender(clients, index, budget, number).carry(order);
    }),
  );
  for (const [number, order] of orders.entries())
    if (order.isRepeatedLater) await new Sender(clients, number + 1, budget, number).repeat(order);
  await compare(first, orders, budget);
}

class Sender {
  readonly #clients: readonly Bookkeeper[];
  readonly #index: number;
  readonly #budget: string;
  readonly #memo: string;

  constructor(clients: readonly Bookkeeper[], index: number, budget: string, number: number) {
    this.#clients = clients;
    this.#index = index;
    this.#budget = budget;
    this.#memo = memoOf(number);
  }

  async carry(order: Order): Promise<void> {
    const id = await this.repeat(order);
    if (order.kind === 'correct')
      await this.#untilAnswered(order, 'transactions', 'update', {
        transaction: id,
        amount: toText(order.corrected),
      });
    if (order.kind === 'withdraw')
      await this.#untilAnswered(order, 'transactions', 'delete', { transaction: id });
    if (order.kind === 'undo') await this.#untilAnswered(order, 'transfers', 'undo', { transfer: id });
  }

  /** Sends the request that has a key. Repeating it changes nothing. */
  async repeat(order: Order): Promise<number> {
    const common = { request_id: `${this.#budget}: ${this.#memo}`, memo: this.#memo };
    const [tool, action, args] =
      'from' in order
        ? ([
            'transfers',
            'make',
            { from_account: order.from, to_account: order.to, amount: toText(order.cents) },
          ] as const)
        : ([
            'transactions',
            'add',
            { account: order.account, payee: 'Somebody', amount: toText(order.cents) },
          ] as const);
    return this.#untilAnswered(order, tool, action, { ...args, ...common });
  }

  async #untilAnswered(order: Order, tool: string, action: string, args: Json): Promise<number> {
    const sent = { budget: this.#budget, ...args };
    const answers = await Promise.all(
      Array.from({ length: order.copies }, (_, copy) =>
        this.#send(copy, copy === 0 ? order.giveUpAfter : undefined, tool, action, sent),
      ),
    );
    const ids = new Set(answers.filter((id) => id !== undefined));
    // All copies got the same answer.
    const [id, ...others] = ids;
    if (id === undefined || others.length > 0) throw new Error(`${this.#memo} is ${[...ids].join(' and ')}`);
    return id;
  }

  async #send(
    copy: number,
    giveUpAfter: number | undefined,
    tool: string,
    action: string,
    args: Json,
  ): Promise<number | undefined> {
    const client = this.#clients[(this.#index + copy) % this.#clients.length] as Bookkeeper;
    if (giveUpAfter !== undefined) {
      const gone = new AbortController();
      const given = client.ask(tool, action, args, { signal: gone.signal });
      // The call may be answered before it is cancelled, and a cancelled call may still take effect.
      await Promise.race([sleep(giveUpAfter), given.catch(() => undefined)]);
      gone.abort();
      await given.catch(() => undefined);
    }
    const { isError, text, value } = await client.ask(tool, action, args);
    if (!isError) return action === 'delete' ? 0 : (value as { id: number }).id;
    // Another copy has already deleted the entry, as intended.
    if (action === 'delete' && text.includes('There is no transaction')) return 0;
    throw new Error(`${tool} ${action} ${JSON.stringify(args)}: ${text}`);
  }
}

function memoOf(number: number): string {
  return `order ${number}`;
}

/** The expected entries, computed from the orders. */
function expectedOf(orders: readonly Order[]): Map<string, number[]> {
  const rows = new Map<string, number[]>();
  for (const [number, order] of orders.entries()) {
    const write = (account: Account, cents: number): void => {
      const key = `${account} ${memoOf(number)}`;
      rows.set(key, [...(rows.get(key) ?? []), cents]);
    };
    if (order.kind === 'pay') write(order.account, order.cents);
    if (order.kind === 'correct') write(order.account, order.corrected);
    if (order.kind === 'move') {
      write(order.from, -order.cents);
      write(order.to, order.cents);
    }
  }
  return rows;
}

async function compare(reader: Bookkeeper, orders: readonly Order[], budget: string): Promise<void> {
  interface Row {
    readonly account: string;
    readonly amount: string;
    readonly memo: string;
  }
  const found = new Map<string, number[]>();
  for (let offset = 0, total = 1; offset < total;) {
    const page = await reader.call<{ count: number; transactions: Row[] }>('transactions', 'list', {
      budget,
      offset,
      limit: 100,
    });
    for (const { account, memo, amount } of page.transactions) {
      const key = `${account} ${memo}`;
      found.set(key, [...(found.get(key) ?? []), toCents(amount)]);
    }
    total = page.count;
    offset += page.transactions.length;
  }
  const expected = expectedOf(orders);
  expect(byKey(found)).toEqual(byKey(expected));
  const { accounts } = await reader.call<{ accounts: { name: string; balance: string }[] }>(
    'accounts',
    'list',
    { budget },
  );
  const balances = ACCOUNTS.map((name) => [
    name,
    toText([...expected].flatMap(([key, cents]) => (key.startsWith(`${name} `) ? cents : [])).reduce(add, 0)),
  ]);
  expect(accounts.map(({ name, balance }) => [name, balance])).toEqual(balances);
  expect(await reader.call('reports', 'check', { all_budgets: true })).toMatchObject({ problems: [] });
}

function byKey(rows: ReadonlyMap<string, number[]>): [string, number[]][] {
  return [...rows].toSorted(([a], [b]) => a.localeCompare(b));
}

function add(a: number, b: number): number {
  return a + b;
}
