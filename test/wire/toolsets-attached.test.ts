import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FirstStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server as FirstServer } from '@modelcontextprotocol/sdk/server/index.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it, vi } from 'vitest';
import { ToolRegistry } from 'toolfold';
import { Exposure } from 'toolfold/web';
import { configOf } from './toolset-server.js';
import { cleanUps } from './toolset-setup.js';

const program = fileURLToPath(new URL('programs/toolset-server.ts', import.meta.url));
const child = { command: process.execPath, args: ['--import', 'tsx', program] };
const info = { name: 'client', version: '1' };
const META = ['list_toolsets', 'describe_toolset', 'enable_toolset', 'disable_toolset', 'list_tools'];
const USERS = ['list_users', 'add_user', 'read_audit'];

const names = async (client: Client): Promise<string[]> =>
  (await client.listTools()).tools.map(({ name }) => name);
const call = async (client: Client, name: string, args: Record<string, unknown> = {}): Promise<string> => {
  const { content } = await client.callTool({ name, arguments: args });
  return (content as { text: string }[])[0]?.text ?? '';
};

/** Enables, uses and disables a toolset. */
async function walk(client: Client, changes: () => number): Promise<void> {
  expect(await names(client)).toEqual(META);
  expect(await call(client, 'enable_toolset', { toolset: 'users' })).toContain('"hasChanged":true');
  await vi.waitFor(() => expect(changes()).toBe(1));
  expect(await names(client)).toEqual([...META, ...USERS]);
  expect(await call(client, 'add_user')).toBe('add_user');
  expect(await call(client, 'enable_toolset', { toolset: 'basics' })).toContain('"basics"');
  expect(await call(client, 'whoami')).toContain('token-of-the-server');
  await call(client, 'disable_toolset', { toolset: 'users' });
  await vi.waitFor(() => expect(changes()).toBe(3));
  expect(await names(client)).toEqual([...META, 'whoami']);
  await expect(client.callTool({ name: 'add_user', arguments: {} })).rejects.toThrow(
    'Unknown tool "add_user"',
  );
  expect(await call(client, 'enable_toolset', { toolset: 'broken' })).toContain('Unknown toolset "broken"');
  expect(changes()).toBe(3);
}

describe('a server on standard input and output with dynamic toolsets', () => {
  it('lets a 2025 client enable them (second SDK)', async () => {
    let count = 0;
    const client = new Client(info, { versionNegotiation: { mode: 'legacy' } });
    client.setNotificationHandler('notifications/tools/list_changed', () => void count++);
    await client.connect(new StdioClientTransport(child));
    cleanUps.push(() => client.close());
    await walk(client, () => count);
  });

  it('lets a 2025 client enable them (first SDK)', async () => {
    let count = 0;
    const client = new FirstClient(info);
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => void count++);
    await client.connect(new FirstStdio(child));
    cleanUps.push(() => client.close());
    await walk(client as unknown as Client, () => count);
  });

  it('gives a 2026-07-28 client the search form', async () => {
    const client = new Client(info, { versionNegotiation: { mode: 'auto' } });
    await client.connect(new StdioClientTransport(child));
    cleanUps.push(() => client.close());
    const before = await names(client);
    expect(before).toEqual([
      'search_tools',
      'describe_tools',
      'call_read_tool',
      'call_write_tool',
      'list_toolsets',
    ]);
    expect(await call(client, 'search_tools', { query: 'add a person' })).toContain('add_user');
    expect(await call(client, 'call_write_tool', { address: 'add_user', arguments: {} })).toBe('add_user');
    expect(await call(client, 'call_read_tool', { address: 'whoami', arguments: {} })).toContain(
      'token-of-the-server',
    );
    expect(await names(client)).toEqual(before);
  });
});

describe('an exposure on a custom server', () => {
  it('serves each connection its own toolsets', async () => {
    const registry = new ToolRegistry({ name: 'acme' });
    const toolsets = configOf({ startup: { mode: 'DYNAMIC' }, exposurePolicy: { denylist: ['broken'] } });
    const exposure = new Exposure(registry, { toolsets });
    const connect = async () => {
      let count = 0;
      const server = new FirstServer({ name: 'acme', version: '1' }, { capabilities: {} });
      registry.attachToServer(server, { view: exposure });
      const [near, far] = InMemoryTransport.createLinkedPair();
      const client = new FirstClient(info);
      client.setNotificationHandler(ToolListChangedNotificationSchema, () => void count++);
      await Promise.all([server.connect(far), client.connect(near)]);
      cleanUps.push(() => client.close());
      return { client: client as unknown as Client, changes: () => count };
    };
    const [ada, bob] = [await connect(), await connect()];
    await walk(ada.client, ada.changes);
    expect(await names(bob.client)).toEqual(META);
    expect(bob.changes()).toBe(0);
  });
});
