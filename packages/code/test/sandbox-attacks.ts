import type { RunFailure } from '@toolfold/code';

/** Code that attacks its sandbox, and how its run ends. */
export interface Attack {
  readonly title: string;
  readonly code: string;
  /** The kinds of failure that the run may end with, or the JSON of its value. */
  readonly ends: readonly RunFailure['kind'][] | { readonly value: string };
  /** It computes until a limit ends it, so that another run can be seen to complete meanwhile. */
  readonly isEndless?: boolean;
  /** It computes in a function of the engine that the engine does not interrupt. Only the end of its thread stops it. */
  readonly isNative?: boolean;
}

const cpu = ['cpu'] as const;

/** A stack that overflows may also be slow enough to exceed the time. */
const deep = ['stack', 'cpu', 'memory'] as const;
const full = ['memory', 'cpu'] as const;

const endless: readonly (readonly [title: string, code: string])[] = [
  ['an endless loop', 'for (;;);'],
  ['an endless loop behind an await', 'await null; for (;;);'],
  ['a loop that swallows every error', 'for (;;) { try { for (;;); } catch {} finally { continue } }'],
  [
    'a recursion that swallows the overflow',
    'const f = () => { try { f() } catch {} f() }; for (;;) { try { f() } catch {} }',
  ],
  [
    'a promise storm',
    'const g = () => { Promise.resolve().then(g, g) }; for (let i = 0; i < 99; i++) g(); await new Promise(() => {})',
  ],
  ['an async loop', 'for (;;) { await null }'],
  ['a thenable that resolves with itself', 'const t = { then(r) { r({ then: t.then }) } }; await t'],
  ['an endless generator', 'function* g() { for (;;) yield 1 } for (const x of g());'],
  ['an endless async generator', 'async function* g() { for (;;) yield 1 } for await (const x of g());'],
  [
    'a spread of an endless iterator into a set',
    'new Set({ [Symbol.iterator]: () => ({ next: () => ({ value: 1, done: false }) }) })',
  ],
  ['a regular expression with nested quantifiers', '/^(a+)+$/.test("a".repeat(50) + "b")'],
  ['a regular expression with a backreference', '/(x+x+)+y\\1/.test("x".repeat(5_000))'],
  ['a replacement that never ends', 'for (;;) "a".repeat(1e4).replace(/a/g, () => "b")'],
  ['a getter of an argument', 'await tools.a({ get x() { for (;;); } })'],
  ['a getter of the result', 'return { get x() { for (;;); } }'],
  ['toJSON of an argument', 'await tools.a({ toJSON() { for (;;); } })'],
  ['toJSON of the result', 'return { toJSON() { for (;;); } }'],
  ['a proxy as an argument', 'await tools.a(new Proxy({}, { ownKeys() { for (;;); } }))'],
  ['a proxy as the result', 'return new Proxy([], { get() { for (;;); } })'],
  [
    'a getter of a thrown error',
    'throw Object.defineProperty(new Error(), "message", { get() { for (;;); } })',
  ],
  ['a proxy that is thrown', 'throw new Proxy({}, { get() { for (;;); }, getPrototypeOf() { for (;;); } })'],
  ['a logged getter', 'console.log({ get x() { for (;;); } })'],
  ['a flood of logs', 'for (;;) console.log("x".repeat(1_000))'],
  ['a flood of calls behind the limit', 'for (;;) { try { await tools.a() } catch {} }'],
  ['Symbol.toPrimitive', '`${{ [Symbol.toPrimitive]() { for (;;); } }}`'],
  [
    'Symbol.hasInstance of Error',
    'Object.defineProperty(Error, Symbol.hasInstance, { value: () => { for (;;); } }); console.log({})',
  ],
  [
    'Symbol.species',
    'class A extends Array { static get [Symbol.species]() { for (;;); } } new A(3).map((x) => x)',
  ],
  [
    'Error.prepareStackTrace',
    'Error.prepareStackTrace = () => { for (;;); }; for (;;) { try { null.x } catch {} }',
  ],
  ['code of eval', 'eval("for (;;);")'],
  ['code of the Function constructor', 'new Function("for (;;);")()'],
  ['code of the constructor of a generator function', '[...(function* () {}).constructor("for (;;);")()]'],
  ['code of the constructor of an async function', 'await (async () => {}).constructor("for (;;);")()'],
  [
    'a search in an object with an endless length',
    'Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)',
  ],
];

