import { assertOptions, flag, invalidOption, listOf } from '../values/options.js';
import type { Rules } from '../values/options.js';
import type { Caller, CallerAuth, Selection } from '../callers/caller.js';
import { compileNarrowing } from '../views/policy.js';
import type { Narrowing } from '../views/policy.js';
import { isJsonObject } from '../values/json-value.js';

type SelectByCaller = (auth: CallerAuth | undefined) => Selection | undefined;

const rules: Rules<keyof Selection> = {
  toolsets: listOf('names'),
  tools: listOf('names'),
  excludeTools: listOf('names'),
  readOnly: flag,
};

/** The upper limit of what a caller can see, derived from its verified identity. */
export interface CallerCeiling {
  /** Equal for callers that can see the same. Part of the key of their views. */
  readonly key: string;
  /** The toolsets that the caller can use. */
  readonly reachable: readonly string[];
  /** The limits on tools within those toolsets. */
  readonly narrowing: Narrowing;
}

/** The ceilings of callers, as the operator's `select` function returns them. */
export class CallerCeilings {
  readonly #everybody: CallerCeiling;
  readonly #select: SelectByCaller | undefined;
  /** A request is looked up several times, and `select` is called once for it. */
  readonly #known = new WeakMap<Caller, CallerCeiling>();

  /** `reachable` are the toolsets of callers for whom `select` returns nothing. */
  constructor(reachable: readonly string[], select?: SelectByCaller) {
    this.#everybody = { key: '', reachable, narrowing: {} };
    this.#select = select;
  }

  /** Whether two callers may see different tools. */
  get differ(): boolean {
    return this.#select !== undefined;
  }

  of(caller: Caller | undefined): CallerCeiling {
    if (!this.#select) return this.#everybody;
    let ceiling = caller && this.#known.get(caller);
    if (!ceiling) {
      ceiling = this.#read(this.#select(caller?.auth));
      if (caller) this.#known.set(caller, ceiling);
    }
    return ceiling;
  }

  /** Throws if `select` returns anything but a selection, because a mistake must not widen access. */
  #read(selected: Selection | undefined): CallerCeiling {
    assertSelected(selected);
    if (!selected) return this.#everybody;
    const { toolsets } = selected;
    const { reachable } = this.#everybody;
    // The operator may return the same object with other contents, so it is copied before it is compiled.
    const { key, narrowing } = compileNarrowing({ ...selected });
    return {
      key: JSON.stringify([toolsets, key]),
      reachable: toolsets ? Object.freeze(reachable.filter((each) => toolsets.includes(each))) : reachable,
      narrowing,
    };
  }
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

/** The toolsets of a list that a caller can reach. */
export function keepReachable(keys: readonly string[], reachable: readonly string[]): readonly string[] {
  return keys === reachable ? reachable : keys.filter((key) => reachable.includes(key));
}

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
