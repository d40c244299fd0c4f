import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { GroupedToolBuilder, ToolfoldError, ToolRegistry } from 'toolfold';
import { defineServer } from 'toolfold/node';
import { apiKeys, createHandler } from 'toolfold/web';
import { createClock, createTestClient } from '../index.js';

const eras = ['2025', '2026'] as const;
const forms = ['grouped', 'flat', 'search'] as const;

const createRegistry = (options: ConstructorParameters<typeof ToolRegistry>[0] = {}) => {
  const seen: { aborted: string[]; started: () => void } = { aborted: [], started: () => {} };
  const users = new GroupedToolBuilder('users')
    .action({
      name: 'list',
      readOnly: true,
      inputSchema: z.object({ team: z.string().optional() }),
      outputSchema: z.object({ names: z.array(z.string()) }),
      handler: ({ input }) => ({ names: ['Ada', input.team ?? 'all'] }),
    })
    .action({
      name: 'ban',
      destructive: true,
      scopes: ['users:write'],
      inputSchema: z.object({ id: z.string() }),
      handler: ({ input }) => `banned ${input.id}`,
    });
  const registry = new ToolRegistry({
    name: 'acme',
    version: '1.0.0',
    rateLimiter: false,
    ...options,
  }).register(
    users,
    {
      name: 'confirm',
      description: 'Asks twice',
      inputSchema: z.object({ what: z.string() }),
      handler: async ({ input, context }) => {
        const { sure } = await context.requestInput({
          sure: { message: `Delete ${input.what}?`, schema: z.object({ confirm: z.boolean() }) },
        });
        if (sure.action !== 'accept') return sure.action;
        const { why } = await context.requestInput({
          why: { message: 'Why?', schema: z.object({ reason: z.string() }) },
        });
        return `${String(sure.content.confirm)} ${why.content?.reason ?? why.action}`;
      },
    },
    {
      name: 'summarize',
      description: 'Asks the model',
      inputSchema: {},
      handler: async ({ context }) => {
        const { said, dirs, page } = await context.requestInput({
          said: { sampling: { messages: [], maxTokens: 5 } },
          dirs: { roots: true },
          page: { message: 'Sign in', url: 'https://acme.example' },
        });
        return JSON.stringify([said.content, dirs.roots, page.action]);
      },
    },
    {
      name: 'steps',
      description: 'Reports progress',
      inputSchema: {},
      handler: async ({ context }) => {
        await context.progress(1, 2, 'half');
        await context.log('info', 'working');
        await context.progress(2, 2);
        return 'done';
      },
    },
    {
      name: 'wait',
      description: 'Waits for its signal',
      inputSchema: z.object({ id: z.string() }),
      task: true,
      handler: ({ input, context }) =>
        new Promise((_, reject) => {
          context.signal.addEventListener('abort', () => {
            seen.aborted.push(input.id);
            reject(new Error('stopped'));
          });
          seen.started();
        }),
    },
    {
      name: 'build',
      description: 'Runs as a task',
      inputSchema: z.object({ ask: z.boolean().optional() }),
      task: { ttlMs: 1_000, pollIntervalMs: 60_000 },
      handler: async ({ input, context }) => {
        if (!input.ask) return 'built';
        const { sure } = await context.requestInput({
          sure: { message: 'Build?', schema: z.object({ confirm: z.boolean() }) },
        });
        return `built ${JSON.stringify(sure)}`;
      },
    },
  );
  const started = (): Promise<void> => new Promise((resolve) => (seen.started = resolve));
  return { registry, seen, started };
};

const textOf = ({ content }: { content: readonly { type: string }[] }): unknown =>
  (content[0] as { text?: string }).text;
const codeOf = ({ _meta }: { _meta?: unknown }): unknown =>
  (_meta as { 'toolfold/error'?: { code: string } } | undefined)?.['toolfold/error']?.code;

