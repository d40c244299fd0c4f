import * as z from 'zod';
import { confirm, deletes, inProject, reads, t, writes } from '../app.js';
import { issueField, issueSchema, requestField } from '../schemas.js';
import type { Issue } from '../schemas.js';
import { changeIssue, find, findIssue } from '../store.js';

const changeable = {
  title: z.string().min(1).describe('The issue in one line'),
  body: z.string().describe('The issue in full'),
  priority: issueSchema.shape.priority.describe('How urgent the issue is'),
  milestone: z.string().nullable().describe('Name of a milestone, or null for none'),
};
const oneIssue = z.object({ issue: issueField });

// #region issues
export const issues = t
  .group('issues')
  .description('The issues of a project')
  .commonSchema(inProject)
  .action({
    ...reads,
    name: 'list',
    description: 'Lists issues, the newest first',
    inputSchema: z.object({
      status: issueSchema.shape.status.optional().describe('Only issues with this status'),
      assignee: z.string().optional().describe('Only issues of this member'),
      label: z.string().optional().describe('Only issues with this label'),
      limit: z.int().min(1).max(100).default(20).describe('Number of issues at most'),
    }),
    outputSchema: z.object({ issues: z.array(issueSchema), more: z.int() }),
    handler: ({ input, context }) => {
      const found = [...context.app.store.project(input.project).issues.values()].filter(
        ({ status, assignee, labels }) =>
          (input.status === undefined || status === input.status) &&
          (input.assignee === undefined || assignee === input.assignee) &&
          (input.label === undefined || labels.includes(input.label)),
      );
      const shown = found.toReversed().slice(0, input.limit);
      return { issues: shown, more: found.length - shown.length };
    },
  })
  // #endregion issues
  .action({
    ...reads,
    name: 'get',
    description: 'Shows an issue',
    inputSchema: oneIssue,
    outputSchema: issueSchema,
    handler: ({ input, context }) => findIssue(context.app.store.project(input.project), input.issue),
  })
  // #region create
  .action({
    ...writes,
    name: 'create',
    description: 'Opens an issue',
    inputSchema: z.object({
      title: changeable.title,
      body: changeable.body.default(''),
      priority: changeable.priority.default('normal'),
      request_id: requestField,
    }),
    outputSchema: issueSchema,
    idempotency: { field: 'request_id' },
    handler: ({ input, context }) => {
      const { store, actor } = context.app;
      const project = store.openProject(input.project);
      const issue: Issue = {
        id: `${project.key}-${++project.lastIssue}`,
        title: input.title,
        body: input.body,
        status: 'open',
        priority: input.priority,
        assignee: null,
        milestone: null,
        labels: [],
        author: actor,
        created_at: store.now(),
        closed_at: null,
      };
      project.issues.set(issue.id, issue);
      return issue;
    },
  })
  // #endregion create
  .action({
    ...writes,
    name: 'update',
    description: 'Changes title, text, priority or milestone of an issue. Fields that you leave out stay',
    idempotent: true,
    inputSchema: z
      .object({ issue: issueField, ...changeable })
      .partial()
      .required({ issue: true }),
    outputSchema: issueSchema,
    handler: ({ input: { project, issue, ...changes }, context }) =>
      changeIssue(context.app.store.openProject(project), issue, changes),
  })
  .action({
    ...writes,
    name: 'assign',
    description: 'Assigns an issue to a member, or to nobody',
    idempotent: true,
    inputSchema: z.object({
      issue: issueField,
      to: z.string().nullable().describe('Name of a member, or null'),
    }),
    outputSchema: issueSchema,
    handler: ({ input, context }) => {
      const project = context.app.store.openProject(input.project);
      if (input.to !== null)
        find(project.members, input.to, `${input.to} is not a member of ${project.key}.`);
      return changeIssue(project, input.issue, { assignee: input.to });
    },
  })
  .action({
    ...writes,
    name: 'close',
    description: 'Closes an issue',
    idempotent: true,
    inputSchema: oneIssue,
    outputSchema: issueSchema,
    handler: ({ input, context }) => {
      const { store } = context.app;
      const project = store.openProject(input.project);
      const issue = findIssue(project, input.issue);
      return issue.status === 'closed'
        ? issue
        : changeIssue(project, issue.id, { status: 'closed', closed_at: store.now() });
    },
  })
  .action({
    ...writes,
    name: 'reopen',
    description: 'Opens a closed issue again',
    idempotent: true,
    inputSchema: oneIssue,
    outputSchema: issueSchema,
    handler: ({ input, context }) =>
      changeIssue(context.app.store.openProject(input.project), input.issue, {
        status: 'open',
        closed_at: null,
      }),
  })
  // #region delete
  .action({
    ...deletes,
    name: 'delete',
    description: 'Deletes an issue and its comments after the user has confirmed it',
    inputSchema: oneIssue,
    handler: async ({ input, context }) => {
      const project = context.app.store.openProject(input.project);
      const { id, title } = findIssue(project, input.issue);
      await confirm(context, `Delete ${id}, "${title}"?`);
      project.issues.delete(id);
      project.comments.delete(id);
      return `Deleted ${id}.`;
    },
  });
// #endregion delete;