const native: readonly (readonly [title: string, code: string])[] = [
  ['join of an endless array', 'new Array(2 ** 32 - 1).join()'],
  ['reverse of an object with an endless length', 'Array.prototype.reverse.call({ length: 2 ** 53 - 1 })'],
  ['sort of an object with an endless length', 'Array.prototype.sort.call({ length: 2 ** 53 - 1 })'],
  ['unshift of an object with an endless length', 'Array.prototype.unshift.call({ length: 2 ** 53 - 2 }, 1)'],
  ['a template with an endless length', 'String.raw({ raw: { length: 2 ** 53 - 1 } })'],
  ['a quadratic search in a text', 'for (;;) "a".repeat(3e6).indexOf("a".repeat(1e6) + "b")'],
  ['a loop that sorts', 'const s = Array.from({ length: 1e4 }, (_, i) => i % 7); for (;;) s.sort()'],
  ['a loop that multiplies large integers', 'let a = 3n ** 200_000n; for (;;) a * a'],
  [
    'a loop that writes JSON',
    'const a = Array.from({ length: 1e4 }, (_, i) => i); for (;;) JSON.stringify(a)',
  ],
  ['a loop that copies large texts', 'let a = "x".repeat(1e6); for (;;) (a + "é").toUpperCase()'],
  [
    'a result that is a JSON bomb',
    'let a = ["x"]; for (let i = 0; i < 60; i++) a = [a, a]; return { get x() { for (;;) JSON.stringify(a) } }',
  ],
];

