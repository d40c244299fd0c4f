/** The parts of a helpdesk. The type of the context is written once, and all other types are inferred. */
// #region context
import { error, initToolfold } from 'toolfold';
import * as z from 'zod';

interface Ticket {
  readonly title: string;
  readonly owner: string;
  readonly closed: boolean;
}

export interface App {
  readonly tickets: Map<string, Ticket>;
  /** Names of people by their access tokens. */
  readonly people: ReadonlyMap<string, string>;
}

export const t = initToolfold<App>();
// #endregion context

// #region middleware
const signedIn = t.middleware(({ context }, next) => {
  const user = context.app.people.get(context.accessToken ?? '');
  return user === undefined ? error('Sign in first.') : next({ context: { user } });
});
// #endregion middleware

// #region group
const tickets = t
  .group('tickets')
  .description('Requests for help')
  .use(signedIn)
  .action({
    name: 'open',
    description: 'Opens a ticket',
    inputSchema: z.object({ id: z.string(), title: z.string() }),
    handler: ({ input: { id, title }, context: { app, user } }) => {
      app.tickets.set(id, { title, owner: user, closed: false });
      return `${user} opened ${id}.`;
    },
  })
  .action({
    name: 'list',
    description: 'Lists the tickets of the caller',
    readOnly: true,
    outputSchema: z.object({ titles: z.array(z.string()) }),
    handler: ({ context: { app, user } }) => ({
      titles: [...app.tickets.values()].filter(({ owner }) => owner === user).map(({ title }) => title),
    }),
  });
// #endregion group

// #region parts
const count = t.action({
  name: 'count_tickets',
  description: 'Counts tickets',
  inputSchema: z.object({ closed: z.boolean() }),
  outputSchema: z.object({ count: z.int() }),
  handler: ({ input, context }) => ({
    count: [...context.app.tickets.values()].filter(({ closed }) => closed === input.closed).length,
  }),
});

const triage = t.prompt({
  name: 'triage',
  inputSchema: z.object({ team: z.string() }),
  handler: ({ input, context }) => `Sort ${context.app.tickets.size} tickets for ${input.team}.`,
});

const ticket = t.resource({
  name: 'ticket',
  uriTemplate: 'ticket://{id}',
  handler: ({ variables, context }) => JSON.stringify(context.app.tickets.get(variables['id'] ?? '')),
});
// #endregion parts

// #region registry
/** The registry of one helpdesk. */
export const createHelpdesk = (app: App) =>
  t
    .registry({ name: 'helpdesk', contextFactory: () => app })
    .register(tickets, count)
    .registerPrompt(triage)
    .registerResource(ticket);
// #endregion registry
