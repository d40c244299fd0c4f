import type { CompiledSpec } from '../compile/compiled-tool.js';
import type { AnyRegistry } from '../registry/any-registry.js';
import type { View } from '../views/view.js';
import { NO_NARROWING, compileNarrowing, compilePolicy } from '../views/policy.js';
import type { ViewPolicy } from '../views/policy.js';
import type { Selection } from '../callers/caller.js';
import { hashOf, freezeContext, SessionContext } from '../callers/session-context.js';
import type { ContextRequest, ResolvedContext, ContextValues } from '../callers/session-context.js';
import { allowedToolsets, assertRoom } from './exposure-policy.js';
import type { CompleteToolsetConfig, ToolsetConfig } from './toolset-config.js';
import { addMounted, assertToolset, dynamicToolNames, readCatalog } from './tool-set-catalog.js';
import type { ToolSetDefinition } from './tool-set-catalog.js';
import { ceilingOf, readConfig, readStartup } from './toolset-config.js';
import { ToolsetTools, withinDeadline } from './toolset-tools.js';
import { ViewCache } from '../views/view-cache.js';
import type { PendingView } from '../views/view-cache.js';
import type { OfferedPolicy } from '../views/offers.js';
import type { PlanOptions, ViewOptions, ViewPlan } from './view-plan.js';

/** A toolset as its callers see it. */
export interface ToolsetSummary {
  /** The key by which the toolset is selected. */
  readonly key: string;
  /** The name that is shown to people and models. */
  readonly name: string;
  /** The purpose of the tools. */
  readonly description: string;
  /** Tells a model when to use the toolset. */
  readonly decisionCriteria?: string;
  /** Whether the toolset is active. */
  readonly isActive: boolean;
}

/** Loads toolsets for callers, and compiles views of them. */
export class Toolsets<App = unknown> {
  readonly #registry: AnyRegistry;
  readonly #config: CompleteToolsetConfig;
  readonly #policy: ViewPolicy;
  readonly #catalog: ReadonlyMap<string, ToolSetDefinition<never>>;
  readonly #allowed: readonly string[];
  readonly #startup: readonly string[];
  readonly #tools: ToolsetTools;
  readonly #sessionContext: SessionContext | undefined;
  readonly #base: ResolvedContext;
  readonly #onError: (error: unknown) => void;
  readonly #views = new ViewCache();
  readonly #ending: readonly (() => void)[];

  /** `policy` sets the form of the tools, and can narrow the exposure policy. */
  constructor(
    registry: AnyRegistry<App>,
    config: ToolsetConfig<NoInfer<App>>,
    policy: ViewPolicy = {},
    onError: (error: unknown) => void = () => {},
  ) {
    this.#onError = onError;
    this.#registry = registry;
    const whole = (this.#config = readConfig(config));
    this.#policy = ceilingOf(whole, policy);
    const read = readCatalog(whole.catalog, whole.moduleLoaders, {
      isNamespaced: whole.exposurePolicy.namespaceToolsWithSetKey === true,
      reserved: this.isDynamic ? dynamicToolNames : [],
    });
    this.#catalog = addMounted(read, registry.tools.toolsets);
    const keys = [...this.#catalog.keys()];
    this.#allowed = Object.freeze(allowedToolsets(whole.exposurePolicy, keys));
    this.#startup = Object.freeze(readStartup(whole, keys, this.#allowed, onError));
    this.#tools = new ToolsetTools(registry, whole, this.#catalog, this.#allowed);
    this.#sessionContext = whole.sessionContext && new SessionContext(whole.sessionContext);
    // Copied and hashed once, because most requests have no session context.
    this.#base = Object.freeze({ context: freezeContext(whole.context), hash: hashOf(whole.context) });
    registry.tools.mayHaveTasks = true;
    const forget = registry.onChange(({ kind }) => {
      if (kind !== 'resource') this.#views.clear();
    });
    const leave = this.#tools.onChange(() => {
      this.#views.clear();
      registry.notifyToolsChanged();
    });
    this.#ending = [forget, leave, registry.tools.readToolsets()];
  }

