import { expect } from 'vitest';

/** The methods of both SDKs' clients that the tests use. */
export interface SavingClient {
  listTools(): Promise<{ tools: { inputSchema: Record<string, unknown> }[] }>;
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  close(): Promise<void>;
}

const value = { size: '5', list: [null, '{}'] };
const saved = { content: [{ type: 'text', text: JSON.stringify({ data: value }) }] };

/** By name of the client: the listed schema of `data`, and what the client sends for it. */
export const savingClients: [name: string, listed: object, sent: unknown][] = [
  [
    'gemini-cli',
    { type: 'string', description: expect.stringContaining('JSON') as string },
    JSON.stringify(value),
  ],
  ['my-agent', { type: 'object', additionalProperties: {} }, value],
];

/** Checks the list that a client gets from the profile server, and that its call arrives as the author's schema says. */
export async function expectSaved(client: SavingClient, listed: object, sent: unknown): Promise<void> {
  const { tools } = await client.listTools();
  expect(tools).toMatchObject([{ name: 'save', inputSchema: { properties: { data: listed } } }]);
  expect(await client.callTool({ name: 'save', arguments: { data: sent } })).toMatchObject(saved);
  await client.close();
}
