import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { textOf } from '../../../../test/calls.js';
import { createCodeServer } from '../../test/code-server.js';
import type { CodeServer } from '../../test/code-server.js';
import { createQuickJsSandbox } from '../sandbox/quickjs-sandbox.js';

const sandbox = createQuickJsSandbox({ maxThreads: 2 });
afterAll(() => sandbox.close());

const caller = { capabilities: { elicitation: { form: {} } } };

/** A server whose tools note the order of their calls. */
function createServer(done: string[], options: object = {}): CodeServer {
  const tool = (name: string, hints: object) => ({
    name,
    inputSchema: z.object({ order: z.number() }),
    ...hints,
    handler: async ({ input: { order } }: { input: { order: number } }) => {
      await new Promise((resolve) => setImmediate(resolve));
      if (order === 13) throw new Error('The order is unknown.');
      done.push(`${name} ${order}`);
      return { order };
    },
  });
  return createCodeServer({
    tools: [
      tool('track', { readOnly: true }),
      tool('note', { destructive: false }),
      tool('erase', { destructive: true }),
    ],
    code: { sandbox, allow: 'write', ...options },
  });
}

const notes = ['note 1', 'note 2', 'note 3'];

describe('work that code does not await', () => {
  it.each([
    [
      'callbacks of forEach',
      `const orders = [1, 2, 3];
       orders.forEach(async (order) => { await tools.track({ order }); await tools.note({ order }) });
       return 'noted all';`,
      'noted all',
    ],
    [
      'a main function',
      `async function main() {
         for (const order of [1, 2, 3]) { await tools.track({ order }); await tools.note({ order }); }
       }
       main(); console.log('started');`,
      'Logs:\nstarted',
    ],
    [
      'callbacks of then',
      `for (const order of [1, 2, 3]) tools.track({ order }).then(({ order }) => tools.note({ order }));
       return 'ok';`,
      'ok',
    ],
  ])('ends before the run does: %s', async (_, code, text) => {
    const done: string[] = [];
    const result = await createServer(done).run(code);
    expect(done.filter((call) => call.startsWith('note')).toSorted()).toEqual(notes);
    expect(result.isError).toBeUndefined();
    expect(textOf(result)).toBe(text);
  });

  it('is part of the value if the code returns an object that it fills', async () => {
    const code = `
      const found = [];
      [1, 2].forEach(async (order) => { found.push(await tools.track({ order })) });
      return found;`;
    expect(textOf(await createServer([]).run(code))).toBe('[{"order":1},{"order":2}]');
  });

  it('makes the run fail if one of its calls fails, with the calls and the line', async () => {
    const done: string[] = [];
    const code = `[1, 13].forEach(async (order) => {\n  await tools.note({ order });\n});\nreturn 'noted all';`;
    const result = await createServer(done).run(code);
    expect(done).toEqual(['note 1']);
    expect(result.isError).toBe(true);
    expect(result._meta?.['toolfold/error']).toMatchObject({
      details: { kind: 'unhandled', line: 2, cause: 'ErrToolFailed' },
    });
    const text = textOf(result);
    expect(text).toMatch(/^ErrToolFailed: \[note\] The order is unknown\..* \(line 2, column/);
    expect(text).toContain('The code did not catch this error. Await every promise');
    expect(text).toContain('1. note: ok\n2. note: ErrToolFailed: [note] The order is unknown.');
  });

  it('makes the run fail if it throws, although its calls succeeded', async () => {
    const code = `tools.track({ order: 1 }).then(({ items }) => items.length); return 'ok';`;
    const result = await createServer([]).run(code);
    expect(textOf(result)).toMatch(/^TypeError: cannot read property 'length' of undefined/);
  });

  it('does not make the run fail if the code handles the error later, or in a race', async () => {
    const code = `
      const late = tools.note({ order: 13 });
      const raced = Promise.race([tools.track({ order: 1 }), tools.note({ order: 13 })]);
      await tools.track({ order: 1 });
      const caught = await late.catch((error) => error.code);
      await Promise.allSettled([raced, tools.note({ order: 13 })]);
      tools.note({ order: 13 }).catch(() => undefined);
      return caught;`;
    const result = await createServer([]).run(code);
    expect(result.isError).toBeUndefined();
    expect(textOf(result)).toBe('ErrToolFailed');
  });

  it('asks the person about its calls, and keeps what failed before the question', async () => {
    const done: string[] = [];
    const code = `tools.note({ order: 13 }); tools.erase({ order: 1 }); return 'erased';`;
    const asked: string[] = [];
    const server = createServer(done);
    const result = await server.run(code, {
      caller,
      ask: async (questions) => {
        asked.push(...Object.keys(questions));
        return Object.fromEntries(asked.map((key) => [key, { action: 'accept', content: { allow: true } }]));
      },
    });
    expect(asked).toEqual(['call_2']);
    expect(done).toEqual(['erase 1']);
    expect(textOf(result)).toMatch(/^ErrToolFailed: \[note\] The order is unknown\./);
  });

  it('ends with the time of the run', async () => {
    const { run } = createCodeServer({
      tools: [{ name: 'hang', readOnly: true, handler: () => new Promise(() => undefined) }],
      code: { sandbox, limits: { wallMs: 1_000 } },
    });
    const result = await run(`tools.hang(); return 'done';`);
    expect(textOf(result)).toMatch(/^Timeout: /);
    expect(textOf(result)).toContain('1. hang: unfinished');
  });
});
