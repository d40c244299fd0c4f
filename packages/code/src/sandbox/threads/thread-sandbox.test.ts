import { readdirSync } from 'node:fs';
import { getPriority } from 'node:os';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { createQuickJsSandbox } from '../quickjs-sandbox.js';
import type { QuickJsSandboxOptions } from '../quickjs-sandbox.js';
import { finish, start, value } from '../../../test/drive-run.js';
import type { Sandbox } from '../sandbox.js';

// No interrupt reaches a built-in function: this search would compute for minutes.
const UNSTOPPABLE = '"a".repeat(1e7).indexOf("a".repeat(5e6) + "b")';
const WAIT = 'await tools.wait()';

const open: Sandbox[] = [];
const createSandbox = (options?: QuickJsSandboxOptions): Sandbox => {
  const sandbox = createQuickJsSandbox(options);
  open.push(sandbox);
  return sandbox;
};
afterEach(async () => {
  await Promise.all(open.splice(0).map((sandbox) => sandbox.close()));
});

/** Resolves when the runs that were started before are in the queue. */
const queued = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

describe('threads that run code', () => {
  it('are stopped if a built-in function computes too long', async () => {
    const sandbox = createSandbox({ maxThreads: 1 });
    const hostile = await start(sandbox, UNSTOPPABLE, { limits: { cpuMs: 50 } });
    const step = await hostile.advance([]);
    expect(step).toMatchObject({ cpuMs: 50, outcome: { failure: { kind: 'cpu' } } });
    expect((await finish(await start(sandbox, '2'))).last.outcome).toEqual({ value: '2' });
  });

  it.runIf(process.platform === 'linux')(
    'have the lowest priority, so that the server goes first',
    async () => {
      const sandbox = createSandbox();
      await finish(await start(sandbox, '1'));
      const priorities = readdirSync('/proc/self/task').map((thread) => getPriority(Number(thread)));
      expect(priorities).toContain(19);
      // The tests may run under `nice`.
      expect(getPriority()).toBe(getPriority(process.ppid));
    },
  );

  it('do not delay the runs of others', async () => {
    const sandbox = createSandbox();
    const other = await start(sandbox, `${WAIT}; "other"`, { owner: 'bob' });
    await other.advance([]);
    const hostile = await start(sandbox, UNSTOPPABLE, { limits: { cpuMs: 100_000 } });
    const step = hostile.advance([]);
    expect((await other.advance([value(1, 1)])).outcome).toEqual({ value: '"other"' });
    expect((await finish(await start(sandbox, '1', { owner: 'carol' }))).last.outcome).toEqual({
      value: '1',
    });
    hostile.dispose();
    expect((await step).outcome).toMatchObject({ failure: { kind: 'closed' } });
  });

  it('leave the main thread free while code computes', async () => {
    const sandbox = createSandbox();
    const run = await start(sandbox, 'for (;;);', { limits: { cpuMs: 200 } });
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 1);
    const { outcome } = await run.advance([]);
    clearInterval(timer);
    expect(outcome).toMatchObject({ failure: { kind: 'cpu' } });
    expect(turns).toBeGreaterThan(5);
  });

  it('end with dispose, which answers a pending step with closed', async () => {
    const sandbox = createSandbox({ maxThreads: 1 });
    const run = await start(sandbox, UNSTOPPABLE, { limits: { cpuMs: 100_000 } });
    const step = run.advance([]);
    run.dispose();
    expect((await step).outcome).toMatchObject({ failure: { kind: 'closed' } });
    expect((await finish(await start(sandbox, '1'))).last.outcome).toEqual({ value: '1' });
  });

  it('end with the signal of the request', async () => {
    const sandbox = createSandbox({ maxThreads: 1 });
    const controller = new AbortController();
    const run = await start(sandbox, 'for (;;);', {
      limits: { cpuMs: 100_000 },
      signal: controller.signal,
    });
    const step = run.advance([]);
    controller.abort();
    expect((await step).outcome).toMatchObject({ failure: { kind: 'closed' } });
    expect((await finish(await start(sandbox, '1'))).last.outcome).toEqual({ value: '1' });
  });

  it('keep the data of concurrent callers apart', async () => {
    const sandbox = createSandbox();
    const owners = Array.from({ length: 24 }, (_, index) => `owner ${index}`);
    const outcomes = await Promise.all(
      owners.map(async (owner) => {
        const code = `globalThis.seen ??= []; seen.push(${JSON.stringify(owner)}); await tools.a(); await tools.b(); seen`;
        return (await finish(await start(sandbox, code, { owner }))).last.outcome;
      }),
    );
    expect(outcomes).toEqual(owners.map((owner) => ({ value: JSON.stringify([owner]) })));
  });
});

