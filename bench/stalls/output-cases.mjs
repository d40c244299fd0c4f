// Requests designed to slow down writing, cutting and redacting results.
import * as z from 'zod';
import { z as z3 } from 'zod/v3';

/** @typedef {import('./cases.mjs').StallCase} StallCase */

/** Leaves room for the fields around the arguments. */
const MAX_TEXT = 1024 * 1024 - 1_000;
/** Together with the surrounding values, this reaches the default limit of `maxValues`. */
const MAX_ITEMS = 19_700;

/** @param {string} pattern */
const text = (pattern) =>
  pattern.repeat(Math.floor(MAX_TEXT / (Buffer.byteLength(JSON.stringify(pattern)) - 2)));
/** Lists of `depth` levels, with `values` values together. @param {number} values @param {number} depth */
const nested = (values, depth) =>
  Array.from({ length: Math.floor(values / depth) }, () => {
    /** @type {unknown[]} */
    let value = [];
    for (let level = 1; level < depth; level++) value = [value];
    return value;
  });

/** Created once, so that only the server's work is measured. */
const deep = nested(320_000, 80);
const rows = Array.from({ length: 4_900 }, (_, id) => ({ id, name: `row ${id}`, note: 'x'.repeat(150) }));
const maps = Object.fromEntries(Array.from({ length: MAX_ITEMS / 2 }, (_, id) => [`map ${id}`, { id }]));
const branches = Array.from({ length: 20 }, (_, index) => z.object({ [`f${index}`]: z.string() }));
const zod3Branches = Array.from({ length: 20 }, (_, index) => z3.object({ [`f${index}`]: z3.string() }));
const map = Object.fromEntries(Array.from({ length: MAX_ITEMS }, (_, id) => [`a key of the map ${id}`, id]));

/** @param {(given: any, context: any) => unknown} handler @param {object} [options] */
const tool =
  (handler, options = {}) =>
  () => [
    {
      name: 'tool',
      description: 'Answers with what it was given',
      inputSchema: z.object({ a: z.any() }).loose(),
      handler: (/** @type {any} */ { input, context }) => handler(input.a, context),
      ...options,
    },
  ];
const echo = (/** @type {unknown} */ given) => given;
/** @param {unknown} a @param {object} [more] */
const callWith = (a, more) => () => ({
  method: 'tools/call',
  params: { name: 'tool', arguments: { a, ...more } },
});
const fail = (/** @type {unknown} */ given) => {
  throw new Error(`Failed: ${typeof given === 'string' ? given : JSON.stringify(given)}`);
};
const passwords = (/** @type {number} */ count) =>
  Array.from({ length: count }, (_, index) => ({ password: `aaaa-${index}-secret` }));
const escapes = '%2541\\u0041&amp;amp;aaaa-';
const bytes = { outputBudget: { bytes: 10_000 } };
const tokens = { outputBudget: { tokens: 25_000 } };
const list = z.array(z.any());

