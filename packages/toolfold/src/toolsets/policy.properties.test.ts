import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GroupedToolBuilder } from '../build/grouped-tool-builder.js';
import { ToolRegistry } from '../registry/tool-registry.js';
import type { View } from '../views/view.js';
import type { ViewPolicy } from '../views/policy.js';
import type { Selection } from '../callers/caller.js';
import { Exposure } from './exposure.js';
import type { ExposurePolicy } from './exposure-policy.js';
import { runs } from '../../../../test/runs.js';

/**
 * Every action of a test server. Its tags are positions in a list of words: the reference predicate compares
 * positions, so it shares no text handling with the code under test.
 */
interface Plan {
  readonly tool: string;
  /** `undefined` for a tool that is one action. */
  readonly action: string | undefined;
  readonly toolset: string | undefined;
  readonly readOnly: boolean | undefined;
  readonly tags: readonly number[];
  /** The position of the tag that the whole tool carries. */
  readonly toolTag: number | undefined;
}

interface Filters {
  readonly tags?: readonly number[];
  readonly anyTags?: readonly number[];
  readonly excludeTags?: readonly number[];
  readonly readOnly?: boolean;
}

/** Words that a lossy normalisation would drop, shorten or confuse, and arbitrary ones of any script. */
const troublesome = [
  'внутреннее',
  '财务',
  '機密',
  'سري',
  'मराठी',
  '🔒',
  'billing/refunds',
  'billingrefunds',
  'billing refunds',
  'billing-refunds',
  `${'x'.repeat(64)}a`,
  `${'x'.repeat(64)}b`,
  'é',
  'e',
  'İ',
  'ß',
];

/** An independent comparison: two words are the same if a person would say so. */
const isSame = (left: string, right: string): boolean => {
  const [a, b] = [left, right].map((word) => word.trim().normalize('NFC').toLowerCase());
  return a === b;
};

const words = fc
  .array(fc.oneof(fc.constantFrom(...troublesome), fc.string({ unit: 'grapheme', minLength: 1 })), {
    minLength: 25,
    maxLength: 40,
  })
  .map((all) => {
    const written = all.filter((word) => word.trim() !== '');
    const distinct = written.filter((word, at) => !written.slice(0, at).some((other) => isSame(word, other)));
    return [...distinct, ...Array.from({ length: 25 }, (_, at) => `spare word ${at}`)];
  });

/** A word in another spelling. */
const spell = (word: string, how: number): string =>
  [
    word,
    word.normalize('NFD'),
    word.normalize('NFC'),
    ` ${word}\t`,
    isSame(word.toUpperCase(), word) ? word.toUpperCase() : word,
  ][how % 5] as string;

const fewTags = fc.uniqueArray(fc.nat(24), { minLength: 1, maxLength: 2 });
/** More than the 20 that `normalizeTags` keeps. */
const manyTags = fc.shuffledSubarray([...Array(25).keys()], { minLength: 21 });
const someTags = fc.oneof(fewTags, manyTags);
const isReadOnly = fc.constantFrom(true, false, undefined);

