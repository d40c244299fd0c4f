import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ToolRegistry } from 'toolfold';
import { Prompt, PromptArgument, Resource, Tool } from 'toolfold/model';
import { serveHttp } from 'toolfold/node';

const createSearch = (namespace: string): Tool =>
  new Tool({
    name: 'search',
    description: `Searches ${namespace}`,
    inputSchema: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
    namespace,
    version: '1.2.0',
  });

async function serve(): Promise<URL> {
  const registry = new ToolRegistry({ name: 'acme', listIdentity: true })
    .register(createSearch('billing'), ({ input }) => `billing ${String(input['query'])}`)
    .register(createSearch('crm'), ({ input }) => `crm ${String(input['query'])}`)
    .registerPrompt(
      new Prompt({ name: 'greet', promptArguments: [new PromptArgument({ name: 'who', required: true })] }),
      ({ input }) => `Hello ${input['who']}`,
    )
    .registerResource(new Resource({ name: 'motd', uri: 'motd://today' }), () => 'All is well');
  const server = await serveHttp(registry, { port: 0 });
  onTestFinished(() => server.close());
  return new URL(server.url);
}

async function connectV1(url: URL): Promise<ClientV1> {
  const client = new ClientV1({ name: 'c', version: '1' });
  await client.connect(new TransportV1(url) as Transport);
  onTestFinished(() => client.close());
  return client;
}

async function connectV2(url: URL): Promise<Client> {
  const client = new Client({ name: 'c', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(url));
  onTestFinished(() => client.close());
  return client;
}

describe('objects of the model, served over HTTP', () => {
  it.each([
    ['SDK v1', connectV1],
    ['SDK v2', connectV2],
  ])('are listed, called, filled and read by a %s client', async (_name, connect) => {
    const client = (await connect(await serve())) as Client;
    const { tools } = await client.listTools();
    expect(tools.map(({ name, _meta }) => [name, _meta?.['toolfold/identity']])).toEqual([
      ['billing_search', { namespace: 'billing', version: '1.2.0' }],
      ['crm_search', { namespace: 'crm', version: '1.2.0' }],
    ]);
    const call = (name: string) => client.callTool({ name, arguments: { query: 'Ada' } });
    expect((await call('billing_search')).content).toEqual([{ type: 'text', text: 'billing Ada' }]);
    expect((await call('crm_search')).content).toEqual([{ type: 'text', text: 'crm Ada' }]);
    const { messages } = await client.getPrompt({ name: 'greet', arguments: { who: 'Ada' } });
    expect(messages).toMatchObject([{ content: { text: 'Hello Ada' } }]);
    const { contents } = await client.readResource({ uri: 'motd://today' });
    expect(contents).toEqual([{ uri: 'motd://today', text: 'All is well' }]);
  });
});
