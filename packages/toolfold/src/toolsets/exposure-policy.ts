import {
  anything,
  assertOptions,
  callback,
  count,
  flag,
  isPlain,
  listOf,
  oneOf,
  record,
} from '@toolfold/schema/internal';
import type { Rules } from '@toolfold/schema/internal';
import { ErrInvalidOptions, ErrInvalidPolicy, ErrTooManyToolsets } from '@toolfold/schema/errors';
import { assertToolset } from './tool-set-catalog.js';
import { profileNames } from '@toolfold/profiles';
import type { ProfileName } from '@toolfold/profiles';
import { assertClients } from '../views/client-table.js';
import type { KnownClient } from '../views/client-table.js';
import { assertPolicy, policyRules } from '../views/policy.js';
import type { ViewPolicy } from '../views/policy.js';
import { assertForm } from './forms/form.js';
import type { Form } from './forms/form.js';
import type { NamedForm, NamedFormSettings } from './forms/load-form.js';

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
  (async () => onLimitExceeded?.(attempted, active))().catch(onError);
  return `At most ${maxActiveToolsets} toolsets can be active, and that would be ${wanted.length}: ${wanted.join(', ')}.`;
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
export interface OfferedView extends Omit<ViewPolicy, 'form' | 'profile'>, NamedFormSettings {
  /**
   * The form of the tools. With `search`, clients list five fixed tools that find and call all others. With `code`, they list three
   * tools: two that find and describe all others, and `run_code`, whose code calls them. With `auto`, the form depends on the client: see
   * `clients`. A `Form` is a form of your own, or one of these with its settings, such as `searchForm({ ranker })`. Default: `grouped`.
   */
  readonly form?: 'grouped' | 'flat' | NamedForm | 'auto' | Form | undefined;
  /**
   * The client or model API that must accept the listed tools. With `client`, it depends on the client: see `clients`. With `none`,
   * tools are listed as their authors wrote them. Default: `client`.
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
}

const [isFormName, formName] = oneOf('grouped', 'flat', 'search', 'code', 'auto');

const viewRules: Rules<keyof OfferedView> = {
  ...policyRules,
  // A form object is checked below, with its fields.
  form: [(value) => isPlain(value) || isFormName(value), `${formName} or a Form`],
  profile: oneOf(...profileNames, 'none', 'client'),
  clients: [Array.isArray, 'a list of clients, as in defaultClients'],
  pinned: listOf('names and addresses'),
  optionalPins: flag,
  // The forms check the fields when they are loaded.
  search: record('{ ranker, sidecar }'),
  code: anything,
};

export function assertOfferedView(view: OfferedView): void {
  assertPolicy(view, viewRules);
  if (view.clients) assertClients(view.clients);
  if (typeof view.form === 'object') assertForm(view.form);
  if (view.code !== undefined && view.form !== 'code' && view.form !== 'auto')
    throw new ErrInvalidOptions('"code" of the view policy applies only to the code form.', {
      hint: "Write form: 'code' beside it, or leave it out.",
      details: { field: 'code' },
    });
}
