/** Serves one registry to two clients with different rules. Exits with an error if an assertion fails. */
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { ToolRegistry } from 'toolfold';
import { lowerTools } from '@toolfold/profiles';
import { createHandler } from 'toolfold/web';

// #region serve
const registry = new ToolRegistry({ name: 'shop', wireNames: 'any' }).register({
  name: 'orders.find',
  description: 'Finds orders',
  inputSchema: {
    type: 'object',
    properties: {
      'filter[status]': { type: 'string', enum: ['open', 'paid'] },
      total: { type: 'number', exclusiveMinimum: 0 },
    },
    required: ['filter[status]'],
  },
  handler: ({ input }) => JSON.stringify(input),
});
const handler = createHandler(registry, { view: { profile: 'client', form: 'auto' } });
// #endregion serve

/** Connects a client that reports a name. Requests go to the handler in this process. */
async function connect(name: string): Promise<Client> {
  const client = new Client(
    { name, version: '1.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  const fetch = (url: URL | string, init?: RequestInit): Promise<Response> =>
    handler.fetch(new Request(url, init));
  await client.connect(new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), { fetch }));
  return client;
}

// #region clients
for (const name of ['cursor-vscode', 'gemini-cli-mcp-client']) {
  const client = await connect(name);
  const { tools } = await client.listTools();
  const [tool] = tools;
  console.log(name, JSON.stringify(tool?.inputSchema.properties));
  const [status = ''] = Object.keys(tool?.inputSchema.properties ?? {});
  const { content } = await client.callTool({
    name: tool?.name ?? '',
    arguments: { [status]: 'open', total: 5 },
  });
  console.log(tool?.name, (content as { text: string }[])[0]?.text);
  assert.deepEqual(content, [{ type: 'text', text: '{"filter[status]":"open","total":5}' }]);
  await client.close();
}
// #endregion clients
await handler.close();

const long = {
  name: 'find_orders_by_status_and_customer_and_date_of_their_delivery',
  inputSchema: { type: 'object' },
} as const;
const [lowered] = lowerTools([long], 'cursor', { serverName: 'shop' });
assert.equal(`shop${lowered?.tool.name}`.length, 59);
