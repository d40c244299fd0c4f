/** Questions in natural language find the right action. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestBooks } from './test-server.js';
import type { TestBooks } from './test-server.js';

let books: TestBooks;
beforeAll(async () => {
  books = await openTestBooks();
}, 60_000);
afterAll(() => books.close());

describe('a search', () => {
  it.each([
    ['How much did I spend on groceries last month?', 'reports/spending'],
    ['move 50 euros from checking to savings', 'transfers/make'],
    ['what is my bank balance', 'accounts/list'],
    ['import a CSV from my bank', 'imports/run'],
    ['undo a transfer', 'transfers/undo'],
    ['what is one dollar in yen', 'market/currencies.convert'],
    ['where did I overspend this month', 'reports/overspent'],
    ['set aside money for a holiday', 'goals/contribute'],
    ['always categorize this shop as fuel', 'rules/create'],
    ['I bought coffee for 3.50', 'transactions/add'],
    ['delete a wrong payment', 'transactions/delete'],
    ['merge two shops that are the same', 'payees/merge'],
    ['do my books balance', 'reports/check'],
    ['yearly report', 'reports/year'],
  ])('for "%s" has %s among the first three', async (query, address) => {
    const found = await books.connect({ form: 'search' }).call('search_tools', { query });
    const { tools } = found.structuredContent as { tools: { address: string }[] };
    expect(tools.slice(0, 3).map((row) => row.address)).toContain(address);
  });
});
