import { describe, expect, it } from 'vitest';
import { findPosition, prepareCode } from './prepare-code.js';

const PREFIX = '(async function(){"use strict";';
const SUFFIX = '\n})()';

/** The script without the function around it. */
function bodyOf(code: string): string {
  const { script } = prepared(code);
  expect(script.startsWith(PREFIX) && script.endsWith(SUFFIX)).toBe(true);
  return script.slice(PREFIX.length, -SUFFIX.length);
}

function prepared(code: string): { readonly script: string; readonly fileName: string } {
  const result = prepareCode(code);
  if ('failure' in result) throw new Error(JSON.stringify(result.failure));
  return result;
}

function failureOf(code: string) {
  const result = prepareCode(code);
  if ('script' in result) throw new Error(result.script);
  return result.failure;
}

/** Runs a script in this process. Only for the code of these tests. */
async function run(code: string, tools: unknown = {}): Promise<unknown> {
  return await (new Function('tools', `return ${prepared(code).script}`)(tools) as Promise<unknown>);
}

describe('the result of code', () => {
  const shapes: readonly (readonly [title: string, code: string, result: unknown])[] = [
    ['the last expression', 'const a = 1;\na + 1', 2],
    ['the last expression of a line', 'const a = 1; a + 1;', 2],
    ['an awaited expression', 'await Promise.resolve(3)', 3],
    ['a promise', 'Promise.resolve(3)', 3],
    ['a return statement', 'const a = 1;\nreturn a;', 1],
    ['an early return', 'if (true) return 1;\n2', 1],
    ['an array', 'const a = 1\nconst b = 2\n;[a, b]', [1, 2]],
    ['an array behind a statement with a semicolon', 'const a = 1;\n[a, a]', [1, 1]],
    ['an object in parentheses', '({ a: 1 })', { a: 1 }],
    ['an object that begins a line', 'const a = 1;\n{ a, b: 2 }', { a: 1, b: 2 }],
    ['an object with one property', 'const a = 1;\n{ total: a }', { total: 1 }],
    ['an object with a shorthand', 'const a = 1\n{ a }', { a: 1 }],
    ['an object with a spread', 'const a = { x: 1 };\n{ ...a }', { x: 1 }],
    [
      'an object over several lines',
      'const a = 1;\n{\n  list: [\n    { a },\n    { b: 2 },\n  ],\n  a,\n};',
      { list: [{ a: 1 }, { b: 2 }], a: 1 },
    ],
    ['an object with types', 'const a = 1;\n{ a: a as number, b: 2 }', { a: 1, b: 2 }],
    ['only an object', '{ "a": 1, "b": [] }', { a: 1, b: [] }],
    ['a called function', 'async function main() { return 1 }\nmain()', 1],
    ['a called function with semicolons', 'async function main() { return 1 };\nawait main();;', 1],
    ['a function that is called before its declaration', 'main();\nasync function main() { return 1 }', 1],
    ['a function that is not called', 'async function main() { return 1 }', 1],
    ['a main function with helpers', 'const one = () => 1;\nconst main = async () => one();', 1],
    ['an arrow function', 'async () => { return 1 }', 1],
    ['an arrow function with a semicolon', 'async () => {\n  return 1;\n};', 1],
    ['an arrow function in parentheses', '(async () => 1)', 1],
    ['a function expression', '(async function () { return 1 })', 1],
    ['a function with tools', 'async (tools) => tools.one', 1],
    ['a function with tools in an object', 'async ({ tools }) => tools.one', 1],
    ['a function with a tool', 'async ({ one }) => one', 1],
    ['a called arrow function', '(async () => { return 1 })()', 1],
    ['an exported value', 'export default { a: 1 }', { a: 1 }],
    ['an exported function', 'export default async function () { return 1 }', 1],
    ['an exported main function', 'const one = 1;\nexport default async function main() { return one }', 1],
    ['an exported arrow function', 'export default async () => 1;', 1],
    ['an assignment', 'let a;\na = 5', 5],
    ['a template', 'const a = 1;\n`a is ${a}`', 'a is 1'],
    ['an expression behind a comment', '1; // one\n/* two */ 2 // three', 2],
    ['an expression behind a statement without a semicolon', 'const a = 1 // one\n2', 2],
    ['an expression behind a block', 'if (true) { }\n"a"', 'a'],
    ['code in a fence', '```ts\nconst a: number = 1;\na\n```', 1],
    ['code in a fence with white space', '\n  ```javascript\n1\n```\n\n', 1],
    ['code with CRLF', 'const a = 1;\r\na\r\n', 1],
    ['code behind the line of a shell', '#!/usr/bin/env node\n1', 1],
    ['no code', '', undefined],
    ['only a comment', '// nothing', undefined],
    ['a declaration', 'const a = 1;', 1],
    ['a declaration with a comment', 'const a = 1 // one\n', 1],
    ['a declaration of an awaited call', 'const a = await Promise.resolve(2)\n', 2],
    ['several declarations', 'const a = 1, b = 2;', { a: 1, b: 2 }],
    [
      'a declaration with patterns',
      'const { a, b: [c, , ...d], e = 5, ...f } = { a: 1, b: [2, 3, 4], g: 6 };',
      { a: 1, c: 2, d: [4], e: 5, f: { g: 6 } },
    ],
    ['a declaration with types', 'const a: number = 1 as number;', 1],
    ['a declaration before a function', 'const a = 1;\nfunction b() {}', undefined],
    ['an if', 'const a = 1;\nif (a) {\n  const b = 2;\n  a + b\n} else {\n  0\n}', 3],
    ['an else', "if (false) { 'a' } else if (false) 'b'\nelse 'c'", 'c'],
    ['an if without a block', "if (true) 'a'", 'a'],
    ['an if with a return', "if (false) return 'a';\nelse { 'b' }", 'b'],
    ['an if that ends in a declaration', 'if (true) { const a = [1]; }', [1]],
    ['an if that is false', 'if (false) 1', undefined],
    ['a try', "try {\n  null.a\n} catch (error) {\n  'caught ' + error.name\n}", 'caught TypeError'],
    ['a block', '{ let a = 1; a + 1 }', 2],
    [
      'code in a fence with prose around it',
      'Here is the code:\n\n```js\nconst a = 1;\na + 1\n```\n\nIt adds `1`.',
      2,
    ],
    ['code in a fence with prose behind it', '```\n3\n```\nDone.', 3],
    ['code with a fence in a comment', '/*\n```js\nfalse\n```\n*/ 1', 1],
    ['a loop', 'let a = 0;\nfor (const b of [1]) a += b;', undefined],
    ['a called main function in a declaration', 'function main() { return 1 }\nconst a = main();', 1],
  ];
  it.each(shapes)('is right for %s', async (_, code, result) => {
    expect(await run(code, { one: 1 })).toEqual(result);
  });

  it('is rejected with advice if it is in several fences, which would run as one with tagged templates between them', () => {
    const prepared = prepareCode('```js\n1\n```\n```js\n2\n```');
    expect(prepared).toMatchObject({
      failure: { message: expect.stringContaining('several Markdown blocks') },
    });
  });

  it('is in strict mode without a receiver', async () => {
    expect(await run('this === undefined')).toBe(true);
    await expect(run('undeclared = 1')).rejects.toThrow(ReferenceError);
  });
});

