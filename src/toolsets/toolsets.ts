import { LRUCache } from 'lru-cache';
import type { CompiledSpec } from '../compile/tool-definition-compiler.js';
import { ErrInvalidCatalog, ErrInvalidPolicy, ErrModuleFailed } from '../errors.js';
import type { ToolRegistry } from '../registry/tool-registry.js';
import { normalizePolicy } from '../registry/view.js';
import type { CompileOptions, Narrowing, View, ViewPolicy } from '../registry/view.js';
import type { Selection } from '../registry/view-source.js';
import { nearestName } from '../compile/nearest-name.js';
import { isJsonObject } from '../schema/json-schema.js';
import { canonicalJson } from '../schema/json-value.js';
import { hashOf } from '../session/context-hash.js';
import { freezeContext } from '../session/frozen-context.js';
import { SessionContext } from '../session/session-context.js';
import type { ContextRequest, ContextValues, ResolvedContext } from '../session/session-context.js';
import { allowedToolsets, assertLimit, assertRoom } from './exposure-policy.js';
import type { ToolsetConfig } from './mode-config-mapper.js';
import { LoadedModules } from './module-loader.js';
import type { LoadedItem } from './module-loader.js';
import { assertToolset } from './server-mode.js';
import { dynamicToolNames, readCatalog } from './tool-set-catalog.js';
import type { ToolSetDefinition } from './tool-set-catalog.js';
import { ViewCache } from './view-cache.js';
import type { KeptViews, Ready } from './view-cache.js';

/** A toolset as it is shown to whoever may reach it. */
export interface ToolsetSummary {
  readonly key: string;
  readonly name: string;
  readonly description: string;
  readonly decisionCriteria?: string;
  readonly isActive: boolean;
}

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
  readonly id: string;
  /** In the order of the catalog. */
  readonly keys: readonly string[];
  /** Whether callers of different contexts get different views. */
  readonly dependsOnContext: boolean;
  /** Whether single tools are named. */
  readonly isPicked: boolean;
  readonly toleratesFailed: boolean;
  readonly compileOptions: CompileOptions;
}

export interface ViewOptions {
  /** Where the client keeps its views, beside where all are kept. */
  readonly kept?: KeptViews | undefined;
  /** Told of what was left out, and why what there was before is served where what there is now cannot be. */
  readonly onFailed?: ((error: unknown) => void) | undefined;
}

/** How many plans are kept; one that is made anew only has its views compiled anew. */
const MAX_PLANS = 2_000;
/** Milliseconds that others wait for a loader whose tools they did not ask for. */
const PATIENCE_MS = 2_000;

/** Gives the tools of toolsets, loaded for whoever asks, as views. */
export class Toolsets {
  readonly #registry: ToolRegistry;
  readonly #config: ToolsetConfig;
  readonly #policy: ViewPolicy;
  readonly #catalog: ReadonlyMap<string, ToolSetDefinition>;
  readonly #allowed: readonly string[];
  readonly #startup: readonly string[];
  readonly #modules: LoadedModules;
  readonly #sessionContext: SessionContext | undefined;
  readonly #base: ResolvedContext;
  readonly #onError: (error: unknown) => void;
  readonly #views = new ViewCache();
  readonly #plans = new LRUCache<string, ViewPlan>({ max: MAX_PLANS });
  #lastPlan = 0;
  readonly #ending: readonly (() => void)[];
  /** What was compiled of each tool that a module gave, for as long as it is kept. */
  readonly #compiled = new WeakMap<object, Map<string, CompiledSpec>>();

