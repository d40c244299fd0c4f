import { createQuickJsSandbox, defaultCodeLimits } from '@toolfold/code';

/** Runs code that calls a tool, code that computes for ever, and code that waits in a snapshot. Prints what it found. */
export async function tryCode(sandbox) {
  const start = (limits = {}) => ({
    limits: { ...defaultCodeLimits, cpuMs: 5_000, ...limits },
    owner: 'smoke',
    signal: new AbortController().signal,
  });
  const finish = async (run, settled = []) => {
    for (;;) {
      const step = await run.advance(settled);
      if (step.outcome) return step.outcome.failure?.kind ?? JSON.parse(step.outcome.value);
      settled = step.calls.map(({ id, input }) => ({ id, value: input }));
    }
  };
  const call = await finish(
    await sandbox.start('const { n }: { n: number } = await tools.a.b({ n: 41 }); n + 1', start()),
  );
  const loop = await finish(await sandbox.start('for (;;);', start({ cpuMs: 40 })));
  const jobs = await finish(
    await sandbox.start('const f = () => { Promise.resolve().then(f) }; f()', start({ cpuMs: 40 })),
  );
  const deep = await finish(await sandbox.start('const f = () => 1 + f(); f()', start()));
  const paused = await sandbox.start('const { n } = await tools.a({ n: 1 }); n + 1', start());
  await paused.advance([]);
  const snapshot = await paused.snapshot();
  paused.dispose();
  const resumed = await finish(await sandbox.restore(snapshot, start()), [{ id: 1, value: '{"n":6}' }]);
  await sandbox.close();
  return { call, loop, jobs, deep, resumed };
}

// #region inline
export const inline = (wasm) => createQuickJsSandbox({ wasm, threads: false });
// #endregion inline

if (globalThis.process?.argv?.[1]?.endsWith('code.mjs')) {
  const threads = await tryCode(createQuickJsSandbox());
  console.log(JSON.stringify({ threads, inline: await tryCode(inline()) }));
}
