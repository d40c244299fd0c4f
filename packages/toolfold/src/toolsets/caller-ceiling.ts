import { assertOptions, flag, invalidOption, isJsonObject, listOf } from '@toolfold/schema/internal';
import type { Rules } from '@toolfold/schema/internal';
import type { Caller, CallerAuth, Selection } from '../callers/caller.js';
import { scopesOf } from '../registry/registered-tools.js';
import { NO_NARROWING, compileNarrowing } from '../views/policy.js';
import type { CompiledNarrowing } from '../views/policy.js';
import type { View } from '../views/view.js';
import { getOrMake } from '../values/get-or-make.js';

type SelectByCaller = (auth: CallerAuth | undefined) => Selection | undefined;

const rules: Rules<keyof Selection> = {
  toolsets: listOf('names'),
  tools: listOf('names'),
  excludeTools: listOf('names'),
  readOnly: flag,
};

/** The upper limit of what a caller can see, derived from its verified identity. */
export interface CallerCeiling {
  readonly reachable: readonly string[];
  readonly narrowing: CompiledNarrowing;
}

/** Returns the ceiling of a caller. `reachable` are the toolsets of callers for whom `select` returns nothing. */
export function createCeilings(
  reachable: readonly string[],
  select: SelectByCaller | undefined,
): (caller: Caller | undefined) => CallerCeiling {
  const everybody = { reachable, narrowing: NO_NARROWING };
  if (!select) return () => everybody;
  const read = (auth: CallerAuth | undefined): CallerCeiling => {
    const selected = select(auth);
    // A mistake must not widen access.
    assertSelected(selected);
    if (!selected) return everybody;
    const { toolsets } = selected;
    return {
      reachable: toolsets ? reachable.filter((each) => toolsets.includes(each)) : reachable,
      // The operator may return the same object with other contents, so it is copied before it is compiled.
      narrowing: compileNarrowing({ ...selected }),
    };
  };
  // A request is looked up several times, and `select` is called once for it.
  const known = new WeakMap<Caller, CallerCeiling>();
  return (caller) => (caller ? getOrMake(known, caller, () => read(caller.auth)) : read(undefined));
}

function assertSelected(selected: unknown): void {
  if (selected === undefined) return;
  if (!isJsonObject(selected) || 'then' in selected) {
    if (selected instanceof Promise) selected.catch(() => undefined);
    throw invalidOption(
      'The result of select',
      '{ toolsets, tools, excludeTools, readOnly } or undefined, and not a promise',
    );
  }
  assertOptions('The result of select', selected, rules, {
    nameOf: (name) => `"${name}" of the result of select`,
  });
}

const needed = new WeakMap<View, readonly string[]>();

/**
 * Returns the caller's scopes that actions of a view need, sorted. They are part of the key of the caller's view, so
 * callers whose tokens differ only in other scopes share a view.
 */
export function grantedScopes(view: View, caller: Caller | undefined): readonly string[] {
  const given: unknown = caller?.auth?.['scopes'];
  if (!Array.isArray(given)) return [];
  const scopes = getOrMake(needed, view, () => scopesOf([...view.tools.values()]));
  const held = new Set<unknown>(given);
  return scopes.filter((scope) => held.has(scope));
}
