import {
  anything,
  assertOptions,
  callback,
  invalidOption,
  isFunction,
  names,
  oneOf,
  record,
} from '@toolfold/schema/internal';
import type { Rules } from '@toolfold/schema/internal';
import { ErrInvalidPolicy } from '@toolfold/schema/errors';
import { compilePolicy } from '../views/policy.js';
import type { ViewPolicy } from '../views/policy.js';
import { assertLimit, assertOfferedView } from './exposure-policy.js';
import type { OfferedView, ExposurePolicy } from './exposure-policy.js';
import type { RequestOptions } from '../engine/request.js';
import type { CallerAuth, Selection } from '../callers/caller.js';
import type { SessionContextConfig } from '../callers/session-context.js';
import { bundleRules } from './client-cache.js';
import type { ClientBundlesOptions } from './client-cache.js';
import type { ModuleLoader } from './module-loader.js';
import type { ToolSetCatalog } from './tool-set-catalog.js';
import { assertToolset } from './tool-set-catalog.js';

/** The configuration of toolsets. */
export interface ToolsetConfig<App = unknown> {
  /** All toolsets, by their keys. */
  readonly catalog: ToolSetCatalog<App>;
  /** The loaders of the modules that the catalog names. Default: none. */
  readonly moduleLoaders?: Readonly<Record<string, ModuleLoader<App>>>;
  /** Milliseconds after which a loader fails. It runs again when it is next needed. Default: 30,000. */
  readonly loaderTimeoutMs?: number;
  /** The toolsets that are active at the start. */
  readonly startup: {
    /** `DYNAMIC`: clients enable toolsets or search for tools. `STATIC`: the toolsets below are always active. */
    readonly mode: 'DYNAMIC' | 'STATIC';
    /**
     * With `STATIC`, the active toolsets. With `DYNAMIC`, the toolsets that a session begins with, and whose tools stay
     * listed beside the search tools. Default: none.
     */
    readonly toolsets?: readonly string[] | 'ALL';
  };
  /** The context of loaders and handlers. The session context of a request can override it. */
  readonly context?: { readonly accessToken?: string } & Readonly<Record<string, unknown>>;
  /** How requests set the session context of their callers. Default: they cannot. */
  readonly sessionContext?: SessionContextConfig;
  /** The upper limit of all callers. Default: everything. */
  readonly exposurePolicy?: ExposurePolicy;
  /** The cache of views by client: maximum number of clients, and lifetime. Default: 1,000 clients, an hour. */
  readonly clientBundles?: ClientBundlesOptions;
  /** Returns the upper limit of a caller by its verified identity, such as the claims and scopes of its token. */
  readonly select?: (auth: CallerAuth | undefined) => Selection | undefined;
}

/** A configuration with its defaults. */
export type CompleteToolsetConfig<App = never> = ToolsetConfig<App> &
  Required<Pick<ToolsetConfig<App>, 'moduleLoaders' | 'context' | 'exposurePolicy'>>;

/** The rule for each field. The contents of `catalog`, `exposurePolicy` and `sessionContext` are checked where they are read. */
const configRules: Rules<keyof ToolsetConfig> = {
  catalog: record('an object of toolsets'),
  moduleLoaders: record('an object of functions'),
  // Checked where it is used, because a loader can override it.
  loaderTimeoutMs: anything,
  startup: record('{ mode, toolsets }'),
  context: record('an object'),
  sessionContext: record('a SessionContextConfig'),
  exposurePolicy: record('an ExposurePolicy'),
  clientBundles: record('{ max, ttlMs }'),
  select: callback,
};

const [isListOfNames] = names;
const startupRules: Rules<keyof ToolsetConfig['startup']> = {
  mode: oneOf('DYNAMIC', 'STATIC'),
  toolsets: [(value) => value === 'ALL' || isListOfNames(value), 'a list of toolsets or "ALL"'],
};

