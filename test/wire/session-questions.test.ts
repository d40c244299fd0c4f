import fc from 'fast-check';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { ToolRegistry } from 'toolfold';
import type { FormQuestion } from 'toolfold';
import { readEvents } from './events.js';
import type { Events } from './events.js';
import { faces } from './faces.js';
import type { Face } from './faces.js';
import { openSession } from './session-requests.js';
import type { Session } from './session-requests.js';

type Json = Record<string, unknown>;
interface Question {
  readonly id: string;
  readonly method: string;
  readonly params: Json;
}
const ALL = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };
const name = z.object({ name: z.string() });

function createRegistry() {
  const ended: string[] = [];
  const registry = new ToolRegistry({ name: 'acme', version: '1', rateLimiter: false }).register(
    {
      name: 'greet',
      description: 'Asks for a name, and for another',
      inputSchema: z.object({ label: z.string().optional() }),
      handler: async ({ input, context }) => {
        context.signal.addEventListener('abort', () => ended.push(input.label ?? ''));
        const first = await context.requestInput({
          who: { message: `First of ${input.label}`, schema: name },
        });
        if (first.who.action !== 'accept') return `nobody: ${first.who.action}`;
        const second = await context.requestInput({
          who: { message: `Second of ${input.label}`, schema: name },
        });
        return [input.label, first.who.content?.name, second.who.content?.name].join(' ');
      },
    },
    {
      name: 'many',
      description: 'Asks thirty questions at once',
      inputSchema: {},
      handler: async ({ context }) => {
        const questions = Array.from({ length: 30 }, (_, at) => [
          `q${at}`,
          { message: String(at), schema: name },
        ]);
        const answers = await context.requestInput(
          Object.fromEntries(questions) as Record<string, FormQuestion<typeof name>>,
        );
        return Object.values(answers)
          .map((answer) => (answer.action === 'accept' ? answer.content.name : ''))
          .join(' ');
      },
    },
    {
      name: 'all',
      description: 'Asks everything at once',
      inputSchema: {},
      handler: async ({ context }) => {
        const answers = await context.requestInput({
          form: { message: 'Who?', schema: name },
          page: { message: 'Sign in', url: 'https://acme.example' },
          said: { sampling: { messages: [], maxTokens: 5 } },
          dirs: { roots: true },
        });
        return JSON.stringify(answers);
      },
    },
  );
  return { registry, ended };
}

const accept = (value: string) => ({ result: { action: 'accept', content: { name: value } } });
const textOf = (message: Json | undefined): unknown =>
  (message?.['result'] as { content: { text: string }[] } | undefined)?.content[0]?.text;
const call = async (
  session: Session,
  tool: string,
  args: Json = {},
  id: string | number = 1,
): Promise<Events> => readEvents(await session.send('tools/call', { name: tool, arguments: args }, id));
const nextQuestion = async (events: Events): Promise<Question> =>
  (await events.nextMessage()) as unknown as Question;

