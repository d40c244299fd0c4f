import { expect, it } from 'vitest';
import { MemoryTable } from './learning-table.js';
import { TableLearning } from './table-learning.js';

it('drops further notes of a conversation if the store does not answer', async () => {
  let reads = 0;
  let answer = (): void => {};
  const answered = new Promise<void>((resolve) => (answer = resolve));
  class SlowTable extends MemoryTable {
    override async read(tenant: string, keys: readonly string[]) {
      reads += 1;
      await answered;
      return super.read(tenant, keys);
    }
  }
  const learning = new TableLearning(
    'test',
    {
      secret: new Uint8Array(32),
      now: () => 0,
      createTable: (_, limits) => new SlowTable(limits, () => 0),
    },
    {},
  );
  const ada = { tenant: 'acme', caller: 'ada', conversation: 'ada' };
  const notes = Array.from({ length: 5_000 }, () =>
    learning.noteSearch(ada, [{ words: ['money'], shown: ['refund'] }]),
  );
  answer();
  await Promise.all(notes);
  expect(reads).toBe(1_000);
  await learning.noteSearch(ada, [{ words: ['money'], shown: ['refund'] }]);
  expect(reads).toBe(1_001);
});