describe('types', () => {
  const erasures: readonly (readonly [code: string, erased: string])[] = [
    ['const a: number = 1;return', 'const a         = 1;return'],
    ['let a!: string;return', 'let a         ;return'],
    ['return a as unknown as B;', 'return a                ;'],
    ['return a satisfies B;', 'return a            ;'],
    ['return a!.b![0]!;', 'return a .b [0] ;'],
    ['return <B>a;', 'return    a;'],
    [
      'function f<T>(a?: T, ...b: T[]): a is B {}\nreturn;',
      'function f   (a    , ...b     )         {}\nreturn;',
    ],
    ['const f = <T,>(a: T): T => a;return', 'const f =     (a   )    => a;return'],
    ['const f = async <T>(a: T) => a;return', 'const f = async    (a   ) => a;return'],
    ['function f(this: A, b: C) {}return', 'function f(         b   ) {}return'],
    ['const a = new Set<string>(b);return', 'const a = new Set        (b);return'],
    ['const a = f<A, B<C>>(b);return', 'const a = f         (b);return'],
    ['interface A { b: string }\nreturn', ';                        \nreturn'],
    ['type A = { b: string };\nreturn', ';                      \nreturn'],
    ['declare const a: number;\nreturn', ';                       \nreturn'],
    [
      'function f(a: string): void;\nfunction f() {}return',
      ';                           \nfunction f() {}return',
    ],
    ['try {} catch (e: unknown) {}', 'try {} catch (e         ) {}'],
    ['for (const a of b as C[]) {}', 'for (const a of b       ) {}'],
    ['const { a, b }: { a: A; b: B } = c;return', 'const { a, b }                 = c;return'],
    ['class A<T> extends B<T> implements C {}', 'class A    extends B                 {}'],
    ['class A { private readonly a?: B = 1; }', 'class A {                  a     = 1; }'],
    ['class A { public static async b(): C {} }', 'class A {        static async b()    {} }'],
    ['abstract class A { abstract b(): C; d: E }', '         class A { ;                d;   }'],
    ['class A { declare a: B; [k: string]: C }', 'class A { ;             ;              }'],
    ['export interface A {}\nreturn', ';                    \nreturn'],
    // Without the type, the next line would continue the statement.
    ['const a = b as C\n;(d);return', 'const a = b     \n;(d);return'],
    ['let a = b as C\n[1].map(f);return', 'let a = b;    \n[1].map(f);return'],
    // A line break must not separate `)` and `=>`, `async` and `(`, or `return` and its value.
    ['const f = (a): {\n  b: C\n} => a;return', 'const f = (a    \n      \n) => a;return'],
    ['const f = async <\n  T\n>(a) => a;return', 'const f = async (\n   \n  a) => a;return'],
    ['return <\n  T\n>(a) => a', 'return (\n   \n  a) => a'],
  ];
  it.each(erasures)('are replaced with spaces: %s', (code, erased) => {
    expect(bodyOf(code)).toBe(erased);
  });

  it('are not seen in comparisons', async () => {
    expect(await run('const a = 1, b = 2, c = 3;\nreturn a < b && b > (c)')).toBe(false);
  });

  it.each([
    ['enum A { B }', /`enum` is not supported\. Write an object/],
    ['const enum A { B }', /`enum` is not supported/],
    ['namespace A { export const b = 1 }', /`namespace` is not supported/],
    ['class A { constructor(private b: string) {} }', /Declare a field/],
    ['@a class B {}', /Decorators are not supported/],
    ['return <{\n}>a', /Write `value as Type`/],
    ['f(a: number)', /Unexpected `:`/],
  ])('that cannot be erased are rejected: %s', (code, message) => {
    expect(failureOf(code)).toMatchObject({
      kind: 'syntax',
      name: 'SyntaxError',
      message: expect.stringMatching(message),
    });
  });
});