describe.each(faces)('over %s, a call in a session', (_face, open) => {
  let face: Face | undefined;
  afterEach(async () => {
    await face?.close();
    face = undefined;
  });
  const setUp = async (capabilities: Json = ALL, version = '2025-11-25') => {
    const { registry, ended } = createRegistry();
    face = await open(registry);
    const session = await openSession(face, { capabilities, version });
    return { face, session, ended };
  };

  it.each(['2025-11-25', '2025-06-18'])(
    'asks on its stream and continues with the answers, in %s',
    async (version) => {
      const { session } = await setUp(ALL, version);
      const events = await call(session, 'greet', { label: 'A' });
      const first = await nextQuestion(events);
      expect(first).toMatchObject({
        jsonrpc: '2.0',
        method: 'elicitation/create',
        params: { message: 'First of A', requestedSchema: { type: 'object', required: ['name'] } },
      });
      expect(first.params).not.toHaveProperty('mode');
      expect(await session.answer(first.id, accept('Ada'))).toBe(202);
      const second = await nextQuestion(events);
      expect(second.id).not.toBe(first.id);
      // A second answer is ignored.
      await session.answer(first.id, accept('Eve'));
      await session.answer(second.id, accept('Bob'));
      expect(textOf(await events.nextMessage())).toBe('A Ada Bob');
      expect(await events.rest()).toEqual([]);
    },
  );

  it.each(['decline', 'cancel'])('learns that the person chose to %s', async (action) => {
    const { session } = await setUp();
    const events = await call(session, 'greet');
    await session.answer((await nextQuestion(events)).id, { result: { action } });
    expect(textOf(await events.nextMessage())).toBe(`nobody: ${action}`);
  });

  it('asks for pages, for the model and for roots as well, all at once, answered in any order', async () => {
    const { session } = await setUp();
    const events = await call(session, 'all');
    const questions: Question[] = [];
    for (let count = 0; count < 4; count++) questions.push(await nextQuestion(events));
    expect(questions.map(({ method }) => method)).toEqual([
      'elicitation/create',
      'elicitation/create',
      'sampling/createMessage',
      'roots/list',
    ]);
    expect(questions[1]?.params).toMatchObject({ mode: 'url', url: 'https://acme.example' });
    const said = { role: 'assistant', model: 'm', content: { type: 'text', text: 'hi' } };
    const results = [
      { action: 'accept', content: { name: 'Ada' } },
      { action: 'accept' },
      said,
      { roots: [{ uri: 'file:///a' }] },
    ];
    for (const index of [2, 0, 3, 1]) await session.answer(questions[index]?.id, { result: results[index]! });
    expect(JSON.parse(String(textOf(await events.nextMessage())))).toEqual({
      form: results[0],
      page: results[1],
      said,
      dirs: results[3],
    });
  });

  it.each([
    ['an error', { error: { code: -1, message: 'User rejected' } }, 'ErrInputUnavailable'],
    [
      'content that does not fit',
      { result: { action: 'accept', content: { name: 5 } } },
      'ErrValidationFailed',
    ],
    ['nothing', { result: {} }, 'ErrValidationFailed'],
  ])('fails if the answer is %s', async (_what, answer, code) => {
    const { session } = await setUp();
    const events = await call(session, 'greet');
    await session.answer((await nextQuestion(events)).id, answer);
    expect(await events.nextMessage()).toMatchObject({
      result: { isError: true, _meta: { 'toolfold/error': { code } } },
    });
  });

  it.each([[{}], [{ elicitation: { url: {} } }], [{ sampling: {} }]])(
    'fails at once if the client declares %j',
    async (capabilities) => {
      const { session } = await setUp(capabilities);
      expect(await session.call('greet')).toMatchObject({
        result: { isError: true, _meta: { 'toolfold/error': { code: 'ErrInputUnavailable' } } },
      });
    },
  );

  it('asks thirty questions at once, in each of thirty calls, without a warning of Node', async () => {
    const warned = vi.fn<(warning: Error) => void>();
    process.on('warning', warned);
    onTestFinished(() => void process.off('warning', warned));
    const { session } = await setUp();
    const results = Array.from({ length: 30 }, async (_each, id) => {
      const events = await call(session, 'many', {}, id);
      for (let count = 0; count < 30; count++) {
        const question = await nextQuestion(events);
        await session.answer(question.id, accept(`${id}/${String(question.params['message'])}`));
      }
      return textOf(await events.nextMessage());
    });
    expect(await Promise.all(results)).toEqual(
      results.map((_each, id) => Array.from({ length: 30 }, (_one, at) => `${id}/${at}`).join(' ')),
    );
    expect(warned).not.toHaveBeenCalled();
  });

  it('assumes forms if a client declares only elicitation', async () => {
    const { session } = await setUp({ elicitation: {} });
    const events = await call(session, 'greet');
    await session.answer((await nextQuestion(events)).id, { result: { action: 'cancel' } });
    expect(textOf(await events.nextMessage())).toBe('nobody: cancel');
  });

  it('ends with its questions when it is cancelled, or its session deleted', async () => {
    const { session, ended } = await setUp();
    const events = await call(session, 'greet', { label: 'A' }, 'a');
    const { id } = await nextQuestion(events);
    await session.notify('notifications/cancelled', { requestId: 'a' });
    expect(await events.rest()).toEqual([]);
    expect(await session.answer(id, accept('late'))).toBe(202);
    const other = await call(session, 'greet', { label: 'B' }, 'b');
    await nextQuestion(other);
    await session.remove();
    expect(await other.rest()).toEqual([]);
    expect(ended).toEqual(['A', 'B']);
  });

  it('is answered when the server closes while it asks', async () => {
    const { face, session } = await setUp();
    const events = await call(session, 'greet');
    await nextQuestion(events);
    await face.handler.close();
    expect(await events.nextMessage()).toMatchObject({
      result: { isError: true, _meta: { 'toolfold/error': { code: 'ErrInputUnavailable' } } },
    });
  });

  it('gets its question again if its client lost the connection before', async () => {
    const { session } = await setUp();
    const events = await call(session, 'greet', { label: 'A' });
    const primed = await events.next();
    await events.leave();
    const again = await session.listen(primed?.id);
    await session.answer((await nextQuestion(again)).id, accept('Ada'));
    await session.answer((await nextQuestion(again)).id, accept('Bob'));
    expect(textOf(await again.nextMessage())).toBe('A Ada Bob');
  });

  it('accepts no answer from another session, not even of the same caller', async () => {
    const { face, session } = await setUp();
    const other = await openSession(face, { capabilities: ALL });
    const [mine, theirs] = [
      await call(session, 'greet', { label: 'A' }),
      await call(other, 'greet', { label: 'B' }),
    ];
    const [first, second] = [await nextQuestion(mine), await nextQuestion(theirs)];
    expect(await other.answer(first.id, accept('Eve'))).toBe(202);
    expect(await session.answer(second.id, accept('Eve'))).toBe(202);
    await session.answer(first.id, accept('Ada'));
    await other.answer(second.id, accept('Bob'));
    await session.answer((await nextQuestion(mine)).id, accept('1'));
    await other.answer((await nextQuestion(theirs)).id, accept('2'));
    expect([textOf(await mine.nextMessage()), textOf(await theirs.nextMessage())]).toEqual([
      'A Ada 1',
      'B Bob 2',
    ]);
  });
});

