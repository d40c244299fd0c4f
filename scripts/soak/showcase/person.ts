/** A simulated user who keeps books all day and remembers every entry. Amounts are in cents. */
import type { Bookkeeper } from '../../../test/showcase/bookkeeper.js';
import { toText } from '../../../test/showcase/ledger.js';
import type { Random } from '../../live/random.js';

/** An account that all users write to. */
export const SHARED = 'Checking';
const DAYS = 300;

/** Totals of all users: the cents that they have added to the shared account, and their repeated requests. */
export interface Tally {
  shared: number;
  repeats: number;
}

interface Written {
  readonly id: number;
  readonly account: string;
  cents: number;
}

type Json = Record<string, unknown>;
type Act = (client: Bookkeeper) => Promise<void>;

export class Person {
  readonly name: string;
  readonly accounts: readonly [string, string];
  /** The expected balances of the user's own accounts. */
  readonly balances: Map<string, number>;
  readonly #random: Random;
  readonly #tally: Tally;
  readonly #written: Written[] = [];
  readonly #transfers: number[] = [];
  #count = 0;

  constructor(number: number, random: Random, tally: Tally) {
    this.name = `person ${number}`;
    this.accounts = [`Purse of ${this.name}`, `Box of ${this.name}`];
    this.balances = new Map(this.accounts.map((account) => [account, 0]));
    this.#random = random;
    this.#tally = tally;
  }

  async begin(client: Bookkeeper): Promise<void> {
    for (const name of this.accounts) await client.call('accounts', 'open', { name, kind: 'cash' });
    await client.call('goals', 'create', { name: `Dream of ${this.name}`, target: '1000' });
  }

