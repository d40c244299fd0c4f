/** Values that a careless or hostile caller sends. */
import { ErrUnknownResource } from 'toolfold/errors';
import { describe, expect, it } from 'vitest';
import { openTestBooks } from '../test-server.js';
import { useTestBooks } from '../use-test-books.js';

const used = useTestBooks();
const { ask, data } = used;

describe('dates at the edges', () => {
  it.each([
    ['transactions', 'add', { account: 'Cash', amount: '-1', payee: 'A', date: '0000-01-01' }],
    ['transactions', 'list', { from: '1899-12-31' }],
    ['reports', 'spending', { month: '0000-01' }],
    ['reports', 'year', { until: '0000-05' }],
    ['reports', 'year', { until: '9999-12' }],
    ['categories', 'plan.month', { month: '9999-12' }],
    ['payees', 'totals', { to: '9999-12-31' }],
    ['goals', 'create', { name: 'Moon', target: '1', due_on: '9999-12-31' }],
  ])('are rejected by %s %s', async (tool, action, args) => {
    expect(await ask(tool, action, args)).toContain('must be in the years 1900 to 8999');
  });

  it.each(['1900-01', '8999-12'])('are accepted within the supported years (%s)', async (month) => {
    expect(await ask('reports', 'year', { until: month })).toContain(`to ${month} (`);
    expect(await ask('categories', 'plan.month', { month })).toContain(`month: ${month}`);
    const line = { account: 'Cash', amount: '0', payee: 'A', date: `${month}-31` };
    expect(await data('transactions', 'add', line)).toMatchObject({ date: `${month}-31` });
  });
});

describe('periods', () => {
  it.each([
    ['reports', 'spending', { from: '2027-01-01' }],
    ['reports', 'spending', { from: '2026-02-02', to: '2026-02-01' }],
    ['transactions', 'list', { from: '2026-02-02', to: '2026-02-01' }],
    ['payees', 'totals', { from: '2026-02-02', to: '2026-02-01' }],
  ])('that end before they begin are rejected by %s %s', async (tool, action, args) => {
    expect(await ask(tool, action, args)).toContain('ends before it begins');
  });

  it('with only an end begin with its month', async () => {
    const report = await data('reports', 'spending', { to: '2026-01-20' });
    expect(report).toMatchObject({ from: '2026-01-01', to: '2026-01-20' });
  });
});

describe('ids', () => {
  it.each([0, -1, 1.5, 2_147_483_648, 1e300])('that are invalid (%d) fail validation', async (id) => {
    expect(await ask('transactions', 'get', { transaction: id })).toContain(
      'Validation failed: transaction:',
    );
    expect(await ask('transfers', 'undo', { transfer: id })).toContain('Validation failed: transfer:');
  });
});

describe('the default budget that was deleted', () => {
  it('is replaced by another one, which lists show', async () => {
    await ask('budgets', 'create', { name: 'Short', currency: 'EUR' });
    await ask('budgets', 'set_default', { budget: 'Short' });
    await ask('budgets', 'delete', { budget: 'Short' });
    expect(await ask('budgets', 'list')).toContain('1,Household,EUR,true');
    expect(await ask('accounts', 'list')).toContain('Checking');
  });
});

describe('names that are numbers', () => {
  it('are rejected if they could be mistaken for an id', async () => {
    const number = 'must not be a number';
    expect(await ask('accounts', 'rename', { account: 'Savings', name: '3' })).toContain(number);
    expect(await ask('accounts', 'open', { name: ' 3 ', kind: 'cash' })).toContain(number);
    expect(await ask('budgets', 'create', { name: '1', currency: 'EUR' })).toContain(number);
    expect(await ask('categories', 'names.create', { name: '1', section: 'Home' })).toContain(number);
    expect(await ask('goals', 'create', { name: '1', target: '1' })).toContain(number);
    const rule = { name: '1', payee_contains: 'x', category: 'Rent' };
    expect(await ask('rules', 'create', rule)).toContain(number);
  });

  it('take precedence over ids for payees', async () => {
    const line = { account: 'Cash', amount: '-1', payee: '1' };
    const { id } = await data<{ id: number }>('transactions', 'add', line);
    expect(await data('transactions', 'get', { transaction: id })).toMatchObject({ payee: '1' });
    expect(await ask('transactions', 'list', { payee: '1' })).toContain('count: 1\n');
  });
});

