import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startProgram } from '../../../cli/test/cli-program.js';
import { isAlive } from '../upstream-servers.js';
import { config, folder } from './gateways.js';

const program = fileURLToPath(
  new URL('../../../../test/wire/programs/stubborn-upstream.mjs', import.meta.url),
);

/** A server that ignores the end of its input and SIGTERM, with the processes of all its starts. */
function stubborn(mode?: 'silent') {
  const place = folder();
  const file = join(place, 'pids');
  const args = [program, file, ...(mode === undefined ? [] : [mode])];
  const pids = (): number[] =>
    existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : [];
  const alive = (): number[] => pids().filter(isAlive);
  onTestFinished(() => alive().forEach((pid) => process.kill(pid, 'SIGKILL')));
  return { place, command: process.execPath, args, pids, alive };
}

const tell = async (started: ReturnType<typeof startProgram>, message: object): Promise<void> => {
  started.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  await expect.poll(() => started.written.out).toContain('\n');
};

async function startGateway(argv: readonly string[]) {
  const servers = [stubborn(), stubborn()] as const;
  const [one, other] = servers;
  const file = config(one.place, {
    one: { command: one.command, args: one.args },
    other: { command: other.command, args: other.args },
  });
  const started = startProgram(['proxy', '--config', file, ...argv]);
  const alive = (): number[] => servers.flatMap((server) => server.alive());
  return { ...started, started, alive };
}

describe('servers that ignore the end of their input and SIGTERM', () => {
  it('end with a gateway that its client closes as the official client does', async () => {
    const { started, child, exit, alive } = await startGateway([]);
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'c', version: '1' },
    };
    await tell(started, { id: 1, method: 'initialize', params });
    await expect.poll(() => alive().length).toBe(4);
    child.stdin.end();
    const signals = (['SIGTERM', 'SIGKILL'] as const).map((signal, at) =>
      setTimeout(() => child.kill(signal), 2_000 * (at + 1)),
    );
    await exit;
    for (const timer of signals) clearTimeout(timer);
    await expect.poll(alive).toEqual([]);
  });

  it.each([
    ['two signals', ['SIGTERM', 'SIGTERM'] as const],
    ['Ctrl-C twice', ['SIGINT', 'SIGINT'] as const],
    ['a crash', ['SIGKILL'] as const],
  ])('end with a gateway after %s', async (_, signals) => {
    const { child, written, exit, alive } = await startGateway(['--http', '0']);
    await expect.poll(() => written.out).toContain('http');
    await expect.poll(() => alive().length).toBe(4);
    for (const signal of signals) {
      child.kill(signal);
      await new Promise((resolve) => {
        setTimeout(resolve, 100);
      });
    }
    await exit;
    await expect.poll(alive).toEqual([]);
  });

  it.each(['inspect', 'lint', 'ui'])('end with %s when its time is over', async (command) => {
    const { command: node, args, pids, alive } = stubborn('silent');
    const { exit } = startProgram([command, '--timeout', '4', '--', node, ...args]);
    await expect.poll(pids).not.toEqual([]);
    const began = performance.now();
    expect((await exit).code).toBe(1);
    const seconds = (performance.now() - began) / 1_000;
    expect(pids().length).toBeGreaterThan(1);
    await expect.poll(alive).toEqual([]);
    // Four seconds of waiting, and one in which the process may end by itself.
    expect(seconds).toBeLessThan(7.5);
  });
});
