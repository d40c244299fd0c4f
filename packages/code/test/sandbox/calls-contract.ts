import { describe, expect, it } from 'vitest';
import { start, value } from '../drive-run.js';
import type { AnswerCall, Driver } from '../drive-run.js';

export function testCalls(driver: Driver): void {
  const caught = (call: string): Promise<unknown> =>
    driver.resultOf(`try { return await ${call} } catch (e) { return e.name + ': ' + e.message }`, {
      limits: { callBytes: 20 },
    });

  describe('results', () => {
    it('returns the value of the last expression, or of return', async () => {
      expect(await driver.resultOf('1 + 2')).toBe(3);
      expect(await driver.resultOf('const a = [1]; return { a }; a.length')).toEqual({ a: [1] });
      expect(await driver.resultOf('const sum: number = 1 as number; sum')).toBe(1);
    });

    it('returns nothing if the code returns nothing, or a value that JSON cannot express', async () => {
      expect(await driver.resultOf('for (const a of [1]) a;')).toBeUndefined();
      expect(await driver.resultOf('Math.max')).toBeUndefined();
      expect(await driver.resultOf('')).toBeUndefined();
    });

    it('reports a result that cannot be written as JSON', async () => {
      expect(await driver.failureOf('1n')).toMatchObject({ kind: 'result', name: 'TypeError' });
      expect(await driver.failureOf('const a = {}; a.a = a; a')).toMatchObject({ kind: 'result' });
    });

    it('reports a result that is too large', async () => {
      const limits = { resultBytes: 10 };
      expect(await driver.resultOf('"12345678"', { limits })).toBe('12345678');
      expect(await driver.failureOf('"123456789"', { limits })).toMatchObject({ kind: 'result' });
      // This is four characters, and 14 bytes with the quotes.
      expect(await driver.failureOf('"€€€€"', { limits })).toMatchObject({
        kind: 'result',
        message: expect.stringContaining('14 bytes'),
      });
    });
  });

  describe('work that the code does not await', () => {
    it('delays the end of the run until no call is pending', async () => {
      const started = await start(
        driver.sandbox,
        'const all = []; tools.a().then(tools.b).then((b) => all.push(b)); return all',
      );
      expect((await started.advance([])).outcome).toBeUndefined();
      const step = await started.advance([value(1, { n: 1 })]);
      expect(step.calls).toEqual([{ id: 2, path: 'b', input: '{"n":1}' }]);
      expect(step.outcome).toBeUndefined();
      expect((await started.advance([value(2, 2)])).outcome).toEqual({ value: '[2]' });
    });

    it('fails the run with an error that nothing handles, also if the code then waits for nothing', async () => {
      expect(await driver.failureOf('tools.a().then(() => null.x); 1')).toMatchObject({
        kind: 'unhandled',
        name: 'TypeError',
      });
      expect(await driver.failureOf('await new Promise((done) => tools.a(1n).then(done))')).toMatchObject({
        kind: 'unhandled',
        message: expect.stringContaining('a bigint'),
      });
      expect(
        await driver.resultOf('const late = Promise.reject(1); await tools.a(); late.catch((e) => e)'),
      ).toBe(1);
    });
  });

  describe('calls', () => {
    it('starts a call by its path, and passes its value to the code', async () => {
      const { calls, last } = await driver.run('(await tools.github.issues.list({ state: "open" })).state');
      expect(calls).toEqual([{ id: 1, path: 'github.issues.list', input: '{"state":"open"}' }]);
      expect(last.outcome).toEqual({ value: '"open"' });
    });

    it('gives the code no function of the sandbox through a stack trace', async () => {
      const code = `
        const seen = [];
        const descriptor = { set: undefined, ...Object.getOwnPropertyDescriptor(Error, 'prepareStackTrace') };
        for (const type of [Error, TypeError, Object, Function.prototype])
          try {
            type.prepareStackTrace = (error, sites) => {
              for (const site of sites) seen.push(String(site.getFunction?.()?.name));
              return '';
            };
          } catch {}
        await tools.a();
        try { await tools.b(1, 2) } catch {}
        [typeof descriptor.set, ...seen.filter((name) => name === 'startCall')]`;
      expect(await driver.resultOf(code)).toEqual(['undefined']);
    });

    it('starts calls concurrently, and numbers them in their order', async () => {
      const started = await start(driver.sandbox, 'await Promise.all([tools.a(), tools.b({ n: 2 })])');
      const first = await started.advance([]);
      expect(first.calls).toEqual([
        { id: 1, path: 'a' },
        { id: 2, path: 'b', input: '{"n":2}' },
      ]);
      const second = await started.advance([value(2, 'second')]);
      expect(second.calls).toEqual([]);
      expect(second.outcome).toBeUndefined();
      const third = await started.advance([{ id: 1, value: undefined }]);
      expect(third.outcome).toEqual({ value: '[null,"second"]' });
    });

    it('throws the error of a call with its name, code, message and suggestions, and the code can catch it', async () => {
      const error = {
        name: 'ErrRateLimited',
        code: 'ErrRateLimited',
        message: 'Too many calls.',
        suggestions: ['Wait.'],
      };
      const answer: AnswerCall = ({ id }) => ({ id, error });
      const code = `
        try { await tools.a() } catch (e) {
          return { isError: e instanceof Error, name: e.name, code: e.code, message: e.message, suggestions: e.suggestions };
        }`;
      expect(await driver.resultOf(code, { answer })).toEqual({ isError: true, ...error });
      expect(await driver.failureOf('\n  await tools.a()', { answer })).toEqual({
        kind: 'thrown',
        name: 'ErrRateLimited',
        message: 'Too many calls.',
        code: 'ErrRateLimited',
        line: 2,
        column: expect.any(Number),
      });
    });

    it('rejects arguments that are not JSON, or too large, with an error that the code can catch', async () => {
      expect(await caught('tools.a(() => 1)')).toMatch(/^TypeError: .* Got a function\.$/);
      expect(await caught('tools.a(1n)')).toMatch(/^TypeError: /);
      expect(await caught('tools.a({}, {})')).toMatch(/^TypeError: .* Got 2 arguments\.$/);
      expect(await caught('tools.a("12345678901234567890")')).toMatch(/^ErrValidationFailed: /);
      expect(await caught('tools.a("€€€€€€€€€€")')).toMatch(/^ErrValidationFailed: /);
      expect(await caught('tools.a("123456789012345678")')).toBe('123456789012345678');
    });

    it('rejects calls beyond the limit', async () => {
      const code = `
        let done = 0;
        try { for (;;) { await tools.a(); done += 1 } } catch (e) { return [done, e.code] }`;
      expect(await driver.resultOf(code, { limits: { calls: 3 } })).toEqual([3, 'ErrCallNotAllowed']);
      const storm =
        'const all = await Promise.allSettled(Array.from({ length: 1000 }, () => tools.a())); all.length';
      const { calls, last } = await driver.run(storm, { limits: { calls: 5 } });
      expect(calls).toHaveLength(5);
      expect(last.outcome).toEqual({ value: '1000' });
    });

    it('rejects calls that pass too much data at once, and accepts them one after the other', async () => {
      const limits = { callBytes: 1000 };
      const together = `
        const all = await Promise.allSettled(Array.from({ length: 9 }, () => tools.a('x'.repeat(900))));
        all.filter(({ status }) => status === 'fulfilled').length`;
      expect(await driver.resultOf(together, { limits })).toBe(4);
      const inTurns = `let done = 0; for (let i = 0; i < 9; i++) { await tools.a('x'.repeat(900)); done += 1 } done`;
      expect(await driver.resultOf(inTurns, { limits })).toBe(9);
    });

    it('ignores ends of calls that it does not wait for', async () => {
      const started = await start(driver.sandbox, 'await tools.a(); await tools.b(); "done"');
      await started.advance([]);
      const step = await started.advance([value(7, 1), value(1, 1), value(1, 2)]);
      expect(step.calls).toEqual([{ id: 2, path: 'b' }]);
      expect(step.outcome).toBeUndefined();
      expect((await started.advance([value(2, 1)])).outcome).toEqual({ value: '"done"' });
    });

    it('does not mistake names such as then, toJSON and toString for calls', async () => {
      const { calls, last } = await driver.run(
        'await tools; await tools.a; [typeof tools.then, typeof tools.a.toJSON, `${tools.a.b}`, tools[Symbol.iterator] === undefined]',
      );
      expect(calls).toEqual([]);
      expect(last.outcome).toEqual({ value: '["undefined","undefined","tools.a.b",true]' });
      expect((await driver.run('await tools.constructor.__proto__({})')).calls).toMatchObject([
        { path: 'constructor.__proto__' },
      ]);
    });

    it('keeps tools as they are', async () => {
      expect(await driver.failureOf('tools.a = 1')).toMatchObject({ name: 'TypeError' });
      expect(await driver.failureOf('tools = 1')).toMatchObject({ name: 'TypeError' });
      expect(await driver.failureOf('delete tools.a.b')).toMatchObject({ name: 'TypeError' });
    });
  });

  describe('logs', () => {
    it('captures the console', async () => {
      const { logs } = await driver.run(`
        console.log('a', 1, { b: [2] }, null, undefined, true, 3n, Symbol('s'), () => 1);
        console.error(new TypeError('broken'));
        console.info(); console.warn('w'); console.debug('d');`);
      expect(logs).toEqual([
        'a 1 {"b":[2]} null undefined true 3n [Symbol] [Function]',
        'TypeError: broken',
        '',
        'w',
        'd',
      ]);
    });

    it('leaves out what exceeds the limit, and says so', async () => {
      const { logs, last } = await driver.run('for (let i = 0; i < 1e4; i++) console.log("line " + i)', {
        limits: { logBytes: 100 },
      });
      expect(logs.join('\n').length).toBeLessThanOrEqual(100);
      expect(logs[0]).toBe('line 0');
      expect(last.hasLostLogs).toBe(true);
      const wide = await driver.run('console.log("€".repeat(90)); console.log("x")', {
        limits: { logBytes: 100 },
      });
      expect(new TextEncoder().encode(wide.logs.join('')).length).toBeLessThanOrEqual(100);
      expect(wide.last.hasLostLogs).toBe(true);
      expect((await driver.run('console.log("short")')).last.hasLostLogs).toBe(false);
    });

    it('survives values that cannot be printed', async () => {
      const { logs } = await driver.run(`
        const cycle = {}; cycle.cycle = cycle;
        console.log(cycle, { toJSON() { throw 1 } }, { get a() { throw 1 } }, tools, tools.a.b);
        const error = new Error(); Object.defineProperty(error, 'message', { get() { throw 1 } });
        console.log(error);`);
      expect(logs).toEqual(['[Object] [Object] [Object] [Object] [Function]', 'Error: ']);
    });
  });
}
