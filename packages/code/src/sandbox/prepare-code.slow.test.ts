import { readdirSync, readFileSync } from 'node:fs';
import { transformSync } from 'esbuild';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { prepareCode } from './prepare-code.js';
import { newParseOptions } from './prepare-parser.js';
import { eraseTypes } from './prepare-types.js';

/** The code as esbuild prints it, without the differences of layout and of empty statements. */
function print(code: string, loader: 'js' | 'ts'): string {
  return transformSync(code, {
    loader,
    target: 'es2022',
    minifyWhitespace: true,
    minifySyntax: true,
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true, useDefineForClassFields: true } },
  }).code;
}

/** Compares erased code with what esbuild makes of the types, and its lines and columns with those of the code. */
function expectErased(code: string): void {
  const options = newParseOptions();
  options.work.left = Infinity;
  const erased = eraseTypes(code, options);
  expect(print(erased, 'js')).toBe(print(code, 'ts'));
  expect(erased).toHaveLength(code.length);
  for (let at = 0; at < code.length; at += 1) {
    // A bracket can move to another line, and a semicolon can take the place of a type; all else stays or becomes a space.
    if (erased[at] !== code[at]) expect(' ;()').toContain(erased[at]);
    expect(erased[at] === '\n').toBe(code[at] === '\n');
  }
}

/** A type as text. */
const { type } = fc.letrec<{ type: string; simple: string }>((tie) => ({
  simple: fc.constantFrom(
    'string',
    'number',
    'any',
    'unknown',
    'A',
    'null',
    "'a' | 'b'",
    '`a${string}`',
    'typeof x',
  ),
  type: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    tie('simple'),
    tie('type').map((inner) => `Array<${inner}>`),
    tie('type').map((inner) => `(${inner})[]`),
    tie('type').map((inner) => `{ a: ${inner};\n  b?: ${inner} }`),
    tie('type').map((inner) => `readonly [${inner}, ...${inner}[]]`),
    tie('type').map((inner) => `((a: ${inner}, b?: ${inner}) => ${inner})`),
    tie('type').map((inner) => `Map<string, Record<string, ${inner}>>`),
    tie('type').map((inner) => `(A extends ${inner} ? ${inner} : never)`),
    tie('type').map((inner) => `{ readonly [K in keyof A]?: ${inner} }`),
    fc.tuple(tie('type'), tie('type')).map(([left, right]) => `(${left} | ${right})`),
  ),
}));

/** An expression with types. */
const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom('x', '1', "'s'", '[]', 'f()', '`t${x}`', '/r/g', 'x.y?.z', '(x, 1)'),
    fc.tuple(tie('expression'), type).map(([value, of]) => `(${value} as ${of})`),
    fc.tuple(tie('expression'), type).map(([value, of]) => `(${value} satisfies ${of})`),
    fc.tuple(tie('expression'), type).map(([value, of]) => `f<${of}>(${value})`),
    fc.tuple(tie('expression'), type).map(([value, of]) => `new Set<${of}>(${value})`),
    fc
      .tuple(tie('expression'), type)
      .map(([value, of]) => `((a: ${of}, b?: ${of}, ...c: ${of}[]): ${of} => ${value})`),
    fc
      .tuple(tie('expression'), type)
      .map(([value, of]) => `(async <T,>({ a }: ${of}): Promise<${of}> => { return ${value} })`),
    fc
      .tuple(tie('expression'), type)
      .map(([value, of]) => `{ a: ${value}, m<T>(b: ${of}): void { return ${value} } }`)
      .map((text) => `(${text})`),
    tie('expression').map((value) => `(${value})!`),
    tie('expression').map((value) => `(${value})!.a[0]!`),
    tie('expression').map((value) => `(x ? ${value} : ${value})`),
    tie('expression').map((value) => `[${value}, ...${value}]`),
    tie('expression').map((value) => `x < 1 && ${value}`),
  ),
}));

/** A statement with types, and a line break or a semicolon behind it. */
const statement = fc
  .tuple(expression, type, fc.constantFrom(';\n', '\n;', '; // c\n', ';'))
  .chain(([value, of, end]) =>
    fc.constantFrom(
      `let v: ${of} = ${value}${end}`,
      `const { a, b = 1 }: ${of} = ${value}${end}`,
      `type B = ${of}${end}`,
      `interface C<T> extends D { a: ${of}; m(b: ${of}): void }\n`,
      `declare function d(a: ${of}): ${of}${end}`,
      `async function h<T extends ${of}>(this: ${of}, a: T, b?: ${of}): Promise<${of}> { return ${value} }\n`,
      `try { x(${value}) } catch (e: unknown) { throw e as Error }\n`,
      `for (const w of ${value} as ${of}) { x(w!) }\n`,
      `class E<T> implements F<T> { private readonly a?: ${of} = ${value}; static b: ${of}; m(c: ${of}): ${of} { return ${value} } }\n`,
      `x(${value})${end}`,
    ),
  );

