/** Mounts a registry in another one, and calls both. Exits with an error if an assertion fails. */
// #region billing
import assert from 'node:assert/strict';
import { initToolfold, ToolRegistry } from 'toolfold';
import * as z from 'zod';

interface Ledger {
  readonly ledger: string[];
}

const paid: string[] = [];
const { group, registry } = initToolfold<Ledger>();
const invoices = group('invoices')
  .description('Invoices of customers')
  .action({ name: 'list', readOnly: true, handler: ({ context }) => context.app.ledger })
  .action({
    name: 'pay',
    scopes: ['billing:write'],
    inputSchema: z.object({ id: z.string() }),
    handler: ({ input, context }) => {
      context.app.ledger.push(input.id);
      return `${input.id} is paid`;
    },
  });
const billing = registry({
  name: 'billing',
  contextFactory: () => ({ ledger: paid }),
  rateLimiter: { calls: 2, windowMs: 60_000 },
}).register(invoices);
billing.use((request, next) => {
  console.log(`billing: ${request.method} ${String(request.params['name'])}`);
  return next();
});
billing.registerPrompt({ name: 'remind', handler: () => 'Write a friendly reminder.' });
// #endregion billing

// #region mount
const shop = new ToolRegistry({ name: 'shop' })
  .register({ name: 'ping', description: 'Answers', inputSchema: {}, handler: () => 'pong' })
  .mount('billing', billing);
shop.use((request, next) => {
  console.log(`shop: ${request.method} ${String(request.params['name'])}`);
  return next();
});

for (const form of ['grouped', 'flat'] as const)
  console.log(form, [...shop.view({ form }).tools.keys()].join(', '));
console.log(shop.listPrompts().map(({ name }) => name));
// #endregion mount

// #region call
const text = ({ content }: Awaited<ReturnType<typeof shop.executeTool>>): string =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('');

const caller = { auth: { clientId: 'ada', scopes: ['billing:write'] } };
const pay = { action: 'pay', id: 'i1' };
console.log(text(await shop.executeTool({ name: 'billing_invoices', arguments: pay, caller })));
// #endregion call
assert.deepEqual(paid, ['i1']);

// #region limit
console.log(text(await billing.executeTool({ name: 'invoices', arguments: pay, caller })));
console.log(text(await shop.executeTool({ name: 'billing_invoices', arguments: pay, caller })));
console.log(text(await shop.executeTool({ name: 'ping', caller })));
// #endregion limit
assert.deepEqual(paid, ['i1', 'i1']);

// #region change
shop.onChange(({ kind }) => console.log(`the ${kind} of shop have changed`));
billing.register({ name: 'rates', description: 'Rates', inputSchema: {}, handler: () => '1.08' });
console.log([...shop.view().tools.keys()].join(', '));
shop.unmount('billing');
console.log([...shop.view().tools.keys()].join(', '));
// #endregion change
assert.deepEqual([...billing.view().tools.keys()], ['invoices', 'rates']);

// #region mistakes
const mistake = (make: () => unknown): void => {
  try {
    make();
    assert.fail('It was accepted.');
  } catch (error) {
    console.log(String((error as Error).message));
  }
};
shop.mount('billing', billing);
mistake(() => billing.mount('shop', shop));
mistake(() => shop.mount('billing', new ToolRegistry({ name: 'other' })));
mistake(() =>
  shop.register({ name: 'billing_rates', description: 'Rates', inputSchema: {}, handler: () => '1' }),
);
// #endregion mistakes

// #region toolset
const market = new ToolRegistry({ name: 'market' }).mount('billing', billing, {
  toolset: { name: 'Billing', description: 'Invoices and payments' },
});
console.log(market.view().groups);
// #endregion toolset
