import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { InputRequired } from '../protocol/input-required.js';
import type { WireQuestions } from '../protocol/input-required.js';
import type { InputQuestion, RequestInput } from '../define/input-question.js';
import { ErrInputUnavailable, ErrInvalidModel, ErrValidationFailed } from '@toolfold/schema/errors';
import { noClientToAsk, putQuestions } from './request-input.js';
import type { AskClient } from './request-input.js';

const seats = { message: 'How many?', schema: z.object({ count: z.int().min(1) }) };

/** The `requestInput` of a handler whose questions `ask` answers. */
function createRequestInput(ask: AskClient): RequestInput {
  return (questions) => putQuestions(questions, { ask });
}

/** Asks one question and returns one answer. */
function ask(question: InputQuestion, answer: unknown): Promise<{ readonly q: unknown }> {
  return createRequestInput(async () => ({ q: answer }))({ q: question });
}

async function wireOf(question: InputQuestion): Promise<WireQuestions[string] | undefined> {
  const asked: WireQuestions[] = [];
  const input = createRequestInput(async (questions) => {
    asked.push(questions);
    return undefined;
  });
  await expect(input({ q: question })).rejects.toThrow(InputRequired);
  return asked[0]?.['q'];
}

describe('a form', () => {
  it('is sent with the fields of its schema, and without the dialect', async () => {
    expect(await wireOf(seats)).toEqual({
      method: 'elicitation/create',
      params: {
        mode: 'form',
        message: 'How many?',
        requestedSchema: {
          type: 'object',
          properties: { count: { type: 'integer', minimum: 1 } },
          required: ['count'],
        },
      },
    });
  });

  it.each([
    ['an object', z.object({ place: z.object({ city: z.string() }) })],
    ['a list of texts', z.object({ place: z.array(z.string()) })],
    ['nullable', z.object({ place: z.string().nullable() })],
    ['of a format that MCP does not know', z.object({ place: z.uuid() })],
  ])('is rejected when it is asked if a field is %s', async (_, schema) => {
    const question = { message: 'Where?', schema } as InputQuestion;
    await expect(ask(question, {})).rejects.toThrow(/"place": MCP does not allow its type in a form/);
  });

  it('may have texts, numbers, booleans and choices', async () => {
    const schema = z.object({
      mail: z.email().optional(),
      at: z.iso.datetime().default('2026-01-01T00:00:00Z'),
      count: z.int(),
      share: z.number(),
      sure: z.boolean(),
      size: z.enum(['s', 'm']),
      colours: z.array(z.enum(['red', 'blue'])),
    });
    expect(await wireOf({ message: 'Which?', schema })).toMatchObject({ method: 'elicitation/create' });
  });

  it('accepts shapes of fields and JSON Schemas too', async () => {
    const shape = await wireOf({ message: 'm', schema: { name: z.string() } });
    const json = await wireOf({
      message: 'm',
      schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    });
    for (const wire of [shape, json])
      expect(wire?.params['requestedSchema']).toMatchObject({
        type: 'object',
        properties: { name: { type: 'string' } },
        required: ['name'],
      });
  });

  it('returns the accepted answer as parsed by the schema', async () => {
    const schema = z.object({
      when: z.string().transform((text) => new Date(text)),
      kind: z.string().default('a'),
    });
    const { q } = await ask({ message: 'm', schema }, { action: 'accept', content: { when: '2026-01-01' } });
    expect(q).toEqual({ action: 'accept', content: { when: new Date('2026-01-01'), kind: 'a' } });
  });

  it.each(['decline', 'cancel'])('returns no content if the person chose to %s', async (action) => {
    expect(await ask(seats, { action, content: { count: 3 } })).toEqual({ q: { action } });
  });

  it('rejects invalid content, and names each field by its question', async () => {
    const schema = z.object({ count: z.int().min(1), name: z.string() });
    const asked = ask({ message: 'm', schema }, { action: 'accept', content: { count: 0 } });
    await expect(asked).rejects.toThrow(ErrValidationFailed);
    await expect(asked).rejects.toThrow(/q\.count: .*; q\.name: /);
  });

  it.each([
    [undefined],
    [null],
    ['accept'],
    [[]],
    [{}],
    [{ action: 'maybe' }],
    [{ action: ['accept'] }],
    [{ content: { count: 1 } }],
    [{ action: 'accept' }],
    [{ action: 'accept', content: null }],
    [{ action: 'accept', content: [] }],
    [{ action: 'accept', content: 'count' }],
  ])('rejects the answer %j', async (answer) => {
    await expect(ask(seats, answer)).rejects.toThrow(ErrValidationFailed);
  });

  it('sets no prototype from content', async () => {
    const content: unknown = JSON.parse('{"count":1,"__proto__":{"polluted":true}}');
    const asked = await ask(seats, { action: 'accept', content }).catch(() => undefined);
    expect((asked?.q as { content?: object } | undefined)?.content ?? {}).not.toHaveProperty('polluted');
    expect({}).not.toHaveProperty('polluted');
  });
});

describe('a page', () => {
  const page = { message: 'Sign in', url: 'https://acme.example/sign-in' };

  it('is sent with a new id each time', async () => {
    const [first, second] = [await wireOf(page), await wireOf(page)];
    expect(first).toEqual({
      method: 'elicitation/create',
      params: { mode: 'url', ...page, elicitationId: expect.stringMatching(/^[\da-f-]{36}$/) as string },
    });
    expect(first?.params['elicitationId']).not.toBe(second?.params['elicitationId']);
  });

  it.each(['accept', 'decline', 'cancel'])(
    'returns that the person chose to %s, without content',
    async (action) => {
      expect(await ask(page, { action, content: { secret: 1 } })).toEqual({ q: { action } });
    },
  );

  it.each([[{}], [null], [{ action: 'done' }]])('rejects the answer %j', async (answer) => {
    await expect(ask(page, answer)).rejects.toThrow(ErrValidationFailed);
  });
});

