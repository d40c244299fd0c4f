import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport as FirstTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server as FirstServer } from '@modelcontextprotocol/sdk/server/index.js';
import { Server } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createRegistry } from './programs/profile-server.js';
import { expectSaved, savingClients } from './saving-client.js';
import type { SavingClient } from './saving-client.js';

const info = { name: 'profiles', version: '1' };

const kinds: [string, (name: string) => Promise<SavingClient>][] = [
  [
    'a v1 server and a 2025 client',
    async (name) => {
      const server = new FirstServer(info, { capabilities: {} });
      createRegistry().attachToServer(server);
      const client = new FirstClient({ name, version: '1' });
      const [near, far] = FirstTransport.createLinkedPair();
      await Promise.all([server.connect(far), client.connect(near)]);
      return client as never;
    },
  ],
  [
    'a v2 server and a 2025 client',
    async (name) => {
      const server = new Server(info, { capabilities: {} });
      createRegistry().attachToServer(server);
      const client = new Client({ name, version: '1' });
      const [near, far] = InMemoryTransport.createLinkedPair();
      await Promise.all([server.connect(far), client.connect(near)]);
      expect(client.getNegotiatedProtocolVersion()).toBe('2025-11-25');
      return client;
    },
  ],
  [
    'a v2 server and a 2026 client',
    async (name) => {
      const server = new Server(info, { capabilities: {} });
      createRegistry().attachToServer(server);
      const [near, far] = InMemoryTransport.createLinkedPair();
      const handle = serveStdio(() => server, { transport: far });
      onTestFinished(() => handle.close());
      const client = new Client({ name, version: '1' }, { versionNegotiation: { mode: 'auto' } });
      await client.connect(near);
      expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
      return client;
    },
  ],
];

describe.each(kinds)('attachToServer with %s', (_, connect) => {
  it.each(savingClients)('lists and calls tools in the profile of %s', async (name, listed, sent) => {
    await expectSaved(await connect(name), listed, sent);
  });
});
