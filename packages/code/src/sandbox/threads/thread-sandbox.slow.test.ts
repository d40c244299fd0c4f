import { expect, it } from 'vitest';
import { finish, start } from '../../../test/drive-run.js';
import { createQuickJsSandbox } from '../quickjs-sandbox.js';

it('threads that run code serve the next run after every kind of failure', async () => {
  const sandbox = createQuickJsSandbox({ maxThreads: 1 });
  const codes = [
    ['throw 1', 'thrown'],
    ['const f = () => f() + 1; f()', 'stack'],
    ['for (;;);', 'cpu'],
    ['const a = []; for (;;) a.push({})', 'memory'],
    ['1n', 'result'],
  ] as const;
  // On a busy machine a thread gets little time, so the code must end after little work.
  const limits = { cpuMs: 200, memoryBytes: 2 * 1_024 * 1_024 };
  for (const [code, kind] of codes) {
    const { outcome } = (await finish(await start(sandbox, code, { limits }))).last;
    expect(outcome).toMatchObject({ failure: { kind } });
    expect((await finish(await start(sandbox, '"next"'))).last.outcome).toEqual({ value: '"next"' });
  }
  await sandbox.close();
});