const finite: readonly (readonly [title: string, code: string, ends: Attack['ends']])[] = [
  ['a recursion', 'const f = () => 1 + f(); f()', deep],
  ['a recursion of getters', 'const o = { get x() { return this.x } }; o.x', deep],
  ['a recursion of proxies', 'const p = new Proxy({}, { get: (t, k) => p[k] }); p.x', deep],
  ['a recursion of toString', 'const o = { toString() { return `${o}` } }; `${o}`', deep],
  ['a recursion of JSON', 'const f = () => ({ toJSON: () => ({ a: f() }) }); JSON.stringify(f())', deep],
  ['a deeply nested result', 'let a = []; for (let i = 0; i < 1e5; i++) a = [a]; a', [...deep, 'result']],
  ['a deeply nested argument', 'let a = []; for (let i = 0; i < 1e5; i++) a = [a]; await tools.a(a)', deep],
  ['deeply nested JSON', 'JSON.parse("[".repeat(1e6))', [...deep, 'thrown']],
  [
    'a deeply nested regular expression',
    'new RegExp("(".repeat(1e5) + ")".repeat(1e5))',
    [...deep, 'thrown'],
  ],
  ['deeply nested code in eval', 'eval("(".repeat(1e5))', [...deep, 'thrown']],
  ['deeply nested code', `x = ${'('.repeat(20_000)}`, ['syntax']],
  ['an array that grows', 'const a = []; for (;;) a.push({})', full],
  ['texts that grow', 'const a = []; for (;;) a.push("x".repeat(1e5) + a.length)', full],
  ['a text that doubles', 'let a = "x"; for (;;) a += a', [...full, 'thrown']],
  ['a huge text', '"x".repeat(2 ** 30 - 1)', [...full, 'thrown']],
  ['a huge padded text', '"x".padEnd(2 ** 29, "ab")', [...full, 'thrown']],
  ['a huge array', 'new Array(1e9).fill(0)', full],
  ['a huge buffer', 'new ArrayBuffer(2 ** 31)', [...full, 'thrown']],
  ['buffers that grow', 'const a = []; for (;;) a.push(new Uint8Array(1e6))', full],
  [
    'a resizable buffer',
    'new ArrayBuffer(8, { maxByteLength: 2 ** 32 }).resize(2 ** 31)',
    [...full, 'thrown'],
  ],
  ['a map that grows', 'const m = new Map(); for (let i = 0; ; i++) m.set(i, {})', full],
  ['promises that grow', 'const a = []; for (;;) a.push(new Promise(() => {}))', full],
  ['closures that grow', 'let f = () => 0; for (;;) { const g = f; f = () => g }', [...full, 'stack']],
  ['symbols that grow', 'for (let i = 0; ; i++) Symbol.for("s" + i)', full],
  ['property names that grow', 'const o = {}; for (let i = 0; ; i++) o["k" + i] = i', full],
  [
    'memory errors that are swallowed',
    'let a = []; for (;;) { try { a.push("x".repeat(1e6) + a.length) } catch { } }',
    full,
  ],
  [
    'a JSON bomb',
    'const a = []; for (let i = 0; i < 20; i++) a.push(a.slice()); JSON.stringify(a).length',
    [...full, 'thrown', 'result'],
  ],
  ['a result that is too long', '"x".repeat(1e6)', ['result']],
  ['an argument that is too long', 'await tools.a("x".repeat(2e6))', ['thrown', 'cpu']],
  [
    'an iterator that fills an array',
    '[...{ [Symbol.iterator]: () => ({ next: () => ({ value: 1, done: false }) }) }]',
    full,
  ],
  ['a huge number of arguments', 'Math.max(...new Array(1e6).fill(1))', [...full, 'thrown', 'stack']],
  ['a large power', '2n ** 10_000_000_000n', [...full, 'thrown']],
  ['a promise that never settles', 'await new Promise(() => {})', ['stuck']],
  ['a thenable that never settles', 'return { then() {} }', ['stuck']],
  ['a thenable as the result', 'return { then(resolve) { resolve(5) } }', { value: '5' }],
  ['a thenable that throws', 'return { then() { throw new Error("x") } }', ['thrown']],
  ['a getter of then that throws', 'return { get then() { throw new Error("x") } }', ['thrown']],
  [
    'errors with getters',
    'const e = new Error("x"); for (const k of ["name", "message", "stack", "code"]) Object.defineProperty(e, k, { get() { throw e } }); throw e',
    ['thrown'],
  ],
  [
    'an error with huge texts',
    'throw Object.assign(new Error("m".repeat(1e6)), { name: "n".repeat(1e6), stack: "s".repeat(1e6) })',
    ['thrown'],
  ],
  [
    'a revoked proxy that is thrown',
    'const r = Proxy.revocable({}, {}); r.revoke(); throw r.proxy',
    ['thrown'],
  ],
  [
    'a revoked proxy as the result',
    'const r = Proxy.revocable({}, {}); r.revoke(); return r.proxy',
    ['thrown', 'result'],
  ],
  ['a cyclic result', 'const a = {}; a.a = a; a', ['result']],
  ['a BigInt as the result', '[1n]', ['result']],
  [
    'a BigInt with toJSON',
    'BigInt.prototype.toJSON = function () { return `${this}` }; [1n]',
    { value: '["1"]' },
  ],
  ['an invalid date', 'new Date(NaN)', { value: 'null' }],
  ['a sparse array', 'const a = []; a[3] = 1; a', { value: '[null,null,null,1]' }],
  ['an endless sparse array', 'const a = []; a[2 ** 32 - 2] = 1; a', [...full, 'result']],
  ['lone surrogates', '(await tools.a("\\uDC00")) + "x"', { value: '"\\udc00x"' }],
  [
    'a __proto__ key',
    'const v = JSON.parse(\'{"__proto__": { "x": 1 }}\'); [({}).x, v.x, await tools.a(v)]',
    { value: '[null,null,{"__proto__":{"x":1}}]' },
  ],
  ['functions and symbols as the result', '[() => 1, Symbol("a"), undefined]', { value: '[null,null,null]' }],
  [
    'toJSON of every value',
    'Object.prototype.toJSON = String.prototype.toJSON = () => "evil"; ({ a: 1 })',
    { value: '"evil"' },
  ],
  [
    'a replaced toJSON of a call',
    'Object.prototype.toJSON = () => "evil"; await tools.a({ a: 1 })',
    { value: '"evil"' },
  ],
  [
    'patched prototypes',
    'Array.prototype.push = Promise.prototype.then = Object.defineProperty = JSON.stringify = () => { throw 1 }; 1',
    { value: '1' },
  ],
  [
    'patched promises',
    'globalThis.Promise = class {}; globalThis.Error = null; await tools.a(3)',
    { value: '3' },
  ],
  [
    'setters on the prototype of objects',
    'for (const k of ["id", "path", "0", "value", "kind"]) Object.defineProperty(Object.prototype, k, { __proto__: null, set() { throw 1 } }); await tools.a(3)',
    { value: '3' },
  ],
  [
    'prepareStackTrace that returns functions',
    'let seen = []; Error.prepareStackTrace = (e, s) => { seen = s; return "x" }; await tools.a(1); typeof seen',
    { value: '"object"' },
  ],
  [
    'prepareStackTrace that throws',
    'Error.prepareStackTrace = () => { throw new Error("x") }; await tools.a(1)',
    { value: '1' },
  ],
  [
    'with in a sloppy function',
    'new Function("tools", "with (tools) { return typeof a }")(tools)',
    ['thrown'],
  ],
  ['with', 'with (tools) {}', ['syntax']],
  ['an import in eval', 'await eval("import(\'fs\')")', ['thrown']],
  ['an import in a function', 'await new Function("return import(\'fs\')")()', ['thrown']],
  [
    'the constructor of a host function',
    'console.log.constructor("return typeof process")()',
    { value: '"undefined"' },
  ],
  ['the constructor of tools', 'typeof tools.constructor.constructor', { value: '"function"' }],
  ['the caller of a function', '(function f() { return f.caller })()', ['thrown']],
  ['arguments of the wrapper', 'arguments.length', { value: '0' }],
  [
    'weak references and shared memory',
    '[typeof WeakRef, typeof FinalizationRegistry, typeof SharedArrayBuffer, typeof Atomics, typeof WebAssembly].join()',
    { value: '"undefined,undefined,undefined,undefined,undefined"' },
  ],
  [
    'a replaced tools',
    'try { globalThis.tools = {} } catch {} Object.defineProperty(globalThis, "tools", { value: 1 })',
    ['thrown'],
  ],
  [
    'a flood of concurrent calls',
    '(await Promise.allSettled(Array.from({ length: 500 }, () => tools.a(1)))).filter((r) => r.status === "fulfilled").length',
    { value: '20' },
  ],
  [
    'calls that nothing awaits',
    'for (let i = 0; i < 500; i++) tools.a(i).catch(() => {}); 1',
    { value: '1' },
  ],
  ['a rejection that nothing handles', 'Promise.reject(new Error("x")); 1', ['unhandled']],
  [
    'endless rejections that nothing handles',
    'for (;;) Promise.reject("x".repeat(1e4))',
    ['memory', 'cpu', 'thrown', 'unhandled'],
  ],
  [
    'endless work that nothing awaits',
    'const loop = async () => { await null; loop() }; loop(); 1',
    ['cpu', 'memory'],
  ],
  ['a number with many digits for a person', '(10n ** 100_000n).toLocaleString()', ['thrown', 'cpu']],
  ['long locales', '(1).toLocaleString("en-".repeat(1e6))', ['thrown', 'memory', 'cpu']],
  ['hostile options', '(1).toLocaleString("en", { get style() { for (;;); } })', ['cpu']],
  [
    'endless comparisons',
    'for (;;) "a".localeCompare("b", "en-u-co-" + Math.random().toString(36).slice(2, 8))',
    ['cpu'],
  ],
  [
    'comparisons of long texts',
    'const a = "ä".repeat(4_900); for (;;) a.localeCompare(a + "b", "sv", { numeric: true })',
    ['cpu'],
  ],
  ['a long name of a tool', 'await tools["x".repeat(1e5)]()', ['thrown']],
  ['a name of a tool that grows', 'let t = tools; for (;;) t = t.a', ['thrown']],
];

/** Attacks on sandboxes, those of the issue and others. */
export const attacks: readonly Attack[] = [
  ...endless.map(([title, code]) => ({ title, code, ends: cpu, isEndless: true })),
  ...native.map(([title, code]) => ({ title, code, ends: full, isEndless: true, isNative: true })),
  ...finite.map(([title, code, ends]) => ({ title, code, ends })),
];
