/** Clients of both official SDKs, for a caller with or without its own key. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

export const eras = ['2026-07-28', '2025-11-25', 'the first SDK'] as const;

export interface Caller {
  list(): Promise<string[]>;
  /** Returns the text of the answer. Throws if the call failed. */
  call(name: string, args: Record<string, unknown>): Promise<string>;
  close(): Promise<void>;
}

const info = { name: 'example', version: '1.0.0' };

export async function connect(address: string, era: (typeof eras)[number], key?: string): Promise<Caller> {
  const url = new URL(address);
  // The key goes into a header, because addresses end up in logs.
  const headers: Record<string, string> =
    key === undefined ? {} : { 'mcp-session-config': btoa(JSON.stringify({ FMP_ACCESS_TOKEN: key })) };
  const options = { requestInit: { headers } };
  if (era === 'the first SDK') {
    const client = new FirstClient(info);
    // The SDK's types were compiled without exactOptionalPropertyTypes.
    await client.connect(new FirstTransport(url, options) as Parameters<typeof client.connect>[0]);
    return callerOf(client);
  }
  const mode = era === '2026-07-28' ? 'auto' : 'legacy';
  const client = new Client(info, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(url, options));
  if (client.getNegotiatedProtocolVersion() !== era) throw new Error(`This is no client of ${era}`);
  return callerOf(client);
}

interface AnyClient {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(request: { name: string; arguments: Record<string, unknown> }): Promise<object>;
  close(): Promise<void>;
}

function callerOf(client: AnyClient): Caller {
  return {
    list: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args) => {
      const { content, isError } = (await client.callTool({ name, arguments: args })) as {
        content: { text: string }[];
        isError?: boolean;
      };
      const text = content.map((part) => part.text).join('\n');
      if (isError) throw new Error(text);
      return text;
    },
    close: () => client.close(),
  };
}
