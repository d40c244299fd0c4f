import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { textOf } from '../../../../test/calls.js';
import { createCodeServer } from '../../test/code-server.js';
import { ScriptFailure } from '../../test/scripted-sandbox.js';
import type { Script } from '../../test/scripted-sandbox.js';
import { GroupedToolBuilder } from 'toolfold';
import type { Emit } from '../../../toolfold/src/engine/events/call-events.js';
import { ErrToolFailed } from 'toolfold/errors';

const add = {
  name: 'add',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  readOnly: true,
  handler: ({ input }: { input: { a: number; b: number } }) => ({ sum: input.a + input.b }),
};

const codeOf = (result: { _meta?: Record<string, unknown> }): unknown =>
  (result._meta?.['toolfold/error'] as { code?: unknown } | undefined)?.code;

describe('a run', () => {
  it('returns the value of the code as JSON, and text unchanged', async () => {
    const { run } = createCodeServer({
      tools: [add],
      scripts: {
        data: async ({ call }) => call('add', { a: 1, b: 2 }),
        text: () => 'two\nlines',
        nothing: () => undefined,
      },
    });
    expect(textOf(await run('data'))).toBe('{"sum":3}');
    expect(textOf(await run('text'))).toBe('two\nlines');
    expect(textOf(await run('nothing'))).toBe(
      'The code returned no value. Write `return value` to return one.',
    );
  });

  it('returns what the code logged after its value', async () => {
    const { run } = createCodeServer({
      tools: [add],
      scripts: {
        logs: ({ log }) => {
          log('first');
          log('second');
          return [1];
        },
      },
    });
    expect((await run('logs')).content).toEqual([
      { type: 'text', text: '[1]' },
      { type: 'text', text: 'Logs:\nfirst\nsecond' },
    ]);
  });

  it('calls actions of grouped tools without their discriminator', async () => {
    const users = new GroupedToolBuilder('users')
      .action({ name: 'list', description: 'Lists', readOnly: true, handler: () => ['ada'] })
      .action({ name: 'drop', description: 'Drops', readOnly: true, handler: () => 'dropped' });
    const { run } = createCodeServer({
      tools: [users],
      scripts: {
        list: ({ call }) => call('users.list'),
        smuggled: ({ call }) => call('users.list', { action: 'drop' }),
      },
    });
    expect(textOf(await run('list'))).toBe('["ada"]');
    expect(textOf(await run('smuggled'))).toContain('action: leave it out, because tools.users.list selects');
  });

  it('passes content of a call on, so that images stay images', async () => {
    const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' } as const;
    const { run } = createCodeServer({
      tools: [{ name: 'chart', readOnly: true, handler: () => image }],
      scripts: { chart: ({ call }) => call('chart') },
    });
    expect((await run('chart')).content).toEqual([image]);
  });

  it('returns content that the code wrote wrongly as data, and reports no fault of the server', async () => {
    const emit = vi.fn<Emit>();
    const wrong = { content: [{ type: 'image', data: '!', mimeType: 'image/png' }] };
    const { run } = createCodeServer({ tools: [], scripts: { wrong: async () => wrong } });
    const result = await run('wrong', { emit });
    expect(result).toMatchObject({ content: [{ type: 'text', text: JSON.stringify(wrong) }] });
    expect(result.isError).toBeUndefined();
    expect(emit).not.toHaveBeenCalledWith(expect.objectContaining({ kind: 'fault' }));
  });
});

