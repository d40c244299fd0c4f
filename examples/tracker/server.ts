/** The tracker: its tools, prompts and resources, and the mounted registry of reports. */
import type { ToolRegistryOptions } from 'toolfold';
import * as z from 'zod';
import { createContext, t } from './app.js';
import type { App } from './app.js';
import { createReports } from './reports.js';
import { Store } from './store.js';
import { comments } from './tools/comments.js';
import { issues } from './tools/issues.js';
import { members } from './tools/members.js';
import { planning } from './tools/planning.js';
import { projects } from './tools/projects.js';
import { search } from './tools/search.js';

export interface TrackerOptions {
  readonly store?: Store;
  readonly clock?: () => number;
  readonly reports?: ReturnType<typeof createReports>;
  readonly logger?: NonNullable<ToolRegistryOptions<App>['logger']>;
}

// #region server
export function createTracker(options: TrackerOptions = {}) {
  const {
    clock = Date.now,
    store = new Store(clock),
    reports = createReports(store, clock),
    logger,
  } = options;
  const registry = t.registry({
    name: 'tracker',
    version: '1.0.0',
    instructions:
      'An issue tracker. Issues belong to projects; find the key of a project with projects/list.',
    contextFactory: createContext(store),
    clock,
    ...(logger ? { logger } : {}),
  });
  registry.registerPrompt({
    name: 'triage',
    description: 'Asks to sort the open issues of a project',
    inputSchema: z.object({ project: z.string().describe('Key of the project') }),
    complete: { project: (typed) => [...store.projects.keys()].filter((key) => key.startsWith(typed)) },
    handler: ({ input }) =>
      `List the open issues of ${input.project}. Propose a priority, a label and an assignee for each, and ask me before you change one.`,
  });
  registry.registerResource({
    name: 'issue',
    description: 'An issue as JSON',
    uriTemplate: 'tracker://{project}/issues/{issue}',
    mimeType: 'application/json',
    complete: { project: (typed) => [...store.projects.keys()].filter((key) => key.startsWith(typed)) },
    handler: ({ variables: { project = '', issue = '' } }) => {
      const found = store.projects.get(project)?.issues.get(issue);
      if (!found) throw Object.assign(new Error(`There is no issue ${issue}.`), { status: 404 });
      return JSON.stringify(found);
    },
  });
  return registry.register(projects, issues, comments, planning, members, search).mount('reports', reports);
}
// #endregion server

const store = new Store();
store.addProject('WEB', 'Website', 'guest');

/** The tracker with one project, for `toolfold dev`, `call` and `test`. */
export const registry = createTracker({ store });
