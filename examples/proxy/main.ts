/**
 * Starts two third-party servers as processes and serves their tools from a third server: with prefixes, in toolsets,
 * with prompts and resources, with a credential for each tenant, and the same from the command line. Exits with an error if an
 * assertion fails.
 */
import { rmSync } from 'node:fs';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

// #region servers
import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ToolRegistry } from 'toolfold';
import { fromMcpServer } from '@toolfold/gateway';
import { serveHttp } from 'toolfold/node';
import { apiKeys } from 'toolfold/web';

const { resolve } = createRequire(import.meta.url);
const everythingProgram = resolve('@modelcontextprotocol/server-everything/dist/index.js');
const filesystemProgram = resolve('@modelcontextprotocol/server-filesystem/dist/index.js');
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'toolfold-')));
writeFileSync(join(folder, 'note.txt'), 'Feed the cat');
// #endregion servers

// #region modules
const everything = fromMcpServer({ command: 'node', args: [everythingProgram] }, { prefix: 'demo' });
const files = fromMcpServer({ command: 'node', args: [filesystemProgram, folder] }, { prefix: 'files' });
// #endregion modules

// #region serve
const registry = new ToolRegistry({ name: 'both', version: '1.0.0' });
const running = await serveHttp(registry, {
  port: 0,
  closeOnSignals: false,
  toolsets: {
    catalog: {
      demo: { name: 'Demo', description: 'Everything that MCP can do', modules: ['everything'] },
      files: { name: 'Files', description: 'The files of a folder', modules: ['files'] },
    },
    moduleLoaders: { everything, files },
    startup: { mode: 'STATIC', toolsets: 'ALL' },
    context: {},
    exposurePolicy: {},
  },
});
// #endregion serve

// #region ask
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const client = new Client({ name: 'reader', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
await client.connect(new StreamableHTTPClientTransport(new URL(running.url)));
const { tools } = await client.listTools();
assert(tools.length > 20);
for (const call of [
  { name: 'demo_echo', arguments: { message: 'hello' } },
  { name: 'demo_simulate-research-query', arguments: { topic: 'otters' } },
  { name: 'files_read_text_file', arguments: { path: join(folder, 'note.txt') } },
]) {
  const { content } = await client.callTool(call);
  assert(content[0]?.type === 'text');
  console.log(`${call.name}: ${content[0].text.split('\n')[0]}`);
}
await client.close();
await running.close();
// #endregion ask
// #region close
await Promise.all([everything.close(), files.close()]);
// #endregion close

// #region follow
const demo = fromMcpServer({ command: 'node', args: [everythingProgram] });
const followed = new ToolRegistry({ name: 'demo' });
const gateway = new ToolRegistry({ name: 'gateway' });
gateway.mount('demo', followed);
const stopFollowing = await demo.follow(followed);
console.log(demo.health.state, gateway.counts);
// #endregion follow

// #region items
const ref = { type: 'ref/prompt', name: 'demo_completable-prompt' } as const;
const { values } = await gateway.complete({ ref, argument: { name: 'department', value: 'E' } });
const { messages } = await gateway.getPrompt({
  name: 'demo_completable-prompt',
  arguments: { department: values[0], name: 'Ada' },
});
console.log(messages[0]?.content);
const { contents } = await gateway.readResource({ uri: 'demo://resource/static/document/features.md' });
console.log(contents[0]?.mimeType);
stopFollowing();
console.log(gateway.counts);
await demo.close();
// #endregion items

// #region behind
const secured = new ToolRegistry({ name: 'secured' });
secured.register({
  name: 'whoami',
  description: 'Says who calls',
  inputSchema: {},
  handler: ({ context }) => String(context.caller.auth?.clientId),
});
const keys = ['ada', 'bob'].map((clientId) => ({ clientId, key: `${clientId}-${'0'.repeat(40)}` }));
const behind = await serveHttp(secured, { port: 0, closeOnSignals: false, auth: apiKeys({ keys }) });
const { url } = behind;
// #endregion behind

// #region tenants
const service = fromMcpServer({
  url,
  headers: ({ accessToken }) => ({ authorization: `Bearer ${String(accessToken)}` }),
});
for (const { clientId, key } of keys) {
  const tenant = new ToolRegistry();
  tenant.register(...(await service({ accessToken: key })));
  const { content } = await tenant.executeTool({ name: 'whoami', arguments: {} });
  console.log(`${clientId} is ${content[0]?.type === 'text' ? content[0].text : 'nobody'}`);
}
await service.close();
await behind.close();
// #endregion tenants

/** Lists the tools that `toolfold proxy` serves with these options. */
async function listThrough(...options: string[]): Promise<string[]> {
  const proxied = new Client({ name: 'reader', version: '1.0.0' });
  const args = ['packages/cli/dist/main.js', 'proxy', ...options, '--', 'node', filesystemProgram, folder];
  await proxied.connect(new StdioClientTransport({ command: 'node', args, stderr: 'ignore' }));
  const listed = (await proxied.listTools()).tools.map(({ name }) => name);
  await proxied.close();
  return listed;
}

for (const options of [
  ['--prefix', 'files'],
  ['--form', 'flat', '--toolsets', 'read', '--exclude-tools', 'read_file'],
  ['--form', 'search', '--readonly', '--pinned', 'read_text_file'],
]) {
  console.log(`${options.join(' ')}\n  ${(await listThrough(...options)).join(', ')}`);
}
rmSync(folder, { recursive: true });
