import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { GroupedToolBuilder, initToolfold, ToolRegistry } from 'toolfold';
import { serveHttp } from 'toolfold/node';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

type Answer = (message: string) => object;
type Call = (tool: { name: string; arguments: Record<string, unknown> }) => Promise<unknown>;
type Connect = (url: string, answer: Answer | undefined) => Promise<Call>;

const connectModern: Connect = async (url, answer) => {
  const client = new Client(
    { name: 'c', version: '1' },
    { capabilities: answer ? { elicitation: { form: {} } } : {}, versionNegotiation: { mode: 'auto' } },
  );
  if (answer)
    client.setRequestHandler('elicitation/create', async ({ params }) => answer(params.message) as never);
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  cleanUps.push(() => client.close());
  return (tool) => client.callTool(tool);
};

const connectSession: Connect = async (url, answer) => {
  const client = new FirstClient(
    { name: 'c', version: '1' },
    { capabilities: answer ? { elicitation: {} } : {} },
  );
  if (answer)
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => answer(params.message) as never);
  await client.connect(new FirstTransport(new URL(url)) as never);
  cleanUps.push(() => client.close());
  return (tool) => client.callTool(tool);
};

function createRegistry(deleted: number[]): ToolRegistry {
  const owners: Readonly<Record<number, string>> = { 5: 'Ada', 6: 'Eve' };
  const tickets = new GroupedToolBuilder('tickets').description('Tickets of the help desk').action({
    name: 'delete',
    description: 'Deletes a ticket for good',
    destructive: true,
    inputSchema: z.object({ id: z.int(), reason: z.string().optional() }),
    confirm: ({ input }) => `Delete ticket ${input.id} of ${owners[input.id]}?`,
    handler: ({ input }) => {
      deleted.push(input.id);
      return `deleted ${input.id}`;
    },
  });
  return new ToolRegistry({ name: 'desk', version: '1', rateLimiter: false }).register(tickets);
}

const forms = {
  grouped: (id: number) => ({ name: 'tickets', arguments: { action: 'delete', id } }),
  flat: (id: number) => ({ name: 'tickets_delete', arguments: { id } }),
  search: (id: number) => ({
    name: 'call_write_tool',
    arguments: { address: 'tickets/delete', arguments: { id } },
  }),
  code: (id: number) => ({
    name: 'run_code',
    arguments: { code: `await tools.tickets.delete({ id: ${id} }).catch(({ message }) => message)` },
  }),
} as const;

const eras = [
  ['2026', connectModern],
  ['2025', connectSession],
] as const;
const textOf = (result: unknown): string =>
  (result as { content: { text: string }[] }).content.map(({ text }) => text).join('\n');

describe.each(Object.keys(forms) as (keyof typeof forms)[])(
  'an action with confirm in the form %s',
  (form) => {
    describe.each(eras)('of a %s client', (_era, connect) => {
      const open = async (answer: Answer | undefined) => {
        const deleted: number[] = [];
        const server = await serveHttp(createRegistry(deleted), {
          port: 0,
          view: { form, ...(form === 'code' ? { code: { allow: 'write' } } : {}) },
        });
        cleanUps.push(() => server.close());
        return { deleted, call: await connect(server.url, answer) };
      };

      it('asks the person once with the facts of its author, and runs if the person allows it', async () => {
        const asked: string[] = [];
        const { deleted, call } = await open((message) => {
          asked.push(message);
          return { action: 'accept', content: { allow: true } };
        });
        expect(textOf(await call(forms[form](5)))).toContain('deleted 5');
        expect(asked).toEqual(['Delete ticket 5 of Ada?']);
        expect(deleted).toEqual([5]);
      });

      it.each([
        [{ action: 'decline' }, 'A person declined this call'],
        [{ action: 'accept', content: { allow: false } }, 'A person declined this call'],
        [{ action: 'cancel' }, 'A person closed the question about this call'],
      ])('does not run after the answer %j', async (answer, text) => {
        const { deleted, call } = await open(() => answer);
        expect(textOf(await call(forms[form](6)))).toContain(text);
        expect(deleted).toEqual([]);
      });

      it('refuses a client that cannot ask, and says what to do', async () => {
        const { deleted, call } = await open(undefined);
        expect(textOf(await call(forms[form](5)))).toContain(
          'needs the confirmation of a person, and the client did not ask one. Do not look for another way. Tell the person',
        );
        expect(deleted).toEqual([]);
      });
    });
  },
);

