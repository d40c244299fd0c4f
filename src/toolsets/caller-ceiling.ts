import { LRUCache } from 'lru-cache';
import { assertOptions, flag, listOf } from '../values/options.js';
import type { Rules } from '../values/options.js';
import type { Caller, CallerAuth } from '../callers/caller.js';
import { ErrInvalidPolicy } from '../errors.js';
import type { Narrowing } from '../views/policy.js';
import type { Selection } from '../callers/selection.js';
import { isJsonObject } from '../values/json-value.js';
import { narrowingOf } from './view-plan.js';

type SelectByCaller = (auth: CallerAuth | undefined) => Selection | undefined;

const forms: Rules<keyof Selection> = {
  toolsets: listOf('names'),
  tools: listOf('names'),
  excludeTools: listOf('names'),
  readOnly: flag,
};

/** What a caller can get at, by what was verified of it. */
export interface Grant {
  readonly reachable: readonly string[];
  readonly ceiling?: Narrowing;
}

const MAX_GRANTS = 2_000;

/** Grants of callers. Equal answers of the operator's function are one, whatever objects they are. */
export class Grants {
  readonly #everybody: Grant;
  readonly #grantTo: ((caller: Caller | undefined) => Selection | undefined) | undefined;
  readonly #grants = new LRUCache<string, Grant>({ max: MAX_GRANTS });

  /** `reachable` are the toolsets that anybody can get at of whom `select` says nothing. */
  constructor(reachable: readonly string[], select?: SelectByCaller) {
    this.#everybody = { reachable };
    this.#grantTo = select && askOnce(select);
  }

  /** Whether two callers may get at different tools. */
  get differ(): boolean {
    return this.#grantTo !== undefined;
  }

  of(caller: Caller | undefined): Grant {
    const granted = this.#grantTo?.(caller);
    if (!granted) return this.#everybody;
    const { toolsets, tools, excludeTools, readOnly } = granted;
    const key = JSON.stringify([toolsets, tools, excludeTools, readOnly]);
    let grant = this.#grants.get(key);
    if (!grant) {
      const { reachable } = this.#everybody;
      grant = {
        reachable: toolsets ? reachable.filter((each) => toolsets.includes(each)) : reachable,
        ceiling: narrowingOf(granted),
      };
      this.#grants.set(key, grant);
    }
    return grant;
  }
}

/** Asks once for each request of a caller. A slip in the answer opens nothing: it throws. */
function askOnce(select: SelectByCaller): (caller: Caller | undefined) => Selection | undefined {
  const known = new WeakMap<Caller, { readonly grant: Selection | undefined }>();
  return (caller) => {
    const before = caller && known.get(caller);
    if (before) return before.grant;
    const grant = select(caller?.auth);
    assertGrant(grant);
    if (caller) known.set(caller, { grant });
    return grant;
  };
}

function assertGrant(grant: unknown): void {
  if (grant === undefined) return;
  if (!isJsonObject(grant) || 'then' in grant) {
    if (grant instanceof Promise) grant.catch(() => undefined);
    throw new ErrInvalidPolicy(
      'select must return { toolsets, tools, excludeTools, readOnly } or undefined, at once.',
    );
  }
  assertOptions('What select returned', grant, forms, {
    error: ErrInvalidPolicy,
    nameOf: (name) => `"${name}" of what select returned`,
  });
}
