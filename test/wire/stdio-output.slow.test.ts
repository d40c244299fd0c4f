import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { modernMeta } from './raw-request.js';

const program = fileURLToPath(new URL('programs/stdio-noisy.ts', import.meta.url));

const handshake = [
  {
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
  },
  { method: 'notifications/initialized' },
];

/** Calls tools of the program one after another, closes its input, and returns its whole output. */
async function run(era: '2025' | '2026', names: readonly string[], ...args: string[]) {
  const child = spawn(process.execPath, ['--import', 'tsx', program, ...args], { stdio: 'pipe' });
  const written = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (written.out += String(chunk)));
  child.stderr.on('data', (chunk: Buffer) => (written.err += String(chunk)));
  const ended = new Promise((resolve) => void child.once('close', resolve));
  const _meta = era === '2026' ? { _meta: modernMeta() } : {};
  const calls = names.map((name, index) => ({
    id: index + 1,
    method: 'tools/call',
    params: { name, arguments: {}, ..._meta },
  }));
  for (const message of [...(era === '2025' ? handshake : []), ...calls])
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  await expect.poll(() => written.out, { timeout: 30_000 }).toContain(`"id":${names.length}`);
  child.stdin.end();
  await ended;
  return written;
}

describe.each(['2025', '2026'] as const)('a server over stdio, with a %s client', (era) => {
  it('keeps the other output of the process out of standard output until it ends', async () => {
    const { out, err } = await run(era, ['noise', 'noise']);
    const lines = out.trimEnd().split('\n');
    expect(lines.pop()).toBe('from the end');
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
    for (const source of ['console.log', 'console.table', 'write', 'a buffer', 'a callback'])
      expect(err.split(`from ${source}`)).toHaveLength(3);
    expect(err).toContain('from the start');
    // The hint comes once, before the first output.
    expect(err.match(/^toolfold: Standard output carries MCP messages/gm)).toHaveLength(1);
    expect(err.indexOf('toolfold:')).toBeLessThan(err.indexOf('from the start'));
  });

  it('writes the error of a handler to standard error in one line, without secrets', async () => {
    const { out, err } = await run(era, ['fail']);
    expect(out).not.toMatch(/stdio-noisy|hunter2/);
    const lines = err.split('\n').filter((line) => line.includes('failed'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(
      /^toolfold: fail failed: RangeError: too\\u000afar \(cause: Error: .*stdio-noisy/,
    );
    expect(err).not.toContain('hunter2');
  });

  it('passes the error of a handler to onError instead', async () => {
    const { err } = await run(era, ['fail', 'fail'], '--on-error');
    expect(err.match(/^onError: RangeError$/gm)).toHaveLength(2);
    expect(err).not.toContain('failed');
  });
});
