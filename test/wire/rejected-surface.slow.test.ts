import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, it } from 'vitest';
import { profileNames } from '@toolfold/profiles';
import { checkSurface } from './rejected-surface.js';

const program = fileURLToPath(new URL('programs/rejected-server.ts', import.meta.url));

it.each(profileNames)(
  'a surface that providers reject is listed, called and answered over stdio through the profile %s',
  async (profile) => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
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
