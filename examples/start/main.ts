/** Starts `server.ts`, runs `client.ts` against it, and stops it with a signal. `docs/start.md` does the same by hand. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const nodeArgs = (file: string): string[] => [
  '--import',
  'tsx',
  fileURLToPath(new URL(file, import.meta.url)),
];
const child = spawn(process.execPath, nodeArgs('server.ts'), {
  env: { ...process.env, PORT: '0' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const [line] = (await once(child.stdout, 'data')) as [Buffer];
const url = line.toString().trim();
assert.equal(new URL(url).pathname, '/mcp');

const said = execFileSync(process.execPath, [...nodeArgs('client.ts'), url], { encoding: 'utf8' });
assert.equal(said.split('north is booked for Ada.').length, 3);
console.log(said.trimEnd());

child.kill('SIGTERM');
const [code] = (await once(child, 'exit')) as [number | null];
assert.equal(code, 0);
