import * as z from 'zod';
import { ADMIN, confirm, inProject, manages, reads, t } from '../app.js';
import { memberSchema } from '../schemas.js';
import { find, Rejected } from '../store.js';
import type { Project } from '../store.js';

const name = z.string().min(1).describe('Name of the member');
const roleField = memberSchema.shape.role.describe('What the member may do');

/** A project without a maintainer could not be managed any more. */
function assertMaintained(project: Project, without: string): void {
  const others = [...project.members.values()].filter((member) => member.name !== without);
  if (others.some(({ role }) => role === 'maintainer')) return;
  throw new Rejected(`${without} is the only maintainer of ${project.key}.`);
}

export const members = t
  .group('members')
  .description('The members of a project and their roles')
  .commonSchema(inProject)
  .action({
    ...reads,
    name: 'list',
    description: 'Lists members',
    outputSchema: z.object({ members: z.array(memberSchema) }),
    handler: ({ input, context }) => ({
      members: [...context.app.store.project(input.project).members.values()],
    }),
  })
  .action({
    ...manages,
    name: 'add',
    description: 'Adds a member',
    inputSchema: z.object({ name, role: roleField.default('developer') }),
    outputSchema: memberSchema,
    handler: ({ input: { project: key, ...member }, context }) => {
      const project = context.app.store.openProject(key);
      if (project.members.has(member.name))
        throw new Rejected(`${member.name} is already a member of ${key}.`);
      project.members.set(member.name, member);
      return member;
    },
  })
  .action({
    ...manages,
    name: 'set_role',
    description: 'Changes the role of a member',
    idempotent: true,
    inputSchema: z.object({ name, role: roleField }),
    outputSchema: memberSchema,
    handler: ({ input: { project: key, ...member }, context }) => {
      const project = context.app.store.openProject(key);
      find(project.members, member.name, `${member.name} is not a member of ${key}.`);
      if (member.role !== 'maintainer') assertMaintained(project, member.name);
      project.members.set(member.name, member);
      return member;
    },
  })
  .action({
    name: 'remove',
    description: 'Removes a member, and their assignments, after the user has confirmed it',
    destructive: true,
    openWorld: false,
    scopes: [ADMIN],
    inputSchema: z.object({ name }),
    handler: async ({ input, context }) => {
      const project = context.app.store.openProject(input.project);
      const member = find(project.members, input.name, `${input.name} is not a member of ${project.key}.`);
      assertMaintained(project, member.name);
      await confirm(context, `Remove ${member.name} from ${project.name}?`);
      project.members.delete(member.name);
      for (const issue of project.issues.values())
        if (issue.assignee === member.name) project.issues.set(issue.id, { ...issue, assignee: null });
      return `Removed ${member.name}.`;
    },
  });