describe.each(eras)('a %s test client', (era) => {
  it.each(forms)('calls actions by path and by address in the form %s', async (form) => {
    const { registry } = createRegistry();
    await using client = await createTestClient(registry, { era, form });
    const expected = { names: ['Ada', 'x'] };
    expect((await client.call('users.list', { team: 'x' })).structuredContent).toEqual(expected);
    expect((await client.call('users/list', { team: 'x' })).structuredContent).toEqual(expected);
    expect(textOf(await client.call('steps'))).toBe('done');
  });

  it('gets the error of an unknown action, of invalid arguments and of a missing scope as a result', async () => {
    const { registry } = createRegistry();
    await using client = await createTestClient(registry, { era });
    expect(codeOf(await client.call('users.lst'))).toBe('ErrUnknownAction');
    expect(codeOf(await client.call('users.list', { team: 5 } as never))).toBe('ErrValidationFailed');
    expect(codeOf(await client.call('users.ban', { id: 'a' }))).toBe('ErrInsufficientScope');
    await expect(client.call('nothing')).rejects.toThrow('nothing');
  });

  it('calls typed functions, which return data and reject with the code of the report', async () => {
    const { registry } = createRegistry();
    await using client = await createTestClient(registry, { era });
    expect(await client.tools.users.list({ team: 'x' })).toEqual({ names: ['Ada', 'x'] });
    expect(await client.tools.users.list()).toEqual({ names: ['Ada', 'all'] });
    expect(textOf(await client.tools.steps())).toBe('done');
    const banned = client.tools.users.ban({ id: 'a' });
    await expect(banned).rejects.toMatchObject({
      code: 'ErrInsufficientScope',
      details: { required: ['users:write'] },
    });
    await expect(banned).rejects.toBeInstanceOf(ToolfoldError);
    expect(await Promise.resolve(client.tools.users)).toBeTypeOf('function');
  });

  it('has the identity and the scopes of auth', async () => {
    const { registry } = createRegistry();
    await using client = await createTestClient(registry, { era, auth: { scopes: ['users:write'] } });
    expect(textOf(await client.call('users.ban', { id: 'a' }))).toBe('banned a');
  });

  it('answers forms from one object, a list and a function, and records the questions', async () => {
    const { registry } = createRegistry();
    const run = async (elicit: Parameters<typeof createTestClient>[1] extends infer O ? O : never) => {
      await using client = await createTestClient(registry, { era, ...elicit });
      return { text: textOf(await client.call('confirm', { what: 'it' })), questions: client.questions };
    };
    const one = await run({ answers: { elicit: { confirm: true, reason: 'old' } } });
    expect(one.text).toBe('true old');
    expect(one.questions.map(({ kind, message }) => `${kind} ${message}`)).toEqual([
      'elicit Delete it?',
      'elicit Why?',
    ]);
    expect(one.questions[0]?.answer).toEqual({ action: 'accept', content: { confirm: true } });
    expect((await run({ answers: { elicit: [{ confirm: false }, 'decline'] } })).text).toBe('false decline');
    expect((await run({ answers: { elicit: 'cancel' } })).text).toBe('cancel');
    const answer = ({ message }: Readonly<Record<string, unknown>>) =>
      message === 'Why?' ? { reason: 'f' } : { confirm: true };
    expect((await run({ answers: { elicit: answer } })).text).toBe('true f');
  });

  it('answers for the model, with directories, and opens pages', async () => {
    const { registry } = createRegistry();
    await using client = await createTestClient(registry, {
      era,
      answers: { sample: 'a summary', roots: [{ uri: 'file:///a' }], elicit: 'accept' },
    });
    expect(JSON.parse(String(textOf(await client.call('summarize'))))).toEqual([
      { type: 'text', text: 'a summary' },
      [{ uri: 'file:///a' }],
      'accept',
    ]);
  });

  it('fails a call whose question has no answer, and names the question', async () => {
    const { registry } = createRegistry();
    await using client = await createTestClient(registry, { era });
    await expect(client.call('confirm', { what: 'it' })).rejects.toThrow(
      'The handler asked the user: "Delete it?", and the test has no answer. Pass answers: { elicit: … } to createTestClient.',
    );
    await using short = await createTestClient(registry, { era, answers: { elicit: [{ confirm: true }] } });
    await expect(short.call('confirm', { what: 'it' })).rejects.toThrow(
      '"Why?", and the test has no answer. All 1 answers of answers.elicit are used up.',
    );
    await using other = await createTestClient(registry, { era, answers: { elicit: { sure: true } } });
    await expect(other.call('confirm', { what: 'it' })).rejects.toThrow(
      'The form requires "confirm", and answers.elicit has only sure.',
    );
  });

  it('can be a client that cannot be asked', async () => {
    const { registry } = createRegistry();
    await using client = await createTestClient(registry, { era, answers: { elicit: false } });
    const outcome = await client
      .call('confirm', { what: 'it' })
      .then(codeOf, (error: { code?: number }) => error.code);
    expect(outcome).toBe(era === '2026' ? -32_021 : 'ErrInputUnavailable');
    expect(client.questions).toEqual([]);
  });

  it('assigns an unanswered question to its own call among concurrent ones', async () => {
    const { registry } = createRegistry();
    const answers = {
      elicit: ({ message }: Readonly<Record<string, unknown>>) => {
        if (message === 'Delete bad?') throw new Error('no answer for bad');
        return { confirm: true, reason: 'r' };
      },
    };
    await using client = await createTestClient(registry, { era, answers });
    const outcomes = await Promise.allSettled(
      ['a', 'bad', 'c', 'bad', 'e'].map((what) => client.call('confirm', { what })),
    );
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'rejected',
      'fulfilled',
    ]);
    expect(String((outcomes[1] as PromiseRejectedResult).reason)).toContain('no answer for bad');
  });

  it('records progress and log messages', async () => {
    const { registry } = createRegistry();
    await using client = await createTestClient(registry, { era });
    const reports: unknown[] = [];
    const call = client.start('steps', {}, { onProgress: (report) => reports.push(report) });
    expect(textOf(await call.result)).toBe('done');
    expect(call.progress).toEqual([
      { progress: 1, total: 2, message: 'half' },
      { progress: 2, total: 2 },
    ]);
    expect(reports).toEqual(call.progress);
    expect(client.logs).toMatchObject([{ level: 'info', data: 'working' }]);
  });

  it('cancels a call: cancel() resolves when the signal of the handler has aborted', async () => {
    const { registry, seen, started } = createRegistry();
    await using client = await createTestClient(registry, { era });
    const running = started();
    const call = client.start('wait', { id: 'a' });
    await running;
    await call.cancel();
    expect(seen.aborted).toEqual(['a']);
    await expect(call.result).rejects.toMatchObject({ code: 'ErrCancelled' });
    // A call that has not been sent never reaches the handler.
    const unsent = client.start('wait', { id: 'b' });
    await unsent.cancel();
    await expect(unsent.result).rejects.toMatchObject({ code: 'ErrCancelled' });
    expect(textOf(await client.call('steps'))).toBe('done');
  });

  it('cancels one of two concurrent calls with its signal', async () => {
    const { registry, seen, started } = createRegistry();
    await using client = await createTestClient(registry, { era });
    const controller = new AbortController();
    const running = started();
    const cancelled = client.call('wait', { id: 'a' }, { signal: controller.signal });
    const other = client.start('wait', { id: 'b' });
    await running;
    controller.abort(new Error('enough'));
    await expect(cancelled).rejects.toMatchObject({ code: 'ErrCancelled', cause: { message: 'enough' } });
    await expect.poll(() => seen.aborted).toEqual(['a']);
    await other.cancel();
    expect(seen.aborted).toEqual(['a', 'b']);
  });

  it('polls a task to its end and answers its questions, without waiting for the poll interval', async () => {
    const { registry } = createRegistry();
    await using client = await createTestClient(registry, { era, answers: { elicit: { confirm: true } } });
    expect(textOf(await client.call('build', {}, { task: true }))).toBe('built');
    expect(textOf(await client.call('build', { ask: true }, { task: true }))).toContain('"confirm":true');
    expect(codeOf(await client.call('build', { ask: 'x' } as never, { task: true }))).toBe(
      'ErrValidationFailed',
    );
  });

  it('fails a task whose question has no answer', async () => {
    const { registry } = createRegistry();
    await using client = await createTestClient(registry, { era });
    await expect(client.call('build', { ask: true }, { task: true })).rejects.toThrow(
      '"Build?", and the test has no',
    );
  });

  it('cancels a call that runs as a task', async () => {
    const { registry, seen, started } = createRegistry();
    await using client = await createTestClient(registry, { era });
    const running = started();
    const call = client.start('wait', { id: 'a' }, { task: true });
    await running;
    await call.cancel();
    expect(seen.aborted).toEqual(['a']);
    await expect(call.result).rejects.toMatchObject({ code: 'ErrCancelled' });
  });

  it('sees tools that are registered later', async () => {
    const { registry } = createRegistry();
    await using client = await createTestClient(registry, { era });
    expect(textOf(await client.call('steps'))).toBe('done');
    registry.register({ name: 'late', description: 'Late', inputSchema: {}, handler: () => 'late' });
    expect((await client.listTools()).map(({ name }) => name)).toContain('late');
    expect(textOf(await client.call('late'))).toBe('late');
  });
});

