/** Reports, as a registry of their own: another team could own it, serve it alone, and mount it in several servers. */
import { initToolfold } from 'toolfold';
import * as z from 'zod';
import { inProject, reads } from './app.js';
import { countOpen } from './store.js';
import type { Project, Store } from './store.js';

/** Reports only read, so their handlers get projects and not the store. */
interface Reporting {
  readonly project: (key: string) => Readonly<Project>;
}

const t = initToolfold<Reporting>();

const perPerson = z.object({ name: z.string(), open: z.int() });

// #region reports
export function createReports(store: Store, clock: () => number = Date.now) {
  const registry = t.registry({
    name: 'reports',
    version: '1.0.0',
    contextFactory: () => ({ project: (key) => store.project(key) }),
    // Reports are expensive, so they have a limit of their own.
    rateLimiter: { calls: 30, windowMs: 60_000 },
    clock,
  });
  registry.registerPrompt({
    name: 'weekly',
    description: 'Asks for a report of the week',
    inputSchema: z.object({ project: z.string() }),
    complete: { project: (typed) => [...store.projects.keys()].filter((key) => key.startsWith(typed)) },
    handler: ({ input }) =>
      `Summarize the week of ${input.project} in five sentences. Use the summary and the workload of its reports.`,
  });
  return registry.register(reports);
}
// #endregion reports

const reports = t
  .group('project')
  .description('Figures of a project')
  .commonSchema(inProject)
  .action({
    ...reads,
    name: 'summary',
    description: 'Counts issues by status and priority',
    outputSchema: z.object({ open: z.int(), closed: z.int(), high_priority: z.int() }),
    handler: ({ input, context }) => {
      const issues = [...context.app.project(input.project).issues.values()];
      const open = issues.filter(({ status }) => status === 'open');
      return {
        open: open.length,
        closed: issues.length - open.length,
        high_priority: open.filter(({ priority }) => priority === 'high').length,
      };
    },
  })
  .action({
    ...reads,
    name: 'workload',
    description: 'Counts the open issues of each member',
    outputSchema: z.object({ members: z.array(perPerson), unassigned: z.int() }),
    handler: ({ input, context }) => {
      const { members, issues } = context.app.project(input.project);
      const openOf = (name: string | null): number =>
        countOpen([...issues.values()].filter(({ assignee }) => assignee === name));
      return {
        members: [...members.keys()].map((name) => ({ name, open: openOf(name) })),
        unassigned: openOf(null),
      };
    },
  })
  // #region export
  .action({
    ...reads,
    name: 'export',
    description: 'Exports all issues of a project as CSV. Clients that support tasks get it as a task',
    scopes: ['reports:export'],
    task: {},
    handler: async function* ({ input, context }) {
      const issues = [...context.app.project(input.project).issues.values()];
      const rows = ['id,status,priority,assignee,title'];
      for (const [at, issue] of issues.entries()) {
        const cells = [issue.id, issue.status, issue.priority, issue.assignee ?? '', issue.title];
        rows.push(cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(','));
        if (at % 100 === 0)
          yield { progress: at, total: issues.length, message: `${at} of ${issues.length}` };
      }
      return rows.join('\n');
    },
  });
// #endregion export
