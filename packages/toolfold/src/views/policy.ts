import { assertOptions, canonicalJson, deepFreeze, flag, listOf, oneOf } from '@toolfold/schema/internal';
import type { Rules } from '@toolfold/schema/internal';
import type { CompiledForm } from '../compile/compiled-tool.js';
import { profileNames } from '@toolfold/profiles';
import type { ProfileName } from '@toolfold/profiles';
import type { Selection } from '../callers/caller.js';
import { toComparableTag } from '../model/tool.js';

/** The actions of a view, and its form. A filter that is left out does not narrow the view. */
export interface ViewPolicy extends CompiledForm {
  /** Only actions with all of these tags, their own or their tool's. */
  readonly tags?: readonly string[];
  /** Only actions with at least one of these tags. */
  readonly anyTags?: readonly string[];
  /** Tags to exclude. Takes precedence over `tags` and `anyTags`. */
  readonly excludeTags?: readonly string[];
  /** Only these tools, by ID (`platform`, `acme:platform`), and actions, by address (`acme:platform/users.create`). */
  readonly actions?: readonly string[];
  /** Tools and actions to exclude. Takes precedence over the other filters. */
  readonly exclude?: readonly string[];
  /** Only actions that are declared read-only. Default: false. */
  readonly readOnly?: boolean;
  /**
   * The client or model API that must accept the listed tools. Tools that it would reject are rewritten. With `none`, tools are
   * listed as their authors wrote them. `standard` has the rules of most clients and changes no argument. Default:
   * `standard`.
   */
  readonly profile?: ProfileName | 'none' | undefined;
}

export type ViewProfile = NonNullable<ViewPolicy['profile']>;

/** The profile of views that name none, and of clients that are not in the table. */
export const DEFAULT_PROFILE: ProfileName = 'standard';

export function profileOf({ profile = DEFAULT_PROFILE }: ViewPolicy): ProfileName | undefined {
  return profile === 'none' ? undefined : profile;
}

/** The part of a view policy that a request can select. */
export type Narrowing = Pick<ViewPolicy, 'actions' | 'exclude' | 'readOnly'>;

const tagFilters: ReadonlySet<string> = new Set([
  'tags',
  'anyTags',
  'excludeTags',
] satisfies (keyof ViewPolicy)[]);

/** A policy that was checked and normalised, and the key under which its view is cached. Created once, not per request. */
export interface CompiledPolicy {
  readonly key: string;
  readonly policy: ViewPolicy;
}

export function compilePolicy(given: ViewPolicy): CompiledPolicy {
  assertPolicy(given);
  const policy = deepFreeze(normalizePolicy(given));
  return Object.freeze({ key: canonicalJson(policy), policy });
}

export const WHOLE: CompiledPolicy = Object.freeze({ key: '{}', policy: Object.freeze({}) });

/** The tools that a selection names, normalised, and their part of the key of a view. */
export interface CompiledNarrowing {
  readonly key: string;
  readonly narrowing: Narrowing;
}

/** Requests share the selections that are read from headers and paths, which are frozen. Each is normalised once. */
const narrowings = new WeakMap<Selection, CompiledNarrowing>();
export const NO_NARROWING: CompiledNarrowing = Object.freeze({ key: '', narrowing: Object.freeze({}) });

export function compileNarrowing(selection: Selection): CompiledNarrowing {
  let compiled = narrowings.get(selection);
  if (!compiled) {
    const { tools, excludeTools, readOnly } = selection;
    const { key, policy: narrowing } = compilePolicy({
      ...(tools ? { actions: tools } : {}),
      ...(excludeTools && excludeTools.length > 0 ? { exclude: excludeTools } : {}),
      ...(readOnly === true ? { readOnly } : {}),
    });
    compiled = key === '{}' ? NO_NARROWING : { key, narrowing };
    if (Object.isFrozen(selection)) narrowings.set(selection, compiled);
  }
  return compiled;
}

/** Defaults that are left out of normalised policies. */
const defaults: ReadonlyMap<string, unknown> = new Map([
  ['form', 'grouped'],
  ['profile', DEFAULT_PROFILE],
]);

/** Brings equal policies into the same form, so that they share one view. */
function normalizePolicy(policy: ViewPolicy): ViewPolicy {
  const entries = Object.entries(policy)
    .filter(([key, value]) => value !== undefined && value !== false && value !== defaults.get(key))
    .map(([key, value]): [string, unknown] => {
      if (!Array.isArray(value)) return [key, value];
      const names = value as readonly string[];
      const compared = tagFilters.has(key) ? names.map(toComparableTag) : names;
      return [key, [...new Set(compared)].toSorted()];
    });
  return Object.fromEntries(entries) as ViewPolicy;
}

/** The rules for policies, which may come from a configuration file. */
export const policyRules: Rules<keyof ViewPolicy> = {
  tags: listOf('tags'),
  anyTags: listOf('tags'),
  excludeTags: listOf('tags'),
  actions: listOf('addresses'),
  exclude: listOf('addresses'),
  readOnly: flag,
  form: [
    (value) => value === 'grouped' || value === 'flat',
    '"grouped" or "flat" here (the view of a server or an Exposure can also be "search", "code" or "auto")',
  ],
  split: oneOf('risk'),
  profile: oneOf(...profileNames, 'none'),
};

/** Rejects unknown and invalid fields, because a misspelt filter would leave every tool visible. */
export function assertPolicy(policy: object, rules: Rules = policyRules): void {
  assertOptions('The view policy', policy, rules, { nameOf: (name) => `"${name}" of the view policy` });
}
