import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkTools, lowerTool } from '@toolfold/profiles';
import type { McpTool } from '@toolfold/profiles';
import { commandIn, files, tools } from './cli-profile-files.js';
import { folderWith, startProgram } from './cli-program.js';
import { cases } from '../../../test/wire/rejected-tools.js';

/** A client of a proxy or a development server over HTTP. */
async function connect(argv: readonly string[], cwd: string, name = 'test'): Promise<Client> {
  const { written, child, exit } = startProgram(argv, { cwd });
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await exit;
  });
  const urlOf = (): string | undefined => /"url":\s*"([^"]+)"/.exec(written.out)?.[1];
  await expect.poll(urlOf, { timeout: 60_000 }).toBeDefined();
  const client = new Client({ name, version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(urlOf() ?? '')));
  onTestFinished(() => client.close());
  return client;
}

async function textOf(client: Client, name: string, args: object): Promise<string> {
  const { content } = await client.callTool({ name, arguments: { ...args } });
  return (content[0] as { text: string }).text;
}

describe('toolfold proxy --profile', () => {
  // These rewrite names, add nulls, write maps as text, or nothing. All profiles lower the same tools in `test/wire/rejected-surface.test.ts`.
  it.each(['standard', 'anthropic', 'openai-strict', 'gemini'] as const)(
    'lists tools that the profile %s accepts, and sends the server its own names and arguments',
    async (profile) => {
      const cwd = folderWith(files);
      const options = ['--http', '0', '--json', '--form', 'flat', '--profile', profile];
      const client = await connect(['proxy', ...options, '--', ...commandIn(cwd)], cwd);
      const listed = (await client.listTools()).tools as unknown as McpTool[];
      expect(checkTools(tools, profile)).not.toEqual([]);
      // Unknown clients get the schemas of other servers as these wrote them, also without `items`.
      const broken = checkTools(listed, profile).filter(
        ({ rule }) => profile !== 'standard' || rule !== 'array-items',
      );
      expect(broken).toEqual([]);
      for (const [at, { name, valid, wrong, field }] of cases.entries()) {
        const { encode = (args) => args } = lowerTool(tools[at] as McpTool, profile);
        const shown = listed[at]?.name ?? '';
        expect(await textOf(client, shown, encode(valid))).toBe(JSON.stringify([name, valid]));
        const rejected = await textOf(client, shown, encode(wrong));
        expect(rejected).toMatch(/^Validation failed/);
        expect(rejected).toContain(field);
      }
    },
  );

  it('chooses the profile by the client with --profile client, also for grouped tools', async () => {
    const cwd = folderWith(files);
    const options = ['--http', '0', '--json', '--profile', 'client'];
    const client = await connect(['proxy', ...options, '--', ...commandIn(cwd)], cwd, 'claude-ai');
    const listed = (await client.listTools()).tools as unknown as McpTool[];
    expect(checkTools(listed, 'anthropic')).toEqual([]);
    expect(listed[0]?.inputSchema).toMatchObject({ properties: { filter_name: {} } });
    const given = { action: 'find', filter_name: 'x' };
    expect(await textOf(client, 'raw', given)).toBe('["find",{"filter[name]":"x"}]');
  });
});

describe('toolfold dev --profile', () => {
  it.each([
    ['cursor', 'test', 'cursor'],
    ['client', 'claude-ai', 'anthropic'],
  ] as const)(
    '%s lists tools that the client %s accepts, and answers its calls',
    async (option, name, profile) => {
      const cwd = folderWith(files);
      const client = await connect(
        ['dev', 'registry.mjs', '--port', '0', '--json', '--profile', option],
        cwd,
        name,
      );
      const listed = (await client.listTools()).tools as unknown as McpTool[];
      expect(checkTools(listed, profile)).toEqual([]);
      expect(listed[0]?.name).toBe('files_move');
      expect(await textOf(client, 'find', { filter_name: 'x' })).toBe('{"filter[name]":"x"}');
    },
  );
});