describe('eraseTypes', () => {
  it('leaves the code that esbuild leaves, in its place', () => {
    fc.assert(
      fc.property(fc.array(statement, { maxLength: 4 }), (statements) => {
        // Each statement is in a block of its own, because names repeat.
        expectErased(statements.map((text) => `{ ${text} }\n`).join(''));
      }),
      { numRuns: 300 },
    );
  });

  it('erases the types of real files', () => {
    const folder = new URL('../../../toolfold/src/engine/', import.meta.url);
    const files = readdirSync(folder).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
    expect(files.length).toBeGreaterThan(10);
    for (const name of files) {
      const code = readFileSync(new URL(name, folder), 'utf8')
        .replaceAll(/^(?:import|export) [^;]*? from '[^']*';/gm, '')
        .replaceAll(/^export /gm, '');
      expectErased(code);
    }
  });
});

describe('prepareCode', () => {
  const LENGTH = 65_536;
  const fill = (text: string): string => text.repeat(Math.floor(LENGTH / text.length));

  it.each([
    '(',
    '[',
    '{',
    '{\n',
    '<',
    '<a>',
    '<a>(',
    '<a,>(',
    'a=>',
    '(a)=>',
    '(a:b)=>',
    '(a?',
    '(a?(b):',
    '(a?:b)=>',
    '(a=(b:c)=>',
    'async (',
    'async <T>(',
    '!',
    '- ',
    'await ',
    '1+',
    '1**',
    'a?b:',
    'a?',
    'a,',
    'a=',
    '`${',
    '`${1}`+',
    'a!',
    'let x;',
    'l:',
    '/a/;',
    '/(',
    'a<b,',
    'a<b>(c);',
    'a<b>(',
    'f(a<b,c>(d)',
    'let a:b<',
    'let a:(b:',
    'let a:{b:',
    'let a:[',
    'let a:b extends c ? ',
    'type ',
    'declare ',
    'abstract ',
    'interface A {',
    'namespace A{',
    'class A {',
    '@a ',
    '@(',
    'x as ',
    'x as (',
    '({a:',
    '[a,',
    'if(a);else ',
    'function f(){',
    '()=>{',
    'try{',
    'export default ',
    'import ',
    '\n```',
    '\\u0061',
    '"',
    '/*',
    '\0',
    '\u2028',
    '\uD800',
    '𝒳 ',
    '{a:1,b:2}\n',
    'switch(a){case 1:',
    'x = <a>b;',
    '#a in ',
    '?.',
    '...',
  ])('answers 64 kB of %j', (text) => {
    for (const code of [fill(text), `let x: any = ${fill(text)}`]) {
      const prepared = prepareCode(code);
      if ('failure' in prepared)
        expect(prepared.failure).toMatchObject({ kind: 'syntax', name: 'SyntaxError' });
    }
  });

  it('answers deeply nested code at the end of the stack', () => {
    const codes = [
      '('.repeat(1_000),
      `x = ${'1+'.repeat(1_500)}1`,
      `let x: ${'A<'.repeat(1_000)}`,
      'f('.repeat(100),
    ];
    /** Calls itself until the stack ends, and prepares the code in the first frame that has enough of it. */
    const descend = (): readonly boolean[] => {
      try {
        return descend();
      } catch {
        return codes.map((code) => 'failure' in prepareCode(code));
      }
    };
    const outcomes = descend();
    expect(outcomes).toEqual([true, true, true, true]);
  });

  it('returns a script that is one expression, or the position of a failure within the code, for any text', () => {
    const token = fc.constantFrom(
      ...'( ) [ ] { } < > , ; : ? ! = => . ... ` ${ " / + - a b 1 await async return const let function class type as interface tools /* */ // \n'.split(
        ' ',
      ),
      ' ',
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(token, { maxLength: 40 }).map((tokens) => tokens.join(' ')),
          fc.string({ unit: 'binary-ascii' }),
        ),
        (code) => {
          const prepared = prepareCode(code);
          if ('script' in prepared) {
            expect(() => print(`tools = ${prepared.script}`, 'js')).not.toThrow();
            expect(prepared.script.split('\n').length).toBeGreaterThan(code.split('\n').length);
          } else {
            const lines = code.split('\n');
            const { line = 0, column = 0 } = prepared.failure;
            expect(line).toBeGreaterThan(0);
            expect(line).toBeLessThanOrEqual(lines.length);
            expect(column).toBeGreaterThan(0);
            expect(column).toBeLessThanOrEqual((lines[line - 1] ?? '').length + 1);
          }
        },
      ),
      { numRuns: 2_000 },
    );
  });
});