describe('a task', () => {
  it('can be polled by hand until its ttl has passed on the clock', async () => {
    const clock = createClock();
    const { registry } = createRegistry({ clock: clock.now });
    await using client = await createTestClient(registry);
    const task = await client.startTask('build');
    expect(textOf(await task.result())).toBe('built');
    expect(await task.get()).toMatchObject({ status: 'completed', createdAt: '2026-01-01T00:00:00.000Z' });
    clock.advance(999);
    expect(await task.get()).toMatchObject({ status: 'completed' });
    clock.advance(1);
    await expect(task.get()).rejects.toThrow('There is no such task');
  });

  it('can be cancelled by hand', async () => {
    const { registry, seen } = createRegistry();
    await using client = await createTestClient(registry);
    const task = await client.startTask('wait', { id: 'a' });
    await task.cancel();
    expect(seen.aborted).toEqual(['a']);
    await expect(task.result()).rejects.toMatchObject({ code: 'ErrCancelled' });
    expect(await task.get()).toMatchObject({ status: 'cancelled' });
  });

  it('is reported as missing if the server answers without one', async () => {
    const { registry } = createRegistry();
    await using client = await createTestClient(registry);
    await expect(client.startTask('steps')).rejects.toThrow('The server answered "steps" without a task');
  });
});

