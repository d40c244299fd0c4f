import { assertOptions, flag, listOf } from '../values/options.js';
import type { Rules } from '../values/options.js';
import type { CompiledForm } from '../compile/compiled-tool.js';
import { ErrInvalidPolicy } from '../errors.js';
import { toComparableTag } from '../model/tool.js';

/** Which actions a view holds, and in which form. What is not said does not narrow. */
export interface ViewPolicy extends CompiledForm {
  /** Only actions that carry all of these tags, their own or their tool's. */
  readonly tags?: readonly string[];
  /** Only actions that carry one of these. */
  readonly anyTags?: readonly string[];
  /** No action that carries one of these. */
  readonly excludeTags?: readonly string[];
  /** Only these tools, by ID (`platform`, `acme:platform`), and actions, by address (`acme:platform/users.create`). */
  readonly actions?: readonly string[];
  /** None of these. */
  readonly exclude?: readonly string[];
  /** Only actions that are declared to change nothing. */
  readonly readOnly?: boolean;
}

/** What a request selects of a view. */
export type Narrowing = Pick<ViewPolicy, 'actions' | 'exclude' | 'readOnly'>;

const tagFilters: ReadonlySet<string> = new Set([
  'tags',
  'anyTags',
  'excludeTags',
] satisfies (keyof ViewPolicy)[]);

/** The same policy in one form, however it is written, so that it is compiled once. */
export function normalizePolicy(policy: ViewPolicy): ViewPolicy {
  assertPolicy(policy);
  const entries = Object.entries(policy)
    .filter(
      ([key, value]) => value !== undefined && value !== false && !(key === 'form' && value === 'grouped'),
    )
    .map(([key, value]): [string, unknown] => {
      if (!Array.isArray(value)) return [key, value];
      const names = value as readonly string[];
      const compared = tagFilters.has(key) ? names.map(toComparableTag) : names;
      return [key, [...new Set(compared)].toSorted()];
    });
  return Object.fromEntries(entries) as ViewPolicy;
}

/** A policy may come from a file. */
const policyForms: Rules<keyof ViewPolicy> = {
  tags: listOf('tags'),
  anyTags: listOf('tags'),
  excludeTags: listOf('tags'),
  actions: listOf('addresses'),
  exclude: listOf('addresses'),
  readOnly: flag,
  form: [(value) => value === 'grouped' || value === 'flat', '"grouped" or "flat"'],
  split: [(value) => value === 'risk', '"risk"'],
};

function assertPolicy(policy: ViewPolicy): void {
  assertOptions('A view policy', policy, policyForms, {
    error: ErrInvalidPolicy,
    nameOf: (name) => `"${name}" of a view policy`,
  });
}
