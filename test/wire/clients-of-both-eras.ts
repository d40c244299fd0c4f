import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

type AnyClient = Pick<Client, 'listTools' | 'callTool' | 'close'>;

/** Connects a client of each era to a server, for `it.each`. The server may start later. */
export function clientsOfBothEras(
  url: () => string,
): [era: string, connect: (headers?: Record<string, string>) => Promise<AnyClient>][] {
  return [
    [
      'of 2026-07-28',
      async (headers = {}) => {
        const client = new Client({ name: 'c', version: '1' }, { versionNegotiation: { mode: 'auto' } });
        await client.connect(new StreamableHTTPClientTransport(new URL(url()), { requestInit: { headers } }));
        return client;
      },
    ],
    [
      'of 2025-11-25',
      async (headers = {}) => {
        const client = new FirstClient({ name: 'c', version: '1' });
        await client.connect(new FirstTransport(new URL(url()), { requestInit: { headers } }) as never);
        return client as never;
      },
    ],
  ];
}
