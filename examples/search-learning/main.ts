/**
 * A search that learns from calls which words people use for which tools. Exits with an error if an assertion fails.
 */
import assert from 'node:assert/strict';
import { ToolRegistry } from 'toolfold';
import { Exposure, MemorySearchLearning } from 'toolfold/web';

const registry = new ToolRegistry({ name: 'shop' }).register(
  { name: 'list_orders', description: 'Lists orders.', readOnly: true, inputSchema: {}, handler: () => [] },
  { name: 'cancel_order', description: 'Cancels an order.', inputSchema: {}, handler: () => 'cancelled' },
  { name: 'refund_order', description: 'Pays the price back.', inputSchema: {}, handler: () => 'refunded' },
);

// #region learn
const learn = new MemorySearchLearning();
const exposure = new Exposure(registry, { view: { form: 'search', search: { learn } } });
// #endregion learn

const view = await exposure.viewFor({});
const caller = { auth: { clientId: 'ada' } };
const call = (name: string, args: Record<string, unknown>) =>
  registry.executeTool({ name, arguments: args, caller }, view);

/** The addresses that a search returns. */
async function find(query: string): Promise<string[]> {
  const { structuredContent } = await call('search_tools', { query });
  return (structuredContent as { tools: { address: string }[] }).tools.map(({ address }) => address);
}

// #region use
const question = 'compensate an order';
console.log(await find(question));
for (let time = 0; time < 4; time++) {
  await find(question);
  await find('compensate: pay the price back');
  await call('call_write_tool', { address: 'refund_order' });
}
// #endregion use
// Notes are written after the answer.
while ((await find(question))[0] !== 'refund_order') await new Promise((resolve) => setTimeout(resolve, 5));
// #region after
console.log(await find(question));
console.log((await learn.inspect()).tools);
console.log(await learn.erase({ address: 'refund_order' }));
// #endregion after
assert.equal((await learn.inspect()).links, 0);
