import { afterAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { textOf } from '../../../../test/calls.js';
import { createCodeServer } from '../../test/code-server.js';
import type { Caller } from 'toolfold';
import { createQuickJsSandbox } from '../sandbox/quickjs-sandbox.js';

const sandbox = createQuickJsSandbox({ maxThreads: 4 });
afterAll(() => sandbox.close());

const by = (sub: string, scopes: string[] = []): Caller => ({
  auth: { token: `token-of-${sub}`, clientId: 'c', scopes, extra: { sub, iss: 'i' } },
});

const subOf = ({ auth }: Caller): string => (auth?.['extra'] as { sub: string } | undefined)?.sub ?? '';

const ledger = {
  name: 'ledger',
  readOnly: true,
  inputSchema: z.object({ month: z.number().int().min(1).max(12) }),
  outputSchema: z.object({ owner: z.string(), amount: z.number() }),
  handler: async ({ input, context }: { input: { month: number }; context: { caller: Caller } }) => {
    await new Promise((resolve) => setImmediate(resolve));
    const owner = subOf(context.caller);
    return { owner, amount: owner.length * 1_000 + input.month };
  },
};

describe('code in QuickJS', () => {
  it('calls tools at once, catches their errors, logs and returns', async () => {
    const { run } = createCodeServer({ tools: [ledger], code: { sandbox } });
    const result = await run(
      `
      interface Row { owner: string; amount: number }
      const months: number[] = [1, 2, 3];
      const rows: Row[] = await Promise.all(months.map((month) => tools.ledger({ month })));
      console.log('rows', rows.length);
      let caught: unknown;
      try {
        await tools.ledger({ month: 13 });
      } catch (error) {
        caught = [error instanceof Error, error.name, error.code, typeof error.message, error.suggestions];
      }
      ({ total: rows.reduce((sum, { amount }) => sum + amount, 0), caught })
      `,
      { caller: by('ada') },
    );
    expect(result.content).toEqual([
      {
        type: 'text',
        text: '{"total":9006,"caught":[true,"ErrValidationFailed","ErrValidationFailed","string",[]]}',
      },
      { type: 'text', text: 'Logs:\nrows 3' },
    ]);
  });

  it.each([
    [
      '[1, 2].map((month) => tools.ledger({ month }))',
      '"0" is a promise. Await it, or a list of promises with',
    ],
    ['({ rows: tools.ledger({ month: 1 }) })', '"rows" is a promise.'],
    ["new Map([['a', 1]])", 'It is a Map. Write Object.fromEntries(map).'],
    ['({ names: new Set([1]) })', '"names" is a Set. Write [...set].'],
    ['10n', 'It is a bigint. Write Number(value) or String(value).'],
  ])('rejects a result that JSON would lose: %s', async (code, problem) => {
    const { run } = createCodeServer({ tools: [ledger], code: { sandbox } });
    const result = await run(code, { caller: by('ada') });
    expect(result.isError).toBe(true);
    expect(textOf(result)).toContain(`TypeError: The result cannot be written as JSON: ${problem}`);
  });

  it('rejects a promise in the arguments of a call, and makes no call', async () => {
    const { run } = createCodeServer({ tools: [ledger], code: { sandbox } });
    const result = await run('const month = (async () => 1)();\nawait tools.ledger({ month });', {
      caller: by('ada'),
    });
    expect(textOf(result)).toContain('TypeError: "month" is a promise. Await it');
    expect(textOf(result)).toContain('(line 2, column');
    expect(textOf(result)).toContain('Calls made: none');
  });

  it('says what code can use if it uses something of another runtime', async () => {
    const { run } = createCodeServer({ tools: [ledger], code: { sandbox } });
    const text = textOf(await run("await fetch('https://example.com')"));
    expect(text).toContain('ReferenceError: fetch is not defined (line 1, column 7)');
    expect(text).toContain(
      'Code has `tools`, `console` and the objects of JavaScript itself: no fetch, timers,',
    );
  });

  it('shows the character at which JSON.parse fails, although redaction removes values after "token:"', async () => {
    const { run } = createCodeServer({ tools: [ledger], code: { sandbox } });
    const text = textOf(await run('JSON.parse(await tools.ledger({ month: 1 }))', { caller: by('ada') }));
    expect(text).toMatch(/^SyntaxError: unexpected 'o/);
  });

  it('reports an uncaught error of a call with the line of the call, the calls and the logs', async () => {
    const { run } = createCodeServer({ tools: [ledger], code: { sandbox } });
    const result = await run(
      [
        'const first = await tools.ledger({ month: 1 });',
        "console.log('first', first.owner);",
        'const second = await tools.ledger({ month: 0 });',
        'return second;',
      ].join('\n'),
      { caller: by('ada') },
    );
    expect(result.isError).toBe(true);
    expect(result._meta?.['toolfold/error']).toMatchObject({
      code: 'ErrCodeFailed',
      details: { kind: 'thrown', line: 3, cause: 'ErrValidationFailed' },
    });
    const text = textOf(result);
    expect(text).toContain('(line 3, column');
    expect(text).toContain('3 | const second = await tools.ledger({ month: 0 });');
    expect(text).toContain('1. ledger: ok\n2. ledger: ErrValidationFailed: ');
    expect(text).toContain('Logs:\nfirst ada');
  });

  it('reports a syntax error with its line and column, before any call', async () => {
    const { run } = createCodeServer({ tools: [ledger], code: { sandbox } });
    const result = await run('const a = 1;\nconst b = ;\nreturn a + b;');
    expect(result._meta?.['toolfold/error']).toMatchObject({
      code: 'ErrCodeFailed',
      details: { kind: 'syntax', line: 2, column: 11 },
    });
    expect(textOf(result)).toContain('2 | const b = ;\n              ^');
    expect(textOf(result)).toContain('Calls made: none');
  });

  it('ends endless code, code that waits for nothing, and code whose time is over', async () => {
    const hang = { name: 'hang', readOnly: true, handler: () => new Promise(() => undefined) };
    const kindOf = async (code: string, limits: object): Promise<unknown> => {
      const { run } = createCodeServer({ tools: [ledger, hang], code: { sandbox, limits } });
      const { _meta } = await run(code, { caller: by(code) });
      return (_meta?.['toolfold/error'] as { details: { kind: string } } | undefined)?.details.kind;
    };
    const kinds = await Promise.all([
      kindOf('while (true) {}', { cpuMs: 50 }),
      kindOf('await new Promise(() => {});', {}),
      kindOf('await tools.hang();', { wallMs: 300 }),
    ]);
    expect(kinds).toEqual(['cpu', 'stuck', 'wall']);
  });

  it('frees the thread of a cancelled run, and serves the next one', async () => {
    const controller = new AbortController();
    const begun = vi.fn<() => void>();
    const hang = {
      name: 'hang',
      readOnly: true,
      handler: () => {
        begun();
        return new Promise(() => undefined);
      },
    };
    const { run } = createCodeServer({ tools: [ledger, hang], code: { sandbox } });
    // One caller has four runs at once, so a fifth needs the place of a cancelled one.
    const hanging = Array.from({ length: 4 }, () =>
      run('await tools.hang();', { caller: by('ada'), signal: controller.signal }),
    );
    await vi.waitFor(() => expect(begun).toHaveBeenCalledTimes(4), { timeout: 60_000 });
    const next = run('return 1;', { caller: by('ada') });
    controller.abort();
    for (const result of await Promise.all(hanging))
      expect(result._meta?.['toolfold/error']).toMatchObject({ code: 'ErrCancelled' });
    expect(textOf(await next)).toBe('1');
  });

  it('shows each of several interleaved callers only their own data, also through globals', async () => {
    const admin = { name: 'admin', readOnly: true, scopes: ['admin'], handler: () => 'admin only' };
    const { run } = createCodeServer({ tools: [ledger, admin], code: { sandbox } });
    const code = `
      const before = [globalThis.left, Object.prototype.left, Array.prototype.left];
      const rows = [];
      for (let month = 1; month <= 6; month++) rows.push(await tools.ledger({ month }));
      globalThis.left = rows;
      Object.prototype.left = rows;
      Array.prototype.left = rows;
      const admin = await tools.admin().catch((error) => error.code);
      console.log(JSON.stringify(rows.map(({ owner }) => owner)));
      return { before, owners: [...new Set(rows.map(({ owner }) => owner))], admin };
    `;
    const subs = ['ada', 'bobby', 'charlie', 'dorothea', 'ada', 'bobby', 'charlie', 'dorothea'];
    const results = await Promise.all(
      subs.map((sub) => run(code, { caller: by(sub, sub === 'bobby' ? ['admin'] : []) })),
    );
    for (const [index, sub] of subs.entries()) {
      const [value, logs] = (results[index] as { content: { text: string }[] }).content;
      expect(JSON.parse(value?.text ?? '')).toEqual({
        before: [null, null, null],
        owners: [sub],
        admin: sub === 'bobby' ? 'admin only' : 'ErrInsufficientScope',
      });
      expect(logs?.text).toBe(`Logs:\n${JSON.stringify(Array.from({ length: 6 }, () => sub))}`);
    }
  });
});
