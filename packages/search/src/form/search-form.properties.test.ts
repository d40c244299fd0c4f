import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { GroupedToolBuilder, ToolRegistry } from 'toolfold';
import type { CallToolResult, ErrorReport, ToolRegistryOptions, View, ViewPolicy } from 'toolfold';
import { requiredScopesOf } from '../../../toolfold/src/engine/call-errors.js';
import { createSearchView } from '../../../toolfold/test/form-views.js';
import { Toolsets } from 'toolfold/web';

const WORDS = ['invoice', 'customer', 'send', 'list', 'delete', 'weather', 'repository', 'calendar', 'user'];

interface Plan {
  /** A word that only this action has. */
  readonly mark: number;
  readonly words: readonly string[];
  readonly readOnly: boolean | undefined;
  /** The builder of the action, if any. */
  readonly builder: number | undefined;
  readonly toolset: string | undefined;
  readonly tag: string;
}

const plans = fc
  .array(
    fc.record({
      words: fc.subarray(WORDS, { minLength: 1, maxLength: 4 }),
      readOnly: fc.constantFrom(true, false, undefined),
      builder: fc.option(fc.nat(1), { nil: undefined }),
      toolset: fc.constantFrom('alpha', 'beta', undefined),
      tag: fc.constantFrom('red', 'blue'),
    }),
    { minLength: 1, maxLength: 9 },
  )
  .map((all): Plan[] => all.map((plan, mark) => ({ ...plan, mark })));

const policies: fc.Arbitrary<ViewPolicy & { readonly hide: readonly number[] }> = fc.record(
  {
    hide: fc.uniqueArray(fc.nat(8), { maxLength: 4 }),
    readOnly: fc.boolean(),
    excludeTags: fc.constantFrom([], ['red']),
    form: fc.constantFrom('grouped', 'flat'),
    split: fc.constant('risk' as const),
  },
  { requiredKeys: ['hide'] },
);

/** A word that occurs in no other text and cannot be guessed from a part of it. */
const nameOf = ({ mark }: Plan): string => `mark${String(mark).repeat(6)}end`;
const builderOf = (plan: Plan, builder: number): string => `${plan.toolset ?? 'own'}${builder}`;
const addressOf = (plan: Plan): string =>
  plan.builder === undefined ? nameOf(plan) : `${builderOf(plan, plan.builder)}/${nameOf(plan)}`;

