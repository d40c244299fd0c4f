import * as z from 'zod';
import { confirm, deletes, inProject, reads, t, writes } from '../app.js';
import { issueField, issueSchema, labelSchema, milestoneSchema } from '../schemas.js';
import { changeIssue, countOpen, find, findIssue, Rejected } from '../store.js';
import type { Milestone, Project } from '../store.js';

function show({ issues }: Project, { name, due, closed }: Milestone) {
  const planned = [...issues.values()].filter(({ milestone }) => milestone === name);
  const open = countOpen(planned);
  return { name, due, closed, open_issues: open, closed_issues: planned.length - open };
}

const findMilestone = (project: Project, name: string): Milestone =>
  find(project.milestones, name, `There is no milestone ${name}.`);
const labelName = z.string().describe('Name of the label');
const oneMilestone = z.object({ name: z.string().min(1).describe('Name of the milestone') });

export const planning = t
  .group('planning')
  .description('Labels and milestones of a project')
  .commonSchema(inProject)
  .group('labels', 'Labels of issues', (group) =>
    group
      .action({
        ...reads,
        name: 'list',
        description: 'Lists the labels of a project',
        outputSchema: z.object({ labels: z.array(labelSchema) }),
        handler: ({ input, context }) => ({
          labels: [...context.app.store.project(input.project).labels.values()],
        }),
      })
      .action({
        ...writes,
        name: 'create',
        description: 'Creates a label, or changes its color',
        idempotent: true,
        inputSchema: z.object({
          name: z.string().min(1).describe('Name of the label'),
          color: z
            .string()
            .regex(/^#[0-9a-f]{6}$/)
            .describe('Such as #ff8800'),
        }),
        outputSchema: labelSchema,
        handler: ({ input: { project, ...label }, context }) => {
          context.app.store.openProject(project).labels.set(label.name, label);
          return label;
        },
      })
      .action({
        ...writes,
        name: 'add',
        description: 'Adds a label to an issue',
        idempotent: true,
        inputSchema: z.object({ issue: issueField, label: labelName }),
        outputSchema: issueSchema,
        handler: ({ input, context }) => {
          const project = context.app.store.openProject(input.project);
          const { name } = find(project.labels, input.label, `There is no label ${input.label}.`);
          const { labels } = findIssue(project, input.issue);
          return changeIssue(project, input.issue, { labels: [...new Set([...labels, name])] });
        },
      })
      .action({
        ...writes,
        name: 'remove',
        description: 'Removes a label from an issue',
        idempotent: true,
        inputSchema: z.object({ issue: issueField, label: labelName }),
        outputSchema: issueSchema,
        handler: ({ input, context }) => {
          const project = context.app.store.openProject(input.project);
          const { labels } = findIssue(project, input.issue);
          return changeIssue(project, input.issue, {
            labels: labels.filter((label) => label !== input.label),
          });
        },
      })
      .action({
        ...deletes,
        name: 'delete',
        description: 'Deletes a label, also from all issues, after the user has confirmed it',
        inputSchema: z.object({ name: labelName }),
        handler: async ({ input, context }) => {
          const project = context.app.store.openProject(input.project);
          const { name } = find(project.labels, input.name, `There is no label ${input.name}.`);
          await confirm(context, `Delete the label ${name} of ${project.name}?`);
          project.labels.delete(name);
          for (const { id, labels } of project.issues.values())
            changeIssue(project, id, { labels: labels.filter((label) => label !== name) });
          return `Deleted ${name}.`;
        },
      }),
  )
  .group('milestones', 'Milestones of issues', (group) =>
    group
      .action({
        ...reads,
        name: 'list',
        description: 'Lists milestones with their progress',
        outputSchema: z.object({ milestones: z.array(milestoneSchema) }),
        handler: ({ input, context }) => {
          const project = context.app.store.project(input.project);
          return {
            milestones: [...project.milestones.values()].map((milestone) => show(project, milestone)),
          };
        },
      })
      .action({
        ...writes,
        name: 'create',
        description: 'Creates a milestone. issues/update puts issues into it',
        inputSchema: oneMilestone.extend({
          due: z.iso.date().nullable().default(null).describe('Last day, such as 2026-03-01'),
        }),
        outputSchema: milestoneSchema,
        handler: ({ input, context }) => {
          const project = context.app.store.openProject(input.project);
          if (project.milestones.has(input.name))
            throw new Rejected(`There is already a milestone ${input.name}.`);
          const milestone = { name: input.name, due: input.due, closed: false };
          project.milestones.set(milestone.name, milestone);
          return show(project, milestone);
        },
      })
      .action({
        ...writes,
        name: 'close',
        description: 'Closes a milestone of which all issues are closed',
        idempotent: true,
        inputSchema: oneMilestone,
        outputSchema: milestoneSchema,
        handler: ({ input, context }) => {
          const project = context.app.store.openProject(input.project);
          const milestone = findMilestone(project, input.name);
          const { open_issues: open } = show(project, milestone);
          if (open > 0) throw new Rejected(`${milestone.name} has ${open} open issues.`);
          milestone.closed = true;
          return show(project, milestone);
        },
      })
      .action({
        ...deletes,
        name: 'delete',
        description: 'Deletes a milestone after the user has confirmed it. Its issues stay',
        inputSchema: oneMilestone,
        handler: async ({ input, context }) => {
          const project = context.app.store.openProject(input.project);
          const { name } = findMilestone(project, input.name);
          await confirm(context, `Delete the milestone ${name}?`);
          project.milestones.delete(name);
          for (const issue of project.issues.values())
            if (issue.milestone === name) project.issues.set(issue.id, { ...issue, milestone: null });
          return `Deleted ${name}.`;
        },
      }),
  );