describe('a rejected program', () => {
  it('has the line, the column and the found text', () => {
    expect(failureOf('let x = 1;\nlet y = ) 2')).toEqual({
      kind: 'syntax',
      name: 'SyntaxError',
      message: 'Unexpected `)`.',
      line: 2,
      column: 9,
    });
  });

  it.each([
    ['const a = {', /ends too early/, 1, 12],
    ['f(1', /ends too early/, 1, 4],
    ['const a = "b', /Unterminated string/, 1, 11],
    ['const a = `b', /Unterminated template/, 1, 12],
    ['const a = 1;\nconst a = 2;', /Identifier 'a' has already been declared/, 2, 7],
    ['const f = () => { await g() }', /await/, 1, 19],
    ['with (a) {}', /'with' in strict mode/, 1, 1],
    ['const a: number = = 1', /Unexpected `=`/, 1, 19],
    ['import fs from "fs"', /Nothing can be imported/, 1, 1],
    ['import type { A } from "a"', /Nothing can be imported/, 1, 1],
    ['import a = require("a")', /Nothing can be imported/, 1, 1],
    ['const a = await import("a")', /Nothing can be imported/, 1, 17],
    ['if (a) { import b from "b" }', /Nothing can be imported/, 1, 10],
    ['const a = require("a")', /`require` is not available/, 1, 11],
    ['import.meta.url', /`import.meta` is not available/, 1, 1],
    ['export const a = 1', /Write `return value`/, 1, 1],
    ['export { a }', /Write `return value`/, 1, 10],
    ['export * from "a"', /Write `return value`/, 1, 1],
    ['module.exports = 1', /Write `return value`/, 1, 1],
    ['export default 1;\nlet b = 2', /Code after `export default`/, 2, 1],
    ['Two parts:\n```js\n1\n```\nand\n```js\n2\n```', /Pass only code, without Markdown/, 1, 5],
    ['Look:\n```js\nconst a = ;\n```\nDone.', /Unexpected `;`/, 3, 11],
  ])('says what is wrong: %j', (code, message, line, column) => {
    expect(failureOf(code)).toMatchObject({ message: expect.stringMatching(message), line, column });
  });

  it.each([
    ['if (tools.a.has({})) f()', 5],
    ['if (!tools.a()) f()', 6],
    ['tools.a() ? 1 : 2', 1],
    ['while (tools.a()) f()', 8],
    ['const a = tools.a() ?? 1', 11],
    ['1 === tools["a"]({})', 7],
    ['for (const x: string of y) { if (tools.a(x)) f() }', 34],
    ['y.filter((x) => tools.a(x))', 17],
  ])('has a call of a tool where only an awaited one makes sense: %s', (code, column) => {
    expect(failureOf(code)).toMatchObject({
      message: 'This is a promise. Await it first: (await tools.…).',
      line: 1,
      column,
    });
  });

  it.each(['filter', 'some', 'every', 'find', 'findIndex', 'findLast'])(
    'has an async function where a promise would always count as true: %s',
    (method) => {
      const code = `y.${method}(async (x) => (await tools.a(x)).ok)`;
      expect(failureOf(code)).toMatchObject({
        message: expect.stringContaining('a promise, which counts as true'),
        column: code.indexOf('async') + 1,
      });
    },
  );

  it.each([
    'if (await tools.a()) f()',
    'y.map(async (x) => tools.a(x))',
    'y.filter((x) => { f(tools.a(x)) })',
    'await tools.find({ x })',
    'await (x && tools.a())',
    'if (tools.a().then) f()',
    'if (f(tools.a())) f()',
    'const f = (tools) => { if (tools.a()) f() }',
    'if (x.tools.a()) f()',
    'switch (1) { case tools.a(): f() }',
  ])('is no code that may be right: %s', (code) => {
    expect(bodyOf(code)).toContain(code.slice(0, 10));
  });

  it('may declare its own `require` and `module`', async () => {
    expect(await run('const require = () => 1; require("a")')).toBe(1);
  });
});