/** A registry and toolsets whose actions record their runs, and a view that hides some of them. */
async function setUp(
  all: readonly Plan[],
  { hide, form, split, ...policy }: ViewPolicy & { readonly hide: readonly number[] },
  options: ToolRegistryOptions<unknown> = {},
) {
  const ran: string[] = [];
  const registry = new ToolRegistry({ name: 'acme', rateLimiter: false, ...options });
  const definitionOf = (plan: Plan) => ({
    name: nameOf(plan),
    description: `${nameOf(plan)} ${plan.words.join(' ')}. More of it.`,
    tags: [plan.tag],
    readOnly: plan.readOnly,
    inputSchema: z.object({ id: z.string().optional() }),
    handler: ({ input }: { input: { id?: string | undefined } }) => {
      ran.push(addressOf(plan));
      return `${addressOf(plan)} ${input.id ?? ''}`;
    },
  });
  const itemsOf = (toolset: string | undefined) => {
    const members = all.filter((plan) => plan.toolset === toolset);
    const builders = [0, 1].flatMap((builder) => {
      const inside = members.filter((plan) => plan.builder === builder);
      const [first] = inside;
      if (!first) return [];
      return inside.reduce(
        (built, plan) => built.action(definitionOf(plan) as never),
        new GroupedToolBuilder(builderOf(first, builder)).description('A group'),
      );
    });
    return [...builders, ...members.filter((plan) => plan.builder === undefined).map(definitionOf)];
  };
  registry.register(...(itemsOf(undefined) as never[]));
  const describe_ = (key: string) => ({
    name: key.toUpperCase(),
    description: `Things of ${key}`,
    tools: itemsOf(key) as never,
  });
  const toolsets = new Toolsets(registry, {
    catalog: { alpha: describe_('alpha'), beta: describe_('beta') },
    moduleLoaders: {},
    startup: { mode: 'STATIC', toolsets: 'ALL' },
    context: {},
    exposurePolicy: policy.excludeTags ? { excludeTags: policy.excludeTags } : {},
  } as never);
  const excludeTools = all.filter(({ mark }) => hide.includes(mark)).map(addressOf);
  // A request cannot name tools that the operator hides.
  const offered = new Set(all.filter(({ tag }) => !(policy.excludeTags ?? []).includes(tag)).map(addressOf));
  const isOffered = (address: string): boolean => offered.has(address);
  const nobody = { context: {}, hash: '' };
  const hasTools = all.some(({ toolset }) => toolset !== undefined);
  // A view with a form or a split comes from the registry, and a grouped view from the toolsets.
  const inner =
    form || split || !hasTools
      ? registry.view({
          ...policy,
          ...(form ? { form } : {}),
          ...(split ? { split } : {}),
          exclude: excludeTools.filter((address) => registry.has(address.split('/')[0] ?? '')),
        })
      : await toolsets.view(['alpha', 'beta'], nobody, {
          ...policy,
          excludeTools: excludeTools.filter(isOffered),
        });
  const isShown = (plan: Plan): boolean =>
    (plan.toolset === undefined || !(form || split || !hasTools)) &&
    !hide.includes(plan.mark) &&
    !(policy.readOnly === true && plan.readOnly !== true) &&
    !(policy.excludeTags ?? []).includes(plan.tag);
  const open = (pinned: readonly string[] = []): View =>
    createSearchView(registry, inner, { toolsets: toolsets.describe([]), pinned });
  const view = open();
  const call = (name: string, args: Record<string, unknown> = {}, through: View = view) =>
    registry.executeTool({ name, arguments: args }, through);
  const shown = all.filter(isShown);
  return { registry, inner, view, open, call, ran, shown, hidden: all.filter((plan) => !isShown(plan)) };
}

const text = (result: CallToolResult): string => JSON.stringify(result);
const rowsOf = (result: CallToolResult) =>
  (result.structuredContent as { tools: { address: string; kind: string }[] }).tools;
const codeOf = ({ _meta }: CallToolResult) => (_meta?.['toolfold/error'] as ErrorReport | undefined)?.code;

// The first search loads the index.
beforeAll(() => import('../index.js'));