describe('capacity', () => {
  it('rejects runs beyond the queue with ErrOverloaded, and one caller cannot fill the queue', async () => {
    const sandbox = createSandbox({ maxThreads: 1, maxWaiting: 8 });
    const running = await start(sandbox, WAIT);
    const waiting = [start(sandbox, '1'), start(sandbox, '2')];
    await expect(start(sandbox, '3')).rejects.toMatchObject({ code: 'ErrOverloaded' });
    const others = ['bob', 'carol', 'dave'].flatMap((owner) => [
      start(sandbox, '4', { owner }),
      start(sandbox, '5', { owner }),
    ]);
    await expect(start(sandbox, '6', { owner: 'eve' })).rejects.toMatchObject({ code: 'ErrOverloaded' });
    running.dispose();
    const outcomes = await Promise.all(
      [...waiting, ...others].map(async (each) => (await finish(await each)).last.outcome),
    );
    expect(outcomes.map((outcome) => outcome && 'value' in outcome && outcome.value)).toEqual([
      ...'12454545',
    ]);
  });

  it('admits callers in turns', async () => {
    const sandbox = createSandbox({ maxThreads: 1 });
    const running = await start(sandbox, WAIT, { owner: 'alice' });
    const order: string[] = [];
    const all = ['alice', 'alice', 'alice', 'bob', 'carol', 'bob'].map(async (owner) => {
      const run = await start(sandbox, '1', { owner });
      order.push(owner);
      return finish(run);
    });
    await queued();
    running.dispose();
    await Promise.all(all);
    expect(order).toEqual(['alice', 'bob', 'carol', 'alice', 'bob', 'alice']);
  });

  it('frees the place of a run that stops waiting', async () => {
    const sandbox = createSandbox({ maxThreads: 1, maxWaiting: 1 });
    const running = await start(sandbox, WAIT);
    const controller = new AbortController();
    const cancelled = start(sandbox, '1', { signal: controller.signal });
    await expect(start(sandbox, '2')).rejects.toMatchObject({ code: 'ErrOverloaded' });
    controller.abort();
    await expect(cancelled).rejects.toMatchObject({ code: 'ErrCancelled' });
    const next = start(sandbox, '3');
    running.dispose();
    expect((await finish(await next)).last.outcome).toEqual({ value: '3' });
  });
});

describe('closing the sandbox', () => {
  it('ends running code, rejects waiting code, and starts none afterwards', async () => {
    const sandbox = createSandbox({ maxThreads: 2 });
    const computing = await start(sandbox, 'for (;;);', { limits: { cpuMs: 100_000 } });
    const step = computing.advance([]);
    const idle = await start(sandbox, WAIT);
    await idle.advance([]);
    const rejected = expect(start(sandbox, '1')).rejects.toMatchObject({ code: 'ErrCancelled' });
    await sandbox.close();
    await rejected;
    expect((await step).outcome).toMatchObject({ failure: { kind: 'closed' } });
    expect((await idle.advance([])).outcome).toMatchObject({ failure: { kind: 'closed' } });
    await expect(start(sandbox, '1')).rejects.toMatchObject({ code: 'ErrCancelled' });
    await sandbox.close();
  });

  it('is not needed for the process to exit', () => {
    const program = `
      import { createQuickJsSandbox, defaultCodeLimits as limits } from '@toolfold/code';
      const sandbox = createQuickJsSandbox();
      await sandbox.prepare();
      const run = await sandbox.start('1', { limits, owner: 'a', signal: new AbortController().signal });
      console.log(JSON.stringify((await run.advance([])).outcome));`;
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      ['--input-type=module', '--eval', program],
      { cwd: fileURLToPath(new URL('../../../../../', import.meta.url)), encoding: 'utf8', timeout: 100_000 },
    );
    expect({ stdout, stderr, status }).toEqual({ stdout: '{"value":"1"}\n', stderr: '', status: 0 });
  });
});
