/**
 * Budget tools with a default budget id, a cached list, a write that runs once although it is sent repeatedly, and
 * errors without credentials. Exits with an error if an assertion fails.
 */
import assert from 'node:assert/strict';
import { ResponseFormatter, ToolRegistry } from 'toolfold';
import * as z from 'zod';

/** A fake of the service behind the tools. */
const ledger = {
  accounts: new Map([['b1', [{ name: 'Checking', balance: 1200 }]]]),
  reads: 0,
  async defaultBudgetId(): Promise<string> {
    return 'b1';
  },
  async listAccounts(budgetId: string, token: string | undefined) {
    this.reads++;
    const accounts = this.accounts.get(budgetId);
    if (accounts) return accounts;
    throw Object.assign(new Error(`No budget ${budgetId} for token ${token}`), { status: 404 });
  },
};

// #region registry
const responseFormatter = new ResponseFormatter();
const registry = new ToolRegistry({ name: 'budgets', version: '1.0.0', responseFormatter });

registry.register(
  {
    name: 'list_accounts',
    description: 'List all accounts of a budget',
    inputSchema: z.object({ budget_id: z.string() }),
    readOnly: true,
    cached: { ttlMs: 60_000, tags: ['accounts'] },
    defaultArgumentResolver: async ({ rawArguments }) =>
      rawArguments['budget_id'] ? undefined : { budget_id: await ledger.defaultBudgetId() },
    handler: async ({ input, context }) => {
      const accounts = await ledger.listAccounts(input.budget_id, context.accessToken);
      return { content: [{ type: 'text', text: responseFormatter.format({ accounts }) }] };
    },
  },
  {
    name: 'add_account',
    description: 'Add an account to a budget',
    inputSchema: z.object({ budget_id: z.string(), name: z.string(), request_id: z.string() }),
    idempotency: { field: 'request_id' },
    invalidates: ['accounts'],
    handler: ({ input }) => {
      ledger.accounts.get(input.budget_id)?.push({ name: input.name, balance: 0 });
      return `added ${input.name}`;
    },
  },
);
// #endregion registry

// #region calls
const caller = { accessToken: 'secret-token-of-ada' };
const call = async (name: string, args: Record<string, unknown>) => {
  const { content, isError } = await registry.executeTool({ ...caller, name, arguments: args });
  const [block] = content;
  console.log(isError ? 'failed:' : 'done:', block?.type === 'text' ? block.text : block);
};

await call('list_accounts', {});
await call('list_accounts', { minify: false });
await call('add_account', { budget_id: 'b1', name: 'Savings', request_id: 'r1' });
await call('add_account', { budget_id: 'b1', name: 'Savings', request_id: 'r1' });
await call('list_accounts', { budget_id: 'b1' });
await call('list_accounts', { budget_id: 'b2' });
await call('list_accounts', { budget: 'b1' });
// #endregion calls

assert.equal(ledger.accounts.get('b1')?.length, 2, 'the write was sent twice and happened once');
assert.equal(ledger.reads, 4, 'one read before the write and one after it were answered from the cache');
