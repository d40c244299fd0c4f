/**
 * Serves sixty operations in every form to 2025 and 2026 clients. Each client deletes an invoice, and the example
 * counts the tokens that its model reads on the way. Exits with an error if an assertion fails.
 */
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { getEncoding } from 'js-tiktoken';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import type { ToolsetConfig, HandlerOptions } from 'toolfold/web';
import { createHandler } from 'toolfold/web';
import * as z from 'zod';
import { families, operationsOf, workspace } from '../group-tools/kinds.js';

const builders = Object.entries(families).map(([name, kinds]) => {
  const builder = new GroupedToolBuilder(name).commonSchema(z.object(workspace));
  for (const kind of kinds) {
    builder.group(kind.many, kind.about, (group) => {
      for (const operation of operationsOf(kind)) group.action(operation);
      return group;
    });
  }
  return builder;
});

// #region toolsets
const toolsets: ToolsetConfig = {
  catalog: Object.fromEntries(
    builders.map((builder) => [
      builder.name,
      {
        name: builder.name,
        description: `Everything about ${builder.name}`,
        tools: [builder],
      },
    ]),
  ),
  moduleLoaders: {},
  startup: { mode: 'STATIC', toolsets: 'ALL' },
  context: {},
  exposurePolicy: {},
};
// #endregion toolsets

// #region forms
const forms: Readonly<Record<string, { options: HandlerOptions; path?: string }>> = {
  flat: { options: { toolsets, view: { form: 'flat' } } },
  grouped: { options: { toolsets } },
  'grouped, split': { options: { toolsets, view: { split: 'risk' } } },
  'one toolset, flat': { options: { toolsets, view: { form: 'flat' } }, path: '/x/billing' },
  'one toolset, grouped': { options: { toolsets }, path: '/x/billing' },
  dynamic: {
    options: { toolsets: { ...toolsets, startup: { mode: 'DYNAMIC' } }, view: { form: 'flat' } },
  },
  search: { options: { toolsets, view: { form: 'search' } } },
  code: { options: { toolsets, view: { form: 'code', code: { allow: 'write' } } } },
};
// #endregion forms

const encoding = getEncoding('o200k_base');

/** A client, and the number of tokens that its model has read. */
class Reader {
  readonly #client: Client;
  tokens = 0;
  calls = 0;

  constructor(client: Client) {
    this.#client = client;
  }

  async list(): Promise<string[]> {
    const { tools } = await this.#client.listTools();
    this.tokens += encoding.encode(JSON.stringify({ tools })).length;
    return tools.map(({ name }) => name);
  }

  async call(name: string, args: Record<string, unknown>): Promise<string> {
    const { content, isError } = await this.#client.callTool({ name, arguments: args });
    const text = (content as { text: string }[])[0]?.text ?? '';
    assert.equal(isError, undefined, text);
    this.calls++;
    this.tokens += encoding.encode(text).length;
    return text;
  }
}

const args = { workspace_id: 'w1', id: 'i7' };

/** Deletes an invoice, with whichever tools the server lists. */
async function remove(reader: Reader): Promise<string> {
  let names = await reader.list();
  if (names.includes('search_tools')) {
    assert.match(
      await reader.call('search_tools', { query: 'delete an invoice', limit: 3 }),
      /invoices\.delete/,
    );
    if (names.includes('run_code')) {
      const code = `await tools.billing.invoices.delete(${JSON.stringify(args)})`;
      return reader.call('run_code', { code });
    }
    return reader.call('call_write_tool', { address: 'billing/invoices.delete', arguments: args });
  }
  if (names.includes('enable_toolset')) {
    assert.match(await reader.call('list_toolsets', {}), /billing/);
    await reader.call('enable_toolset', { toolset: 'billing' });
    names = await reader.list();
  }
  if (names.includes('billing_invoices_delete')) return reader.call('billing_invoices_delete', args);
  const name = names.includes('billing_write') ? 'billing_write' : 'billing';
  return reader.call(name, { action: 'invoices.delete', ...args });
}

for (const [form, { options, path = '' }] of Object.entries(forms)) {
  const handler = createHandler(new ToolRegistry({ name: 'workspace' }), { ...options, path: '/mcp' });
  const rows = new Map<string, string>();
  for (const mode of ['auto', 'legacy'] as const) {
    const client = new Client(
      { name: 'example', version: '1.0.0' },
      { versionNegotiation: { mode }, capabilities: { elicitation: { form: {} } } },
    );
    // The user allows the code to delete the invoice.
    client.setRequestHandler('elicitation/create', async () => ({
      action: 'accept',
      content: { allow: true },
    }));
    // No port is needed: fetch passes requests directly to the handler.
    const fetch = (url: string | URL, init?: RequestInit) => handler.fetch(new Request(url, init));
    const url = new URL(`http://localhost/mcp${path}`);
    await client.connect(new StreamableHTTPClientTransport(url, { fetch }));
    const count = (await client.listTools()).tools.length;
    const reader = new Reader(client);
    assert.equal(await remove(reader), 'deleted one invoice');
    const row = `${count} listed, ${reader.calls} calls, ${reader.tokens} tokens`;
    rows.set(row, [rows.get(row), client.getNegotiatedProtocolVersion()].filter(Boolean).join(' and '));
    await client.close();
  }
  for (const [row, eras] of rows) console.log(`${form}, ${eras}: ${row}`);
  await handler.close();
}