describe('sampling', () => {
  const sampling = {
    messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }],
    maxTokens: 10,
    temperature: 0.5,
  } as const;
  const said = {
    role: 'assistant',
    model: 'm',
    content: { type: 'text', text: 'hello' },
    stopReason: 'endTurn',
  };

  it('is sent unchanged', async () => {
    expect(await wireOf({ sampling })).toEqual({ method: 'sampling/createMessage', params: sampling });
  });

  it.each([
    [said],
    [{ ...said, content: [said.content] }],
    [{ ...said, role: 'user' }],
    [{ ...said, content: { type: 'image', data: 'aGk=', mimeType: 'image/png' } }],
    [{ ...said, content: { type: 'audio', data: 'aGk=', mimeType: 'audio/wav' } }],
    [{ ...said, content: [said.content, { type: 'tool_use', id: '1', name: 'add', input: { a: 1 } }] }],
  ])('returns the answer %j unchanged', async (answer) => {
    expect(await ask({ sampling }, answer)).toEqual({ q: answer });
  });

  it.each([
    [{}],
    [null],
    [{ ...said, model: undefined }],
    [{ ...said, content: undefined }],
    [{ ...said, content: null }],
    [{ ...said, content: 'hello' }],
    [{ ...said, content: {} }],
    [{ ...said, content: { type: 'text' } }],
    [{ ...said, content: { type: 'image', data: 'aGk=' } }],
    [{ ...said, content: { type: 'tool_use', id: '1', name: 'add' } }],
    [{ ...said, content: { type: 'video', data: 'aGk=', mimeType: 'video/mp4' } }],
    [{ ...said, content: [said.content, null] }],
    [{ ...said, role: 'system' }],
    [{ ...said, role: undefined }],
    [{ action: 'accept' }],
  ])('rejects the answer %j', async (answer) => {
    await expect(ask({ sampling }, answer)).rejects.toThrow(ErrValidationFailed);
  });
});

describe('roots', () => {
  it('are requested without parameters', async () => {
    expect(await wireOf({ roots: true })).toEqual({ method: 'roots/list', params: {} });
  });

  it.each([[{ roots: [] }], [{ roots: [{ uri: 'file:///a', name: 'A' }, { uri: 'file:///b' }] }]])(
    'return the answer %j unchanged',
    async (answer) => {
      expect(await ask({ roots: true }, answer)).toEqual({ q: answer });
    },
  );

  it.each([
    [{}],
    [null],
    [{ roots: {} }],
    [{ roots: [null] }],
    [{ roots: [{ uri: 5 }] }],
    [{ roots: ['file:///a'] }],
  ])('reject the answer %j', async (answer) => {
    await expect(ask({ roots: true }, answer)).rejects.toThrow(ErrValidationFailed);
  });
});

describe('several questions', () => {
  it('are sent together, and their answers have the same keys', async () => {
    const answers = {
      page: { action: 'decline' },
      seats: { action: 'accept', content: { count: 2 } },
      roots: { roots: [] },
    };
    const edge = vi.fn<(questions: WireQuestions) => Promise<Record<string, unknown>>>(async () => answers);
    const got = await createRequestInput(edge)({
      seats,
      page: { message: 'm', url: 'https://a.example' },
      roots: { roots: true },
    });
    expect(got).toEqual(answers);
    expect(edge).toHaveBeenCalledTimes(1);
    expect(Object.keys(edge.mock.calls[0]?.[0] ?? {})).toEqual(['seats', 'page', 'roots']);
  });

  it('suspend the call if there are no answers yet, and fail if no client can be asked', async () => {
    const input = createRequestInput(async () => undefined);
    await expect(input({ seats })).rejects.toMatchObject({
      inputRequests: { seats: { method: 'elicitation/create' } },
      requestState: undefined,
    });
    await expect(noClientToAsk({ seats })).rejects.toThrow(ErrInputUnavailable);
  });

  it('may be awaited later or never without an unhandled rejection', async () => {
    const heard = vi.fn<(reason: unknown) => void>();
    process.on('unhandledRejection', heard);
    try {
      const later = createRequestInput(async () => undefined)({ seats });
      void noClientToAsk({ seats });
      await new Promise((resolve) => setTimeout(resolve, 5));
      await expect(later).rejects.toThrow(InputRequired);
    } finally {
      process.off('unhandledRejection', heard);
    }
    expect(heard).not.toHaveBeenCalled();
  });

  it.each([[{}], [{ message: 'm' }], [{ message: 'm', schema: 5 }], [{ message: 'm', schema: z.string() }]])(
    'are rejected if one is %j, before any is sent',
    async (wrong) => {
      const edge = vi.fn<() => Promise<undefined>>(async () => undefined);
      const asked = createRequestInput(edge)({ seats, wrong: wrong as never });
      await expect(asked).rejects.toMatchObject({ audience: 'author' });
      expect(edge).not.toHaveBeenCalled();
    },
  );

  it.each([[null], [undefined], ['text'], [5]])('name the invalid question %j', async (wrong) => {
    const asked = createRequestInput(async () => undefined)({ seats, wrong: wrong as never });
    await expect(asked).rejects.toThrow(ErrInvalidModel);
    await expect(asked).rejects.toThrow(/"wrong"/);
  });
});