describe('the value of a call', () => {
  const valueOf = async (tool: object): Promise<unknown> => {
    let seen: unknown;
    const { run } = createCodeServer({
      tools: [{ name: 't', readOnly: true, ...tool }],
      scripts: {
        read: async ({ call }) => {
          seen = await call('t');
        },
      },
    });
    expect(textOf(await run('read'))).toBe('The code returned no value. Write `return value` to return one.');
    return seen;
  };

  it('is the structured content of an action with an output schema', async () => {
    expect(await valueOf({ outputSchema: z.object({ n: z.number() }), handler: () => ({ n: 1 }) })).toEqual({
      n: 1,
    });
  });

  it('is the value of the handler, whatever the format of its text is', async () => {
    expect(await valueOf({ textFormat: 'toon', handler: () => [{ a: 1 }, { a: 2 }] })).toEqual([
      { a: 1 },
      { a: 2 },
    ]);
    expect(await valueOf({ handler: () => 5 })).toBe(5);
    expect(await valueOf({ handler: () => false })).toBe(false);
    expect(await valueOf({ handler: () => null })).toBeNull();
    expect(await valueOf({ handler: () => '5' })).toBe('5');
    expect(await valueOf({ handler: () => undefined })).toBeUndefined();
  });

  it('is parsed if it is text with a JSON object or array, as other servers return it', async () => {
    expect(await valueOf({ handler: () => ' {"a":[1]}' })).toEqual({ a: [1] });
    expect(await valueOf({ handler: () => '[broken' })).toBe('[broken');
  });

  it('is the content if that is not a single text', async () => {
    const content = [
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ];
    expect(await valueOf({ handler: () => ({ content }) })).toEqual({ content });
  });

  it('is whole, although results for clients have a budget', async () => {
    const rows = Array.from({ length: 1_000 }, (_, id) => ({ id }));
    let sum: unknown;
    const { run, registry } = createCodeServer({
      tools: [{ name: 'rows', readOnly: true, outputBudget: { bytes: 200 }, handler: () => rows }],
      registry: { outputBudget: { bytes: 300 } },
      scripts: {
        sum: async ({ call }) => {
          const read = (await call('rows')) as { id: number }[];
          sum = read.reduce((total, { id }) => total + id, 0);
          return read;
        },
      },
    });
    const result = await run('sum');
    expect(sum).toBe(499_500);
    // The result of the run has the budget of the registry, and a client that calls the tool that of the action.
    expect(new TextEncoder().encode(textOf(result)).length).toBeLessThanOrEqual(300);
    expect(textOf(result)).toContain('of 1000');
    expect(textOf(await registry.executeTool({ name: 'rows' })).length).toBeLessThanOrEqual(200);
  });

  it('can be caught by the code if it is too large', async () => {
    const { run } = createCodeServer({
      tools: [{ name: 'big', readOnly: true, handler: () => 'é'.repeat(600) }],
      code: { limits: { callBytes: 1_000 } },
      scripts: { big: ({ call }) => call('big').catch((error: { code: string }) => error) },
    });
    expect(JSON.parse(textOf(await run('big')))).toMatchObject({
      name: 'ErrOutputTooLarge',
      code: 'ErrOutputTooLarge',
    });
  });
});

describe('a failing call', () => {
  const caught: Record<string, Script> = {
    fail: async ({ call }) => {
      try {
        return await call('t');
      } catch (error) {
        const { name, code, message, suggestions } = error as Error & { code: string; suggestions: unknown };
        return { name, code, message, suggestions };
      }
    },
  };

  it('throws an error with the code, the message and the suggestions that a client gets', async () => {
    const { run } = createCodeServer({
      tools: [
        {
          name: 't',
          readOnly: true,
          handler: () => {
            throw Object.assign(new Error('gone'), { status: 404 });
          },
        },
      ],
      scripts: caught,
    });
    expect(JSON.parse(textOf(await run('fail')))).toEqual({
      name: 'ErrToolFailed',
      code: 'ErrToolFailed',
      message: '[t] gone. Not found. Look the name up first.',
      suggestions: ['Not found. Look the name up first.'],
    });
  });

  it('has the code that the author of the server defined', async () => {
    const report = { code: 'NO_BUDGET', message: 'No budget is left', suggestions: ['budgets.raise'] };
    const { run } = createCodeServer({
      tools: [
        {
          name: 't',
          readOnly: true,
          handler: () => ({ content: [], isError: true, _meta: { 'toolfold/error': report } }),
        },
      ],
      scripts: caught,
    });
    expect(JSON.parse(textOf(await run('fail')))).toEqual({ name: 'NO_BUDGET', ...report });
  });

  it('reports invalid arguments', async () => {
    const { run } = createCodeServer({ tools: [{ ...add, name: 't' }], scripts: caught });
    expect(JSON.parse(textOf(await run('fail')))).toMatchObject({ code: 'ErrValidationFailed' });
  });

  it('suggests the path that the code may have meant', async () => {
    const { run } = createCodeServer({
      tools: [{ ...add, name: 'find_users' }],
      scripts: { typo: ({ call }) => call('find_userz') },
    });
    const text = textOf(await run('typo'));
    expect(text).toContain('tools.find_userz is not a function. Did you mean tools.find_users?');
    expect(text).toContain('1. find_userz: ErrUnknownTool');
  });
});

