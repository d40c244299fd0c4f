/** Twelve kinds of things in a workspace, each with five operations. */
import type { ToolDefinition } from 'toolfold';
import * as z from 'zod';

export interface Kind {
  readonly one: string;
  readonly many: string;
  readonly about: string;
  readonly fields: z.ZodRawShape;
}

const named = { name: z.string().describe('What people call it') };
const state = (...states: [string, ...string[]]) => ({
  status: z.enum(states).describe('Where it stands').optional(),
});

export const families: Readonly<Record<string, readonly Kind[]>> = {
  work: [
    kind('project', 'What a team works towards', { ...named, priority: z.int().min(1).max(5) }),
    kind('task', 'A piece of work', {
      title: z.string().describe('What is to be done'),
      priority: z.enum(['low', 'normal', 'urgent']).describe('How soon').optional(),
      ...state('open', 'done'),
    }),
    kind('sprint', 'Two weeks of work', { ...named, starts: z.iso.date(), ...state('planned', 'running') }),
    kind('label', 'A word on tasks', { ...named, color: z.string().optional() }),
  ],
  people: [
    kind('user', 'Somebody with an account', { email: z.email(), ...named }),
    kind('team', 'People who work together', { ...named, members: z.array(z.string()).optional() }),
    kind('role', 'What somebody may do', { ...named, permissions: z.array(z.string()) }),
  ],
  content: [
    kind('document', 'A text with versions', { title: z.string(), text: z.string() }),
    kind('folder', 'Holds documents', { ...named, parent: z.string().optional() }),
    kind('comment', 'A remark on a document', { document: z.string(), text: z.string() }),
  ],
  billing: [
    kind('invoice', 'What a customer owes', { customer: z.string(), cents: z.int(), due: z.iso.date() }),
    kind('plan', 'What a subscription costs', { ...named, cents: z.int() }),
  ],
};

function kind(one: string, about: string, fields: z.ZodRawShape): Kind {
  return { one, many: `${one}s`, about, fields };
}

/** The field that every operation has. */
export const workspace = { workspace_id: z.string().describe('The workspace that is meant') };
const id = { id: z.string().describe('As list gives it') };
const page = { limit: z.int().max(100).optional(), cursor: z.string().optional() };

/** The operations on one kind. The handlers only return a text, because there is no service behind them. */
export function operationsOf({ one, many, fields }: Kind): readonly Operation[] {
  const answer = (what: string) => () => `${what} ${one}`;
  return [
    operation('list', `Lists ${many}`, page, { readOnly: true }, answer('every')),
    operation('get', `Gives one ${one}`, id, { readOnly: true }, answer('one')),
    operation('create', `Makes a ${one}`, fields, { destructive: false }, answer('made one')),
    operation(
      'update',
      `Changes a ${one}`,
      { ...id, ...partial(fields) },
      { destructive: false, idempotent: true },
      answer('changed one'),
    ),
    operation('delete', `Deletes a ${one} for good`, id, { destructive: true }, answer('deleted one')),
  ];
}

export type Operation = ToolDefinition<z.ZodObject> & {
  readonly description: string;
  readonly inputSchema: z.ZodObject;
};

function operation(
  name: string,
  description: string,
  shape: z.ZodRawShape,
  hints: Pick<Operation, 'readOnly' | 'destructive' | 'idempotent'>,
  handler: () => string,
): Operation {
  return { name, description, inputSchema: z.object(shape), ...hints, handler };
}

function partial(shape: z.ZodRawShape): z.ZodRawShape {
  return z.object(shape).partial().shape;
}
