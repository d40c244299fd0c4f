import type { CompiledSpec } from '../compile/compiled-tool.js';
import { internalsOf } from '../registry/any-registry.js';
import type { AnyRegistry } from '../registry/any-registry.js';
import { markPartial } from '../views/view.js';
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
import { createToolsetTools, withinDeadline, type ToolsetTools } from './toolset-tools.js';
import { offeredPolicy } from './forms/offers.js';
import type { OfferedPolicy } from './forms/offers.js';
import { ViewCache } from './view-cache.js';
import type { ViewKey } from './view-key.js';

interface CompileOptions {
  /** Tools that the view always holds. */
  readonly always?: readonly CompiledSpec[] | undefined;
  /** Called with the errors of toolsets that are left out. */
  readonly onFailed?: ((error: unknown) => void) | undefined;
}

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
  /** @internal */
  readonly views: ViewCache;
  /** @internal The view policy and the exposure policy together. */
  readonly policy: ViewPolicy;
  /** @internal */
  readonly tools: ToolsetTools;
  /** The toolsets that the exposure policy allows. */
  readonly allowed: readonly string[];
  /** The toolsets that are active from the start. */
  readonly startup: readonly string[];
  readonly #registry: AnyRegistry;
  readonly #config: CompleteToolsetConfig;
  readonly #catalog: ReadonlyMap<string, ToolSetDefinition<never>>;
  readonly #sessionContext: SessionContext | undefined;
  readonly #base: ResolvedContext;
  readonly #onError: (error: unknown) => void;
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
    this.policy = ceilingOf(whole, policy);
    const read = readCatalog(whole.catalog, whole.moduleLoaders, {
      isNamespaced: whole.exposurePolicy.namespaceToolsWithSetKey === true,
      reserved: this.isDynamic ? dynamicToolNames : [],
    });
    this.#catalog = addMounted(read, internalsOf(registry).tools.toolsets);
    const keys = [...this.#catalog.keys()];
    this.allowed = Object.freeze(allowedToolsets(whole.exposurePolicy, keys));
    this.startup = Object.freeze(readStartup(whole, keys, this.allowed, onError));
    this.tools = createToolsetTools(registry, whole, this.#catalog);
    this.#sessionContext = whole.sessionContext && new SessionContext(whole.sessionContext);
    // Copied and hashed once, because most requests have no session context.
    this.#base = Object.freeze({ context: freezeContext(whole.context), hash: hashOf(whole.context) });
    internalsOf(registry).tools.mayHaveTasks = true;
    this.views = new ViewCache(registry, whole.sessionContext && (whole.clientBundles ?? {}));
    const leave = this.tools.onChange(() => {
      this.views.clear();
      registry.notifyToolsChanged();
    });
    this.#ending = [() => this.views.close(), leave, internalsOf(registry).tools.readToolsets()];
  }

  /** Stops listening to the registry and to modules. Later changes then no longer update the views. */
  close(): void {
    for (const end of this.#ending) end();
  }

  /** @internal */
  get config(): ToolsetConfig {
    return this.#config as ToolsetConfig;
  }

  /** Whether clients enable toolsets or search for tools. */
  get isDynamic(): boolean {
    return this.#config.startup.mode === 'DYNAMIC';
  }

  /** @internal Whether requests can set the session context of their callers. */
  get readsContext(): boolean {
    return this.#sessionContext !== undefined;
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
  describe(active: readonly string[], keys: readonly string[] = this.allowed): ToolsetSummary[] {
    return keys.map((key) => {
      assertToolset(key, this.allowed, 'the request');
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
    reachable: readonly string[] = this.allowed,
  ): Promise<readonly string[]> {
    assertToolset(key, reachable, 'the request');
    if (active.includes(key)) return active;
    assertRoom(this.#config.exposurePolicy, [key], active, this.#onError);
    const changed = [...active, key];
    await this.#viewOf([key], context);
    // Active toolsets may fail to load, but they must not conflict with the new one.
    const view = await this.#viewOf(changed, context, NO_NARROWING, true);
    if (view.isPartial === true && !view.groups.some((group) => group.key === key))
      await this.#viewOf(changed, context);
    return changed;
  }

  /** Removes a toolset from the active ones. */
  disable(key: string, active: readonly string[]): readonly string[] {
    assertToolset(key, active, 'the active toolsets');
    return active.filter((each) => each !== key);
  }

  /** The toolsets that a request selects. Throws if one is not reachable, or if they exceed the limit of active toolsets. */
  select(keys: readonly string[], reachable: readonly string[] = this.allowed): readonly string[] {
    for (const key of keys) assertToolset(key, reachable, 'the request');
    const selected = reachable.filter((key) => keys.includes(key));
    if (this.isDynamic) assertRoom(this.#config.exposurePolicy, selected, [], this.#onError);
    return selected;
  }

  /** The view of those active toolsets and tools that a request selects, for a caller's context. */
  async view(active: readonly string[], context: ResolvedContext, selection: Selection = {}): Promise<View> {
    for (const key of selection.toolsets ?? []) assertToolset(key, this.allowed, 'the request');
    const chosen = active.filter((key) => selection.toolsets?.includes(key) ?? true);
    return this.#viewOf(chosen, context, compileNarrowing(selection));
  }

  #viewOf(
    active: readonly string[],
    { context, hash }: ResolvedContext,
    selection = NO_NARROWING,
    toleratesFailed = false,
  ): Promise<View> {
    const toolsets = this.inOrder(active);
    const key: ViewKey = {
      listing: 'tools',
      toolsets,
      ceiling: NO_NARROWING,
      selection,
      context: this.tools.dependOnContext(toolsets) ? hash : undefined,
      toleratesUnknown: false,
      toleratesFailed,
    };
    return this.views.get(key, { compile: () => this.compile(key, context) });
  }

  /** @internal Allowed toolsets in the order of the catalog, so that equal sets of toolsets share a view. */
  inOrder(keys: readonly string[]): readonly string[] {
    // Fast path: without it, a call takes 10 % longer on a server on which 100 toolsets are active.
    if (keys === this.allowed) return keys;
    const wanted = new Set(keys);
    return this.allowed.filter((key) => wanted.has(key));
  }

  /** @internal Loads the toolsets of a key, and compiles their view. */
  async compile(
    key: ViewKey,
    context: ContextValues,
    { always = [], onFailed }: CompileOptions = {},
  ): Promise<View> {
    const {
      offer,
      toolsets = this.allowed,
      ceiling,
      selection,
      scopes,
      toleratesUnknown,
      toleratesFailed,
    } = key;
    const { tools } = internalsOf(this.#registry);
    const policy = offer ? compilePolicy({ ...this.policy, ...offeredPolicy(offer) }).policy : this.policy;
    const groups = new Map<CompiledSpec, { key: string; title: string }[]>();
    const taken = tools.namesOf(always, policy);
    let isPartial = false;
    const loading = toolsets.map((toolset) => {
      const load = this.tools.load(toolset, context);
      // Tools that arrive late are in the view of the next request.
      return toleratesFailed ? withinDeadline(load, toolset, () => this.views.forgetPartial(key)) : load;
    });
    for (const [at, loaded] of (await Promise.allSettled(loading)).entries()) {
      const toolset = toolsets[at] as string;
      try {
        if (loaded.status === 'rejected') throw loaded.reason;
        const added = loaded.value.filter((spec) => !groups.has(spec));
        for (const name of tools.assertFree(added, policy, taken)) taken.add(name);
        const group = { key: toolset, title: this.#catalog.get(toolset)?.name ?? toolset };
        for (const spec of loaded.value) groups.set(spec, [...(groups.get(spec) ?? []), group]);
      } catch (error) {
        if (!toleratesFailed) throw error;
        isPartial = true;
        onFailed?.(error);
      }
    }
    const view = tools.viewWith([...groups.keys()], policy, {
      always,
      ceiling: ceiling.narrowing,
      narrowing: selection.narrowing,
      granted: scopes,
      toleratesUnknown,
      toolsetsOf: (spec) => groups.get(spec) ?? [],
    });
    return isPartial ? markPartial(view) : view;
  }

  /** @internal Throws if the direct tools of the toolsets cannot be listed in a form. */
  assertListable(always: readonly CompiledSpec[] = [], offered: OfferedPolicy = this.policy): void {
    const { policy } = compilePolicy({ ...this.policy, ...offered });
    const { tools } = internalsOf(this.#registry);
    tools.assertFree(always, policy, tools.namesOf([], policy));
    const taken = tools.namesOf(always, policy);
    // Each toolset alone, and the startup toolsets together.
    for (const keys of [...this.allowed.map((key) => [key]), this.startup]) {
      const specs = new Set(keys.flatMap((key) => this.tools.own(key)));
      tools.assertFree([...specs], policy, taken);
    }
  }

  /** @internal Throws if a view has tools of more toolsets than may be active. A tool in several toolsets counts once. */
  assertRoomFor({ groups, tools }: View): void {
    const { exposurePolicy } = this.#config;
    if (!this.isDynamic || exposurePolicy.maxActiveToolsets === undefined) return;
    const holders = new Map<string, string[]>();
    for (const { key, tools: names } of groups)
      for (const name of names) holders.set(name, [...(holders.get(name) ?? []), key]);
    const counted = new Set<string>();
    for (const name of tools.keys()) {
      const holding = holders.get(name) ?? [];
      const [first] = holding;
      if (first !== undefined && !holding.some((key) => counted.has(key))) counted.add(first);
    }
    assertRoom(exposurePolicy, [...counted], [], this.#onError);
  }
}
