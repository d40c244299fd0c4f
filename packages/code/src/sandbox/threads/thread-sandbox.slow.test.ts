import { expect, it } from 'vitest';
import { finish, start } from '../../../test/drive-run.js';
import { createQuickJsSandbox } from '../quickjs-sandbox.js';

it('threads that run code serve the next run after every kind of failure', async () => {
  const sandbox = createQuickJsSandbox({ maxThreads: 1 });
  const codes = [
    'throw 1',
    'const f = () => f() + 1; f()',
    'for (;;);',
    'const a = []; for (;;) a.push({})',
    '1n',
  ];
  for (const code of codes) {
    const { outcome } = (await finish(await start(sandbox, code, { limits: { cpuMs: 2_000 } }))).last;
    expect(outcome).toHaveProperty('failure');
    expect((await finish(await start(sandbox, '"next"'))).last.outcome).toEqual({ value: '"next"' });
  }
  await sandbox.close();
});