describe('createTestClient', () => {
  it('takes the options of a server: toolsets, of which the client selects some', async () => {
    const registry = new ToolRegistry({ name: 'acme' });
    const tool = (name: string) => ({ name, description: name, inputSchema: {}, handler: () => name });
    const toolsets = {
      catalog: {
        a: { name: 'A', description: 'A', tools: [tool('one')] },
        b: { name: 'B', description: 'B', tools: [tool('two')] },
      },
      startup: { mode: 'STATIC', toolsets: 'ALL' },
    } as const;
    await using all = await createTestClient(registry, { server: { toolsets } });
    await using one = await createTestClient(registry, { server: { toolsets }, toolsets: ['b'] });
    expect((await all.listTools()).map(({ name }) => name)).toEqual(['one', 'two']);
    expect((await one.listTools()).map(({ name }) => name)).toEqual(['two']);
    expect(textOf(await one.call('two'))).toBe('two');
  });

  it('takes a described server with its view and its authentication, which auth skips', async () => {
    const auth = apiKeys({ keys: [{ key: 'k'.repeat(32), clientId: 'ada', scopes: ['users:write'] }] });
    const server = defineServer({
      registry: createRegistry().registry,
      view: { form: 'flat' },
      http: { auth },
    });
    const names = async (options: Parameters<typeof createTestClient<typeof server>>[1]) => {
      await using client = await createTestClient(server, options);
      return (await client.listTools()).map(({ name }) => name);
    };
    expect(await names({ auth: { clientId: 'test' } })).toContain('users_ban');
    expect(await names({ auth: { clientId: 'test' }, form: 'grouped' })).toContain('users');
    await expect(createTestClient(server)).rejects.toThrow('An API key is needed.');
    await using client = await createTestClient(server, { headers: { 'x-api-key': 'k'.repeat(32) } });
    expect((await client.tools.users.list({})).names).toEqual(['Ada', 'all']);
    expect(await client.call('users.ban', { id: 'u1' })).toMatchObject({
      content: [{ text: 'banned u1' }],
    });
  });

  it('takes a handler, which several clients share', async () => {
    const { registry } = createRegistry();
    const handler = createHandler(registry, { view: { form: 'flat' } });
    await using client = await createTestClient(handler, { era: '2025' });
    expect((await client.listTools()).map(({ name }) => name)).toContain('users_list');
    await client.close();
    await using other = await createTestClient(handler);
    expect(textOf(await other.call('steps'))).toBe('done');
    await handler.close();
    await expect(createTestClient(handler, { form: 'flat' })).rejects.toThrow(
      'form and server must be left out',
    );
  });

  it('rejects other sources and options, and says what to write', async () => {
    const { registry } = createRegistry();
    await expect(createTestClient(Promise.resolve(registry) as never)).rejects.toThrow(
      'but got a promise. Write createTestClient(await …).',
    );
    await expect(createTestClient({} as never)).rejects.toThrow('createTestClient needs a ToolRegistry');
    await expect(createTestClient(registry, { toolsets: {} as never })).rejects.toThrow(
      'server: { toolsets }',
    );
    await expect(createTestClient(registry, { eras: '2025' } as never)).rejects.toThrow(
      'has no option "eras"',
    );
    await expect(createTestClient(registry, { answers: { elicits: {} } as never })).rejects.toThrow(
      '"elicits"',
    );
    await expect(createTestClient(registry, { era: '2024' as never })).rejects.toThrow('"2025" or "2026"');
  });
});

describe('createClock', () => {
  it('moves only when it is advanced, and only forward', () => {
    const clock = createClock(5);
    expect(clock.now()).toBe(5);
    clock.advance(10);
    expect(clock.now()).toBe(15);
    expect(() => clock.advance(-1)).toThrow('clock.advance must be milliseconds of at least 0, not -1');
    expect(() => createClock(Number.NaN)).toThrow('createClock must be a time in milliseconds');
  });
});
