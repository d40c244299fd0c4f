import { describe, expect, it } from 'vitest';
import { value } from '../drive-run.js';
import type { AnswerCall, Driver } from '../drive-run.js';

const answerProto: AnswerCall = ({ id }) => ({ id, value: '{"__proto__":{"a":1},"constructor":2}' });

export function testLimits(driver: Driver): void {
  describe('failures', () => {
    it('reports line and column of a syntax error', async () => {
      expect(await driver.failureOf('const a = 1;\nconst a = 2;')).toMatchObject({ kind: 'syntax', line: 2 });
    });

    it('reports line and column of an uncaught error', async () => {
      expect(await driver.failureOf('const a = {};\n  a.b.c;')).toMatchObject({
        kind: 'thrown',
        name: 'TypeError',
        line: 2,
        column: expect.any(Number),
      });
      expect(
        await driver.failureOf('function f() {\n throw new RangeError("x") }\nawait null;\nf()'),
      ).toMatchObject({
        name: 'RangeError',
        message: 'x',
        line: 2,
      });
    });

    it('reports thrown values that are not errors', async () => {
      expect(await driver.failureOf('throw "text"')).toMatchObject({
        kind: 'thrown',
        name: 'Error',
        message: 'text',
      });
      expect(await driver.failureOf('throw { a: 1 }')).toMatchObject({ message: '{"a":1}' });
      expect(await driver.failureOf('throw null')).toMatchObject({ message: 'null' });
    });

    it('reports code that waits for nothing', async () => {
      expect(await driver.failureOf('await new Promise(() => {})')).toMatchObject({ kind: 'stuck' });
    });

    it('keeps logs and calls of a run that fails', async () => {
      const { calls, logs, last } = await driver.run(
        'console.log(1); await tools.a(); console.log(2); throw 1',
      );
      expect(calls).toHaveLength(1);
      expect(logs).toEqual(['1', '2']);
      expect(last.outcome).toMatchObject({ failure: { kind: 'thrown' } });
    });

    it('stops code that computes too long', async () => {
      const limits = { cpuMs: 30 };
      expect(await driver.failureOf('for (;;);', { limits })).toMatchObject({ kind: 'cpu' });
      expect(await driver.failureOf('await tools.a(); for (;;);', { limits })).toMatchObject({ kind: 'cpu' });
      expect(
        await driver.failureOf('for (;;) { try { for (;;); } catch {} finally { continue } }', { limits }),
      ).toMatchObject({ kind: 'cpu' });
      const storm = 'const g = () => { Promise.resolve().then(g, g) }; for (let i = 0; i < 99; i++) g();';
      expect(await driver.failureOf(storm, { limits })).toMatchObject({ kind: 'cpu' });
    });

    it('counts the time of all steps together', async () => {
      const code = 'for (;;) { const end = Date.now() + 5; while (Date.now() < end); await tools.a() }';
      const { last } = await driver.run(code, { limits: { cpuMs: 40, calls: 1000 } });
      expect(last.outcome).toMatchObject({ failure: { kind: 'cpu' } });
      expect(last.cpuMs).toBeGreaterThanOrEqual(40);
    });

    it('stops code that uses too much memory', async () => {
      const limits = { memoryBytes: 4 * 1024 * 1024 };
      expect(await driver.failureOf('const a = []; for (;;) a.push({})', { limits })).toMatchObject({
        kind: 'memory',
      });
      expect(
        await driver.failureOf('const a = []; for (;;) a.push("x".repeat(1e5) + a.length)', { limits }),
      ).toMatchObject({
        kind: 'memory',
      });
    });

    it('stops code that recurses too deeply', async () => {
      expect(await driver.failureOf('const f = () => 1 + f(); f()')).toMatchObject({ kind: 'stack' });
      // A larger stack lets the engine compute until its time is over.
      const deep = await driver.failureOf('let a = []; for (let i = 0; i < 1e5; i++) a = [a]; a');
      expect(deep.kind).toMatch(/^(?:stack|cpu)$/);
      expect(await driver.failureOf('JSON.parse("[".repeat(1e5))')).toMatchObject({ kind: 'stack' });
    });
  });

  describe('isolation', () => {
    it('offers nothing of the host', async () => {
      const names = [
        'process', 'require', 'module', 'global', 'fetch', 'XMLHttpRequest', 'WebSocket', 'setTimeout', 'setInterval',
        'setImmediate', 'SharedArrayBuffer', 'Atomics', 'WeakRef', 'FinalizationRegistry', 'Worker', 'WebAssembly',
        'Deno', 'Bun', 'navigator', 'performance', 'std', 'os', 'print', 'scriptArgs',
      ]; // prettier-ignore
      expect(
        await driver.resultOf(
          `[${names.map((each) => `typeof ${each}`).join()}].filter((t) => t !== 'undefined')`,
        ),
      ).toEqual([]);
      expect(await driver.resultOf('new Date(0).getTimezoneOffset()')).toBe(0);
    });

    it('shares nothing between runs', async () => {
      await driver.run('globalThis.secret = 1; Object.prototype.leak = 2; Array.prototype.push = () => 3;');
      expect(await driver.resultOf('[typeof secret, typeof {}.leak, [].push(1)]')).toEqual([
        'undefined',
        'undefined',
        1,
      ]);
    });

    it('keeps its bridge if the code replaces what the bridge uses', async () => {
      const code = `
        const evil = () => { throw new Error('evil') };
        JSON.stringify = JSON.parse = Reflect.apply = Object.defineProperty = evil;
        Object.prototype.toJSON = Array.prototype.toJSON = String.prototype.toJSON = () => 'evil';
        String.prototype.slice = WeakSet.prototype.has = WeakSet.prototype.add = evil;
        for (const name of ['0', 'id', 'path', 'input', 'value', 'get', 'apply', 'resolve'])
          Reflect.defineProperty(Object.prototype, name, { __proto__: null, set: evil, get: evil, configurable: true });
        Promise.prototype.then = Promise.prototype.catch = evil;
        Map.prototype.set = Map.prototype.delete = Map.prototype.forEach = evil;
        (async () => { throw new Error('unhandled') })();
        console.log('logged');
        console.log(new RangeError('x'.repeat(3000)));
        const a = await tools.a(7);
        try { await tools.b(8) } catch (e) { console.log(e.code) }
        return a;`;
      const error = { name: 'E', code: 'C', message: 'm', suggestions: [] };
      const answer: AnswerCall = ({ id, path }) => (path === 'a' ? value(id, 41) : { id, error });
      const { calls, logs, last } = await driver.run(code, { answer });
      expect(calls).toEqual([
        { id: 1, path: 'a', input: '7' },
        { id: 2, path: 'b', input: '8' },
      ]);
      expect(logs).toEqual(['logged', `RangeError: ${'x'.repeat(2000)}`, 'C']);
      expect(last.outcome).toMatchObject({ failure: { kind: 'unhandled', message: 'unhandled' } });
    });

    it('reads errors with hostile properties', async () => {
      expect(
        await driver.failureOf(`
          const error = new Error('x');
          for (const name of ['name', 'message', 'stack', 'code', 'toString'])
            Object.defineProperty(error, name, { get() { throw error } });
          throw error`),
      ).toMatchObject({ kind: 'thrown', name: 'Error' });
      expect(
        await driver.failureOf('throw new Proxy({}, { get() { for (;;); } })', { limits: { cpuMs: 30 } }),
      ).toMatchObject({ kind: 'cpu' });
      expect(
        await driver.failureOf('throw { name: "n".repeat(1e6), message: "m".repeat(1e6) }'),
      ).toMatchObject({
        kind: 'thrown',
        name: 'n'.repeat(200),
        message: 'm'.repeat(2000),
      });
    });

    it('treats __proto__ in values as a name', async () => {
      expect(
        await driver.resultOf('const v = await tools.a(); [v.a === undefined, Object.keys(v)]', {
          answer: answerProto,
        }),
      ).toEqual([true, ['__proto__', 'constructor']]);
    });
  });
}
