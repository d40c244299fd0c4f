/**
 * Lets a model write code that calls many tools in one request. Exits with an error if an assertion fails.
 */
import assert from 'node:assert/strict';
// #region imports
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import { Exposure } from 'toolfold/web';
import * as z from 'zod';
// #endregion imports

// #region tools
const orders = [
  { order: 'o1', customer: 'c1', price: 30, parcel: 'p1' },
  { order: 'o2', customer: 'c1', price: 12, parcel: 'p2' },
  { order: 'o3', customer: 'c2', price: 99, parcel: 'p3' },
];
const refunded: string[] = [];

const shop = new GroupedToolBuilder('shop')
  .description('Orders of the shop')
  .group('orders', 'What was bought', (group) =>
    group
      .action({
        name: 'list',
        description: 'Lists the orders of a customer.',
        readOnly: true,
        inputSchema: z.object({ customer: z.string() }),
        outputSchema: z.object({
          orders: z.array(z.object({ order: z.string(), price: z.number(), parcel: z.string() })),
        }),
        handler: ({ input }) => ({
          orders: orders.filter(({ customer }) => customer === input.customer),
        }),
      })
      .action({
        name: 'refund',
        description: 'Pays the price of an order back. It cannot be undone.',
        destructive: true,
        inputSchema: z.object({ order: z.string() }),
        handler: ({ input }) => {
          refunded.push(input.order);
          return `Refunded ${input.order}`;
        },
      }),
  )
  .group('parcels', 'What was sent', (group) =>
    group.action({
      name: 'track',
      description: 'Says where a parcel is.',
      readOnly: true,
      inputSchema: z.object({ parcel: z.string() }),
      outputSchema: z.object({ place: z.string() }),
      handler: ({ input }) => ({ place: input.parcel === 'p2' ? 'Lyon' : 'delivered' }),
    }),
  );
const registry = new ToolRegistry({ name: 'acme' }).register(shop);
// #endregion tools

// #region form
const exposure = new Exposure(registry, { view: { form: 'code' } });
const view = await exposure.viewFor({});
console.log(view.listTools().map(({ name }) => name));

async function call(name: string, args: Record<string, unknown>): Promise<string> {
  const { content } = await registry.executeTool({ name, arguments: args }, view);
  return content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
}
// #endregion form
assert.deepEqual(
  view.listTools().map(({ name }) => name),
  ['search_tools', 'describe_tools', 'run_code'],
);

// #region search
console.log(await call('search_tools', { queries: ['list orders of a customer', 'where is a parcel'] }));
// #endregion search

// #region describe
console.log(await call('describe_tools', { tools: ['shop.orders.list'] }));
// #endregion describe

// #region run
const code = `
const { orders } = await tools.shop.orders.list({ customer: 'c1' });
const places = await Promise.all(orders.map(({ parcel }) => tools.shop.parcels.track({ parcel })));
orders.filter((_, at) => places[at].place !== 'delivered').map(({ order }) => order)
`;
console.log(await call('run_code', { code }));
// #endregion run

// #region error
console.log(
  await call('run_code', {
    code: `
const { orders } = await tools.shop.orders.list({ customer: 'c1' });
console.log(orders.length + ' orders');
return orders[2].price;
`,
  }),
);
// #endregion error

// #region catch
console.log(
  await call('run_code', {
    code: `
try {
  await tools.shop.orders.refund({ order: 'o1' });
} catch (error) {
  return { code: error.code, message: error.message };
}
`,
  }),
);
// #endregion catch
assert.deepEqual(refunded, []);

// #region object
import { codeForm, createQuickJsSandbox } from '@toolfold/code';

const sandbox = createQuickJsSandbox({ maxThreads: 1 });
const ranker = () => ({ rank: async () => ['shop/orders.list'] });
const form = codeForm({ allow: 'write', limits: { calls: 50 }, sandbox }, { ranker });
const careful = await new Exposure(registry, { view: { form } }).viewFor({});
console.log(careful.listTools().map(({ name }) => name));
// #endregion object
await sandbox.close();