const plans = fc
  .array(
    fc.record({
      tool: fc.nat(3),
      toolset: fc.constantFrom('alpha', 'beta', undefined),
      isGrouped: fc.boolean(),
      action: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }),
      readOnly: isReadOnly,
      tags: fc.oneof(fc.constant([]), someTags),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((drafts): Plan[] => {
    const seen = new Set<string>();
    return drafts.flatMap(({ tool, toolset, isGrouped, action, ...rest }) => {
      const name = `${toolset ?? 'own'}_${isGrouped ? 'group' : 'tool'}${tool}`;
      // All actions of one group carry its tag.
      const toolTag = isGrouped ? tool : undefined;
      const tags = isGrouped ? [...new Set([...rest.tags, tool])] : rest.tags;
      const plan = { ...rest, tags, toolTag, toolset, tool: name, action: isGrouped ? action : undefined };
      const isUsable = !action.includes('.') && action.trim() !== '' && !seen.has(addressOf(plan));
      seen.add(addressOf(plan));
      return isUsable ? [plan] : [];
    });
  });

/** Mostly one filter at a time, because several together leave few tools. */
const filters: fc.Arbitrary<Filters> = fc.oneof(
  fc.record({ tags: fewTags }),
  fc.record({ anyTags: someTags }),
  fc.record({ excludeTags: someTags }),
  fc.constant({}),
  fc.record(
    { tags: someTags, anyTags: someTags, excludeTags: someTags, readOnly: fc.boolean() },
    { requiredKeys: [] },
  ),
);

function addressOf({ tool, action }: Pick<Plan, 'tool' | 'action'>): string {
  return action === undefined ? tool : `${tool}/${action}`;
}

/** A plain reference implementation of a filter. */
function passes(plan: Plan, { tags, anyTags, excludeTags, readOnly }: Filters): boolean {
  const carries = (tag: number): boolean => plan.tags.includes(tag);
  if (readOnly === true && plan.readOnly !== true) return false;
  if (tags && !tags.every(carries)) return false;
  if (anyTags && !anyTags.some(carries)) return false;
  return !excludeTags?.some(carries);
}

const names = (plan: Plan, list: readonly string[]): boolean =>
  list.includes(plan.tool) || list.includes(addressOf(plan));

/** A registry, a catalog of toolsets, and a record of the actions that ran. */
function setUp(all: readonly Plan[], vocabulary: readonly string[], spelling: number) {
  const ran: string[] = [];
  const write = (tags: readonly number[], shift: number): string[] =>
    tags.map((tag) => spell(vocabulary[tag] as string, tag + spelling + shift));
  const itemsOf = (toolset: string | undefined) => {
    const members = all.filter((plan) => plan.toolset === toolset);
    return [...new Set(members.map(({ tool }) => tool))].map((tool) => {
      const inside = members.filter((plan) => plan.tool === tool);
      const define = (plan: Plan, name: string) => ({
        name,
        description: 'Does something',
        readOnly: plan.readOnly,
        tags: write(
          plan.tags.filter((tag) => tag !== plan.toolTag),
          0,
        ),
        inputSchema: {},
        handler: () => {
          ran.push(addressOf(plan));
          return 'done';
        },
      });
      const [first] = inside as [Plan];
      if (first.action === undefined) return define(first, tool);
      return inside.reduce(
        (builder, plan) => builder.action(define(plan, plan.action as string) as never),
        new GroupedToolBuilder(tool).description('A group').tags(...write([first.toolTag as number], 2)),
      );
    });
  };
  const registry = new ToolRegistry({ name: 'acme', rateLimiter: false });
  registry.register(...(itemsOf(undefined) as never[]));
  const catalog = Object.fromEntries(
    (['alpha', 'beta'] as const).map((key) => [
      key,
      { name: key, description: `Tools of ${key}`, tools: itemsOf(key) as never },
    ]),
  );
  const toPolicy = ({ readOnly, ...tags }: Filters): ViewPolicy => ({
    ...Object.fromEntries(Object.entries(tags).map(([field, list]) => [field, write(list, 1)])),
    ...(readOnly === undefined ? {} : { readOnly }),
  });
  return { registry, catalog, ran, toPolicy };
}

/** The addresses that a view lists, read from the answer to a client. */
function listed(view: View): string[] {
  return view.listTools().flatMap(({ name, inputSchema }) => {
    const { action } = (inputSchema['properties'] ?? {}) as { action?: { enum: string[] } };
    return action ? action.enum.map((key) => `${name}/${key}`) : [name];
  });
}

/** Lists and calls must both match the expectation, for every action. */
async function expectExactly(
  { registry, ran }: Pick<ReturnType<typeof setUp>, 'registry' | 'ran'>,
  view: View,
  all: readonly Plan[],
  expected: (plan: Plan) => boolean,
): Promise<void> {
  const allowed = all.filter(expected).map(addressOf);
  expect(listed(view).toSorted()).toEqual(allowed.toSorted());
  for (const plan of all) {
    const args = plan.action === undefined ? {} : { action: plan.action };
    const result = await registry.executeTool({ name: plan.tool, arguments: args }, view);
    expect(result.isError !== true, addressOf(plan)).toBe(allowed.includes(addressOf(plan)));
  }
  expect(ran.toSorted()).toEqual(allowed.toSorted());
}

describe('policies, for any tags, names and toolsets in any script', () => {
  it('list and run exactly the tools that a view policy allows', async () => {
    await fc.assert(
      fc.asyncProperty(
        plans,
        words,
        filters,
        fc.option(fc.array(fc.nat(7), { maxLength: 4 }), { nil: undefined }),
        fc.array(fc.nat(7), { maxLength: 3 }),
        fc.nat(4),
        async (drafts, vocabulary, filter, only, never, spelling) => {
          const all = drafts.filter(({ toolset }) => toolset === undefined);
          const server = setUp(all, vocabulary, spelling);
          const pick = (positions: readonly number[]) =>
            positions.flatMap((at) => {
              const plan = all[at % all.length];
              return plan ? [at % 2 === 0 ? addressOf(plan) : plan.tool] : [];
            });
          const [actions, exclude] = [only && pick(only), pick(never)];
          const policy = { ...server.toPolicy(filter), ...(actions ? { actions } : {}), exclude };
          await expectExactly(
            server,
            server.registry.view(policy),
            all,
            (plan) => passes(plan, filter) && (!actions || names(plan, actions)) && !names(plan, exclude),
          );
        },
      ),
      { numRuns: runs(150) },
    );
  });

  it('list and run the tools that the exposure policy, the view and the selection all allow', async () => {
    const keys = ['alpha', 'beta'];
    const someKeys = fc.option(fc.subarray(keys), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(
        plans,
        words,
        fc.record({ view: filters, exposure: filters, select: fc.boolean() }),
        fc.record({ allowlist: someKeys, denylist: someKeys, toolsets: someKeys }),
        fc.array(fc.nat(7), { maxLength: 3 }),
        fc.nat(4),
        async (all, vocabulary, { view: filter, exposure, select }, given, never, spelling) => {
          const server = setUp(all, vocabulary, spelling);
          const { allowlist, denylist, toolsets } = given;
          const isReachable = (key: string): boolean =>
            (allowlist?.includes(key) ?? true) && !denylist?.includes(key);
          const { anyTags: _, ...ceiling } = exposure;
          const { anyTags: _any, ...exposureTags } = server.toPolicy(exposure);
          const exposurePolicy: ExposurePolicy = {
            ...exposureTags,
            ...(allowlist ? { allowlist } : {}),
            ...(denylist ? { denylist } : {}),
          };
          const offer = new Exposure(server.registry, {
            view: server.toPolicy(filter),
            toolsets: {
              catalog: server.catalog,
              startup: { mode: 'STATIC', toolsets: 'ALL' },
              exposurePolicy,
            },
          });
          const wanted = toolsets?.filter(isReachable);
          const isActive = (key: string): boolean => isReachable(key) && (wanted?.includes(key) ?? true);
          const isVisible = (plan: Plan): boolean =>
            (plan.toolset === undefined || isActive(plan.toolset)) &&
            passes(plan, filter) &&
            passes(plan, ceiling);
          const visible = all.filter(isVisible);
          const excludeTools = select
            ? never.flatMap((at) =>
                visible
                  .slice(at % visible.length)
                  .slice(0, 1)
                  .map(addressOf),
              )
            : [];
          const selection: Selection = {
            ...(wanted ? { toolsets: wanted } : {}),
            ...(excludeTools.length > 0 ? { excludeTools } : {}),
          };
          const view = await offer.viewFor({ selection });
          await expectExactly(
            server,
            view,
            all,
            (plan) => isVisible(plan) && !excludeTools.includes(addressOf(plan)),
          );
          offer.close();
        },
      ),
      { numRuns: runs(150) },
    );
  });
});