/** @type {readonly StallCase[]} */
export const outputCases = [
  {
    title: 'a result of 4,000 lists nested 80 deep as TOON',
    tools: tool(() => deep, { textFormat: 'toon' }),
    request: callWith(1),
    answer: /"text":"\[\[/,
  },
  {
    title: 'as many nested lists as `maxValues` allows, echoed with line breaks',
    tools: tool(echo),
    request: callWith(nested(MAX_ITEMS, 60), { minify: false }),
    answer: /"text":"\[\[/,
  },
  {
    title: 'the same as TOON, cut to 10,000 bytes',
    tools: tool(echo, { textFormat: 'toon', ...bytes }),
    request: callWith(nested(MAX_ITEMS, 60)),
    answer: /Cut to fit/,
  },
  {
    title: 'the same as structured content, cut to 10,000 bytes',
    tools: tool(echo, { outputSchema: list, ...bytes }),
    request: callWith(nested(MAX_ITEMS, 60)),
    answer: /Cut to fit/,
  },
  {
    title: 'as many nested lists as `maxValues` allows, echoed as TOON',
    tools: tool(echo, { textFormat: 'toon' }),
    request: callWith(nested(MAX_ITEMS, 60)),
    answer: /"text":"/,
  },
  {
    title: '1 MiB of rows, echoed as TOON',
    tools: tool(echo, { textFormat: 'toon' }),
    request: callWith(rows),
    answer: /"text":"/,
  },
  {
    title: '1 MiB of rows, echoed and cut to 25,000 tokens',
    tools: tool(echo, tokens),
    request: callWith(rows),
    answer: /Cut to fit/,
  },
  {
    title: 'a map of 19,700 entries, echoed and cut to 10,000 bytes',
    tools: tool(echo, bytes),
    request: callWith(map),
    answer: /Cut to fit/,
  },
  {
    title: 'a map of 19,700 entries, echoed and summarized',
    tools: tool(echo, { outputSchema: z.record(z.string(), z.any()), structuredText: 'summary' }),
    request: callWith(map),
    answer: /more }/,
  },
  {
    title: 'a map of 9,850 maps, echoed and summarized',
    tools: tool(echo, { outputSchema: z.record(z.string(), z.any()), structuredText: 'summary' }),
    request: callWith(maps),
    answer: /more }/,
  },
  {
    title: 'objects for an output schema with a union of 20, echoed',
    tools: tool(echo, { outputSchema: z.array(z.union(branches)) }),
    request: callWith(Array.from({ length: MAX_ITEMS / 2 }, () => ({ f19: 'x' }))),
    answer: /"structuredContent"|too long/,
  },
  {
    title: 'Zod 3: a map for an output schema with a union of 20, echoed',
    tools: tool(echo, { outputSchema: z3.object({}).catchall(z3.union(/** @type {any} */ (zod3Branches))) }),
    request: callWith(
      Object.fromEntries(Array.from({ length: MAX_ITEMS / 2 }, (_, id) => [`k${id}`, { f19: 1 }])),
    ),
    answer: /"isError":true/,
  },
  {
    title: '1 MiB of text, echoed and cut to 25,000 tokens',
    tools: tool(echo, tokens),
    request: callWith(text('word "quoted" 日本 ')),
    answer: /Cut to fit/,
  },
  {
    title: 'an error that echoes 1 MiB of text',
    tools: tool(fail),
    request: callWith(text('password: x, ')),
    answer: /"isError":true/,
  },
  {
    title: 'an error that echoes 1 MiB of escaped text, and a password',
    tools: tool(fail),
    request: callWith(text(escapes), { password: 'aaaa-0-secret' }),
    answer: /"isError":true/,
  },
  {
    title: 'an error that echoes 500 passwords, and escaped text',
    tools: tool(fail),
    request: callWith([escapes.repeat(1_000), ...passwords(500)]),
    answer: /"isError":true/,
  },
  {
    title: 'an error that echoes more passwords than are searched for',
    tools: tool(fail),
    request: callWith(passwords(MAX_ITEMS / 2)),
    answer: /too many credentials/,
  },
  {
    title: 'an error with 19,700 names that look like those of credentials',
    tools: tool(fail),
    request: callWith(
      Object.fromEntries(Array.from({ length: MAX_ITEMS }, (_, id) => [`apiTokenPasswordCount ${id} x`, id])),
    ),
    answer: /too many credentials/,
  },
  {
    title: 'an error that echoes a password of 1 MiB',
    tools: tool(fail),
    request: callWith(text('pass'), {
      password: text('pass').slice(0, 500_000),
      a: text('pass').slice(0, 500_000),
    }),
    answer: /"isError":true/,
  },
  {
    title: 'an error with 1 MiB of rows as its details, and a logger',
    tools: tool((given) => {
      throw Object.assign(new Error('Failed'), { details: given, rows: given });
    }),
    request: callWith(rows),
    answer: /"isError":true/,
    registry: { logger: { debug() {}, info() {}, warn() {}, error() {} } },
  },
  {
    title: 'a returned error with 1 MiB of rows as text and as data',
    tools: tool((given) => ({
      content: [{ type: 'text', text: JSON.stringify(given) }],
      structuredContent: { given },
      isError: true,
    })),
    request: callWith(rows),
    answer: /"isError":true/,
  },
  {
    title: 'a validation error with 1 MiB of unknown fields, and a password',
    tools: () => [
      { name: 'tool', description: 'Takes nothing', inputSchema: z.object({}), handler: () => 'done' },
    ],
    request: callWith(1, { ...map, password: 'aaaa-0-secret' }),
    answer: /Validation failed|not a known field/,
  },
];
