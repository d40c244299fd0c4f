/** The shapes of the data. Tools use them as output schemas, and the store as types. */
import * as z from 'zod';

export const projectSchema = z.object({
  key: z.string(),
  name: z.string(),
  archived: z.boolean(),
  open_issues: z.int(),
});

export const issueSchema = z.object({
  id: z.string(),
  title: z.string(),
  body: z.string(),
  status: z.enum(['open', 'closed']),
  priority: z.enum(['low', 'normal', 'high']),
  assignee: z.string().nullable(),
  milestone: z.string().nullable(),
  labels: z.array(z.string()),
  author: z.string(),
  created_at: z.string(),
  closed_at: z.string().nullable(),
});

export const commentSchema = z.object({
  id: z.int(),
  author: z.string(),
  text: z.string(),
  created_at: z.string(),
  edited: z.boolean(),
});

export const labelSchema = z.object({ name: z.string(), color: z.string() });

export const milestoneSchema = z.object({
  name: z.string(),
  due: z.string().nullable(),
  closed: z.boolean(),
  open_issues: z.int(),
  closed_issues: z.int(),
});

export const memberSchema = z.object({
  name: z.string(),
  role: z.enum(['reader', 'developer', 'maintainer']),
});

export type Issue = z.infer<typeof issueSchema>;
export type Comment = z.infer<typeof commentSchema>;
export type Label = z.infer<typeof labelSchema>;
export type Member = z.infer<typeof memberSchema>;

/** Arguments that several actions have. */
export const issueField = z.string().meta({ description: 'Id of the issue', examples: ['WEB-1'] });
export const requestField = z
  .string()
  .min(1)
  .describe('A text that you choose once for each change. A repeated call with it changes nothing more');
