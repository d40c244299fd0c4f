import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { describe, expect, it } from 'vitest';
import { expectSaved, savingClients } from './saving-client.js';
import type { SavingClient } from './saving-client.js';

const program = fileURLToPath(new URL('programs/profile-server.ts', import.meta.url));
const command = { command: process.execPath, args: ['--import', 'tsx', program, 'serve'] };

const kinds: [string, (name: string) => Promise<SavingClient>][] = [
  [
    'a v1 client',
    async (name) => {
      const client = new FirstClient({ name, version: '1' });
      await client.connect(new FirstTransport(command));
      return client as never;
    },
  ],
  [
    'a v2 client of 2025',
    async (name) => {
      const client = new Client({ name, version: '1' });
      await client.connect(new StdioClientTransport(command));
      expect(client.getNegotiatedProtocolVersion()).toBe('2025-11-25');
      return client;
    },
  ],
  [
    'a v2 client of 2026',
    async (name) => {
      const client = new Client({ name, version: '1' }, { versionNegotiation: { mode: 'auto' } });
      await client.connect(new StdioClientTransport(command));
      expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
      return client;
    },
  ],
];

describe.each(kinds)('serveStdio with %s', (_, connect) => {
  it.each(savingClients)('lists and calls tools in the profile of %s', async (name, listed, sent) => {
    await expectSaved(await connect(name), listed, sent);
  });
});
