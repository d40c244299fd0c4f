/** Starts the gateway of docs/guides/gateway.md, and asks it as two callers. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const [ada, bob] = ['a', 'b'].map((letter) => letter.repeat(40));
const inFolder = (file: string): string => `examples/gateway/${file}`;
const options = [
  ['--config', inFolder('mcp.json')],
  ['--overrides', inFolder('overrides.json')],
  ['--lock', inFolder('toolfold.lock.json')],
  ['--auth-keys', inFolder('keys.json')],
  ['--form', 'search', '--pinned', 'demo/echo', '--http', '0', '--json'],
];
const gateway = spawn(process.execPath, ['packages/cli/dist/main.js', 'proxy', ...options.flat()], {
  stdio: ['ignore', 'pipe', 'ignore'],
  env: { ...process.env, ADA_KEY: ada, BOB_KEY: bob },
});
const [line] = (await once(gateway.stdout, 'data')) as [Buffer];
const { url } = JSON.parse(String(line)) as { url: string };

const health = (await (await fetch(new URL('/healthz', url))).json()) as {
  servers: Record<string, { state: string; quarantined: number }>;
};
for (const [name, { state, quarantined }] of Object.entries(health.servers))
  console.log(`${name} is ${state}, ${quarantined} tools in quarantine`);

/** Connects with a key, and returns a function that calls tools. */
async function connect(key = '') {
  const client = new Client({ name: 'reader', version: '1.0.0' });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  const call = async (name: string, args: Record<string, unknown> = {}): Promise<string> => {
    const { content } = await client.callTool({ name, arguments: args });
    return content[0]?.type === 'text' ? content[0].text : '';
  };
  return { client, call };
}

const { client, call } = await connect(ada);
const { tools } = await client.listTools();
console.log(tools.map(({ name }) => name).join(', '));
assert.match(await call('search_tools', { query: 'reminder' }), /files:read_note/);
const read = { address: 'files:read_note', arguments: { path: 'todo.txt' } };
console.log(await call('call_read_tool', read));
console.log(await call('call_read_tool', { address: 'demo:get-sum', arguments: { a: 41 } }));
console.log(await call('demo_echo'));

const second = await connect(bob);
const write = { path: 'todo.txt', content: 'nothing' };
console.log(await second.call('call_write_tool', { address: 'files:write_file', arguments: write }));
await Promise.all([client.close(), second.client.close()]);

gateway.kill('SIGTERM');
const [code] = (await once(gateway, 'exit')) as [number];
assert.equal(code, 0);
