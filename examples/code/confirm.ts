/** Lets code refund orders if a person confirms each refund. Exits with an error if an assertion fails. */
import assert from 'node:assert/strict';
// #region imports
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { ToolRegistry } from 'toolfold';
import { serveHttp } from 'toolfold/node';
import * as z from 'zod';
// #endregion imports

// #region tools
const refunded: string[] = [];
const registry = new ToolRegistry({ name: 'acme' }).register({
  name: 'refund',
  description: 'Pays the price of an order back. It cannot be undone.',
  destructive: true,
  inputSchema: z.object({ order: z.string() }),
  handler: ({ input }) => {
    refunded.push(input.order);
    return `refunded ${input.order}`;
  },
});
// #endregion tools

// #region serve
const server = await serveHttp(registry, { port: 0, view: { form: 'code', code: { allow: 'write' } } });
// #endregion serve

// #region client
const client = new Client(
  { name: 'example', version: '1.0.0' },
  { versionNegotiation: { mode: 'auto' }, capabilities: { elicitation: { form: {} } } },
);
client.setRequestHandler('elicitation/create', async ({ params }) => {
  console.log(params.message);
  return { action: 'accept', content: { allow: params.message.includes('"o1"') } };
});
await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
const code = `
const refund = (order) => tools.refund({ order }).catch(({ message }) => message);
await Promise.all(['o1', 'o2'].map(refund))
`;
const { content } = await client.callTool({ name: 'run_code', arguments: { code } });
console.log(content);
await client.close();
await server.close();
// #endregion client
assert.deepEqual(refunded, ['o1']);