describe('many sessions with the same ids at once', () => {
  it('each get their own questions, answers and results, in any order', async () => {
    const { registry } = createRegistry();
    const face = await faces[0]![1](registry);
    const SESSIONS = 4;
    const CALLS = 3;
    await fc.assert(
      fc.asyncProperty(fc.infiniteStream(fc.nat(1_000)), async (dice) => {
        const roll = (below: number): number => (dice.next().value as number) % below;
        const sessions = await Promise.all(
          Array.from({ length: SESSIONS }, () => openSession(face, { capabilities: ALL })),
        );
        /** All sessions use the ids 0, 1 and 2 for their calls. */
        const calls = await Promise.all(
          sessions.flatMap((session, at) =>
            Array.from({ length: CALLS }, async (_, id) => {
              const label = `${at}/${id}`;
              return {
                session,
                label,
                events: await call(session, 'greet', { label }, id),
                given: [] as string[],
              };
            }),
          ),
        );
        const open = [...calls];
        const asked: { question: Question; of: (typeof calls)[number] }[] = [];
        const results: Record<string, unknown> = {};
        for (let turn = 0; open.length + asked.length > 0; turn++) {
          const isReading = asked.length === 0 || (open.length > 0 && roll(2) === 0);
          if (isReading) {
            const [of] = open.splice(roll(open.length), 1);
            const message = await of!.events.nextMessage();
            if (message && 'method' in message) {
              const question = message as unknown as Question;
              expect(question.params['message']).toBe(
                `${of!.given.length === 0 ? 'First' : 'Second'} of ${of!.label}`,
              );
              asked.push({ question, of: of! });
            } else {
              expect(message?.['id']).toBe(Number(of!.label.split('/')[1]));
              results[of!.label] = textOf(message);
            }
            continue;
          }
          const [{ question, of } = asked[0]!] = asked.splice(roll(asked.length), 1);
          // Other sessions first try to answer with the same question id.
          const stranger = sessions[roll(SESSIONS)]!;
          if (stranger !== of.session) await stranger.answer(question.id, accept('stranger'));
          const value = `${of.label}#${turn}`;
          of.given.push(value);
          await of.session.answer(question.id, accept(value));
          open.push(of);
        }
        expect(results).toEqual(
          Object.fromEntries(calls.map(({ label, given }) => [label, [label, ...given].join(' ')])),
        );
        await Promise.all(sessions.map((session) => session.remove()));
      }),
      { numRuns: 10 },
    );
    await face.close();
  });

  it('each get their own answers over sockets, while all ask at the same time', async () => {
    const { registry } = createRegistry();
    const face = await faces[1]![1](registry);
    const sessions = await Promise.all(
      Array.from({ length: 12 }, () => openSession(face, { capabilities: ALL })),
    );
    const results = await Promise.all(
      sessions.flatMap((session, at) =>
        Array.from({ length: 5 }, async (_, id) => {
          const label = `${at}/${id}`;
          const events = await call(session, 'greet', { label }, id);
          for (const round of ['x', 'y'])
            await session.answer((await nextQuestion(events)).id, accept(`${label}${round}`));
          return [label, textOf(await events.nextMessage())];
        }),
      ),
    );
    expect(results).toEqual(
      results.map(([label]) => [label, `${String(label)} ${String(label)}x ${String(label)}y`]),
    );
    await face.close();
  });
});

it('a handler that does not wait for its question leaves none behind', async () => {
  const late = vi.fn<(error: unknown) => void>();
  const registry = new ToolRegistry({ rateLimiter: false }).register({
    name: 'hasty',
    description: 'd',
    inputSchema: {},
    handler: ({ context }) => {
      context.requestInput({ who: { message: 'Who?', schema: name } }).catch(late);
      return 'done';
    },
  });
  const face = await faces[0]![1](registry);
  const session = await openSession(face, { capabilities: ALL });
  const events = await call(session, 'hasty');
  const question = await nextQuestion(events);
  expect(textOf(await events.nextMessage())).toBe('done');
  await vi.waitFor(() => expect(late).toHaveBeenCalledTimes(1));
  expect(await session.answer(question.id, accept('late'))).toBe(202);
  await face.close();
});
