/**
 * Serves many tools behind five: a client searches for them, reads their descriptions on demand, and calls them through
 * one tool for reading and one for writing. Exits with an error if an assertion fails.
 */
import assert from 'node:assert/strict';
// #region imports
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import type { View } from 'toolfold';
import type { CreateRanker, SearchSidecar } from '@toolfold/search';
import { Exposure } from 'toolfold/web';
import { createToolSearch } from '@toolfold/search';
import * as z from 'zod';
// #endregion imports

// #region tools
const shop = new GroupedToolBuilder('shop')
  .description('Orders and customers of the shop')
  .group('orders', 'What was bought', (orders) =>
    orders
      .action({
        name: 'list',
        description: 'Lists orders, the newest first.',
        readOnly: true,
        inputSchema: z.object({ customer: z.string().describe('Number of the customer') }),
        handler: ({ input }) => [{ order: 'o1', customer: input.customer }],
      })
      .action({
        name: 'refund',
        description: 'Pays the price of an order back. It cannot be undone.',
        destructive: true,
        inputSchema: z.object({ order: z.string() }),
        handler: ({ input }) => `refunded ${input.order}`,
      }),
  );
const registry = new ToolRegistry({ name: 'acme' }).register(
  shop,
  {
    name: 'track_parcel',
    description: 'Says where a parcel is.',
    readOnly: true,
    inputSchema: { number: z.string() },
    handler: () => 'On its way',
  },
  { name: 'ping', description: 'Answers', inputSchema: {}, handler: () => 'pong' },
);
// #endregion tools

// #region form
const exposure = new Exposure(registry, { view: { form: 'search', pinned: ['ping'] } });
const view = await exposure.viewFor({});
console.log(view.listTools().map(({ name }) => name));

async function call(name: string, args: Record<string, unknown>, through: View = view): Promise<string> {
  const { content } = await registry.executeTool({ name, arguments: args }, through);
  return content[0]?.type === 'text' ? content[0].text : '';
}
// #endregion form
const meta = ['search_tools', 'describe_tools', 'call_read_tool', 'call_write_tool', 'list_toolsets'];
assert.deepEqual(
  view.listTools().map(({ name }) => name),
  [...meta, 'ping'],
);

// #region search
const steps = ['list the orders of a customer', 'pay the price of an order back'];
console.log(await call('search_tools', { queries: steps, limit: 1 }));
// #endregion search
assert.match(
  await call('search_tools', { queries: steps, limit: 1 }),
  /1,shop\/orders.list,[^]*2,shop\/orders.refund,/,
);

// #region describe
console.log(await call('describe_tools', { addresses: ['shop/orders.refund'] }));
// #endregion describe

// #region nothing
console.log(await call('search_tools', { query: 'book a flight to Paris' }));
// #endregion nothing
assert.match(await call('search_tools', { query: 'book a flight to Paris' }), /No tool matches/);

// #region call
for (const [name, args] of [
  ['call_read_tool', { address: 'shop/orders.list', arguments: { customer: 'c7' } }],
  ['call_write_tool', { address: 'shop/orders.refund', arguments: { order: 'o1' } }],
  ['call_read_tool', { address: 'shop/orders.refund', arguments: { order: 'o1' } }],
  ['call_read_tool', { address: 'shop/orders.lst', arguments: {} }],
  ['call_read_tool', { address: 'shop/orders.list', customer: 'c7' }],
] as const) {
  console.log(await call(name, args));
}
// #endregion call

// #region narrower
const readers = await exposure.viewFor({ selection: { readOnly: true } });
console.log(await call('call_write_tool', { address: 'shop/orders.refund' }, readers));
// #endregion narrower
assert.equal(readers.tools.has('ping'), false);
const other = new Exposure(new ToolRegistry({ name: 'other' }), { view: { form: 'search' } });
assert.equal(readers.listPages()[0], (await other.viewFor({})).listPages()[0]);

// #region ranker
const ranker: CreateRanker = async (tools) => {
  // A real ranker would compute an embedding of each tool here, once.
  const texts = tools.map(({ address, description = '' }) => ({ address, text: description.toLowerCase() }));
  return {
    async rank(query, { limit }) {
      const isAboutPost = /post|courier|van/.test(query);
      return texts
        .filter(({ text }) => isAboutPost && text.includes('parcel'))
        .map(({ address }) => address)
        .slice(0, limit);
    },
  };
};
const ranked = await new Exposure(registry, { view: { form: 'search', search: { ranker } } }).viewFor({});
console.log(await call('search_tools', { query: 'ask the courier', limit: 1 }, ranked));
// #endregion ranker
assert.match(await call('search_tools', { query: 'ask the courier', limit: 1 }, ranked), /track_parcel/);

// #region own
const search = createToolSearch([
  { address: 'mail/send', name: 'send', description: 'Sends an email to somebody.' },
  { address: 'cars/rent', name: 'rent', description: 'Rents a vehicle.' },
]);
console.log(search.search('I want to rent a vehicle', { limit: 1 })[0]?.address);
// #endregion own
assert.equal(search.search('I want to rent a vehicle')[0]?.address, 'cars/rent');

// #region keywords
const clinic = new ToolRegistry({ name: 'clinic' }).register({
  name: 'create_appointment',
  description: 'Creates an appointment with a doctor.',
  inputSchema: { day: z.string() },
  search: {
    keywords: ['book', 'schedule', 'visit', 'checkup', 'slot'],
    examples: ['I need to see somebody'],
  },
  handler: () => 'created',
});
// #endregion keywords

// #region sidecar
const sidecar: SearchSidecar = {
  version: 1,
  tools: { create_appointment: { keywords: ['physician', 'consultation'] } },
};
const served = new Exposure(clinic, { view: { form: 'search', search: { sidecar } } });
// #endregion sidecar
const clinicView = await served.viewFor({});
for (const query of ['schedule a checkup', 'a consultation with a physician']) {
  const { structuredContent } = await clinic.executeTool(
    { name: 'search_tools', arguments: { query } },
    clinicView,
  );
  assert.match(JSON.stringify(structuredContent), /create_appointment/);
}
assert.doesNotMatch(JSON.stringify(clinic.listTools()), /checkup/);
