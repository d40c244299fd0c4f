import type { Caller } from '../callers/caller.js';
import { scopesOf } from '../registry/registered-tools.js';
import type { View } from '../views/view.js';
import type { ViewPlan } from './view-plan.js';

/**
 * Those of some scopes that a caller has, in their order. A view is compiled from this list and cached under it, so callers whose
 * tokens differ only in other scopes share a view.
 */
export function grantedScopes(needed: readonly string[], caller: Caller | undefined): readonly string[] {
  const given: unknown = caller?.auth?.['scopes'];
  if (!Array.isArray(given)) return [];
  const held = new Set<unknown>(given);
  return needed.filter((scope) => held.has(scope));
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