describe('positions', () => {
  /** The position that an error at the text has, in the code and after the translation of its position in the script. */
  function compare(code: string, text: string): void {
    const { script, fileName } = prepared(code);
    const { line, column } = positionIn(script, text);
    expect(findPosition(`    at f (${fileName}:${line}:${column})\n`)).toEqual(positionIn(code, text));
  }

  function positionIn(code: string, text: string): { line: number; column: number } {
    const at = code.indexOf(text);
    const lines = code.slice(0, at).split('\n');
    return { line: lines.length, column: (lines.at(-1) ?? '').length + 1 };
  }

  it.each([
    'HERE()',
    'const a = 1; HERE()',
    'const a = 1;\nHERE()',
    'const a = 1;\n  b; HERE()',
    'b; c(\nHERE())',
    'main(); async function main() { HERE() }',
    'main()\nasync function main() { HERE() }',
    'async () => { HERE() }',
    'export default async () => { HERE() }',
    'export   default HERE()',
    '{ a: 1, b: HERE() }',
    'const a: Map<string, number> = new Map<string, number>(); HERE()',
    '```ts\nHERE()\n```',
    '/* a\n b */ HERE()',
    'if (a) { HERE() }',
    'if (a) HERE(); else b()',
    'if (a) b(); else { c; HERE() }',
    'if (a) {\n  HERE()\n}',
    'try { HERE() } catch { b() }',
    'const a = HERE();',
    'const { a } = b, c = HERE()',
    'Code:\n```ts\nHERE()\n```\nDone.',
  ])('are translated to the code: %j', (code) => {
    compare(code, 'HERE');
  });

  it('are not found in other scripts', () => {
    expect(findPosition('    at native\n    at x (other.js:1:2)\n')).toBeUndefined();
  });
});
