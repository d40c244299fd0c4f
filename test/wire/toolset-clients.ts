import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

type Args = Readonly<Record<string, unknown>>;

export interface Answer {
  readonly text: string;
  readonly isError: boolean;
  /** The text parsed as JSON, if it is JSON. */
  readonly data: unknown;
}

/** The methods that tests need of any client. */
export interface TestClient {
  names(): Promise<string[]>;
  call(name: string, args?: Args): Promise<Answer>;
  /** The number of tools/list_changed notifications. */
  readonly changes: () => number;
  close(): Promise<void>;
}

export type Connect = (url: string, headers?: Readonly<Record<string, string>>) => Promise<TestClient>;

const info = { name: 'client', version: '1' };

function wrap(client: Client, changes: () => number): TestClient {
  return {
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args = {}) => {
      const { content, isError } = await client.callTool({ name, arguments: { ...args } });
      const [first] = content as { text?: string }[];
      const { text = '' } = first ?? {};
      return { text, isError: isError === true, data: text.startsWith('{') ? JSON.parse(text) : undefined };
    },
    changes,
    close: () => client.close(),
  };
}

const second =
  (mode: 'auto' | 'legacy'): Connect =>
  async (url, headers = {}) => {
    let count = 0;
    const client = new Client(info, { versionNegotiation: { mode } });
    client.setNotificationHandler('notifications/tools/list_changed', () => void count++);
    await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
    return wrap(client, () => count);
  };

const first: Connect = async (url, headers = {}) => {
  let count = 0;
  const client = new FirstClient(info);
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => void count++);
  await client.connect(new FirstTransport(new URL(url), { requestInit: { headers } }) as never);
  return wrap(client as unknown as Client, () => count);
};

/** Real 2025 and 2026 clients. */
export const modern = second('auto');
export const legacyClients: readonly (readonly [string, Connect])[] = [
  ['the second SDK, 2025', second('legacy')],
  ['the first SDK, 2025', first],
];
export const allClients: readonly (readonly [string, Connect])[] = [
  ['the second SDK, 2026', modern],
  ...legacyClients,
];
