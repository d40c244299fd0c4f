import { isDeepStrictEqual } from 'node:util';
import { serveHttp } from 'toolfold/node';
import { addMonths, monthOf } from '../../../examples/showcase/dates.js';
import { createServer } from '../../../examples/showcase/server.js';
import { openTestBooks } from '../../../examples/showcase/test-server.js';
import type { CodeTask } from './code-task.js';
import { openCaller, openRunner } from './form-client.js';
import type { CodeTaskForm } from './form-client.js';
import { openMeteredClient } from './metered-client.js';
import type { Cost, Era } from './metered-client.js';

export interface TaskRun extends Cost {
  readonly title: string;
  readonly form: CodeTaskForm;
  /** The calls of actions that the server has run, whether a client or code made them. */
  readonly actions: number;
  /** The questions that the person has answered. */
  readonly questions: readonly string[];
  /** Differences between the answer or the books and what SQL says. Empty if the task was done. */
  readonly problems: readonly string[];
}

/** Performs the tasks in one form on fresh books. Each task has a new client, which reads the tool list again. */
export async function runCodeTasks(
  form: CodeTaskForm,
  tasks: readonly CodeTask[],
  era: Era = '2026-07-28',
): Promise<TaskRun[]> {
  const books = await openTestBooks();
  const today = await books.finance.today();
  const day = { today, lastMonth: addMonths(monthOf(today), -1) };
  let actions = 0;
  const { registry, http } = createServer(books.finance, {
    form,
    allow: 'write',
    observe: async ({ record }, run) => {
      await run();
      // The search tools and run_code are no actions of a toolset.
      if (record.address?.includes('/') === true) actions += 1;
    },
  });
  const running = await serveHttp(registry, { ...http, port: 0 });
  const runs: TaskRun[] = [];
  try {
    for (const task of tasks) {
      const expected = await task.expected(books.db, day);
      const expectedBooks = await task.expectedBooks?.(books.db, day);
      const client = await openMeteredClient(running.url, era);
      actions = 0;
      const answer =
        form === 'code'
          ? await task.program(await openRunner(client, task, day), day)
          : await task.perform(await openCaller(client, form, task), day);
      const problems = [
        ...differences('answer', answer, expected),
        ...differences('books', await task.readBooks?.(books.db, day), expectedBooks),
      ];
      const { cost, questions } = client;
      await client.close();
      runs.push({ title: task.title, form, ...cost, actions, questions, problems });
    }
  } finally {
    await running.close();
    await books.close();
  }
  return runs;
}

function differences(what: string, actual: unknown, expected: unknown): string[] {
  if (isDeepStrictEqual(actual, expected)) return [];
  return [`${what}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`];
}