describe('a rejected change', () => {
  it('is not reported as a concurrent change', async () => {
    const made = await data<{ id: number }>('transfers', 'make', {
      from_account: 'Checking',
      to_account: 'Cash',
      amount: '1',
    });
    const [side] = await used.books.db.query<{ id: number }>(
      'select id from transactions where transfer_id = $1',
      [made.id],
    );
    for (const [tool, action, args, words] of [
      [
        'transfers',
        'make',
        { from_account: 'Cash', to_account: 'cash', amount: '1' },
        'two different accounts',
      ],
      ['accounts', 'close', { account: 'Card' }, 'still holds'],
      ['goals', 'contribute', { goal: '1', amount: '-99999' }, 'is saved for'],
      ['transactions', 'delete', { transaction: side?.id }, 'one side of transfer'],
      ['categories', 'names.create', { name: 'rent', section: 'Home' }, 'a category of that name already'],
    ] as const) {
      const answer = await ask(tool, action, args);
      expect(answer).toContain(words);
      expect(answer).not.toMatch(/meantime|categories_name/);
    }
  });
});

describe('without a budget', () => {
  it('the books can be checked, and tools that need a budget report that it is missing', async () => {
    const none = await openTestBooks();
    const caller = none.connect();
    await none.db.query('delete from budgets');
    expect(await caller.ask('reports', 'check', { all_budgets: true })).toBe(
      '{"budgets":[],"is_balanced":true,"problems":[]}',
    );
    expect(await caller.ask('accounts', 'list')).toContain('There is no budget yet. Create one');
    const uri = 'budget://default';
    await expect(caller.registry.readResource({ uri })).rejects.toThrow(ErrUnknownResource);
    const { messages } = await caller.registry.getPrompt({ name: 'monthly_review' });
    expect(messages).toHaveLength(1);
    await none.close();
  }, 60_000);
});

describe('lists', () => {
  it('count each transaction once, even if it is named repeatedly', async () => {
    const order = { transaction_ids: [1, 1], category: null };
    expect(await data('transactions', 'categorize', order)).toMatchObject({
      category: null,
      count: 1,
      ids: [1],
    });
  });

  it('state the total even beyond their end', async () => {
    const total = /count: (\d+)/;
    const [, all] = total.exec(await ask('transactions', 'list', { limit: 1 })) ?? [];
    const [, beyond] = total.exec(await ask('transactions', 'list', { offset: 100_000 })) ?? [];
    expect([all === '0', beyond]).toEqual([false, all]);
  });
});

describe('a repeated withdrawal from a goal', () => {
  it('is recognised, although the goal no longer holds that amount', async () => {
    await ask('goals', 'create', { name: 'Boat', target: '100' });
    await ask('goals', 'contribute', { goal: 'Boat', amount: '10' });
    const order = { goal: 'Boat', amount: '-8', request_id: 'back' };
    expect(await data('goals', 'contribute', order)).toMatchObject({ saved: '2.00' });
    expect(await used.books.connect().ask('goals', 'contribute', order)).toContain('"saved":"2.00"');
  });
});

describe('text', () => {
  it.each(["'; drop table transactions; --", '%_\\', '${1}', '🏦 Ünïcode ‮', '<script>'])(
    'is stored unchanged (%s)',
    async (text) => {
      const line = { account: 'Cash', amount: '-0.01', payee: text, memo: text };
      expect(await data('transactions', 'add', line)).toMatchObject({ payee: text, memo: text });
      expect(await ask('transactions', 'list', { text })).toContain('count: 1\n');
      expect(await ask('payees', 'list', { contains: text })).toContain('[1]');
    },
  );

  it('leaves books that balance', async () => {
    expect(await data('reports', 'check', { all_budgets: true })).toMatchObject({
      is_balanced: true,
      problems: [],
    });
  });
});