  /** `policy` says in which form tools are, and may narrow what the exposure policy allows. */
  constructor(
    registry: ToolRegistry,
    config: ToolsetConfig,
    policy: ViewPolicy = {},
    onError: (error: unknown) => void = () => {},
  ) {
    this.#onError = onError;
    this.#registry = registry;
    this.#config = config;
    assertConfig(config);
    this.#policy = ceilingOf(config, policy);
    this.#catalog = readCatalog(config.catalog, config.moduleLoaders, {
      isNamespaced: config.exposurePolicy.namespaceToolsWithSetKey === true,
      reserved: this.isDynamic ? dynamicToolNames : [],
    });
    const keys = [...this.#catalog.keys()];
    this.#allowed = allowedToolsets(config.exposurePolicy, keys);
    this.#startup = this.#readStartup(keys);
    this.#modules = new LoadedModules(config.moduleLoaders, {
      timeoutMs: config.loaderTimeoutMs,
      secrets: config.context,
    });
    this.#sessionContext = config.sessionContext && new SessionContext(config.sessionContext);
    // Copied once, not for every call.
    this.#base = Object.freeze({ context: freezeContext(config.context), hash: hashOf(config.context) });
    registry.expectTasks();
    const forget = registry.onChange(({ kind }) => {
      if (kind === 'tools') this.#views.clear();
    });
    const leave = this.#modules.onChange(() => {
      this.#views.clear();
      registry.notifyToolsChanged();
    });
    this.#ending = [forget, leave];
  }

  /** Listens to nothing any more. What is out of date is then no longer noticed. */
  close(): void {
    for (const end of this.#ending) end();
  }

  get isDynamic(): boolean {
    return this.#config.startup.mode === 'DYNAMIC';
  }

  /** Whether callers may have only so many toolsets at once. */
  get hasLimit(): boolean {
    return this.isDynamic && this.#config.exposurePolicy.maxActiveToolsets !== undefined;
  }

  /** Whether what a request says about its caller counts. */
  get readsContext(): boolean {
    return this.#sessionContext !== undefined;
  }

  /** The toolsets that are active from the start. */
  get startup(): readonly string[] {
    return this.#startup;
  }

  /** Everything that may be reached. */
  get allowed(): readonly string[] {
    return this.#allowed;
  }

  /** What a request says about its caller, with what the server says. A malformed one throws. */
  contextOf(request?: ContextRequest): ResolvedContext {
    if (!request || !this.#sessionContext) return this.#base;
    const resolved = this.#sessionContext.resolve(request, this.#config.context);
    // What the request replaced may still be in what a module says.
    const { accessToken } = this.#config.context;
    if (accessToken === undefined || resolved.context['accessToken'] === accessToken) return resolved;
    return { ...resolved, credentials: [...(resolved.credentials ?? []), accessToken] };
  }

  describe(active: readonly string[], keys: readonly string[] = this.#allowed): ToolsetSummary[] {
    return keys.map((key) => {
      assertToolset(key, this.#allowed, 'the request');
      const { name, description, decisionCriteria } = this.#catalog.get(key) as ToolSetDefinition;
      return {
        key,
        name,
        description,
        ...(decisionCriteria === undefined ? {} : { decisionCriteria }),
        isActive: active.includes(key),
      };
    });
  }

  /** The active toolsets with one more. Throws where it may not be, or cannot be loaded. */
  async enable(
    key: string,
    active: readonly string[],
    context: ResolvedContext,
    reachable: readonly string[] = this.#allowed,
  ): Promise<readonly string[]> {
    assertToolset(key, reachable, 'the request');
    if (active.includes(key)) return active;
    assertRoom(this.#config.exposurePolicy, [key], active, this.#onError);
    const changed = [...active, key];
    await this.view([key], context);
    // Others may be out of order for now, but must not be in the way.
    const view = await this.view(changed, context, undefined, { toleratesFailed: true });
    if (view.isPartial === true && !view.groups.some((group) => group.key === key))
      await this.view(changed, context);
    return changed;
  }

  /** The active toolsets without one. */
  disable(key: string, active: readonly string[]): readonly string[] {
    assertToolset(key, active, 'the active toolsets');
    return active.filter((each) => each !== key);
  }

  /** The toolsets that a request selects, of those that may be reached. More than may be active at once throw. */
  select(keys: readonly string[], reachable: readonly string[] = this.#allowed): readonly string[] {
    for (const key of keys) assertToolset(key, reachable, 'the request');
    const selected = reachable.filter((key) => keys.includes(key));
    if (this.isDynamic) assertRoom(this.#config.exposurePolicy, selected, [], this.#onError);
    return selected;
  }

  /** The tools of the active toolsets that a request selects, for a caller's context. */
  view(
    active: readonly string[],
    context: ResolvedContext,
    selection?: Selection,
    options?: PlanOptions,
  ): Ready {
    return this.viewOf(this.plan(active, selection, options), context);
  }

  /** What a view of these toolsets is made of. To keep it saves the work of finding that out. */
  plan(active: readonly string[], selection: Selection = {}, options: PlanOptions = {}): ViewPlan {
    const keys = this.#within(active, selection);
    const narrowing = narrowingOf(selection);
    const { always, ceiling = {}, toleratesUnknown = false, toleratesFailed = false } = options;
    const text = canonicalJson([keys, narrowing, idOf(always), ceiling, toleratesUnknown, toleratesFailed]);
    let plan = this.#plans.get(text);
    if (!plan) {
      plan = Object.freeze({
        id: String((this.#lastPlan += 1)),
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

  viewOf(plan: ViewPlan, { context, hash }: ResolvedContext, { kept, onFailed }: ViewOptions = {}): Ready {
    const { id, isPicked, dependsOnContext } = plan;
    const key = dependsOnContext ? `${id} ${hash}` : id;
    return this.#views.getOrMake({ key, isPicked, kept, onStale: onFailed }, (leaveOut) =>
      this.#compile(plan, context, {
        onFailed: (error) => {
          if (!plan.toleratesFailed) throw error;
          leaveOut();
          onFailed?.(error);
        },
        // What came too late is there for the next request.
        onLoaded: () => this.#views.forget(key),
      }),
    );
  }

  /** In the order of the catalog, so that equal selections are one. */
  #within(active: readonly string[], { toolsets }: Selection): readonly string[] {
    for (const key of toolsets ?? []) assertToolset(key, this.#allowed, 'the request');
    const wanted = new Set(toolsets ? active.filter((key) => toolsets.includes(key)) : active);
    return this.#allowed.filter((key) => wanted.has(key));
  }

  async #compile(
    { keys, compileOptions, toleratesFailed }: ViewPlan,
    context: ContextValues,
    { onFailed, onLoaded }: { onFailed: (error: unknown) => void; onLoaded: () => void },
  ): Promise<View> {
    const toolsets = new Map<CompiledSpec, { key: string; title: string }[]>();
    const taken = this.#registry.namesOf(compileOptions.always ?? [], this.#policy);
    const loading = keys.map((key) => {
      const load = this.#load(key, context);
      return toleratesFailed ? soon(load, key, onLoaded) : load;
    });
    for (const [at, loaded] of (await Promise.allSettled(loading)).entries()) {
      const key = keys[at] as string;
      try {
        if (loaded.status === 'rejected') throw loaded.reason;
        const added = loaded.value.filter((spec) => !toolsets.has(spec));
        for (const name of this.#registry.assertFree(added, this.#policy, taken)) taken.add(name);
        const group = { key, title: this.#catalog.get(key)?.name ?? key };
        for (const spec of loaded.value) toolsets.set(spec, [...(toolsets.get(spec) ?? []), group]);
      } catch (error) {
        onFailed(error);
      }
    }
    return this.#registry.viewWith([...toolsets.keys()], this.#policy, {
      ...compileOptions,
      toolsetsOf: (spec) => toolsets.get(spec) ?? [],
    });
  }

  async #load(key: string, context: ContextValues): Promise<readonly CompiledSpec[]> {
    const { modules = [] } = this.#catalog.get(key) as ToolSetDefinition;
    const loaded = modules.map(async (module) => {
      const items = await this.#modules.load(module, context);
      return items.map((item) => this.#compileItem(item, key, `module ${module}`));
    });
    return [...new Set([...this.#own(key), ...(await Promise.all(loaded)).flat()])];
  }

  /** Whether all of a toolset is there without loading anything. */
  isLoaded(key: string): boolean {
    return (this.#catalog.get(key)?.modules ?? []).length === 0;
  }

  /** What a toolset has without loading anything. */
  #own(key: string): readonly CompiledSpec[] {
    const { tools = [] } = this.#catalog.get(key) as ToolSetDefinition;
    return this.#modules.read(tools).map((item) => this.#compileItem(item, key, `toolset ${key}`));
  }

  /** Throws on what no request could list: mistakes in what is there without loading. */
  assertListable(always: readonly CompiledSpec[] = []): void {
    this.#registry.assertFree(always, this.#policy, this.#registry.namesOf([], this.#policy));
    const taken = this.#registry.namesOf(always, this.#policy);
    // Each on its own, and together those that are there together.
    for (const keys of [...this.#allowed.map((key) => [key]), this.#startup]) {
      const specs = new Set(keys.flatMap((key) => this.#own(key)));
      this.#registry.assertFree([...specs], this.#policy, taken);
    }
  }

  /** Throws where a view has tools of more toolsets than may be active. One that is in several counts once. */
  assertRoomFor({ groups, tools }: View): void {
    const holders = new Map<string, string[]>();
    for (const { key, tools: names } of groups)
      for (const name of names) holders.set(name, [...(holders.get(name) ?? []), key]);
    const counted = new Set<string>();
    for (const name of tools.keys()) {
      const holding = holders.get(name) ?? [];
      const [first] = holding;
      if (first !== undefined && !holding.some((key) => counted.has(key))) counted.add(first);
    }
    assertRoom(this.#config.exposurePolicy, [...counted], [], this.#onError);
  }

  /** A tool in two toolsets is one tool, unless each calls it by its own name. */
  #compileItem(item: LoadedItem, key: string, origin: string): CompiledSpec {
    const prefix = this.#config.exposurePolicy.namespaceToolsWithSetKey === true ? key : '';
    let byPrefix = this.#compiled.get(item);
    if (!byPrefix) this.#compiled.set(item, (byPrefix = new Map()));
    let compiled = byPrefix.get(prefix);
    if (!compiled) {
      compiled = this.#registry.compileItem(prefix === '' ? item : namespaced(item, prefix), origin);
      byPrefix.set(prefix, compiled);
    }
    return compiled;
  }

  /** What a module gives may hold a credential of the context. */
  #dependsOnContext(keys: readonly string[]): boolean {
    return keys.some((key) =>
      (this.#catalog.get(key)?.modules ?? []).some(
        (module) => this.#config.moduleLoaders[module]?.isShared !== true,
      ),
    );
  }

  #readStartup(keys: readonly string[]): readonly string[] {
    const { mode, toolsets } = this.#config.startup;
    if (mode !== 'DYNAMIC' && mode !== 'STATIC')
      throw new ErrInvalidPolicy('startup.mode must be "DYNAMIC" or "STATIC".');
    if (toolsets !== undefined && toolsets !== 'ALL' && !Array.isArray(toolsets))
      throw new ErrInvalidPolicy('startup.toolsets must be a list of toolsets or "ALL".');
    const chosen = toolsets === 'ALL' ? this.#allowed : [...new Set(toolsets)];
    for (const key of chosen) {
      assertToolset(key, keys, 'startup.toolsets');
      if (!this.#allowed.includes(key))
        throw new ErrInvalidPolicy(
          `startup.toolsets names "${key}", which the exposure policy does not allow.`,
        );
    }
    assertLimit(this.#config.exposurePolicy, chosen, [], this.#onError);
    return chosen;
  }
}

const configKeys: readonly (keyof ToolsetConfig)[] = [
  'catalog',
  'moduleLoaders',
  'startup',
  'context',
  'sessionContext',
  'exposurePolicy',
  'clientBundles',
  'loaderTimeoutMs',
  'select',
];

/** A slip must not leave a check out. */
function assertConfig(config: ToolsetConfig): void {
  if (!isJsonObject(config as unknown))
    throw new ErrInvalidPolicy('A configuration of toolsets is an object.');
  const unknown = Object.keys(config).find((key) => !(configKeys as readonly string[]).includes(key));
  if (unknown !== undefined) {
    const nearest = nearestName(unknown, configKeys);
    throw new ErrInvalidPolicy(
      `A configuration of toolsets has no "${unknown}".`,
      nearest === undefined ? {} : { hint: `Did you mean "${nearest}"?` },
    );
  }
  for (const key of ['catalog', 'moduleLoaders', 'startup', 'context', 'exposurePolicy'] as const)
    if (!isJsonObject(config[key] as unknown))
      throw new ErrInvalidPolicy(`A configuration of toolsets needs "${key}", which is an object.`);
  if (config.select !== undefined && typeof config.select !== 'function')
    throw new ErrInvalidPolicy('select of a configuration of toolsets must be a function.');
}

/** What no request can widen. */
function ceilingOf({ exposurePolicy }: ToolsetConfig, policy: ViewPolicy): ViewPolicy {
  const { tags = [], excludeTags = [], readOnly } = exposurePolicy;
  if (policy.actions || policy.exclude) {
    throw new ErrInvalidPolicy('With toolsets, a view cannot name single tools: they are not known yet.', {
      hint: 'Use allowlist, denylist, tags and readOnly.',
    });
  }
  const all = [...(policy.tags ?? []), ...tags];
  const none = [...(policy.excludeTags ?? []), ...excludeTags];
  return normalizePolicy({
    ...policy,
    ...(all.length > 0 ? { tags: all } : {}),
    ...(none.length > 0 ? { excludeTags: none } : {}),
    ...(readOnly === true ? { readOnly } : {}),
  });
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

/** What takes longer goes on, and is there the next time. */
async function soon<T>(loading: Promise<T>, toolset: string, onLoaded: () => void): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new ErrModuleFailed(`Toolset "${toolset}" is still loading.`, { details: { toolset } });
    timer = setTimeout(() => {
      loading.then(onLoaded, () => {});
      reject(error);
    }, PATIENCE_MS);
  });
  try {
    return await Promise.race([loading, late]);
  } finally {
    clearTimeout(timer);
  }
}

function namespaced(item: LoadedItem, key: string): LoadedItem {
  if ('compile' in item) {
    throw new ErrInvalidCatalog(
      `Toolset "${key}" holds the builder "${item.name}", which cannot be renamed.`,
      {
        hint: 'Leave namespaceToolsWithSetKey off, or name the builder after its toolset.',
      },
    );
  }
  return { ...item, name: `${key}_${item.name}` };
}
