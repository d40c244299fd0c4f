import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import type { ServerInfo } from '../../packages/devtools/src/page-api.js';

/** The page of a command, as its browser reaches it. */
export function pageAt(address: string) {
  const url = new URL(address);
  const headers = { 'x-toolfold-token': url.hash.slice('#token='.length) };
  const get = async <T>(path: string): Promise<T> => {
    const response = await fetch(new URL(path, url), { headers });
    const body: unknown = await response.json();
    if (!response.ok) throw new Error(JSON.stringify(body));
    return body as T;
  };
  return {
    headers,
    get,
    server: () => get<ServerInfo>('/api/server'),
    /** The names of the tools in the tree. */
    tools: async (): Promise<string[]> => {
      const { nodes } = await get<{ nodes: { kind: string; name: string }[] }>('/api/tree');
      return nodes.filter(({ kind }) => kind === 'tool').map(({ name }) => name);
    },
    /** A client of the endpoint through which the page calls. It accepts every question. */
    connect: async (era: '2025' | '2026' = '2026', path = '/mcp/server/server'): Promise<Client> => {
      const client = new Client(
        { name: 'page', version: '1' },
        {
          capabilities: { elicitation: { form: {} } },
          versionNegotiation: { mode: era === '2026' ? 'auto' : 'legacy' },
        },
      );
      client.setRequestHandler('elicitation/create', async () => ({
        action: 'accept' as const,
        content: { answer: 'from the page' },
      }));
      const transport = new StreamableHTTPClientTransport(new URL(path, url), { requestInit: { headers } });
      await client.connect(transport);
      onTestFinished(() => client.close());
      return client;
    },
  };
}

/** The text of the first block of a result. */
export function textOf({ content }: { readonly content: unknown }): string {
  const [first] = content as { readonly text?: string }[];
  return first?.text ?? '';
}
