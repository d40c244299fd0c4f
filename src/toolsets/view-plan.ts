import type { CompiledSpec } from '../compile/compiled-tool.js';
import type { KeptViews, PendingView } from '../views/view-cache.js';
import type { Offer, OfferedPolicy } from '../views/offers.js';
import type { CompileOptions, View } from '../views/view.js';
import type { Caller } from '../callers/caller.js';
import { scopesOf } from '../registry/registered-tools.js';
import { grantedScopes } from './caller-ceiling.js';
import type { CallerCeiling } from './caller-ceiling.js';

/** The tools that a request lists, and the form and profile of its server's offer. */
export interface Listing {
  /** `session`: the enabled toolsets and the tools that enable more. `search`: the tools of the search or code form, which find and call others. */
  readonly form: 'listed' | 'search' | 'session';
  readonly offer: Offer;
}

/** Conditions of a view beside the tools that a request selects. */
export interface PlanOptions {
  /** Tools that the view always holds. Pass the same list each time. */
  readonly always?: readonly CompiledSpec[] | undefined;
  /** The upper limit of what the caller can see. */
  readonly ceiling?: Pick<CallerCeiling, 'key' | 'narrowing'> | undefined;
  /** Whether the selection may name tools that are not active. */
  readonly toleratesUnknown?: boolean | undefined;
  /** Whether toolsets that fail to load, or take long, are left out. By default the view fails. */
  readonly toleratesFailed?: boolean | undefined;
}

/** The tools of a view, apart from the caller's context. */
export interface ViewPlan {
  /** Equal for equal plans. */
  readonly key: string;
  /** The key of the plan without the selection of tools. */
  readonly wholeKey: string;
  /** The toolsets, in the order of the catalog. */
  readonly keys: readonly string[];
  /** Whether callers with different contexts get different views. */
  readonly dependsOnContext: boolean;
  /** Whether single tools are named. */
  readonly isPicked: boolean;
  readonly toleratesFailed: boolean;
  readonly compileOptions: CompileOptions;
}

/** How a view is built and cached. */
export interface ViewOptions {
  /** The form and the profile of the view. Views of different offers are different views. Default: those of the policy. */
  readonly offer?: { readonly key: string; readonly policy: OfferedPolicy } | undefined;
  /** Puts the view into the form of its offer. */
  readonly shape?: ((view: View, isPartial: boolean) => PendingView) | undefined;
  /** The views of the requesting client. */
  readonly kept?: KeptViews | undefined;
  /** Called with errors of toolsets that were left out, and with the reason why a stale view is returned. */
  readonly onFailed?: ((error: unknown) => void) | undefined;
  /** Called when the view was not cached and had to be compiled. */
  readonly onMade?: (() => void) | undefined;
}

const scopes = new WeakMap<View, readonly string[]>();

/** All scopes that the actions of a view need, sorted. */
function scopesIn(view: View): readonly string[] {
  let known = scopes.get(view);
  if (!known) scopes.set(view, (known = scopesOf([...view.tools.values()])));
  return known;
}

/** A plan for those actions for which the caller has the scopes. `whole` is the view of the plan without the selection. */
export function withGrantedScopes(plan: ViewPlan, whole: View, caller: Caller | undefined): ViewPlan {
  const granted = grantedScopes(scopesIn(whole), caller);
  return {
    ...plan,
    key: `${plan.key} ${JSON.stringify(granted)}`,
    compileOptions: { ...plan.compileOptions, granted },
  };
}
