import fc from 'fast-check';

/** Values that cause trouble at the boundary of a sandbox. */
const values = [
  '1', '-0', 'NaN', '1n', '10n ** 400n', '""', '"\\uD800"', '"x".repeat(1e4)', 'null', 'undefined', 'Symbol("s")', '() => 1', '[]', '[,1]', '{}',
  '{ __proto__: null }', '{ ["__proto__"]: 1 }', '{ then(r) { r(1) } }', '{ then() {} }', '{ toJSON() { return 1 } }', '{ toJSON() { throw 1 } }',
  '{ get a() { throw new Error("g") } }', 'new Proxy({}, {})', 'new Proxy(() => 1, { apply() { throw 1 } })', 'new Date(NaN)', 'new Error("e")',
  'new Map([[1, 2]])', 'new Uint8Array(1e4)', 'new Array(1e6)', 'globalThis', 'tools', 'tools.a.b', 'console', 'Object.prototype', 'Promise.resolve(2)',
  'Promise.reject(new Error("r"))', 'new Promise(() => {})', '/(a+)+$/', 'function* () { yield 1 }', 'class { static x = 1 }', '(() => { throw 1 })',
]; // prettier-ignore

const names = fc.constantFrom(
  'a',
  'b',
  'c',
  'toString',
  'constructor',
  '__proto__',
  'then',
  'length',
  'message',
  'stack',
);
const builtIns = fc.constantFrom(
  'Object.prototype', 'Array.prototype', 'Promise.prototype', 'Error', 'Error.prototype', 'JSON', 'String.prototype', 'Function.prototype', 'globalThis', 'Reflect', 'Symbol',
); // prettier-ignore
const methods = fc.constantFrom(
  'then', 'toJSON', 'push', 'join', 'stringify', 'parse', 'apply', 'call', 'slice', 'prepareStackTrace', 'defineProperty', 'constructor', 'toString', 'valueOf', 'resolve', 'get', 'set', 'value',
); // prettier-ignore

/** A hostile program: statements that call, loop, recurse, allocate, patch, throw and swallow, in any order. */
export const program: fc.Arbitrary<string> = fc.letrec<{
  expression: string;
  statement: string;
  program: string;
}>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom(...values).map((text) => `(${text})`),
    names.map((name) => `v.${name}`),
    fc.tuple(names, tie('expression')).map(([name, value]) => `tools.${name}(${value})`),
    tie('expression').map((value) => `await ${value}`),
    tie('expression').map((value) => `JSON.stringify(${value})`),
    tie('expression').map((value) => `\`\${${value}}\``),
    tie('expression').map((value) => `[...${value}]`),
    fc.tuple(tie('expression'), tie('expression')).map(([left, right]) => `${left} + ${right}`),
    fc
      .tuple(tie('expression'), tie('expression'))
      .map(([left, right]) => `Promise.race([${left}, ${right}])`),
    tie('expression').map((value) => `Promise.all(Array.from({ length: 50 }, async () => ${value}))`),
    tie('statement').map((text) => `(async () => { ${text} })()`),
    tie('statement').map((text) => `new Proxy({}, { get: async () => { ${text} } })`),
    fc.tuple(builtIns, methods).map(([object, name]) => `${object}.${name}`),
  ),
  statement: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    tie('expression').map((value) => `v = ${value};`),
    tie('expression').map((value) => `console.log(${value});`),
    tie('expression').map((value) => `return ${value};`),
    tie('expression').map((value) => `throw ${value};`),
    tie('statement').map((text) => `try { ${text} } catch (e) { v = e } finally { v; }`),
    tie('statement').map((text) => `for (let i = 0; i < 1e3; i++) { ${text} }`),
    tie('statement').map((text) => `for (;;) { try { ${text} } catch {} }`),
    tie('statement').map((text) => `const f = async () => { ${text} await f() }; f().catch(() => {});`),
    tie('statement').map((text) => `Error.prepareStackTrace = () => { (async () => { ${text} })() };`),
    fc
      .tuple(builtIns, methods, tie('expression'))
      .map(
        ([object, name, value]) =>
          `try { ${object}.${name} = () => (${value.replaceAll('await ', '')}) } catch {}`,
      ),
    fc
      .tuple(builtIns, methods)
      .map(
        ([object, name]) =>
          `Object.defineProperty(${object}, '${name}', { __proto__: null, get() { throw 1 }, set() {} });`,
      ),
    fc.constantFrom(
      'v = [v, v];', 'v = "" + v + v;', 'for (;;);', 'const g = () => g() + 1; g();', 'const h = []; for (;;) h.push("x".repeat(1e5) + h.length);',
      'eval("v = 1");', 'await new Function("return import(\'fs\')")();', 'delete globalThis.console;', 'Object.freeze(globalThis);', 'new Array(2 ** 32 - 1).join();',
    ), // prettier-ignore
    fc.tuple(tie('statement'), tie('statement')).map(([first, second]) => `{ ${first} }\n{ ${second} }`),
  ),
  program: fc
    .array(tie('statement'), { minLength: 1, maxLength: 4 })
    .map((statements) => `let v = {};\n${statements.map((text) => `{ ${text} }`).join('\n')}\nv`),
})).program;
