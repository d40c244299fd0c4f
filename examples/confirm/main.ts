/** Asks a person before an action runs. Exits with an error if an assertion fails. */
import assert from 'node:assert/strict';
import { ToolRegistry } from 'toolfold';
import { ErrToolFailed } from 'toolfold/errors';
import { createTestClient } from '@toolfold/testing';
import * as z from 'zod';

const orders = new Map([
  ['o1', { customer: 'Ada', price: 30 }],
  ['o2', { customer: 'Eve', price: 990 }],
]);

// #region tools
const registry = new ToolRegistry({ name: 'shop' }).register({
  name: 'refund',
  description: 'Pays the price of an order back. It cannot be undone.',
  destructive: true,
  inputSchema: z.object({ order: z.string() }),
  confirm: ({ input }) => {
    const order = orders.get(input.order);
    if (!order) throw new ErrToolFailed(`There is no order ${input.order}.`);
    return order.price > 50 ? `Pay ${order.price} € back to ${order.customer}?` : undefined;
  },
  handler: ({ input }) => `refunded ${input.order}`,
});
// #endregion tools

const client = await createTestClient(registry, { answers: { elicit: { allow: false } } });
for (const order of ['o1', 'o2']) {
  const { content } = await client.call('refund', { order });
  console.log(content[0]?.type === 'text' && content[0].text);
}
for (const { message } of client.questions) console.log(message);
assert.equal(client.questions.length, 1);
await client.close();
