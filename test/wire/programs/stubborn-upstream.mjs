// A 2025 server over stdio that ignores the end of its input and SIGTERM, and starts a process that does the same. Both append their
// process IDs to the file of the first argument. With `silent` as the second argument, it answers nothing.
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [file, mode] = process.argv.slice(2);
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => {});
setInterval(() => {}, 1_000);
appendFileSync(file, `${process.pid}\n`);
process.stdin.resume();
if (mode !== 'helper') spawn(process.execPath, [process.argv[1], file, 'helper'], { stdio: 'ignore' });

const methods = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'stubborn', version: '1' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [{ name: 'stay', inputSchema: { type: 'object' } }] }),
};

if (mode === undefined)
  createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    const run = methods[method];
    const answer = run ? { result: run(params) } : { error: { code: -32_601, message: 'Method not found' } };
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...answer })}\n`);
  });