describe('failing code', () => {
  it('reports its place, the calls with their outcomes, and the logs', async () => {
    const { run } = createCodeServer({
      tools: [
        add,
        {
          name: 'broken',
          readOnly: true,
          handler: () => {
            throw new ErrToolFailed('The disk is full.');
          },
        },
      ],
      scripts: {
        'const a = 1;\nboom(a, 2);\nreturn a;': async ({ call, log }) => {
          await Promise.all([call('add', { a: 1, b: 1 }), call('add', { a: 2, b: 2 })]);
          await call('broken').catch(() => undefined);
          log('halfway');
          throw new ScriptFailure({
            kind: 'thrown',
            name: 'TypeError',
            message: 'boom is not a function',
            line: 2,
            column: 1,
          });
        },
      },
    });
    const result = await run('const a = 1;\nboom(a, 2);\nreturn a;');
    expect(result.isError).toBe(true);
    expect(codeOf(result)).toBe('ErrCodeFailed');
    expect(textOf(result)).toMatchInlineSnapshot(`
      "TypeError: boom is not a function (line 2, column 1)

      2 | boom(a, 2);
          ^

      Calls made:
      1 to 2. add: ok
      3. broken: ErrToolFailed: The disk is full.

      Logs:
      halfway"
    `);
    expect(result._meta?.['toolfold/error']).toMatchObject({
      details: { kind: 'thrown', line: 2, column: 1 },
    });
  });

  it('waits for the calls that still run, and starts no others', async () => {
    const releases: ((value: unknown) => void)[] = [];
    const started: number[] = [];
    const { run, sandbox } = createCodeServer({
      tools: [
        {
          name: 'slow',
          readOnly: true,
          inputSchema: z.object({ n: z.number() }),
          handler: ({ input }: { input: { n: number } }) => {
            started.push(input.n);
            return new Promise((resolve) => {
              releases.push(resolve);
            });
          },
        },
        {
          name: 'fail',
          readOnly: true,
          handler: () => {
            throw new Error('no');
          },
        },
      ],
      code: { limits: { concurrentCalls: 2 } },
      scripts: {
        mix: ({ call }) =>
          Promise.all([call('slow', { n: 1 }), call('fail'), call('slow', { n: 2 }), call('slow', { n: 3 })]),
      },
    });
    const running = run('mix');
    // The sandbox is closed when the code has failed.
    await vi.waitFor(() => expect([sandbox.starts.length, sandbox.open]).toEqual([1, 0]));
    for (const release of releases) release('done');
    const result = await running;
    expect(textOf(result)).toContain('2. fail: ErrToolFailed');
    expect(textOf(result)).toContain('1. slow: ok');
    expect(textOf(result)).toMatch(/4\. slow: not run/);
    expect(started).not.toContain(3);
  });

  it('keeps its report within the output budget', async () => {
    const { run } = createCodeServer({
      tools: [add],
      registry: { outputBudget: { bytes: 1_000 } },
      scripts: {
        long: ({ log }) => {
          for (let line = 0; line < 500; line++) log(`line ${line}`);
          throw new Error('x'.repeat(5_000));
        },
      },
    });
    const text = textOf(await run('long'));
    expect(new TextEncoder().encode(text).length).toBeLessThanOrEqual(1_000);
    expect(text).toMatch(/^Error: xxx/);
  });
});
