/** @typedef {{ readonly title: string, readonly code: string, readonly answer: RegExp }} HostileGuest code, and a part of its answer */

const LIMITED = /ErrCodeFailed|ErrCallNotAllowed|ErrOverloaded/;
const ANY = /"result"/;

/** Programs that try to stall the server or other callers. @type {readonly HostileGuest[]} */
export const hostileGuests = [
  { title: 'endless loop', code: 'for (;;) {}', answer: LIMITED },
  { title: 'endless recursion', code: 'const f = () => f() + 1; f()', answer: LIMITED },
  {
    title: 'recursion that is caught again and again',
    code: 'const f = () => { try { f(); } catch { f(); } }; f()',
    answer: LIMITED,
  },
  {
    title: 'list that grows',
    code: 'const a = []; for (;;) a.push(new Array(1000).fill(a.length))',
    answer: LIMITED,
  },
  { title: 'text that doubles', code: "let s = 'x'; for (;;) s += s", answer: LIMITED },
  {
    title: 'large buffers',
    code: 'const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1))',
    answer: LIMITED,
  },
  {
    title: 'regular expression that backtracks',
    code: "/^(a+)+$/.test('a'.repeat(40) + 'b')",
    answer: LIMITED,
  },
  {
    title: 'promises without end',
    code: 'const f = () => Promise.resolve().then(() => { f(); f(); }); f(); await new Promise(() => {})',
    answer: LIMITED,
  },
  {
    title: 'error with endless getters',
    code: "throw Object.defineProperty(new Error('x'), 'message', { get() { for (;;) {} } })",
    answer: LIMITED,
  },
  {
    title: 'result of the largest size',
    code: "Array.from({ length: 15 }, () => 'x'.repeat(8000))",
    answer: ANY,
  },
  {
    title: 'result of many small values',
    code: 'Array.from({ length: 40000 }, () => [])',
    answer: ANY,
  },
  {
    title: 'result that is nested deeply',
    code: 'let v = 0; for (let n = 0; n < 50000; n++) v = [v]; v',
    answer: ANY,
  },
  { title: 'logs without end', code: "for (;;) console.log('x'.repeat(1000))", answer: LIMITED },
  {
    title: '200 calls with 500 kB each',
    code: "const text = 'x'.repeat(500000); await Promise.allSettled(Array.from({ length: 200 }, () => tools.echo({ text }))); 1",
    answer: ANY,
  },
  {
    title: '200 calls with 50,000 values each',
    code: 'const text = Array.from({ length: 50000 }, () => 1); await Promise.allSettled(Array.from({ length: 200 }, () => tools.echo({ text }))); 1',
    answer: ANY,
  },
  {
    title: 'calls without end',
    code: 'for (;;) try { await tools.echo({}); } catch {}',
    answer: LIMITED,
  },
  { title: 'calls that are not awaited', code: 'for (;;) tools.echo({})', answer: LIMITED },
  {
    title: 'code of 60 kB with nested lists',
    code: `${'['.repeat(30_000)}${']'.repeat(30_000)}`,
    answer: ANY,
  },
  {
    title: 'code of 60 kB with many statements',
    code: `let x: number = 1;\n${'{let y=x as any;y++}\n'.repeat(2_800)}`,
    answer: ANY,
  },
  {
    title: 'code of 60 kB with an open bracket',
    code: '(a<b,'.repeat(12_000),
    answer: ANY,
  },
];
