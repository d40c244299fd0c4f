import { describe, expect, it } from 'vitest';
import { findImports } from './find-imports.js';

/** The lines of a program whose path counts as an import. */
function importedIn(program: string): string[] {
  const { at } = findImports(program);
  return [...at].map((start) => {
    expect(program.slice(start)).toMatch(/^toolfold\/search["'`]/);
    const line = program.slice(0, start).split('\n').length - 1;
    return program.split('\n')[line] as string;
  });
}

describe('findImports', () => {
  it.each([
    `import 'toolfold/search';`,
    `import{a}from"toolfold/search"`,
    `import a, { type b, c as d } from 'toolfold/search' with { type: 'x' };`,
    `import a, * as b from 'toolfold/search';`,
    `import type { a } from 'toolfold/search';`,
    `import type from 'toolfold/search';`,
    `import type a = require('toolfold/search');`,
    `import a = require("toolfold/search");`,
    `export * from 'toolfold/search';`,
    `export * as a from 'toolfold/search';`,
    `export type { a } from 'toolfold/search';`,
    `export { a, default as 'b c' } from 'toolfold/search';`,
    `const a = await import('toolfold/search');`,
    'const a = await import(`toolfold/search`);',
    `const a = import(/* webpackChunkName: "it's" */ 'toolfold/search', {});`,
    `const a = { ...require('toolfold/search'), ...(await import('x')) };`,
    `const a = require.resolve('toolfold/search');`,
    `const a = import.meta.resolve('toolfold/search');`,
    `type A = import('toolfold/search').A<string>;`,
    `type A = typeof import("toolfold/search");`,
    `declare module 'toolfold/search' { interface A {} }`,
    `vi.mock('toolfold/search', () => ({}));`,
    `vi.doMock('toolfold/search'); const a = /'/;`,
    `const a = await vi.importActual<typeof A<B>>('toolfold/search');`,
    `jest.unmock('toolfold/search'); jest.requireActual('x');`,
    'const a = `${await import("toolfold/search")}`;',
    'const a = `${{ a: `${`}`}` }.a} ${await import("toolfold/search")}`;',
    `const a = b / c, d = "/"; import('toolfold/search');`,
    `const a = /["'\`/*]/.test(b) || /[/]'/u; import('toolfold/search');`,
    `/** @type {import('toolfold/search').A} */`,
    `/** @import { A } from 'toolfold/search' */`,
    `<p title="it's">{await import('toolfold/search')}</p>`,
  ])('finds %s', (line) => {
    expect(importedIn(line)).toEqual([line]);
    expect(importedIn(`const it = 1;\r\n${line}\r\nit++;`)).toEqual([`${line}\r`]);
  });

  it('finds all paths of one line', () => {
    const line = `vi.mock('toolfold/search', async () => vi.importActual<typeof import('toolfold/search')>('toolfold/search'))`;
    expect(importedIn(line)).toEqual([line, line, line]);
  });

  it('finds imports of many names over many lines', () => {
    const names = Array.from({ length: 300 }, (_, index) => `  name${index}, // it's`).join('\n');
    expect(importedIn(`import {\n${names}\n} from 'toolfold/search';`)).toEqual([
      `} from 'toolfold/search';`,
    ]);
  });

  it('finds imports after text of JSX with quotes, and in programs with mistakes', () => {
    expect(importedIn(`<p>Don't</p>\n<b>/* a</b>\nimport('toolfold/search')`)).toEqual([
      `import('toolfold/search')`,
    ]);
    expect(importedIn(`const a = 'b\n}}} )\nimport 'toolfold/search'`)).toEqual([`import 'toolfold/search'`]);
  });

  it.each([
    `const a = 'toolfold/search';`,
    `const a = ["toolfold/search"];`,
    `// import 'toolfold/search';`,
    `/* import 'toolfold/search'; */`,
    `/** For example: import { a } from 'toolfold/search' */`,
    `const a = "import 'toolfold/search'";`,
    'const a = `\nimport { a } from "toolfold/search";`;',
    'const a = `${b}\nimport("toolfold/search")`;',
    `const a = /import 'toolfold/search'/;`,
    `a.import('toolfold/search');`,
    `a.require('toolfold/search');`,
    `load('toolfold/search');`,
    `a.mock('toolfold/search');`,
    `if (from === 'toolfold/search') a();`,
    `const a = { from: 'toolfold/search' };`,
    `import 'toolfold/search.js'; import 'toolfold'; import 'toolfold/searches'; import './toolfold/search';`,
  ])('does not find %s', (line) => {
    expect(importedIn(line)).toEqual([]);
  });

  it('finds the packages that options need', () => {
    const { packages } = findImports(
      `serve({ view: { form: "search" } }); a = { form: 'code', mode: 'STATIC' }`,
    );
    expect([...packages]).toEqual(['@toolfold/search', '@toolfold/code']);
    expect(findImports(`const form = 'search'; a.form === 'code' ? 'auto' : 'search'`).packages.size).toBe(0);
  });
});
