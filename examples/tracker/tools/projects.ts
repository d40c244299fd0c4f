import * as z from 'zod';
import { ADMIN, confirm, manages, reads, t } from '../app.js';
import { projectSchema, requestField } from '../schemas.js';
import { countOpen } from '../store.js';
import type { Project } from '../store.js';

const show = ({ key, name, archived, issues }: Project) => ({
  key,
  name,
  archived,
  open_issues: countOpen(issues.values()),
});
const key = z
  .string()
  .regex(/^[A-Z]{2,8}$/)
  .describe('Two to eight capital letters');
const projectName = z.string().min(1).describe('Name of the project');

export const projects = t
  .group('projects')
  .description('Projects, each with its own issues, labels, milestones and members')
  .action({
    ...reads,
    name: 'list',
    description: 'Lists projects',
    inputSchema: z.object({ archived: z.boolean().default(false).describe('Include archived projects') }),
    outputSchema: z.object({ projects: z.array(projectSchema) }),
    handler: ({ input, context }) => ({
      projects: [...context.app.store.projects.values()]
        .filter(({ archived }) => input.archived || !archived)
        .map(show),
    }),
  })
  .action({
    ...reads,
    name: 'get',
    description: 'Shows a project',
    inputSchema: z.object({ key }),
    outputSchema: projectSchema,
    handler: ({ input, context }) => show(context.app.store.project(input.key)),
  })
  .action({
    ...manages,
    name: 'create',
    description: 'Creates a project, of which you become the maintainer',
    inputSchema: z.object({ key, name: projectName, request_id: requestField }),
    outputSchema: projectSchema,
    idempotency: { field: 'request_id' },
    handler: ({ input, context }) =>
      show(context.app.store.addProject(input.key, input.name, context.app.actor)),
  })
  .action({
    ...manages,
    name: 'rename',
    description: 'Changes the name of a project',
    idempotent: true,
    inputSchema: z.object({ key, name: projectName }),
    outputSchema: projectSchema,
    handler: ({ input, context }) => {
      const project = context.app.store.openProject(input.key);
      project.name = input.name;
      return show(project);
    },
  })
  .action({
    name: 'archive',
    description: 'Archives a project after the user has confirmed it. Nobody can change it then',
    destructive: true,
    idempotent: true,
    openWorld: false,
    scopes: [ADMIN],
    inputSchema: z.object({ key }),
    outputSchema: projectSchema,
    handler: async ({ input, context }) => {
      const project = context.app.store.project(input.key);
      if (!project.archived)
        await confirm(context, `Archive ${project.name} with ${project.issues.size} issues?`);
      project.archived = true;
      return show(project);
    },
  });
