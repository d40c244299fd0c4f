import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { askAt } from './ask-person.js';

const requestedSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', description: 'What to call you' },
    age: { type: 'integer' },
    colour: { enum: ['red', 'blue'], default: 'red' },
    tags: { type: 'array', items: { enum: ['a', 'b'] } },
    sure: { type: 'boolean' },
  },
  required: ['name', 'sure'],
};

async function answer(
  question: Readonly<Record<string, unknown>>,
  typed: string | undefined,
  signal?: AbortSignal,
) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  if (typed !== undefined) input.end(typed);
  const ask = askAt({ input, output, signal: signal ?? new AbortController().signal });
  const answered = await ask(question);
  return { answered, shown: String(output.read() ?? '') };
}

describe('a question at a terminal', () => {
  it('is asked field by field, and again after an invalid answer', async () => {
    const typed = ['', 'Ada', 'old', '36', 'green', '', 'a, b', 'perhaps', 'true', ''].join('\n');
    const { answered, shown } = await answer({ message: 'Who are you?', requestedSchema }, typed);
    expect(answered).toEqual({
      action: 'accept',
      content: { name: 'Ada', age: 36, colour: 'red', tags: ['a', 'b'], sure: true },
    });
    expect(shown).toContain('The server asks: Who are you?\n');
    expect(shown).toContain('What to call you\n  name (text): ');
    expect(shown).toContain('name is required');
    expect(shown).toContain('age must be a whole number, not "old"');
    expect(shown).toContain('colour (one of red, blue, default "red"): ');
  });

  it('skips optional fields that are left empty', async () => {
    const { answered } = await answer({ message: 'm', requestedSchema }, 'Ada\n\n\n\nfalse\n');
    expect(answered).toEqual({ action: 'accept', content: { name: 'Ada', colour: 'red', sure: false } });
  });

  it('is declined by the end of the input, and when the call ends', async () => {
    expect((await answer({ message: 'm', requestedSchema }, 'Ada\n')).answered).toEqual({
      action: 'decline',
    });
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 20);
    const { answered } = await answer({ message: 'm', requestedSchema }, undefined, controller.signal);
    expect(answered).toEqual({ action: 'decline' });
  });

  it.each([
    ['y\n', 'accept'],
    ['no\n', 'decline'],
    ['\n', 'decline'],
  ])('about a page or about consent is answered with yes or no: %j', async (typed, action) => {
    const page = await answer({ mode: 'url', message: 'Sign in', url: 'https://a.example/x' }, typed);
    expect(page.answered.action).toBe(action);
    expect(page.shown).toContain('Open https://a.example/x');
    const plain = await answer(
      { message: 'Delete all?', requestedSchema: { type: 'object', properties: {} } },
      typed,
    );
    expect(plain.answered.action).toBe(action);
  });

  it('waits for the question before it', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    input.end('1\n2\n');
    const ask = askAt({ input, output, signal: new AbortController().signal });
    const one = { message: 'm', requestedSchema: { type: 'object', properties: { a: { type: 'integer' } } } };
    const answers = await Promise.all([ask(one), ask(one), ask(one)]);
    expect(answers).toEqual([
      { action: 'accept', content: { a: 1 } },
      { action: 'accept', content: { a: 2 } },
      { action: 'decline' },
    ]);
  });

  it('shows nothing that moves the cursor', async () => {
    const { shown } = await answer({ message: 'a\u001b[2Jb', requestedSchema: {} }, 'n\n');
    expect(shown).not.toContain('\u001b');
  });
});
