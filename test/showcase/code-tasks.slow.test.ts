import { describe, expect, it } from 'vitest';
import { openTestBooks } from '../../examples/showcase/test-server.js';
import { addMonths, monthOf } from '../../examples/showcase/dates.js';
import { codeTasks } from './code/code-tasks.js';
import { codeTaskForms } from './code/form-client.js';
import type { CodeTaskForm } from './code/form-client.js';
import { runCodeTasks } from './code/run-code-tasks.js';
import type { TaskRun } from './code/run-code-tasks.js';
import { deleteDouble } from './code/tasks-that-write.js';
import { unseenNames } from './code/unseen-names.js';

const runs = new Map<CodeTaskForm, TaskRun[]>();
const total = (form: CodeTaskForm, key: 'read' | 'written' | 'sent' | 'calls' | 'roundTrips'): number =>
  (runs.get(form) ?? []).reduce((sum, run) => sum + run[key], 0);

describe('the ten tasks for code', () => {
  it.each(codeTaskForms)(
    'have the answers that SQL computes, and leave the same books, in the form %s',
    async (form) => {
      const done = await runCodeTasks(form, codeTasks);
      expect(done).toHaveLength(10);
      expect(done.map(({ title, problems }) => [title, problems])).toEqual(
        codeTasks.map(({ title }) => [title, []]),
      );
      expect(done[0]?.actions).toBeGreaterThanOrEqual(40);
      runs.set(form, done);
    },
    240_000,
  );

  it.each(codeTaskForms.filter((form) => form !== 'code'))(
    'need fewer tokens and fewer requests in the form code than in the form %s',
    (form) => {
      expect(runs.has('code')).toBe(true);
      expect(total('code', 'read')).toBeLessThan(total(form, 'read'));
      expect(total('code', 'read') + total('code', 'written')).toBeLessThan(
        total(form, 'read') + total(form, 'written'),
      );
      expect(total('code', 'sent')).toBeLessThan(total(form, 'sent'));
      expect(total('code', 'calls')).toBeLessThan(total(form, 'calls'));
    },
  );

  it('need no more round trips in the form code than in the form search', () => {
    expect(runs.has('code')).toBe(true);
    expect(total('code', 'roundTrips')).toBeLessThanOrEqual(total('search', 'roundTrips'));
  });

  it('ask a person before code deletes something, and only then', () => {
    const asked = (runs.get('code') ?? []).filter(({ questions }) => questions.length > 0);
    expect(asked.map(({ title }) => title)).toEqual([deleteDouble.title]);
    expect(asked[0]?.questions).toHaveLength(1);
    expect(asked[0]?.questions[0]).toMatch(
      /^Delete the transaction of [\d-]{10} over -[\d.]+ EUR with ".+" from the account ".+"\?$/,
    );
  });

  it.each(codeTaskForms)(
    'with a deletion end in the same way for a 2025 client, in the form %s',
    async (form) => {
      const [done] = await runCodeTasks(form, [deleteDouble], '2025-11-25');
      expect(done?.problems).toEqual([]);
      expect(done?.questions).toHaveLength(1);
    },
    120_000,
  );

  it('are not done on fresh books', async () => {
    const books = await openTestBooks();
    const today = await books.finance.today();
    const day = { today, lastMonth: addMonths(monthOf(today), -1) };
    for (const { title, readBooks, expectedBooks } of codeTasks)
      if (readBooks)
        expect([title, await readBooks(books.db, day)]).not.toEqual([
          title,
          await expectedBooks?.(books.db, day),
        ]);
    await books.close();
  }, 60_000);

  it('find names in programs that a model has not read about', () => {
    const program =
      'const { a_b } = await tools.x.list({ c: 1 });\nreturn [a_b.map((row) => row.d), { e: a_b.e }];';
    expect(unseenNames(program, 'tools.x.list returns a_b with d')).toEqual([]);
    expect(unseenNames(program, 'tools.x.list')).toEqual(['a_b', 'd']);
    expect(unseenNames(program, 'returns a_b with d')).toEqual(['tools', 'x', 'list'].slice(1));
  });
});
