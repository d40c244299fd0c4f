import { assertOptions, callback, flag, listOf } from '../values/options.js';
import type { Rules } from '../values/options.js';
import { ErrInvalidPolicy, ErrTooManyToolsets } from '../errors.js';
import { assertToolset } from './tool-set-catalog.js';
import type { ViewPolicy } from '../views/policy.js';
import { isJsonObject } from '../values/json-value.js';
import type { CreateRanker } from '../search/form/open-search.js';

/** The operator's ceiling: what a request can select from. */
export interface ExposurePolicy {
  /** Only these toolsets. */
  readonly allowlist?: readonly string[] | undefined;
  /** None of these, whatever else says so. */
  readonly denylist?: readonly string[] | undefined;
  /** How many toolsets may be active at once; no limit by default. */
  readonly maxActiveToolsets?: number | undefined;
  /** Told when somebody wants more. What it throws or rejects with changes no answer. */
  readonly onLimitExceeded?: ((attempted: readonly string[], active: readonly string[]) => void) | undefined;
  /** Whether `create` of the toolset `users` is called `users_create`. Default: false. */
  readonly namespaceToolsWithSetKey?: boolean | undefined;
  /** Only actions that are declared to change nothing. */
  readonly readOnly?: boolean | undefined;
  /** Only actions that carry all of these tags. */
  readonly tags?: readonly string[] | undefined;
  /** No action that carries one of these. */
  readonly excludeTags?: readonly string[] | undefined;
}

/** The toolsets that a policy lets be reached, in the order of the catalog. */
export function allowedToolsets(policy: ExposurePolicy, keys: readonly string[]): readonly string[] {
  assertExposurePolicy(policy, keys);
  const { allowlist, denylist = [] } = policy;
  return keys.filter((key) => (allowlist?.includes(key) ?? true) && !denylist.includes(key));
}

/** Throws when so many toolsets may not be active from the start. */
export function assertLimit(
  policy: ExposurePolicy,
  attempted: readonly string[],
  active: readonly string[],
  onError?: (error: unknown) => void,
): void {
  const excess = excessOf(policy, attempted, active, onError);
  if (excess !== undefined) throw new ErrInvalidPolicy(excess, { details: { attempted, active } });
}

/** The same for what a caller wants. */
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

/** A listener that fails, now or later, changes no answer and ends no process. */
function tell(listener: () => unknown, onError: (error: unknown) => void): void {
  try {
    Promise.resolve(listener()).catch(onError);
  } catch (error) {
    onError(error);
  }
}

const forms: Rules<keyof ExposurePolicy> = {
  allowlist: listOf('text'),
  denylist: listOf('text'),
  maxActiveToolsets: [
    (value) => Number.isInteger(value) && (value as number) >= 1,
    'a whole number of at least 1',
  ],
  onLimitExceeded: callback,
  namespaceToolsWithSetKey: flag,
  readOnly: flag,
  tags: listOf('text'),
  excludeTags: listOf('text'),
};

/** A slip in the ceiling must not open it. */
function assertExposurePolicy(policy: ExposurePolicy, keys: readonly string[]): void {
  assertOptions('An exposure policy', policy, forms, {
    error: ErrInvalidPolicy,
    nameOf: (name) => `exposurePolicy.${name}`,
  });
  for (const name of ['allowlist', 'denylist'] as const)
    for (const key of policy[name] ?? []) assertToolset(key, keys, `exposurePolicy.${name}`);
}

/** What is offered, and how. */
export interface OfferedView extends Omit<ViewPolicy, 'form'> {
  /** `search`: tools are found and called through a few that are always the same. Default: `grouped`. */
  readonly form?: 'grouped' | 'flat' | 'search' | undefined;
  /** The tools that stay listed beside those of the search, by name or address. */
  readonly pinned?: readonly string[] | undefined;
  /** Ranks beside the search that Toolfold brings, such as by embeddings. */
  readonly ranker?: CreateRanker | undefined;
}

/** A slip must not leave everything open. */
export function assertOffer(view: OfferedView): void {
  if (!isJsonObject(view as unknown)) throw new ErrInvalidPolicy('A view policy is an object.');
  const { form, pinned, ranker } = view;
  if (form !== undefined && form !== 'grouped' && form !== 'flat' && form !== 'search')
    throw new ErrInvalidPolicy('"form" of a view policy must be "grouped", "flat" or "search".');
  if (pinned !== undefined && !(Array.isArray(pinned) && pinned.every((name) => typeof name === 'string')))
    throw new ErrInvalidPolicy('"pinned" of a view policy must be a list of names.');
  if (ranker !== undefined && typeof ranker !== 'function')
    throw new ErrInvalidPolicy('"ranker" of a view policy must be a function.');
}
