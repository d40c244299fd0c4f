import { describe, expect, it } from 'vitest';
import type { Sandbox, SandboxRun } from './sandbox.js';
import { shareSandbox } from './shared-sandbox.js';

/** A sandbox that counts. */
function counting() {
  const counts = { opened: 0, prepared: 0, started: 0, disposed: 0, closed: 0 };
  const run = (): SandboxRun => ({
    advance: async () => ({ calls: [], logs: [], hasLostLogs: false, cpuMs: 0, outcome: { value: '1' } }),
    snapshot: async () => new Uint8Array([1]),
    dispose: () => void (counts.disposed += 1),
  });
  const sandbox: Sandbox = {
    start: async () => {
      counts.started += 1;
      return run();
    },
    restore: async () => run(),
    prepare: async () => void (counts.prepared += 1),
    close: async () => void (counts.closed += 1),
  };
  const open = async (): Promise<Sandbox> => {
    counts.opened += 1;
    return sandbox;
  };
  return { counts, open };
}

const start = { owner: 'a', signal: new AbortController().signal, limits: {} as never };

describe('the shared sandbox', () => {
  it('is opened once for all servers, and closed with the last of them', async () => {
    const { counts, open } = counting();
    const [one, other] = [shareSandbox(open), shareSandbox(open)];
    await Promise.all([one.prepare?.(), other.prepare?.()]);
    expect(counts).toMatchObject({ opened: 1, prepared: 2 });
    await one.close();
    expect(counts.closed).toBe(0);
    await other.close();
    expect(counts.closed).toBe(1);
    const later = shareSandbox(open);
    await later.prepare?.();
    expect(counts).toMatchObject({ opened: 2, closed: 1 });
    await later.close();
  });

  it('is not opened for a server that runs no code', async () => {
    const { counts, open } = counting();
    await shareSandbox(open).close();
    expect(counts).toMatchObject({ opened: 0, closed: 0 });
  });

  it('lets the runs of a server that closes end, and starts no others', async () => {
    const { counts, open } = counting();
    const sandbox = shareSandbox(open);
    const run = await sandbox.start('1', start);
    await sandbox.close();
    expect(counts.closed).toBe(0);
    await expect(sandbox.start('2', start)).rejects.toThrow('closing');
    expect(await run.advance([])).toMatchObject({ outcome: { value: '1' } });
    run.dispose();
    run.dispose();
    await expect.poll(() => counts).toMatchObject({ disposed: 2, closed: 1 });
  });

  it('keeps waiting starts of a server that closes from losing the sandbox', async () => {
    const { counts, open } = counting();
    const sandbox = shareSandbox(open);
    const starting = sandbox.start('1', start);
    await sandbox.close();
    const run = await starting;
    expect(counts.closed).toBe(0);
    run.dispose();
    await expect.poll(() => counts.closed).toBe(1);
  });

  it('is opened again after it could not be opened', async () => {
    const { counts, open } = counting();
    let isBroken = true;
    const sandbox = shareSandbox(async () => {
      if (isBroken) throw new Error('not installed');
      return open();
    });
    await expect(sandbox.prepare?.()).rejects.toThrow('not installed');
    await expect(sandbox.start('1', start)).rejects.toThrow('not installed');
    isBroken = false;
    (await sandbox.start('1', start)).dispose();
    expect(counts).toMatchObject({ opened: 1, started: 1 });
    await sandbox.close();
    expect(counts.closed).toBe(1);
  });

  it('saves and continues runs', async () => {
    const { open } = counting();
    const sandbox = shareSandbox(open);
    const run = await sandbox.start('1', start);
    expect(await run.snapshot?.()).toEqual(new Uint8Array([1]));
    const continued = await sandbox.restore?.(new Uint8Array([1]), start);
    run.dispose();
    continued?.dispose();
    await sandbox.close();
  });
});
