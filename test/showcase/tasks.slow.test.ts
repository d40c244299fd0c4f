import { serveHttp } from 'toolfold/node';
import { describe, expect, it } from 'vitest';
import { createServer } from '../../examples/showcase/server.js';
import { openTestBooks } from '../../examples/showcase/test-server.js';
import { openTaskClient, taskForms } from './task-client.js';
import { readFacts } from './task-facts.js';
import { tasks } from './tasks.js';

describe('the twenty tasks', () => {
  it('are twenty, and take 28 calls', () => {
    expect(tasks).toHaveLength(20);
    expect(tasks.flatMap(({ actions }) => actions)).toHaveLength(28);
  });

  it.each(taskForms)(
    'have the expected answers in the form %s, over MCP',
    async (form) => {
      const books = await openTestBooks();
      const facts = await readFacts(books.db, await books.finance.today());
      const { registry, http } = createServer(books.finance, { form });
      const running = await serveHttp(registry, { ...http, port: 0 });
      const client = await openTaskClient(running.url, form);
      for (const task of tasks) {
        const called: string[] = [];
        const answer = await task.perform((address, args) => {
          called.push(address);
          return client.call(address, args);
        }, facts);
        expect([task.title, answer]).toEqual([task.title, task.expected(facts)]);
        expect(called).toEqual(task.actions);
        if (task.isDone) expect([task.title, await task.isDone(books.db, facts)]).toEqual([task.title, true]);
      }
      expect(await client.call('reports/check', { all_budgets: true })).toMatchObject({ problems: [] });
      await client.close();
      await running.close();
      await books.close();
    },
    120_000,
  );

  it('are not done yet on fresh books', async () => {
    const books = await openTestBooks();
    const facts = await readFacts(books.db, await books.finance.today());
    for (const { title, isDone } of tasks)
      if (isDone) expect([title, await isDone(books.db, facts)]).toEqual([title, false]);
    await books.close();
  }, 60_000);

  it('have an action among the first ten that a search for the question finds', async () => {
    const books = await openTestBooks();
    const facts = await readFacts(books.db, await books.finance.today());
    const { registry, http } = createServer(books.finance, { form: 'search' });
    const running = await serveHttp(registry, { ...http, port: 0 });
    const client = await openTaskClient(running.url, 'search');
    const missed: string[] = [];
    for (const task of tasks) {
      const found = await client.search(task.question(facts));
      if (!task.actions.some((address) => found.includes(address)))
        missed.push(`${task.title}: ${found.join(', ')}`);
    }
    expect(missed).toEqual([]);
    await client.close();
    await running.close();
    await books.close();
  }, 60_000);
});