  /** Performs one task of a user. */
  async act(client: Bookkeeper): Promise<void> {
    await this.#random.weigh<Act>([
      [40, this.#read],
      [12, this.#add],
      [6, this.#correct],
      [10, this.#remove],
      [5, this.#move],
      [5, this.#undo],
      [4, this.#plan],
      [1, this.#import],
      [1, this.#rule],
      [2, this.#save],
      [3, this.#look],
    ])(client);
  }

  readonly #read: Act = async (client) => {
    const [tool, action, args] = this.#random.pick(reads);
    await client.call(tool, action, args);
  };

  readonly #add: Act = async (client) => {
    const account = this.#random.pick([...this.accounts, SHARED]);
    const cents = this.#random.between(-9_999, 9_999);
    const order = {
      account,
      amount: toText(cents),
      payee: `Shop ${this.#random.between(1, 30)}`,
      date: this.#day(),
      // Three of four requests carry no request id.
      ...(this.#random.isOneIn(4) ? { request_id: this.#key() } : {}),
    };
    const { id } = await client.call<{ id: number }>('transactions', 'add', order);
    this.#note(account, cents);
    this.#written.push({ id, account, cents });
    if ('request_id' in order) await this.#repeat(client, 'transactions', 'add', order, id);
  };

  readonly #correct: Act = async (client) => {
    const written = this.#written.at(-1);
    if (!written) return;
    const cents = this.#random.between(-9_999, 9_999);
    const { id: transaction, account } = written;
    await client.call('transactions', 'update', { transaction, amount: toText(cents), memo: 'corrected' });
    this.#note(account, cents - written.cents);
    written.cents = cents;
    await client.call('transactions', 'categorize', {
      transaction_ids: [transaction],
      category: 'Groceries',
    });
    await client.call('transactions', 'mark_cleared', { transaction_ids: [transaction] });
  };

  readonly #remove: Act = async (client) => {
    // Delete old entries, so that the books do not grow without limit.
    if (this.#written.length < 5) return;
    const written = this.#written.shift();
    if (!written) return;
    await client.call('transactions', 'delete', { transaction: written.id });
    this.#note(written.account, -written.cents);
  };

  readonly #move: Act = async (client) => {
    const [from, to] = this.#random.isOneIn(2) ? this.accounts : this.accounts.toReversed();
    const cents = this.#random.between(1, 5_000);
    const order = { from_account: from, to_account: to, amount: toText(cents), request_id: this.#key() };
    const { id } = await client.call<{ id: number }>('transfers', 'make', order);
    this.#note(from ?? '', -cents);
    this.#note(to ?? '', cents);
    await this.#repeat(client, 'transfers', 'make', order, id);
    this.#transfers.push(id);
  };

  readonly #undo: Act = async (client) => {
    const id = this.#transfers.shift();
    if (id === undefined) return;
    type Shown = { from_account: string; to_account: string; amount: string };
    const {
      from_account: from,
      to_account: to,
      amount,
    } = await client.call<Shown>('transfers', 'get', { transfer: id });
    const cents = Number(amount.replace('.', ''));
    await client.call('transfers', 'undo', { transfer: id });
    this.#note(from, cents);
    this.#note(to, -cents);
  };

  readonly #plan: Act = async (client) => {
    const category = this.#random.pick(['Books', 'Gifts', 'Sports', 'Coffee']);
    await client.call('categories', 'plan.assign', {
      category,
      amount: toText(this.#random.between(0, 9_999)),
    });
    await client.call('categories', 'plan.move', {
      from_category: 'Holidays',
      to_category: category,
      amount: '0.01',
    });
    await client.call('payees', 'set_category', { payee: 'City Transit', category: 'Transport' });
  };

  readonly #import: Act = async (client) => {
    const [account] = this.accounts;
    const lines = Array.from({ length: 20 }, (_, line) => `${this.#day()},Bank,-1.25,${this.#key()} ${line}`);
    const statement = { account, csv: lines.join('\n') };
    await client.call('imports', 'preview', statement);
    const { import: id } = await client.call<{ import: number }>('imports', 'run', statement);
    const again = await client.call<{ added: number }>('imports', 'run', statement);
    if (again.added !== 0) throw new Error(`A second import has added ${again.added}.`);
    await client.call('imports', 'undo', { import: id });
  };

  readonly #rule: Act = async (client) => {
    const name = this.#key();
    await client.call('rules', 'create', { name, payee_contains: name, category: 'Books' });
    await client.call('rules', 'apply', { rule: name });
    await client.call('rules', 'delete', { rule: name });
  };

  readonly #save: Act = async (client) => {
    const goal = `Dream of ${this.name}`;
    await client.call('goals', 'contribute', { goal, amount: '2.50' });
    await client.call('goals', 'contribute', { goal, amount: '-2.50' });
  };

  readonly #look: Act = async (client) => {
    await client.prompt('monthly_review', { month: '2026-02' });
    await client.resource('budget://default');
    await client.resource('report://Studio/2026-01');
    await client.toolNames();
  };

  async #repeat(client: Bookkeeper, tool: string, action: string, order: Json, id: number): Promise<void> {
    if (!this.#random.isOneIn(3)) return;
    const again = await client.call<{ id: number }>(tool, action, order);
    if (again.id !== id) throw new Error(`A repeat of ${id} made ${again.id}.`);
    this.#tally.repeats++;
  }

  #note(account: string, cents: number): void {
    if (account === SHARED) this.#tally.shared += cents;
    else this.balances.set(account, (this.balances.get(account) ?? 0) + cents);
  }

  #day(): string {
    const day = new Date(Date.UTC(2025, 3, 1 + this.#random.between(0, DAYS)));
    return day.toISOString().slice(0, 10);
  }

  #key(): string {
    return `${this.name}-${++this.#count}`;
  }
}

/** Read operations of every toolset. */
const reads: readonly (readonly [tool: string, action: string, args: Json])[] = [
  ['finance', 'overview', {}],
  ['budgets', 'list', {}],
  ['budgets', 'get', { budget: 'Studio' }],
  ['accounts', 'list', {}],
  ['accounts', 'get', { account: 'Savings' }],
  ['accounts', 'list', { budget: 'Studio', include_closed: true }],
  ['categories', 'names.list', {}],
  ['categories', 'plan.month', {}],
  ['categories', 'plan.month', { month: '2026-01' }],
  ['payees', 'list', { contains: 'a' }],
  ['payees', 'totals', { top: 20 }],
  ['transactions', 'list', {}],
  ['transactions', 'list', { limit: 200 }],
  ['transactions', 'list', { account: SHARED, text: 'Shop', from: '2025-06-01', limit: 20, offset: 5 }],
  ['transactions', 'list', { uncategorized: true }],
  ['transactions', 'get', { transaction: 1 }],
  ['transfers', 'list', {}],
  ['rules', 'list', {}],
  ['rules', 'preview', {}],
  ['imports', 'list', {}],
  ['reports', 'spending', {}],
  ['reports', 'spending', { month: '2025-12', by: 'payee' }],
  ['reports', 'cash_flow', {}],
  ['reports', 'net_worth', { months: 6 }],
  ['reports', 'overspent', {}],
  ['reports', 'trend', { category: 'Groceries' }],
  ['reports', 'recurring', {}],
  ['reports', 'duplicates', {}],
  ['reports', 'year', {}],
  ['market', 'quotes.symbols', {}],
  ['market', 'quotes.latest', { symbols: ['ANVL'] }],
  ['market', 'quotes.history', { symbol: 'ANVL' }],
  ['market', 'quotes.compare', { symbols: ['ANVL'] }],
  ['market', 'currencies.convert', { amount: '12.50', from_currency: 'EUR', to_currency: 'JPY' }],
  ['goals', 'list', {}],
  ['goals', 'get', { goal: 'Bicycle' }],
];