describe('code with several actions that ask', () => {
  it.each(eras)('asks a %s client in rounds, and begins no other call again', async (_era, connect) => {
    const calls: string[] = [];
    const registry = new ToolRegistry({ name: 'desk', rateLimiter: false }).register(
      {
        name: 'read',
        description: 'Reads',
        readOnly: true,
        inputSchema: {},
        handler: () => {
          calls.push('read');
          return { value: 1 };
        },
      },
      {
        name: 'book',
        description: 'Books seats, and asks how many and which',
        destructive: true,
        confirm: 'Book the room {room}?',
        inputSchema: z.object({ room: z.string() }),
        idempotency: true,
        handler: async ({ input, context }) => {
          const { seats } = await context.requestInput({
            seats: { message: `Seats in ${input.room}?`, schema: z.object({ count: z.int() }) },
          });
          calls.push(`book ${input.room}`);
          return { room: input.room, seats: seats.content?.count ?? 0 };
        },
      },
    );
    const server = await serveHttp(registry, {
      port: 0,
      view: { form: 'code', code: { allow: 'write' } },
    });
    cleanUps.push(() => server.close());
    const asked: string[] = [];
    const call = await connect(server.url, (message) => {
      asked.push(message);
      const content = message.startsWith('Book') ? { allow: true } : { count: message.includes('A') ? 2 : 3 };
      return { action: 'accept', content };
    });
    const code = `
      const { value } = await tools.read({});
      const booked = await Promise.all(['A', 'B'].map((room) => tools.book({ room })));
      [value, ...booked]`;
    expect(JSON.parse(textOf(await call({ name: 'run_code', arguments: { code } })))).toEqual([
      1,
      { room: 'A', seats: 2 },
      { room: 'B', seats: 3 },
    ]);
    expect(asked.toSorted()).toEqual([
      'Book the room "A"?',
      'Book the room "B"?',
      'Seats in A?',
      'Seats in B?',
    ]);
    expect(calls.toSorted()).toEqual(['book A', 'book B', 'read']);
  });
});

describe('the function of confirm', () => {
  it('sees the validated arguments and what middleware added to the context', async () => {
    const t = initToolfold<{ readonly name: string }>();
    const signedIn = t.middleware(({ context }, next) =>
      next({ context: { user: `${context.app.name} Lovelace` } }),
    );
    const tickets = t
      .group('tickets')
      .use(signedIn)
      .action({
        name: 'delete',
        destructive: true,
        inputSchema: z.object({ id: z.int() }),
        confirm: ({ input, context }) => `${context.user}: delete ${input.id.toFixed(1)}?`,
        handler: () => 'deleted',
      });
    const asked: unknown[] = [];
    await t
      .registry({ contextFactory: () => ({ name: 'Ada' }) })
      .register(tickets)
      .executeTool({
        name: 'tickets',
        arguments: { action: 'delete', id: 5 },
        ask: async ({ allow }) => {
          asked.push(allow?.params['message']);
          return { allow: { action: 'cancel' } };
        },
      });
    expect(asked).toEqual(['Ada Lovelace: delete 5.0?']);
  });
});

describe('the text of confirm', () => {
  const messageFor = async (confirm: string, input: Record<string, unknown>): Promise<string> => {
    let asked = '';
    const registry = new ToolRegistry().register({
      name: 'drop',
      description: 'Drops',
      inputSchema: z.looseObject({ id: z.unknown(), note: z.string().optional() }),
      confirm,
      handler: () => 'dropped',
    });
    await registry.executeTool({
      name: 'drop',
      arguments: input,
      ask: async ({ allow }) => {
        asked = String(allow?.params['message']);
        return { allow: { action: 'decline' } };
      },
    });
    return asked;
  };

  it('shows arguments as JSON in one line, so that a model cannot write a part of the question', async () => {
    expect(await messageFor('Drop {id} ({note})?', { id: 7 })).toBe('Drop 7 (none)?');
    expect(await messageFor('Drop {id}?', { id: 'x\n\nAllowed already.     {note}\u202e' })).toBe(
      String.raw`Drop "x\n\nAllowed already.\u0020\u0020\u0020\u0020\u0020{note}\u202e"?`,
    );
    expect((await messageFor('Drop {id}?', { id: 'x'.repeat(5_000) })).length).toBeLessThan(330);
  });

  it('is rejected with a placeholder that is no argument, and suggests the arguments', () => {
    expect(() => messageForUnknown()).toThrow(
      'Tool "drop": confirm has {ticket}, which is not one of its arguments. Arguments: id.',
    );
    function messageForUnknown() {
      new ToolRegistry().register({
        name: 'drop',
        description: 'Drops',
        inputSchema: z.object({ id: z.int() }),
        confirm: 'Drop {ticket}?',
        handler: () => 'dropped',
      });
    }
  });

  it('can come from a function, which asks nobody if it returns undefined, and whose other values are mistakes', async () => {
    const registryWith = (confirm: never) =>
      new ToolRegistry().register({
        name: 'pay',
        description: 'Pays',
        inputSchema: z.object({ amount: z.number() }),
        confirm,
        handler: ({ input }) => `paid ${input.amount}`,
      });
    const large = async ({ input }: { input: { amount: number } }) =>
      input.amount > 100 ? `Pay ${input.amount}?` : undefined;
    const call = (confirm: unknown, amount: number) =>
      registryWith(confirm as never).executeTool({ name: 'pay', arguments: { amount } });
    expect(textOf(await call(large, 5))).toBe('paid 5');
    expect(textOf(await call(large, 500))).toContain('needs the confirmation of a person');
    expect(textOf(await call(() => true, 5))).toContain('confirm of "pay" returned true');
  });
});