/** Adds the defaults. Rejects unknown and invalid fields, because a misspelt limit would not apply. */
export function readConfig(given: ToolsetConfig<never>): CompleteToolsetConfig {
  const place = 'The toolset configuration';
  assertOptions(place, given, configRules);
  // An explicit `undefined` is rejected and gets no default, because a missing policy must not allow everything.
  const config: CompleteToolsetConfig = { moduleLoaders: {}, context: {}, exposurePolicy: {}, ...given };
  const required = ['catalog', 'startup', 'moduleLoaders', 'context', 'exposurePolicy'];
  assertOptions(place, config, configRules, { required });
  const { startup, moduleLoaders, clientBundles = {} } = config;
  assertOptions('startup', startup, startupRules, {
    required: ['mode'],
    nameOf: (name) => `startup.${name}`,
  });
  for (const [module, loader] of Object.entries(moduleLoaders))
    if (!isFunction(loader)) throw invalidOption(`moduleLoaders.${module}`, 'a function');
  assertOptions('clientBundles', clientBundles, bundleRules, { nameOf: (name) => `clientBundles.${name}` });
  return config;
}

/** The view policy that no request can widen. */
export function ceilingOf({ exposurePolicy }: CompleteToolsetConfig, policy: ViewPolicy): ViewPolicy {
  const { tags = [], excludeTags = [], readOnly } = exposurePolicy;
  if (policy.actions || policy.exclude) {
    throw new ErrInvalidPolicy('With toolsets, a view cannot name single tools: they are not known yet.', {
      hint: 'Use allowlist, denylist, tags and readOnly.',
    });
  }
  const all = [...(policy.tags ?? []), ...tags];
  const none = [...(policy.excludeTags ?? []), ...excludeTags];
  return compilePolicy({
    ...policy,
    ...(all.length > 0 ? { tags: all } : {}),
    ...(none.length > 0 ? { excludeTags: none } : {}),
    ...(readOnly === true ? { readOnly } : {}),
  }).policy;
}

/** Whether callers can reach the tools of all toolsets. Otherwise the server does not load them all, and cannot know them. */
export function offersAllTools(config: ToolsetConfig<never> | undefined, policy: ViewPolicy): boolean {
  if (!config) return true;
  if (Object.values(policy).some((rule) => rule !== undefined)) return false;
  const { exposurePolicy: { allowlist, denylist, readOnly, tags, excludeTags } = {}, startup } = config;
  const isRestricted =
    readOnly || [allowlist, denylist, tags, excludeTags].some((rule) => rule !== undefined);
  return !isRestricted && (startup.mode === 'DYNAMIC' || startup.toolsets === 'ALL');
}

/** The toolsets that are active from the start, of the `keys` of the catalog and those that the policy allows. */
export function readStartup(
  { startup, exposurePolicy }: CompleteToolsetConfig,
  keys: readonly string[],
  allowed: readonly string[],
  onError: (error: unknown) => void,
): readonly string[] {
  const { toolsets } = startup;
  const chosen = toolsets === 'ALL' ? allowed : [...new Set(toolsets)];
  for (const key of chosen) {
    assertToolset(key, keys, 'startup.toolsets');
    if (!allowed.includes(key))
      throw new ErrInvalidPolicy(
        `startup.toolsets names "${key}", which the exposure policy does not allow.`,
      );
  }
  assertLimit(exposurePolicy, chosen, [], onError);
  return chosen;
}

/** Options of an `Exposure`. */
export interface ExposureOptions<App = unknown> {
  /** The view of callers. Default: everything. */
  readonly view?: OfferedView | undefined;
  /** Toolsets in addition to the registered tools. */
  readonly toolsets?: ToolsetConfig<App> | undefined;
  /**
   * With `hide`, callers neither list nor reach actions for which they lack a scope. With `challenge`, they see them, and a call
   * answers which scope is missing. Default: `challenge`.
   */
  readonly scopes?: 'challenge' | 'hide' | undefined;
  /** Called with errors that clients do not see. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** @internal Called when the selection of a request needs a view that is not cached. */
  readonly onViewMade?: ((request: RequestOptions) => void) | undefined;
}

const exposureRules: Rules<keyof ExposureOptions> = {
  // Checked below, with its fields.
  view: anything,
  toolsets: record('a ToolsetConfig'),
  scopes: oneOf('challenge', 'hide'),
  onError: callback,
  onViewMade: callback,
};

/** Rejects unknown and invalid options, because a misspelt option would leave every tool visible. */
export function assertExposureOptions(options: ExposureOptions<never>): void {
  assertOptions('An exposure', options, exposureRules);
  if (options.view !== undefined) assertOfferedView(options.view);
}
