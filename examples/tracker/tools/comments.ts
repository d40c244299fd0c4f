import * as z from 'zod';
import { confirm, deletes, inProject, reads, t, writes } from '../app.js';
import { commentSchema, issueField, requestField } from '../schemas.js';
import { findIssue, Rejected } from '../store.js';
import type { Project } from '../store.js';

const oneIssue = z.object({ issue: issueField });
const commentId = z.int().min(1).describe('Id of the comment');
const commentText = z.string().min(1).describe('Text of the comment');

function findComment(project: Project, issue: string, id: number) {
  const all = project.comments.get(findIssue(project, issue).id) ?? [];
  const comment = all.find((each) => each.id === id);
  if (!comment) throw new Rejected(`There is no comment ${id} on ${issue}.`);
  return { all, comment };
}

export const comments = t
  .group('comments')
  .description('Comments on issues')
  .commonSchema(inProject)
  .action({
    ...reads,
    name: 'list',
    description: 'Lists the comments on an issue',
    inputSchema: oneIssue,
    outputSchema: z.object({ comments: z.array(commentSchema) }),
    handler: ({ input, context }) => {
      const project = context.app.store.project(input.project);
      return { comments: project.comments.get(findIssue(project, input.issue).id) ?? [] };
    },
  })
  .action({
    ...writes,
    name: 'add',
    description: 'Adds a comment',
    inputSchema: z.object({ issue: issueField, text: commentText, request_id: requestField }),
    outputSchema: commentSchema,
    idempotency: { field: 'request_id' },
    handler: ({ input, context }) => {
      const { store, actor } = context.app;
      const project = store.openProject(input.project);
      const { id } = findIssue(project, input.issue);
      const comment = {
        id: ++project.lastComment,
        author: actor,
        text: input.text,
        created_at: store.now(),
        edited: false,
      };
      project.comments.set(id, [...(project.comments.get(id) ?? []), comment]);
      return comment;
    },
  })
  .action({
    ...writes,
    name: 'edit',
    description: 'Changes the text of your own comment',
    idempotent: true,
    inputSchema: z.object({ issue: issueField, comment: commentId, text: commentText }),
    outputSchema: commentSchema,
    handler: ({ input, context }) => {
      const { store, actor } = context.app;
      const { comment } = findComment(store.openProject(input.project), input.issue, input.comment);
      if (comment.author !== actor) throw new Rejected(`Comment ${comment.id} is by ${comment.author}.`);
      return Object.assign(comment, { text: input.text, edited: true });
    },
  })
  .action({
    ...deletes,
    name: 'delete',
    description: 'Deletes a comment after the user has confirmed it',
    inputSchema: z.object({ issue: issueField, comment: commentId }),
    handler: async ({ input, context }) => {
      const project = context.app.store.openProject(input.project);
      const { all, comment } = findComment(project, input.issue, input.comment);
      await confirm(context, `Delete comment ${comment.id} by ${comment.author}?`);
      project.comments.set(
        input.issue,
        all.filter((each) => each !== comment),
      );
      return `Deleted comment ${comment.id}.`;
    },
  });
