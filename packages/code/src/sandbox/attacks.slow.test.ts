import { existsSync, readdirSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { attacks } from '../../test/sandbox-attacks.js';
import type { Attack } from '../../test/sandbox-attacks.js';
import { createQuickJsSandbox } from './quickjs-sandbox.js';
import { echo, finish, limitsWith } from '../../test/drive-run.js';
import type { CodeLimits, RunOutcome, Sandbox, SandboxRun } from './sandbox.js';

const limits = limitsWith({ cpuMs: 100, memoryBytes: 16 * 1_024 * 1_024, calls: 20 });

/** The code of another caller: calls, data and a computation in each of its steps. */
const VICTIM = `
  const secret = 'secret of the victim';
  let sum = 0;
  for (const n of [1, 2, 3]) sum += await tools.add({ n, secret });
  sum;`;

/** Attacks that fail to do harm end with a value or an error, also on a busy machine. */
const limitsFor = ({ ends }: Attack): CodeLimits =>
  'value' in ends || ends.every((kind) => kind === 'thrown') ? { ...limits, cpuMs: 30_000 } : limits;

const startFor = (
  sandbox: Sandbox,
  owner: string,
  code: string,
  own: CodeLimits = limits,
): Promise<SandboxRun> => sandbox.start(code, { limits: own, owner, signal: new AbortController().signal });

/** Runs the code of another caller to its end, and checks that nothing of the attack reached it. */
async function runVictim(run: SandboxRun): Promise<void> {
  const { calls, logs, last } = await finish(run, ({ id, input }) => ({
    id,
    value: String((JSON.parse(input ?? '{}') as { readonly n: number }).n),
  }));
  expect(last.outcome).toEqual({ value: '6' });
  expect(logs).toEqual([]);
  expect(calls.map(({ path }) => path)).toEqual(['add', 'add', 'add']);
}

function expectEnd(outcome: RunOutcome | undefined, { ends }: Attack): void {
  if ('value' in ends) expect(outcome).toEqual(ends);
  else
    expect(ends, JSON.stringify(outcome)).toContain(
      outcome && 'failure' in outcome ? outcome.failure.kind : outcome,
    );
}

const isOfHost = /node:|\/(?:home|tmp|work|usr)\/|file:\/\/|dist\/|quickjs-run/;

describe('with a thread for each run', () => {
  const sandbox = createQuickJsSandbox();
  afterAll(() => sandbox.close());

  it.each(attacks.filter(({ isEndless }) => isEndless))(
    'another run completes during $title',
    async ({ code }) => {
      // Without a limit that would end it, the attack can only end after it was killed.
      const victim = await startFor(sandbox, 'victim', VICTIM, { ...limits, cpuMs: 30_000 });
      const attacker = await startFor(sandbox, 'attacker', code, {
        ...limits,
        cpuMs: 600_000,
        memoryBytes: 2 ** 30,
      });
      let hasEnded = false;
      const attack = finish(attacker, echo).finally(() => {
        hasEnded = true;
      });
      await runVictim(victim);
      expect(hasEnded).toBe(false);
      attacker.dispose();
      expect((await attack).last.outcome).toMatchObject({ failure: { kind: 'closed' } });
    },
  );

  it.each(attacks.filter(({ isNative }) => !isNative))('the limits end $title', async (attack) => {
    const [{ calls, logs, last }] = await Promise.all([
      startFor(sandbox, 'attacker', attack.code, limitsFor(attack)).then((run) => finish(run, echo)),
      startFor(sandbox, 'victim', VICTIM, { ...limits, cpuMs: 30_000 }).then(runVictim),
    ]);
    expectEnd(last.outcome, attack);
    expect(calls.length).toBeLessThanOrEqual(limits.calls);
    const seen = JSON.stringify([logs, last.outcome, calls]);
    expect(seen).not.toContain('secret of the victim');
    expect(seen).not.toMatch(isOfHost);
  });
});

describe('in the thread of the server', () => {
  const sandbox = createQuickJsSandbox({ threads: false });
  afterAll(() => sandbox.close());

  it.each(attacks.filter(({ isNative }) => !isNative))('the limits end $title', async (attack) => {
    const victim = await startFor(sandbox, 'victim', VICTIM, { ...limits, cpuMs: 30_000 });
    const first = await victim.advance([]);
    const { calls, logs, last } = await finish(
      await startFor(sandbox, 'attacker', attack.code, limitsFor(attack)),
      echo,
    );
    expectEnd(last.outcome, attack);
    expect(calls.length).toBeLessThanOrEqual(limits.calls);
    const seen = JSON.stringify([logs, last.outcome, calls]);
    expect(seen).not.toContain('secret of the victim');
    expect(seen).not.toMatch(isOfHost);
    // The other run continues after the attack, in an instance of its own.
    expect(first.calls).toMatchObject([{ id: 1, path: 'add' }]);
    let step = await victim.advance([{ id: 1, value: '1' }]);
    step = await victim.advance([{ id: 2, value: '2' }]);
    step = await victim.advance([{ id: 3, value: '3' }]);
    expect(step.outcome).toEqual({ value: '6' });
  });
});

describe('the end of attacks', () => {
  const MEBIBYTE = 1_024 * 1_024;
  /** Linux lists the threads of a process here. */
  const TASKS = '/proc/self/task';
  const countThreads = (): number => readdirSync(TASKS).length;

  it.runIf(existsSync(TASKS))('frees threads and memory', async () => {
    const sandbox = createQuickJsSandbox();
    const bomb =
      'const a = []; for (let i = 0; i < 12; i++) a.push(new Uint8Array(2 ** 20).fill(1)); await tools.a(); for (;;);';
    let rss = 0;
    let threads = 0;
    for (let round = 0; round < 20; round += 1) {
      const runs = await Promise.all(
        ['a', 'b', 'c'].map((owner) => startFor(sandbox, owner, bomb, { ...limits, cpuMs: 600_000 })),
      );
      // Each run holds 12 MiB. Then one computes, one waits, and one has been asked to continue.
      for (const run of runs) expect((await run.advance([])).calls).toHaveLength(1);
      threads = countThreads();
      const [computing, , continued] = runs;
      const pending = [
        computing?.advance([{ id: 1, value: undefined }]),
        continued?.advance([{ id: 1, value: undefined }]),
      ];
      for (const run of runs) run.dispose();
      for (const step of await Promise.all(pending))
        expect(step?.outcome).toMatchObject({ failure: { kind: 'closed' } });
      if (round === 4) ({ rss } = process.memoryUsage());
    }
    // Without the end of the instances, 15 rounds would keep 540 MiB.
    expect(process.memoryUsage().rss - rss).toBeLessThan(270 * MEBIBYTE);
    await sandbox.close();
    // At least the three threads of the runs are gone.
    expect(countThreads()).toBeLessThanOrEqual(threads - 3);
  });
});