describe('the search form of any view', () => {
  it('can describe and call every address that it finds, with the tool that it names', async () => {
    await fc.assert(
      fc.asyncProperty(
        plans,
        policies,
        fc.subarray(WORDS, { minLength: 1, maxLength: 3 }),
        async (all, policy, words) => {
          const { call, ran, shown } = await setUp(all, policy);
          const found = rowsOf(await call('search_tools', { query: words.join(' '), limit: 50 }));
          const asked = new Set(words);
          const holders = shown.filter((plan) => plan.words.some((word) => asked.has(word)));
          const addresses = found.map(({ address }) => address);
          expect(addresses).toEqual(expect.arrayContaining(holders.map(addressOf)));
          if (addresses.length === 0) return;
          const described = await call('describe_tools', { addresses });
          const { tools, problems } = described.structuredContent as {
            tools: { address: string; callWith: string; inputSchema: { properties: object } }[];
            problems?: unknown;
          };
          expect(problems).toBeUndefined();
          expect(tools.map(({ address }) => address)).toEqual(addresses);
          for (const { address, callWith, inputSchema } of tools) {
            expect(Object.keys(inputSchema.properties)).toEqual(['id']);
            const result = await call(callWith, { address, arguments: { id: 'x' } });
            expect(result).toEqual({ content: [{ type: 'text', text: `${address} x` }] });
          }
          expect(ran).toEqual(addresses);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('shows exactly the tools of the view, and names no hidden ones', async () => {
    await fc.assert(
      fc.asyncProperty(plans, policies, async (all, policy) => {
        const { call, shown, hidden, view } = await setUp(all, policy);
        const answers = [text({ content: [], structuredContent: view.listTools() })];
        const ask = async (name: string, args: Record<string, unknown> = {}) => {
          const result = await call(name, args);
          answers.push(text(result));
          return result;
        };
        await ask('list_toolsets');
        const seen = new Set<string>();
        for (const toolset of ['alpha', 'beta']) {
          const result = await ask('search_tools', { toolset, limit: 50 });
          if (!result.isError) for (const { address } of rowsOf(result)) seen.add(address);
        }
        for (const query of [...WORDS, 'mark', 'end', 'more of it', 'a group'])
          for (const { address } of rowsOf(await ask('search_tools', { query, limit: 50 })))
            seen.add(address);
        expect(seen).toEqual(new Set(shown.map(addressOf)));
        // The answer may repeat the text of the caller, so the query only resembles the name.
        for (const plan of all) {
          const near = addressOf(plan).slice(0, -1);
          await ask('describe_tools', { addresses: [near, near.replace('mark', 'mork')] });
          await ask('call_read_tool', { address: near });
          await ask('call_write_tool', { address: near });
          await ask('search_tools', { query: near });
          const holder = addressOf(plan).split('/')[0] ?? '';
          if (plan.builder !== undefined) {
            await ask('call_read_tool', { address: holder });
            await ask('describe_tools', { addresses: [holder] });
          }
        }
        for (const plan of hidden) {
          const named = answers.filter((answer) => answer.includes(nameOf(plan)));
          expect(named).toEqual([]);
          for (const name of ['call_read_tool', 'call_write_tool'])
            expect(codeOf(await call(name, { address: addressOf(plan) }))).toBe('ErrUnknownTool');
        }
        for (const plan of shown.filter(({ toolset }) => toolset !== undefined))
          expect(answers[1]).toContain(plan.toolset);
        for (const toolset of ['alpha', 'beta']) {
          if (shown.some((plan) => plan.toolset === toolset)) continue;
          expect(answers[1]).not.toContain(toolset);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('never runs a writing action with call_read_tool', async () => {
    const strange = fc.oneof(
      fc.constant(undefined),
      fc.record({ id: fc.string() }),
      fc.record({ action: fc.nat(8).map((mark) => nameOf({ mark } as Plan)) }),
      fc.json(),
      fc.anything(),
    );
    await fc.assert(
      fc.asyncProperty(plans, policies, fc.array(strange), async (all, policy, given) => {
        const { call, ran } = await setUp(all, policy);
        for (const plan of all) {
          for (const args of [undefined, ...given])
            await call('call_read_tool', { address: addressOf(plan), arguments: args });
        }
        const readOnly = new Set(all.filter((plan) => plan.readOnly === true).map(addressOf));
        expect(ran.filter((address) => !readOnly.has(address))).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('answers a call like the tool itself', async () => {
    const someArguments = fc.oneof(
      fc.constant(undefined),
      fc.record({ id: fc.oneof(fc.string(), fc.nat()) }, { requiredKeys: [] }),
      fc.record({ di: fc.string() }),
      fc.record({ minify: fc.boolean(), id: fc.string() }),
    );
    await fc.assert(
      fc.asyncProperty(plans, policies, someArguments, async (all, policy, args) => {
        const { registry, inner, call } = await setUp(all, policy);
        for (const [name, { discriminator, actions }] of inner.tools) {
          for (const [key, { address, action }] of actions) {
            const own = { ...args, ...(discriminator === undefined ? {} : { [discriminator]: key }) };
            const direct = await registry.executeTool({ name, arguments: own }, inner);
            const kind = action.readOnly === true ? 'read' : 'write';
            const through = await call(`call_${kind}_tool`, { address, arguments: args });
            expect(through).toEqual(direct);
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('has one list, and gives the same answers again', async () => {
    const lists = new Set<string | undefined>();
    await fc.assert(
      fc.asyncProperty(plans, policies, fc.constantFrom(...WORDS), async (all, policy, query) => {
        const { call, open, view, shown } = await setUp(all, policy);
        lists.add(view.listPages()[0]);
        const other = open();
        const calls: [string, Record<string, unknown>][] = [
          ['search_tools', { query }],
          ['search_tools', { query, kind: 'read', limit: 3 }],
          ['describe_tools', { addresses: all.map(addressOf) }],
          ['list_toolsets', {}],
        ];
        for (const [name, args] of calls) {
          const first = text(await call(name, args));
          expect(text(await call(name, args))).toBe(first);
          expect(text(await call(name, args, other))).toBe(first);
        }
        const pinned = shown.slice(0, 2).map(addressOf);
        expect(open(pinned).listPages()).toEqual(open(pinned).listPages());
        expect(open(pinned).tools.size).toBe(5 + pinned.length);
      }),
      { numRuns: 60 },
    );
    expect(lists.size).toBe(1);
  });
});

describe('a call through the search form', () => {
  const setUpGuarded = (options: ToolRegistryOptions<unknown> = {}) => {
    let count = 0;
    const registry = new ToolRegistry({ name: 'acme', ...options }).register(
      new GroupedToolBuilder('bank')
        .action({
          name: 'pay',
          scopes: ['bank:write', 'bank'],
          idempotency: true,
          inputSchema: z.object({ to: z.string() }),
          handler: ({ input }) => `payment ${++count} to ${input.to}`,
        })
        .action({ name: 'close', handler: () => 'closed' }),
    );
    const view = createSearchView(registry, registry.view());
    const caller = { auth: { clientId: 'ada', scopes: ['bank', 'bank:write'] } };
    const direct = (args: object, more: object = {}) =>
      registry.executeTool({ name: 'bank', arguments: { ...args }, caller, ...more });
    const through = (address: string, args: object = {}, more: object = {}) =>
      registry.executeTool(
        { name: 'call_write_tool', arguments: { address, arguments: args }, caller, ...more },
        view,
      );
    return { direct, through };
  };

  it('is rejected without the scopes of the action, so that the server can challenge', async () => {
    const { through } = setUpGuarded();
    const poor = { caller: { auth: { clientId: 'ada', scopes: ['bank'] } } };
    const result = await through('bank/pay', { to: 'Bob' }, poor);
    expect(codeOf(result)).toBe('ErrInsufficientScope');
    expect(requiredScopesOf(result)).toEqual(['bank:write', 'bank']);
    expect((await through('bank/close', {}, poor)).isError).toBeUndefined();
  });

  it('counts only against the rate limit of the action', async () => {
    const { direct, through } = setUpGuarded({ rateLimiter: { calls: 2, windowMs: 60_000 } });
    await direct({ action: 'pay', to: 'Bob' });
    await through('bank/pay', { to: 'Bob' });
    expect(codeOf(await through('bank/pay', { to: 'Bob' }))).toBe('ErrRateLimited');
    expect(codeOf(await direct({ action: 'pay', to: 'Bob' }))).toBe('ErrRateLimited');
    expect((await through('bank/close')).isError).toBeUndefined();
  });

  it('shares idempotency keys with direct calls of the tool', async () => {
    const { direct, through } = setUpGuarded();
    const key = { meta: { 'toolfold/idempotencyKey': 'k1' } };
    const first = await through('bank/pay', { to: 'Bob' }, key);
    expect(await direct({ action: 'pay', to: 'Bob' }, key)).toEqual(first);
    expect(await through('bank/pay', { to: 'Bob' }, key)).toEqual(first);
    expect(codeOf(await through('bank/pay', { to: 'Eve' }, key))).toBe('ErrIdempotencyConflict');
  });
});