  /** Stops listening to the registry and to modules. Later changes then no longer update the views. */
  close(): void {
    for (const end of this.#ending) end();
  }

  /** @internal */
  get config(): ToolsetConfig {
    return this.#config as ToolsetConfig;
  }

  /** @internal The view policy and the exposure policy together. */
  get policy(): ViewPolicy {
    return this.#policy;
  }

  /** Whether clients enable toolsets or search for tools. */
  get isDynamic(): boolean {
    return this.#config.startup.mode === 'DYNAMIC';
  }

  /**
   * Whether the number of active toolsets of a caller is limited.
   *
   * @internal
   */
  get hasLimit(): boolean {
    return this.isDynamic && this.#config.exposurePolicy.maxActiveToolsets !== undefined;
  }

  /**
   * Whether requests can set the session context of their callers.
   *
   * @internal
   */
  get readsContext(): boolean {
    return this.#sessionContext !== undefined;
  }

  /** The toolsets that are active from the start. */
  get startup(): readonly string[] {
    return this.#startup;
  }

  /** The toolsets that the exposure policy allows. */
  get allowed(): readonly string[] {
    return this.#allowed;
  }

  /** The session context of a request, merged with the context of the server. Throws if it is malformed. */
  contextOf(request?: ContextRequest): ResolvedContext {
    if (!request || !this.#sessionContext) return this.#base;
    const resolved = this.#sessionContext.resolve(request, this.#config.context);
    // The server's token is redacted too, because a module may still use it in its errors.
    const { accessToken } = this.#config.context;
    if (accessToken === undefined || resolved.context['accessToken'] === accessToken) return resolved;
    return { ...resolved, credentials: [...(resolved.credentials ?? []), accessToken] };
  }

  /** Describes toolsets, by default all allowed ones. */
  describe(active: readonly string[], keys: readonly string[] = this.#allowed): ToolsetSummary[] {
    return keys.map((key) => {
      assertToolset(key, this.#allowed, 'the request');
      const { name, description, decisionCriteria } = this.#catalog.get(key) as ToolSetDefinition<never>;
      return {
        key,
        name,
        description,
        ...(decisionCriteria === undefined ? {} : { decisionCriteria }),
        isActive: active.includes(key),
      };
    });
  }

  /** Adds a toolset to the active ones. Throws if it is not allowed or cannot be loaded. */
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
    // Active toolsets may fail to load, but they must not conflict with the new one.
    const view = await this.view(changed, context, undefined, { toleratesFailed: true });
    if (view.isPartial === true && !view.groups.some((group) => group.key === key))
      await this.view(changed, context);
    return changed;
  }

  /** Removes a toolset from the active ones. */
  disable(key: string, active: readonly string[]): readonly string[] {
    assertToolset(key, active, 'the active toolsets');
    return active.filter((each) => each !== key);
  }

  /** The toolsets that a request selects. Throws if one is not reachable, or if they exceed the limit of active toolsets. */
  select(keys: readonly string[], reachable: readonly string[] = this.#allowed): readonly string[] {
    for (const key of keys) assertToolset(key, reachable, 'the request');
    const selected = reachable.filter((key) => keys.includes(key));
    if (this.isDynamic) assertRoom(this.#config.exposurePolicy, selected, [], this.#onError);
    return selected;
  }

  /** The view of those active toolsets and tools that a request selects, for a caller's context. */
  view(
    active: readonly string[],
    context: ResolvedContext,
    selection?: Selection,
    options?: PlanOptions,
  ): PendingView {
    const { toolsets } = selection ?? {};
    for (const key of toolsets ?? []) assertToolset(key, this.#allowed, 'the request');
    const keys = toolsets ? active.filter((key) => toolsets.includes(key)) : active;
    return this.viewOf(this.plan(keys, selection, options), context);
  }

  /**
   * The contents of a view: the tools of some toolsets, narrowed to the tools that a selection names.
   *
   * @internal
   */
  plan(active: readonly string[], selection?: Selection, options: PlanOptions = {}): ViewPlan {
    const { always, ceiling, toleratesUnknown = false, toleratesFailed = false } = options;
    const { keys, bits, dependsOnContext } = this.#tools.order(active);
    const { key, narrowing } = selection ? compileNarrowing(selection) : NO_NARROWING;
    const wholeKey = `${bits} ${always ? 1 : 0}${toleratesUnknown ? 1 : 0}${toleratesFailed ? 1 : 0} ${ceiling?.key ?? ''} `;
    return {
      key: wholeKey + key,
      wholeKey,
      keys,
      dependsOnContext,
      isPicked: narrowing.actions !== undefined || narrowing.exclude !== undefined,
      toleratesFailed,
      compileOptions: { always, ceiling: ceiling?.narrowing, toleratesUnknown, narrowing },
    };
  }

  /**
   * The view of a plan, for a caller's context.
   *
   * @internal
   */
  viewOf(plan: ViewPlan, { context, hash }: ResolvedContext, options: ViewOptions = {}): PendingView {
    const { offer, shape, kept, onFailed, onMade } = options;
    const key = `${offer?.key ?? ''} ${shape ? 1 : 0} ${plan.dependsOnContext ? hash : ''} ${plan.key}`;
    const make = async (leaveOut: () => void): Promise<View> => {
      let isPartial = false;
      const policy = offer ? compilePolicy({ ...this.#policy, ...offer.policy }).policy : this.#policy;
      const view = await this.#compile(plan, policy, context, {
        onFailed: (error) => {
          if (!plan.toleratesFailed) throw error;
          isPartial = true;
          leaveOut();
          onFailed?.(error);
        },
        // Tools that arrive late are in the view of the next request.
        onLoaded: () => this.#views.forget(key),
      });
      onMade?.();
      return shape ? shape(view, isPartial) : view;
    };
    return this.#views.getOrMake({ key, isPicked: plan.isPicked, kept, onStale: onFailed, make });
  }

  async #compile(
    { keys, compileOptions, toleratesFailed }: ViewPlan,
    policy: ViewPolicy,
    context: ContextValues,
    { onFailed, onLoaded }: { onFailed: (error: unknown) => void; onLoaded: () => void },
  ): Promise<View> {
    const toolsets = new Map<CompiledSpec, { key: string; title: string }[]>();
    const taken = this.#registry.tools.namesOf(compileOptions.always ?? [], policy);
    const loading = keys.map((key) => {
      const load = this.#tools.load(key, context);
      return toleratesFailed ? withinDeadline(load, key, onLoaded) : load;
    });
    for (const [at, loaded] of (await Promise.allSettled(loading)).entries()) {
      const key = keys[at] as string;
      try {
        if (loaded.status === 'rejected') throw loaded.reason;
        const added = loaded.value.filter((spec) => !toolsets.has(spec));
        for (const name of this.#registry.tools.assertFree(added, policy, taken)) taken.add(name);
        const group = { key, title: this.#catalog.get(key)?.name ?? key };
        for (const spec of loaded.value) toolsets.set(spec, [...(toolsets.get(spec) ?? []), group]);
      } catch (error) {
        onFailed(error);
      }
    }
    return this.#registry.tools.viewWith([...toolsets.keys()], policy, {
      ...compileOptions,
      toolsetsOf: (spec) => toolsets.get(spec) ?? [],
    });
  }

  /**
   * Whether a toolset has no modules, so that nothing has to be loaded.
   *
   * @internal
   */
  isLoaded(key: string): boolean {
    return this.#tools.isLoaded(key);
  }

  /**
   * Throws if the direct tools of the toolsets cannot be listed in a form.
   *
   * @internal
   */
  assertListable(always: readonly CompiledSpec[] = [], offered: OfferedPolicy = this.#policy): void {
    const policy = compilePolicy({ ...this.#policy, ...offered }).policy;
    this.#registry.tools.assertFree(always, policy, this.#registry.tools.namesOf([], policy));
    const taken = this.#registry.tools.namesOf(always, policy);
    // Each toolset alone, and the startup toolsets together.
    for (const keys of [...this.#allowed.map((key) => [key]), this.#startup]) {
      const specs = new Set(keys.flatMap((key) => this.#tools.own(key)));
      this.#registry.tools.assertFree([...specs], policy, taken);
    }
  }

  /**
   * Throws if a view has tools of more toolsets than may be active. A tool in several toolsets counts once.
   *
   * @internal
   */
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
}
