import { describe, expect, it } from 'vitest';
import { limitsWith, start, value } from '../drive-run.js';
import type { Driver } from '../drive-run.js';

/** Tests where the language that models expect differs from plain QuickJS. */
export function testLanguage(driver: Driver): void {
  describe('values for people', () => {
    it.each([
      ["(1234.5).toLocaleString('en-US', { style: 'currency', currency: 'USD' })", '$1,234.50'],
      ["(1234.5).toLocaleString('de-DE', { style: 'currency', currency: 'EUR' })", '1.234,50\u00a0€'],
      ['(1234567.891).toLocaleString()', '1,234,567.891'],
      ['(1234567n).toLocaleString()', '1,234,567'],
      ["(0.256).toLocaleString(undefined, { style: 'percent' })", '26%'],
      ['[NaN, Infinity].map((n) => n.toLocaleString()).join()', 'NaN,∞'],
      ["new Date(0).toLocaleDateString('de-DE', { dateStyle: 'medium' })", '01.01.1970'],
      [
        "new Date(0).toLocaleString('en-GB', { timeZone: 'Asia/Tokyo', dateStyle: 'short', timeStyle: 'short' })",
        '01/01/1970, 09:00',
      ],
      ["new Date(0).toLocaleTimeString('en-US', { hourCycle: 'h23' })", '00:00:00'],
      ["[1234.5, 'a', null].toLocaleString('de-DE')", '1.234,5,a,'],
      ["new Float64Array([1234.5]).toLocaleString('de-DE')", '1.234,5'],
      ["'i'.toLocaleUpperCase('tr')", 'İ'],
      ["['b', 'ä', 'C', 'z', 'a'].sort((a, b) => a.localeCompare(b)).join('')", 'aäbCz'],
      ["['a10', 'a9'].sort((a, b) => a.localeCompare(b, undefined, { numeric: true })).join()", 'a9,a10'],
      ["['z', 'ä'].sort((a, b) => a.localeCompare(b, 'sv')).join('')", 'zä'],
      ["'a'.localeCompare('A', 'en', { sensitivity: 'base' })", 0],
    ])('are right: %s', async (code, expected) => {
      expect(await driver.resultOf(code)).toBe(expected);
    });

    it('are errors that the code can catch if locales or options are wrong', async () => {
      for (const code of [
        "(1).toLocaleString('no locale')",
        "new Date(0).toLocaleString('en', { timeZone: 'Mars' })",
        "'a'.localeCompare('b', 'x'.repeat(20_000))",
        "'a'.localeCompare('b'.repeat(20_000))",
      ])
        expect(await driver.resultOf(`try { ${code} } catch (error) { return error.name }`)).toBe(
          'RangeError',
        );
    });

    it('have no error with a place of the host', async () => {
      const code =
        "try { (1).toLocaleString('no locale') } catch (error) { return error.message + error.stack }";
      expect(await driver.resultOf(code)).not.toMatch(/[\\/](?:src|dist|node_modules)[\\/]|file:/);
    });

    it('stay right after a snapshot', async () => {
      const { sandbox } = driver;
      if (!sandbox.restore) return;
      const started = await start(
        sandbox,
        "await tools.a(); ['b', 'ä'].sort((a, b) => a.localeCompare(b)).join('')",
      );
      await started.advance([]);
      const snapshot = await started.snapshot?.();
      started.dispose();
      const { signal } = new AbortController();
      const restored = await sandbox.restore(snapshot as Uint8Array, {
        limits: limitsWith({}),
        owner: 'alice',
        signal,
      });
      expect((await restored.advance([value(1, 1)])).outcome).toEqual({ value: '"äb"' });
    });
  });

  describe('a promise that the code did not await', () => {
    it.each([
      ['const { orders } = tools.a(); orders', 'Await it first: (await …).orders'],
      ['tools.a().length', 'Await it first: (await …).length'],
      ['const load = async () => [1]; load().map((n) => n)', 'Await it first: (await …).map'],
      ['const [first] = tools.a(); first', 'Await it first.'],
      ['for (const row of tools.a()) console.log(row)', 'Await it first.'],
      ['tools.a() > 5', 'Await it first.'],
      ['`${tools.a()}`', 'Await it first.'],
      ['JSON.stringify(tools.a())', 'Await it first.'],
      ['JSON.stringify({ rows: [tools.a()] })', 'Await it first.'],
      ['({ ...tools.a() })', 'Await it first: ...(await …)'],
      ['Object.assign({}, tools.a())', 'Await it first: ...(await …)'],
      ['Object.keys(tools.a()).length', 'Await it first: Object.keys(await …)'],
      [
        'const load = async () => ({ a: 1 }); Object.entries(load())',
        'Await it first: Object.entries(await …)',
      ],
      ['"orders" in tools.a()', 'Await it first.'],
      ['for (const name in tools.a()) console.log(name)', 'Await it first.'],
    ])('has no members of its value: %s', async (code, advice) => {
      const failure = await driver.failureOf(code);
      expect(failure).toMatchObject({ kind: 'thrown', name: 'TypeError', line: 1 });
      expect(failure.message).toBe(`This is a promise. ${advice}`);
    });

    it('is a promise in every other way', async () => {
      const code = `
        const call = tools.a({ n: 1 });
        const seen = [call instanceof Promise, typeof call.then, call.constructor === Promise, call.toString(), !!call, call == null];
        call.note = 'own';
        const derived = class extends Promise {};
        seen.push(call.note, await derived.resolve(1), (await Promise.allSettled([call])).length, (await call).n, 'then' in call);
        seen.push(Object.keys(Object.entries({ a: 1 })), 'toString' in call, Symbol.iterator in call);
        seen`;
      expect(await driver.resultOf(code)).toEqual([
        true,
        'function',
        true,
        '[object Promise]',
        true,
        false,
        'own',
        1,
        1,
        1,
        true,
        ['0'],
        true,
        false,
      ]);
    });
  });

  describe('the console', () => {
    it('shows maps, sets, errors and promises inside of values', async () => {
      const { logs } = await driver.run(`
        console.log(new Map([['a', new Set([1])]]), new Set(['b']), { error: new TypeError('broken'), n: 1n });
        console.log({ call: Promise.resolve(1) });`);
      expect(logs).toEqual([
        '[["a",[1]]] ["b"] {"error":"TypeError: broken","n":"1n"}',
        '{"call":"[Promise: await it]"}',
      ]);
    });

    it('has the methods of other runtimes', async () => {
      const { logs } = await driver.run(`
        console.table([{ a: 1 }]); console.group('g'); console.groupEnd(); console.dir({ b: 2 }); console.trace('t');
        console.time('load'); console.timeEnd('load'); console.count(); console.count();
        console.countReset(); console.count(); console.timeLog('none'); console.clear(); console.profile(); console.dirxml('x');
        console.assert(true, 'no'); console.assert(false, 'yes');`);
      expect(logs.map((line) => line.replace(/\d+ ms/, 'N ms'))).toEqual([
        '[{"a":1}]',
        'g',
        '{"b":2}',
        't',
        'load: N ms',
        'default: 1',
        'default: 2',
        'default: 1',
        'none: not started',
        'x',
        'Assertion failed yes',
      ]);
    });
  });

  it.each(['Object.keys(tools)', '"shop" in tools', 'for (const name in tools.shop) name', '({ ...tools })'])(
    'the list of tools says how to find functions: %s',
    async (code) => {
      expect(await driver.failureOf(code)).toMatchObject({
        name: 'TypeError',
        message: 'tools cannot be listed. Call search_tools outside of the code to find functions.',
      });
    },
  );
}
