import { LRUCache } from 'lru-cache';
import type { CompiledSpec } from '../compile/compiled-tool.js';
import { normalizePolicy } from '../views/policy.js';
import type { CompileOptions } from '../views/view.js';
import type { Narrowing } from '../views/policy.js';
import type { Selection } from '../callers/selection.js';
import { canonicalJson } from '../values/json-value.js';

/** What a view of toolsets is made from beside a selection. */
export interface PlanOptions {
  /** What is in the view whatever is active; the same list each time. */
  readonly always?: readonly CompiledSpec[] | undefined;
  /** What the caller sees at most. */
  readonly ceiling?: Narrowing | undefined;
  /** Lets a selection name what is not active. */
  readonly toleratesUnknown?: boolean | undefined;
  /** Leaves out what cannot be loaded, or not soon. Without it the view fails. */
  readonly toleratesFailed?: boolean | undefined;
}

/** What a view is made of, apart from the context. Equal ones are one as long as they are in use. */
export interface ViewPlan {
  /** Equal for equal plans. */
  readonly id: string;
  /** In the order of the catalog. */
  readonly keys: readonly string[];
  /** Whether callers of different contexts get different views. */
  readonly dependsOnContext: boolean;
  /** Whether single tools are named. */
  readonly isPicked: boolean;
  /** Whether what cannot be loaded is left out. */
  readonly toleratesFailed: boolean;
  /** What the registry makes the view from. */
  readonly compileOptions: CompileOptions;
}

/** Maximum number of cached plans. Evicting a plan only costs compiling its views again. */
const MAX_PLANS = 2_000;

/** Plans by what they say: equal ones are one. */
export class ViewPlans {
  readonly #plans = new LRUCache<string, ViewPlan>({ max: MAX_PLANS });
  readonly #dependsOnContext: (keys: readonly string[]) => boolean;
  #lastId = 0;

  constructor(dependsOnContext: (keys: readonly string[]) => boolean) {
    this.#dependsOnContext = dependsOnContext;
  }

  /** `keys` are in the order of the catalog. */
  of(keys: readonly string[], selection: Selection, options: PlanOptions): ViewPlan {
    const narrowing = narrowingOf(selection);
    const { always, ceiling = {}, toleratesUnknown = false, toleratesFailed = false } = options;
    const text = canonicalJson([keys, narrowing, idOf(always), ceiling, toleratesUnknown, toleratesFailed]);
    let plan = this.#plans.get(text);
    if (!plan) {
      plan = Object.freeze({
        id: String((this.#lastId += 1)),
        keys,
        dependsOnContext: this.#dependsOnContext(keys),
        isPicked: narrowing.actions !== undefined || narrowing.exclude !== undefined,
        toleratesFailed,
        compileOptions: { always, ceiling, toleratesUnknown, narrowing },
      });
      this.#plans.set(text, plan);
    }
    return plan;
  }
}

/** A selection in one form, however it is written, so that equal ones are one. */
export function narrowingOf({ tools, excludeTools, readOnly }: Selection): Narrowing {
  return normalizePolicy({
    ...(tools ? { actions: tools } : {}),
    ...(excludeTools && excludeTools.length > 0 ? { exclude: excludeTools } : {}),
    ...(readOnly === true ? { readOnly } : {}),
  });
}

const ids = new WeakMap<object, number>();
let lastId = 0;

/** The same for the same object, for as long as it is there. */
export function idOf(object: object | undefined): number {
  if (!object) return 0;
  let id = ids.get(object);
  if (id === undefined) ids.set(object, (id = lastId += 1));
  return id;
}
