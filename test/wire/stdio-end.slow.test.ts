import { describe, expect, it } from 'vitest';
import { call, initialize, initialized, startProgram } from './stdio-program.js';
import type { Program } from './stdio-program.js';

const MEGABYTE = Buffer.alloc(1_000_000, 'x');

/** Writes as fast as the pipe accepts, until everything is written or the pipe breaks. */
async function flood({ stdin }: Program['child'], megabytes: number): Promise<number> {
  const broken = new Promise<void>((resolve) => {
    stdin.once('close', resolve);
  });
  for (let written = 0; written < megabytes; written++) {
    if (stdin.destroyed) return written;
    if (stdin.write(MEGABYTE)) continue;
    let onDrain = (): void => {};
    const drained = new Promise<void>((resolve) => {
      onDrain = resolve;
    });
    stdin.once('drain', onDrain);
    await Promise.race([drained, broken]);
    stdin.off('drain', onDrain);
  }
  return megabytes;
}

describe('serveStdio ends', () => {
  it('after a line over 10 MiB, with exit code 1 and bounded memory, for any further input', async () => {
    const server = startProgram();
    server.read();
    server.send(initialize());
    server.send(initialized);
    await expect.poll(() => server.answerTo('init'), { timeout: 20_000 }).toBeDefined();
    expect(await flood(server.child, 600)).toBeLessThan(600);
    expect(await server.exit).toBe(1);
    expect(server.answerTo(null)).toMatchObject({
      error: { code: -32_600, message: expect.stringContaining('10 MiB') },
    });
    expect(server.reports).toContainEqual({ error: expect.stringContaining('10 MiB') });
    expect(server.reports).toContainEqual({ ended: true });
    expect(server.peakMb()).toBeLessThan(400);
  }, 60_000);

  it('after a line over 10 MiB only once the calls before it are answered', async () => {
    const server = startProgram();
    server.read();
    server.send(initialize());
    server.send(initialized);
    server.send(call(1, 'wait', { ms: 300 }));
    await expect.poll(() => server.reports, { timeout: 20_000 }).toContainEqual({ call: 'started' });
    await flood(server.child, 20);
    expect(await server.exit).toBe(1);
    expect(server.answerTo(1)).toMatchObject({ result: { content: [{ text: 'waited 300' }] } });
  }, 30_000);

  it('when the client has closed its end of standard output, and aborts the calls that run', async () => {
    const server = startProgram();
    server.send(initialize());
    server.send(initialized);
    server.send(call(1, 'wait', { ms: 60_000 }));
    await expect.poll(() => server.reports, { timeout: 20_000 }).toContainEqual({ call: 'started' });
    server.child.stdout.destroy();
    server.send(call(2, 'ping'));
    await flood(server.child, 600);
    expect(await server.exit).toBe(0);
    expect(server.reports).toContainEqual({ error: expect.stringContaining('EPIPE') });
    expect(server.reports).toContainEqual({ call: 'aborted' });
    expect(server.reports).toContainEqual({ ended: true });
    expect(server.peakMb()).toBeLessThan(400);
  }, 60_000);

  it('after the grace time when the input has ended and the client does not read', async () => {
    const server = startProgram({ graceMs: 300 });
    server.send(initialize());
    server.send(initialized);
    for (let id = 1; id <= 5; id++) server.send(call(id, 'repeat', { length: 1_000_000 }));
    server.child.stdin.end();
    const exit = new Promise<number | null>((resolve) => {
      server.child.once('exit', (code) => resolve(code));
    });
    expect(await exit).toBe(0);
    server.child.stdout.destroy();
  }, 30_000);
});
