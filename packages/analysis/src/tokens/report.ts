import { profileNames } from '@toolfold/profiles';
import { yieldToEventLoop } from '../steps.js';
import type { ListedTarget, ListedTool } from '../target/opened-target.js';
import { judgeBudget } from './budget.js';
import type { Budget, BudgetLimits, Measured } from './budget.js';
import { countedFields, TOKENIZER } from '@toolfold/testing/internal';
import { lower, lowerAll, measureSurfaces } from './surface-cost.js';
import type { CountOptions, Lowering } from './surface-cost.js';
import { addParts } from './tool-cost.js';
import type { ActionCost, CostParts, ToolCost } from './tool-cost.js';
import { inParts } from './tool-counter.js';

/** Maximum number of measured actions. Measuring one compiles its tool without it, so the work grows with the size of the tool. */
const MAX_ACTIONS = 1_000;

/** The report of `toolfold tokens`, as `--json` prints it. */
export interface TokenReport extends Measured {
  readonly source: string;
  readonly kind: ListedTarget['kind'];
  readonly server: { readonly name?: string | undefined; readonly version?: string | undefined };
  readonly tokenizer: string;
  readonly counted: string;
  /** False if a text was too large to count, or has long runs of one kind of character. */
  readonly isExact: boolean;
  readonly budget?: Budget | undefined;
}

interface ReportOptions extends CountOptions {
  readonly source: string;
  /** Default: the profile for which a file lists its tools; `none` for other targets. */
  readonly profile: Lowering | undefined;
  readonly isAll: boolean;
  readonly limits: BudgetLimits;
}

export async function measure(opened: ListedTarget, options: ReportOptions): Promise<TokenReport> {
  const { source, isAll, limits, counter, profile = opened.profile ?? 'none' } = options;
  const listed = opened.tools.map(({ tool }) => tool);
  const lowered = await lowerAll(listed, profile, options);
  const allParts = await inParts(lowered, counter.split, options.signal);
  const split = lowered.map(({ name }, at): ToolCost => {
    const own = allParts[at] as CostParts;
    return { name, tokens: own.name + own.description + own.fields + own.schema, parts: own };
  });
  const actions = await measureActions(opened, split, { ...options, profile });
  const tools = split
    .map((cost, at) => ({ ...cost, actions: actions.get(at) }))
    .toSorted((one, other) => other.tokens - one.tokens);
  const tokens = tools.reduce((sum, tool) => sum + tool.tokens, 0);
  const parts = addParts(tools.map((tool) => tool.parts));
  const surfaces = await measureSurfaces(opened, isAll ? ['none', ...profileNames] : [profile], options);
  const { name, version } = opened.server;
  const measured = {
    source,
    kind: opened.kind,
    server: { name, version },
    form: opened.form,
    profile,
    tokenizer: TOKENIZER,
    counted: countedFields,
    isExact: counter.isExact(),
    tokens,
    parts,
    tools,
    surfaces,
  };
  return { ...measured, budget: judgeBudget(measured, limits) };
}

/** Measures actions of grouped tools, by the index of the tool, beginning with the most expensive tools. */
async function measureActions(
  { tools, listWithout }: ListedTarget,
  costs: readonly ToolCost[],
  options: CountOptions & { readonly profile: Lowering },
): Promise<ReadonlyMap<number, readonly ActionCost[]>> {
  const { profile, counter } = options;
  const measured = new Map<number, readonly ActionCost[]>();
  if (!listWithout) return measured;
  const order = costs
    .map(({ tokens }, at) => ({ tokens, at }))
    .toSorted((one, other) => other.tokens - one.tokens);
  let left = MAX_ACTIONS;
  for (const { tokens, at } of order) {
    const { tool, actions } = tools[at] as ListedTool;
    if (actions.length < 2 || actions.length > left) continue;
    left -= actions.length;
    const own: ActionCost[] = [];
    for (const { address } of actions) {
      const rest = await listWithout(tool.name, address);
      const [kept = 0] = rest === undefined ? [] : await counter.count([lower(rest, profile)]);
      own.push({ address, tokens: tokens - kept });
      await yieldToEventLoop(options.signal);
    }
    measured.set(
      at,
      own.toSorted((one, other) => other.tokens - one.tokens),
    );
  }
  return measured;
}
