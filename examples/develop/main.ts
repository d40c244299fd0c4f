/** Edits a copy of `registry.ts` while `toolfold dev` serves it, and tests the server that `server.ts` describes. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { createTestClient } from '@toolfold/testing';
import server from './server.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'library-'));
mkdirSync(join(folder, 'node_modules'));
for (const [name, path] of [
  ['toolfold', join(root, 'packages/toolfold')],
  ['zod', join(root, 'node_modules/zod')],
] as const)
  symlinkSync(path, join(folder, 'node_modules', name), 'junction');
const source = readFileSync(new URL('registry.ts', import.meta.url), 'utf8');
const write = (text: string): void => writeFileSync(join(folder, 'registry.ts'), text);
write(source);

const command = [join(root, 'packages/cli/dist/main.js'), 'dev', 'registry.ts', '--port', '0'];
const child = spawn(process.execPath, command, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
let output = '';
child.stdout.on('data', (chunk: Buffer) => (output += String(chunk)));
async function until(text: string): Promise<void> {
  while (!output.includes(text)) {
    assert.equal(child.exitCode, null, output);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

await until('Page: ');
const [url = ''] = /http:\S+mcp/.exec(output) ?? [];
const client = new Client({ name: 'example', version: '1.0.0' });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));
const find = (id: string) => client.callTool({ name: 'library', arguments: { action: 'find', id } });
await find('dune');
await find('emma');
await until('ErrToolFailed');
write(source.replace("name: 'find'", "name: 'get'"));
await until('Reloaded');
write(source.replace('title, year }', 'title, year'));
await until('The last version goes on.');
await client.close();
child.kill('SIGTERM');
await new Promise((resolve) => child.once('close', resolve));
rmSync(folder, { recursive: true });
console.log(
  output
    .trimEnd()
    .replaceAll(/[\d.]+ ms/g, '2 ms')
    .replace(/:\d+\/mcp/, ':3000/mcp')
    .replace(/:\d+\/#token=[\w-]+/, ':4400/#token=…'),
);

await using test = await createTestClient(server, { auth: { clientId: 'ada' } });
assert.equal((await test.listTools())[0]?.name, 'library');
await assert.rejects(createTestClient(server), /keys\.json cannot be read|Internal/);
