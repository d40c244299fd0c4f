import type { Form } from '../target/opened-target.js';
import type { Lowering, SurfaceCost } from './surface-cost.js';
import type { CostParts, ToolCost } from './tool-cost.js';

export interface Measured {
  readonly form?: Form | undefined;
  readonly profile: Lowering;
  readonly tokens: number;
  readonly parts: CostParts;
  /** Sorted by tokens, the most expensive first. */
  readonly tools: readonly ToolCost[];
  /** The forms of a file; with `--all`, every form for every profile. */
  readonly surfaces: readonly SurfaceCost[];
}

/** Limits from `--budget` and `--tool-budget`. */
export interface BudgetLimits {
  readonly total?: number | undefined;
  readonly perTool?: number | undefined;
}

export interface Saving {
  readonly change: string;
  readonly tokens: number;
}

export interface Budget {
  readonly limit?: number | undefined;
  readonly toolLimit?: number | undefined;
  readonly isExceeded: boolean;
  /** Tokens above `limit`; 0 if the list fits. */
  readonly over: number;
  /** Filled only if the list exceeds its limit. */
  readonly mostExpensive: readonly { readonly name: string; readonly tokens: number }[];
  readonly tools: readonly { readonly name: string; readonly tokens: number; readonly over: number }[];
  /** Suggestions, the largest saving first, if the list exceeds its limit. */
  readonly savings: readonly Saving[];
}

const SHOWN = 3;

/** Compares a report with its limits. Returns `undefined` without limits. */
export function judgeBudget(report: Measured, { total, perTool }: BudgetLimits): Budget | undefined {
  if (total === undefined && perTool === undefined) return undefined;
  const over = total === undefined ? 0 : Math.max(0, report.tokens - total);
  const tools =
    perTool === undefined
      ? []
      : report.tools
          .filter(({ tokens }) => tokens > perTool)
          .map(({ name, tokens }) => ({ name, tokens, over: tokens - perTool }));
  return {
    limit: total,
    toolLimit: perTool,
    isExceeded: over > 0 || tools.length > 0,
    over,
    mostExpensive:
      over === 0 ? [] : report.tools.slice(0, SHOWN).map(({ name, tokens }) => ({ name, tokens })),
    tools,
    savings: over === 0 ? [] : findSavings(report),
  };
}

function findSavings({ tokens, form, profile, parts, tools, surfaces }: Measured): Saving[] {
  const isOther = (surface: SurfaceCost): boolean => surface.form !== form && surface.profile === profile;
  const forms = surfaces.flatMap((surface) =>
    'tokens' in surface && isOther(surface)
      ? [{ change: `the form ${surface.form}`, tokens: tokens - surface.tokens }]
      : [],
  );
  return [
    ...forms,
    { change: 'no descriptions of fields', tokens: parts.fields },
    { change: 'no descriptions of tools', tokens: parts.description },
    ...tools.slice(0, SHOWN).map(({ name, tokens: own }) => ({ change: `without ${name}`, tokens: own })),
  ]
    .filter((saving) => saving.tokens > 0)
    .toSorted((one, other) => other.tokens - one.tokens)
    .slice(0, SHOWN);
}
