import * as z from 'zod';
import { reads, t } from '../app.js';
import { issueSchema } from '../schemas.js';

/** A tool that consists of one action. */
export const search = t.action({
  ...reads,
  name: 'search_issues',
  description: 'Finds issues of all projects that contain all of these words',
  inputSchema: z.object({
    words: z.string().min(1).describe('Words that the title, the text or a comment contains'),
    limit: z.int().min(1).max(50).default(10).describe('Number of issues at most'),
  }),
  outputSchema: z.object({ issues: z.array(issueSchema.pick({ id: true, title: true, status: true })) }),
  cached: { ttlMs: 10_000 },
  handler: ({ input, context }) => {
    const words = input.words.toLowerCase().split(/\s+/).filter(Boolean);
    const found = [...context.app.store.projects.values()].flatMap((project) =>
      [...project.issues.values()].filter(({ id, title, body }) => {
        const comments = (project.comments.get(id) ?? []).map(({ text }) => text);
        const text = [title, body, ...comments].join(' ').toLowerCase();
        return words.every((word) => text.includes(word));
      }),
    );
    return {
      issues: found.slice(0, input.limit).map(({ id, title, status }) => ({ id, title, status })),
    };
  },
});
