import { expect, it } from 'vitest';
import { createCodeServer } from '../../test/code-server.js';

it('code that starts many calls at once lets other requests run between them', async () => {
  let turn = 0;
  let isRunning = true;
  const count = (): void => {
    turn += 1;
    if (isRunning) setImmediate(count);
  };
  const turns: number[] = [];
  const tool = { name: 'read', readOnly: true, handler: () => void turns.push(turn) };
  const scripts = {
    many: ({ call }: { call: (path: string) => Promise<unknown> }) =>
      Promise.all(Array.from({ length: 50 }, () => call('read'))),
  };
  const { run } = createCodeServer({ tools: [tool], scripts });
  setImmediate(count);
  // Two runs share the turns too.
  await Promise.all([run('many'), run('many')]);
  isRunning = false;
  expect(turns).toHaveLength(100);
  expect(new Set(turns).size).toBe(100);
});
