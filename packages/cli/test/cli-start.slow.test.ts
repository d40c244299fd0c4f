import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it, onTestFinished } from 'vitest';
import { folderWith, pathOf, runProgram, startProgram } from './cli-program.js';

const key = 'k'.repeat(32);
const files = {
  'server.ts': `
    import { ToolRegistry } from 'toolfold';
    import { defineServer } from 'toolfold/node';
    import { apiKeys } from 'toolfold/web';
    console.log('loaded');
    const tool = (name: string) => ({
      name, description: 'Greets', readOnly: true, scopes: ['greet'], inputSchema: {},
      handler: ({ context }) => name + ' for ' + context.caller?.auth?.clientId,
    });
    const clients = [{ name: 'small', profile: 'standard', maxTools: 1 }] as const;
    export default defineServer({
      registry: new ToolRegistry({ name: 'own' }).register(tool('greet'), tool('wave')),
      view: { form: 'auto', clients },
      http: { port: 0, auth: apiKeys({ keys: [{ key: '${key}', clientId: 'ada', scopes: ['greet'] }] }) },
      stdio: { auth: { clientId: 'local', scopes: ['greet'] } },
    });
  `,
};

async function ask(client: Client, transport: Parameters<Client['connect']>[0]) {
  await client.connect(transport);
  onTestFinished(() => client.close());
  const { tools } = await client.listTools();
  const isSearch = tools.some(({ name }) => name === 'search_tools');
  const [name, args] = isSearch ? ['call_read_tool', { address: 'greet', arguments: {} }] : ['greet', {}];
  const { content } = await client.callTool({ name, arguments: args });
  return { isSearch, text: (content as { text?: string }[])[0]?.text };
}

describe.each(['legacy', 'auto'] as const)('toolfold start and a client (%s)', (mode) => {
  const createClient = (name: string) => new Client({ name, version: '1' }, { versionNegotiation: { mode } });

  it('serves what the file describes over HTTP: the form of each client, and its authentication', async () => {
    const { child, written, exit } = startProgram(['start', 'server.ts', '--json'], {
      cwd: folderWith(files),
    });
    await expect.poll(() => written.out, { timeout: 30_000 }).toContain('\n');
    const { url } = JSON.parse(written.out) as { url: string };
    expect((await fetch(url, { method: 'POST' })).status).toBe(401);
    const open = () =>
      new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { 'x-api-key': key } } });
    expect(await ask(createClient('big'), open())).toEqual({ isSearch: false, text: 'greet for ada' });
    expect(await ask(createClient('small'), open())).toEqual({ isSearch: true, text: 'greet for ada' });
    child.kill('SIGTERM');
    expect(await exit).toEqual({ code: 0, signal: null });
    expect(written.err).toContain('loaded');
  });

  it('serves what the file describes over stdio, and ends with the client', async () => {
    const args = [pathOf('packages/cli/dist/main.js'), 'start', 'server.ts', '--stdio'];
    const transport = new StdioClientTransport({
      command: process.execPath,
      args,
      cwd: folderWith(files),
      stderr: 'ignore',
    });
    expect(await ask(createClient('small'), transport)).toEqual({ isSearch: true, text: 'greet for local' });
  });
});

describe('toolfold start', () => {
  it('serves a registry without a description', async () => {
    const folder = folderWith({
      'registry.mjs': `import { ToolRegistry } from 'toolfold'; export const registry = new ToolRegistry({ name: 'r' });`,
    });
    const { child, written } = startProgram(['start', 'registry.mjs', '--port', '0'], { cwd: folder });
    await expect
      .poll(() => written.out, { timeout: 30_000 })
      .toMatch(/^Serving registry\.mjs at http:\/\/127\.0\.0\.1:\d+\/mcp\n$/);
    child.kill('SIGINT');
  });

  it.each([
    [['--stdio', '--port', '1'], 2, '--port has no effect with --stdio'],
    [['--form', 'flat'], 2, 'Unknown option --form'],
  ])('rejects %j', async (argv, code, message) => {
    const ended = await runProgram(['start', 'server.ts', ...argv], { cwd: folderWith(files) });
    expect(ended.err).toContain(message);
    expect(ended.code).toBe(code);
  });
});
