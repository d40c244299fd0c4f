import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CallToolResult, View } from 'toolfold';
import { ToolRegistry } from 'toolfold';
import { createSearchView } from '../../../toolfold/test/form-views.js';
import { internalsOf } from 'toolfold/internal';

const WORDS = ['invoice', 'customer', 'weather', 'calendar'];
const TOOLSETS = ['alpha', 'beta', 'gamma'];

interface Plan {
  readonly name: string;
  readonly words: readonly string[];
  readonly readOnly: boolean;
  readonly toolset: string | undefined;
}

/** A word that only one tool has, and that is not similar to another word. */
const marks = ['qopzil', 'wexduf', 'jamkyr', 'vonghat', 'brizelp', 'cuskoom', 'tydraf', 'hulpine'];

const plans = fc.array(
  fc.record({
    words: fc.subarray(WORDS, { minLength: 1, maxLength: 3 }),
    readOnly: fc.boolean(),
    toolset: fc.constantFrom(...TOOLSETS, undefined),
  }),
  { minLength: 2, maxLength: marks.length },
);
const queries = fc.array(fc.constantFrom(...WORDS, ...marks, 'qzxqzx', 'send the invoice'), {
  minLength: 1,
  maxLength: 6,
});
const calls = fc.record(
  {
    queries,
    toolset: fc.constantFrom(...TOOLSETS),
    kind: fc.constantFrom('read', 'write'),
    limit: fc.integer({ min: 1, max: 8 }),
    offset: fc.integer({ min: 0, max: 4 }),
  },
  { requiredKeys: [] },
);
/** The tools that each caller does not see, and its calls. */
const callers = fc.array(
  fc.tuple(fc.uniqueArray(fc.nat(marks.length - 1)), fc.array(calls, { minLength: 1, maxLength: 3 })),
  { minLength: 2, maxLength: 4 },
);

function setUp(given: readonly Omit<Plan, 'name'>[]) {
  const all: Plan[] = given.map((plan, at) => ({ ...plan, name: marks[at] ?? '' }));
  const registry = new ToolRegistry({ name: 'acme', rateLimiter: false });
  const specs = new Map(
    all.map((plan) => [
      plan.name,
      internalsOf(registry).tools.compileItem({
        name: plan.name,
        description: `Does ${plan.words.join(' ')}`,
        readOnly: plan.readOnly,
        inputSchema: { type: 'object', properties: { [`${plan.name}_id`]: { type: 'string' } } },
        handler: () => plan.name,
      }),
    ]),
  );
  const toolsets = TOOLSETS.map((key) => ({ key, name: key.toUpperCase(), description: `Things of ${key}` }));
  const viewOf = (shown: readonly Plan[]): View =>
    internalsOf(registry).tools.viewWith(
      shown.flatMap(({ name }) => specs.get(name) ?? []),
      {},
      {
        toolsetsOf: ({ spec }) => {
          const key = all.find(({ name }) => name === spec.name)?.toolset;
          return key === undefined ? [] : [{ key }];
        },
      },
    );
  const wider = viewOf(all);
  const open = (hidden: readonly number[]) => {
    const shown = all.filter((_, at) => !hidden.includes(at));
    const view = createSearchView(registry, viewOf(shown), { toolsets, wider });
    const search = (args: object): Promise<CallToolResult> =>
      registry.executeTool({ name: 'search_tools', arguments: { ...args } }, view);
    return { shown, search };
  };
  return { all, open };
}

interface Content {
  readonly tools: readonly { readonly address: string; readonly query?: number | string }[];
  readonly more?: number;
  readonly unmatched?: readonly string[];
  readonly next?: string;
  readonly toolsets?: readonly { readonly key: string; readonly tools: number }[];
}
type Call = { queries?: string[]; toolset?: string; kind?: string; limit?: number; offset?: number };

beforeAll(() => import('../index.js'));

describe('the answers of search_tools to interleaved callers with different views', () => {
  it('name, list and count only tools and toolsets that the caller sees', async () => {
    await fc.assert(
      fc.asyncProperty(plans, callers, async (given, all) => {
        const { open } = setUp(given);
        const asked = all.flatMap(([hidden, some]) => {
          const caller = open(hidden);
          return some.map((call) => ({ call: call as Call, caller }));
        });
        const results = await Promise.all(asked.map(({ call, caller }) => caller.search(call)));
        for (const [at, result] of results.entries()) {
          const { call, caller } = asked[at] as (typeof asked)[number];
          const keys = new Set(caller.shown.map(({ toolset }) => toolset));
          if (call.toolset !== undefined && !keys.has(call.toolset)) {
            expect(result.isError).toBe(true);
            continue;
          }
          expect(result.isError).toBeUndefined();
          const { tools, more = 0, toolsets = [], unmatched = [] } = result.structuredContent as Content;
          const wanted = caller.shown.filter(
            ({ toolset, readOnly }) =>
              (call.toolset === undefined || toolset === call.toolset) &&
              (call.kind === undefined || readOnly === (call.kind === 'read')),
          );
          const addresses = tools.map(({ address }) => address);
          expect(new Set(addresses).size).toBe(addresses.length);
          expect(addresses.length).toBeLessThanOrEqual(call.limit ?? 10);
          expect(wanted.map(({ name }) => name)).toEqual(expect.arrayContaining(addresses));
          expect(addresses.length + more).toBeLessThanOrEqual(wanted.length);
          for (const { key, tools: count } of toolsets)
            expect(count).toBe(caller.shown.filter(({ toolset }) => toolset === key).length);
          expect(toolsets.every(({ key }) => keys.has(key))).toBe(true);
          // A hidden tool is in no text, except if the caller wrote its word and learns that it matches nothing.
          const written = new Set(call.queries);
          const shown = new Set(caller.shown.map(({ name }) => name));
          const text = JSON.stringify(result);
          for (const mark of marks)
            if (!shown.has(mark) && !written.has(mark)) expect(text).not.toContain(mark);
          expect(wanted.filter(({ name }) => unmatched.includes(name))).toEqual([]);
        }
      }),
      { numRuns: 60 },
    );
  });

  it('are the same as without the other callers', async () => {
    await fc.assert(
      fc.asyncProperty(plans, callers, async (given, all) => {
        const { open } = setUp(given);
        const asked = all.flatMap(([hidden, some]) => some.map((call) => ({ call, hidden })));
        const together = await Promise.all(asked.map(({ call, hidden }) => open(hidden).search(call)));
        for (const [at, { call, hidden }] of asked.entries())
          expect(together[at]).toEqual(await open(hidden).search(call));
      }),
      { numRuns: 30 },
    );
  });

  it('to the name of a hidden tool are those to a word that does not exist', async () => {
    await fc.assert(
      fc.asyncProperty(plans, fc.nat(marks.length - 1), async (given, at) => {
        const { all, open } = setUp(given);
        const hidden = at % all.length;
        const { search } = open([hidden]);
        const name = all[hidden]?.name ?? '';
        const ask = async (word: string): Promise<string> =>
          JSON.stringify((await search({ query: word })).structuredContent).replaceAll(word, '?');
        expect(await ask(name)).toBe(await ask('qzxqzx'));
      }),
      { numRuns: 30 },
    );
  });
});
