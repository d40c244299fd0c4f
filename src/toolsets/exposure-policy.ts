import { anything, assertOptions, callback, count, flag, listOf, oneOf, record } from '../values/options.js';
import type { Rules } from '../values/options.js';
import { ErrInvalidOptions, ErrInvalidPolicy, ErrTooManyToolsets } from '../errors.js';
import { assertToolset } from './tool-set-catalog.js';
import { profileNames } from '../profiles/profile.js';
import type { ProfileName } from '../profiles/profile.js';
import { assertClients } from '../views/client-table.js';
import type { KnownClient } from '../views/client-table.js';
import { assertPolicy, policyRules } from '../views/policy.js';
import type { ViewPolicy } from '../views/policy.js';
import { assertCodeSettings } from '../code/form/code-settings.js';
import type { CodeSettings } from '../code/form/code-settings.js';
import { assertSearchSettings } from '../search/form/search-settings.js';
import type { SearchSettings } from '../search/form/search-settings.js';

/** The upper limit that the operator sets. Requests can only narrow it. */
export interface ExposurePolicy {
  /** The toolsets that callers can use. Default: all. */
  readonly allowlist?: readonly string[] | undefined;
  /** Toolsets to exclude. Takes precedence over `allowlist`. */
  readonly denylist?: readonly string[] | undefined;
  /** Maximum number of toolsets that are active at once. Default: no limit. */
  readonly maxActiveToolsets?: number | undefined;
  /** Called when a caller exceeds `maxActiveToolsets`. Its errors are ignored. */
  readonly onLimitExceeded?: ((attempted: readonly string[], active: readonly string[]) => void) | undefined;
  /** Prefixes tools with the keys of their toolsets: `create` of the toolset `users` becomes `users_create`. Default: false. */
  readonly namespaceToolsWithSetKey?: boolean | undefined;
  /** Only actions that are declared read-only. Default: false. */
  readonly readOnly?: boolean | undefined;
  /** Only actions with all of these tags. */
  readonly tags?: readonly string[] | undefined;
  /** Tags to exclude. */
  readonly excludeTags?: readonly string[] | undefined;
}

/** The toolsets that a policy allows, in the order of the catalog. */
export function allowedToolsets(policy: ExposurePolicy, keys: readonly string[]): readonly string[] {
  assertExposurePolicy(policy, keys);
  const { allowlist, denylist = [] } = policy;
  return keys.filter((key) => (allowlist?.includes(key) ?? true) && !denylist.includes(key));
}

/** Throws if the configuration activates more toolsets at startup than the policy allows. */
export function assertLimit(
  policy: ExposurePolicy,
  attempted: readonly string[],
  active: readonly string[],
  onError?: (error: unknown) => void,
): void {
  const excess = excessOf(policy, attempted, active, onError);
  if (excess !== undefined) throw new ErrInvalidPolicy(excess, { details: { attempted, active } });
}

/** Throws if a caller selects or enables more toolsets than the policy allows. */
export function assertRoom(
  policy: ExposurePolicy,
  attempted: readonly string[],
  active: readonly string[],
  onError?: (error: unknown) => void,
): void {
  const excess = excessOf(policy, attempted, active, onError);
  if (excess === undefined) return;
  throw new ErrTooManyToolsets(excess, {
    hint: active.length > 0 ? 'Disable one first.' : 'Select fewer.',
    details: { attempted, active },
  });
}

function excessOf(
  { maxActiveToolsets, onLimitExceeded }: ExposurePolicy,
  attempted: readonly string[],
  active: readonly string[],
  onError: (error: unknown) => void = () => {},
): string | undefined {
  const wanted = [...new Set([...active, ...attempted])];
  if (maxActiveToolsets === undefined || wanted.length <= maxActiveToolsets) return undefined;
  tell(() => onLimitExceeded?.(attempted, active), onError);
  return `At most ${maxActiveToolsets} toolsets can be active, and that would be ${wanted.length}: ${wanted.join(', ')}.`;
}

/** Ignores errors and rejections of the listener. */
function tell(listener: () => unknown, onError: (error: unknown) => void): void {
  try {
    Promise.resolve(listener()).catch(onError);
  } catch (error) {
    onError(error);
  }
}

const rules: Rules<keyof ExposurePolicy> = {
  allowlist: listOf('text'),
  denylist: listOf('text'),
  maxActiveToolsets: count,
  onLimitExceeded: callback,
  namespaceToolsWithSetKey: flag,
  readOnly: flag,
  tags: listOf('text'),
  excludeTags: listOf('text'),
};

/** Rejects unknown and invalid fields, because a misspelt limit would not apply. */
function assertExposurePolicy(policy: ExposurePolicy, keys: readonly string[]): void {
  assertOptions('exposurePolicy', policy, rules, { nameOf: (name) => `exposurePolicy.${name}` });
  for (const name of ['allowlist', 'denylist'] as const)
    for (const key of policy[name] ?? []) assertToolset(key, keys, `exposurePolicy.${name}`);
}

/** A view policy, or the search or code form with its options. */
export interface OfferedView extends Omit<ViewPolicy, 'form' | 'profile'> {
  /**
   * The form of the tools. With `search`, clients list five fixed tools that find and call all others. With `code`, they list three
   * tools: two that find and describe all others, and `run_code`, whose code calls them. With `auto`, the form depends on the client: see
   * `clients`. Default: `grouped`.
   */
  readonly form?: 'grouped' | 'flat' | 'search' | 'code' | 'auto' | undefined;
  /**
   * The client or model API that must accept the listed tools. With `client`, it depends on the client: see `clients`. With `none`,
   * tools are listed as their authors wrote them. Default: `portable`.
   */
  readonly profile?: ProfileName | 'none' | 'client' | undefined;
  /** Rows that `form: 'auto'` and `profile: 'client'` use before those of `defaultClients`. Default: none. */
  readonly clients?: readonly KnownClient[] | undefined;
  /** Tools that stay listed beside the tools of the search or code form, by name or address. */
  readonly pinned?: readonly string[] | undefined;
  /**
   * Whether pinned tools may be missing, because the servers that offer them are down. Default: a missing one is an error.
   *
   * @internal
   */
  readonly optionalPins?: boolean | undefined;
  /** How the search and the code form find tools. */
  readonly search?: SearchSettings | undefined;
  /** The calls that code may make in the code form, its limits, and the sandbox that runs it. */
  readonly code?: CodeSettings | undefined;
}

const viewRules: Rules<keyof OfferedView> = {
  ...policyRules,
  form: oneOf('grouped', 'flat', 'search', 'code', 'auto'),
  profile: oneOf(...profileNames, 'none', 'client'),
  clients: [Array.isArray, 'a list of clients, as in defaultClients'],
  pinned: listOf('names and addresses'),
  optionalPins: flag,
  search: record('{ ranker, lexicon, learn, sidecar }'),
  // Checked below, with its fields.
  code: anything,
};

export function assertOfferedView(view: OfferedView): void {
  assertPolicy(view, viewRules);
  if (view.clients) assertClients(view.clients);
  if (view.search) assertSearchSettings(view.search);
  if (view.code === undefined) return;
  assertCodeSettings(view.code);
  if (view.form !== 'code' && view.form !== 'auto')
    throw new ErrInvalidOptions('"code" of the view policy applies only to the code form.', {
      hint: "Write form: 'code' beside it, or leave it out.",
      details: { field: 'code' },
    });
}
