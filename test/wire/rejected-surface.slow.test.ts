import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, it } from 'vitest';
import { checkSurface } from './rejected-surface.js';

const program = fileURLToPath(new URL('programs/rejected-server.ts', import.meta.url));

// The other profiles are tested over HTTP, because no transport knows the profile.
it.each(['auto', 'legacy'] as const)(
  'a surface that providers reject is listed, called and answered over stdio to a client of the mode %s',
  async (mode) => {
    const profile = 'openai-strict';
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    const args = ['--import', 'tsx', program, profile];
    await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }));
    await checkSurface(
      {
        list: async () => (await client.listTools()).tools as never,
        call: async (name, input) => (await client.callTool({ name, arguments: input })) as never,
      },
      profile,
    );
    expect(client.getServerVersion()?.name).toBe('rejected');
    await client.close();
  },
);
