import type { CompiledSpec } from '../compile/compiled-tool.js';
import type { AnyRegistry } from '../registry/any-registry.js';
import type { CompileOptions, View } from '../views/view.js';
import { compileNarrowing } from '../views/policy.js';
import type { ViewPolicy } from '../views/policy.js';
import type { Selection } from '../callers/selection.js';
import { hashOf, freezeContext } from '../callers/context-values.js';
import { SessionContext } from '../callers/session-context.js';
import type { ContextRequest, ResolvedContext } from '../callers/session-context.js';
import type { ContextValues } from '../callers/context-values.js';
import type { CallerCeiling } from './caller-ceiling.js';
import { allowedToolsets, assertRoom } from './exposure-policy.js';
import type { CompleteToolsetConfig, ToolsetConfig } from './toolset-config.js';
import { assertToolset, dynamicToolNames, readCatalog } from './tool-set-catalog.js';
import type { ToolSetDefinition } from './tool-set-catalog.js';
import { ceilingOf, readConfig, readStartup } from './toolset-config.js';
import { ToolsetTools, soon } from './toolset-tools.js';
import { ViewCache } from '../views/view-cache.js';
import type { KeptViews, Ready } from '../views/view-cache.js';

/** A toolset as it is shown to whoever may reach it. */
export interface ToolsetSummary {
  /** What it is selected by. */
  readonly key: string;
  /** What people and models read in place of the key. */
  readonly name: string;
  /** What its tools are for. */
  readonly description: string;
  /** When a model should want it. */
  readonly decisionCriteria?: string;
  /** Whether its tools are there now. */
  readonly isActive: boolean;
}

/** Conditions of a view beside the tools that a request selects. */
export interface PlanOptions {
  /** Tools that the view holds whatever is active. Pass the same list each time. */
  readonly always?: readonly CompiledSpec[] | undefined;
  /** The upper limit of what the caller can see. */
  readonly ceiling?: Pick<CallerCeiling, 'key' | 'narrowing'> | undefined;
  /** Whether the selection may name tools that are not active. */
  readonly toleratesUnknown?: boolean | undefined;
  /** Whether toolsets that fail to load, or take long, are left out. By default the view fails. */
  readonly toleratesFailed?: boolean | undefined;
}

/** The tools of a view, apart from the caller's context. */
export interface ViewPlan {
  /** Equal for equal plans. */
  readonly key: string;
  /** The toolsets, in the order of the catalog. */
  readonly keys: readonly string[];
  /** Whether callers with different contexts get different views. */
  readonly dependsOnContext: boolean;
  /** Whether single tools are named. */
  readonly isPicked: boolean;
  readonly toleratesFailed: boolean;
  readonly compileOptions: CompileOptions;
}

/** How a view is built and cached. */
export interface ViewOptions {
  /** The form of the view. Views of different forms are different views. */
  readonly form?:
    | { readonly name: string; readonly shape: (view: View, isPartial: boolean) => View }
    | undefined;
  /** The views of the requesting client. */
  readonly kept?: KeptViews | undefined;
  /** Called with errors of toolsets that were left out, and with the reason why a stale view is returned. */
  readonly onFailed?: ((error: unknown) => void) | undefined;
  /** Called when the view was not cached and had to be compiled. */
  readonly onMade?: (() => void) | undefined;
}

/** Gives the tools of toolsets, loaded for whoever asks, as views. */
export class Toolsets {
  readonly #registry: AnyRegistry;
  readonly #config: CompleteToolsetConfig;
  readonly #policy: ViewPolicy;
  readonly #catalog: ReadonlyMap<string, ToolSetDefinition>;
  readonly #allowed: readonly string[];
  readonly #startup: readonly string[];
  readonly #tools: ToolsetTools;
  readonly #sessionContext: SessionContext | undefined;
  readonly #base: ResolvedContext;
  readonly #onError: (error: unknown) => void;
  readonly #views = new ViewCache();
  readonly #ending: readonly (() => void)[];

  /** `policy` says in which form tools are, and may narrow what the exposure policy allows. */
  constructor(
    registry: AnyRegistry,
    config: ToolsetConfig,
    policy: ViewPolicy = {},
    onError: (error: unknown) => void = () => {},
  ) {
    this.#onError = onError;
    this.#registry = registry;
    const whole = (this.#config = readConfig(config));
    this.#policy = ceilingOf(whole, policy);
    this.#catalog = readCatalog(whole.catalog, whole.moduleLoaders, {
      isNamespaced: whole.exposurePolicy.namespaceToolsWithSetKey === true,
      reserved: this.isDynamic ? dynamicToolNames : [],
    });
    const keys = [...this.#catalog.keys()];
    this.#allowed = allowedToolsets(whole.exposurePolicy, keys);
    this.#startup = readStartup(whole, keys, this.#allowed, onError);
    this.#tools = new ToolsetTools(registry, whole, this.#catalog);
    this.#sessionContext = whole.sessionContext && new SessionContext(whole.sessionContext);
    // Copied once, not for every call.
    this.#base = Object.freeze({ context: freezeContext(whole.context), hash: hashOf(whole.context) });
    registry.tools.expectTasks();
    const forget = registry.onChange(({ kind }) => {
      if (kind !== 'resource') this.#views.clear();
    });
    const leave = this.#tools.onChange(() => {
      this.#views.clear();
      registry.notifyToolsChanged();
    });
    this.#ending = [forget, leave];
  }

  /** Listens to nothing any more. What is out of date is then no longer noticed. */
  close(): void {
    for (const end of this.#ending) end();
  }

  /** Whether clients enable toolsets or search. */
  get isDynamic(): boolean {
    return this.#config.startup.mode === 'DYNAMIC';
  }

  /**
   * Whether callers may have only so many toolsets at once.
   *
   * @internal
   */
  get hasLimit(): boolean {
    return this.isDynamic && this.#config.exposurePolicy.maxActiveToolsets !== undefined;
  }

  /**
   * Whether what a request says about its caller counts.
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

  /** Descriptions of toolsets, by default of all that can be reached. */
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
    // In the order of the catalog, so that equal sets of toolsets share a view.
    const keys = this.#allowed.filter((key) => active.includes(key));
    const { key, narrowing } = compileNarrowing(selection);
    return {
      key: `${keys.join()} ${always ? 1 : 0}${toleratesUnknown ? 1 : 0}${toleratesFailed ? 1 : 0} ${ceiling?.key ?? ''} ${key}`,
      keys,
      dependsOnContext: this.#tools.dependsOnContext(keys),
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
  viewOf(plan: ViewPlan, { context, hash }: ResolvedContext, options: ViewOptions = {}): Ready {
    const { form, kept, onFailed, onMade } = options;
    const key = `${form?.name ?? ''} ${plan.dependsOnContext ? hash : ''} ${plan.key}`;
    const make = async (leaveOut: () => void): Promise<View> => {
      let isPartial = false;
      const view = await this.#compile(plan, context, {
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
      return form ? form.shape(view, isPartial) : view;
    };
    return this.#views.getOrMake({ key, isPicked: plan.isPicked, kept, onStale: onFailed, make });
  }

  async #compile(
    { keys, compileOptions, toleratesFailed }: ViewPlan,
    context: ContextValues,
    { onFailed, onLoaded }: { onFailed: (error: unknown) => void; onLoaded: () => void },
  ): Promise<View> {
    const toolsets = new Map<CompiledSpec, { key: string; title: string }[]>();
    const taken = this.#registry.tools.namesOf(compileOptions.always ?? [], this.#policy);
    const loading = keys.map((key) => {
      const load = this.#tools.load(key, context);
      return toleratesFailed ? soon(load, key, onLoaded) : load;
    });
    for (const [at, loaded] of (await Promise.allSettled(loading)).entries()) {
      const key = keys[at] as string;
      try {
        if (loaded.status === 'rejected') throw loaded.reason;
        const added = loaded.value.filter((spec) => !toolsets.has(spec));
        for (const name of this.#registry.tools.assertFree(added, this.#policy, taken)) taken.add(name);
        const group = { key, title: this.#catalog.get(key)?.name ?? key };
        for (const spec of loaded.value) toolsets.set(spec, [...(toolsets.get(spec) ?? []), group]);
      } catch (error) {
        onFailed(error);
      }
    }
    return this.#registry.tools.viewWith([...toolsets.keys()], this.#policy, {
      ...compileOptions,
      toolsetsOf: (spec) => toolsets.get(spec) ?? [],
    });
  }

  /**
   * Whether all of a toolset is there without loading anything.
   *
   * @internal
   */
  isLoaded(key: string): boolean {
    return this.#tools.isLoaded(key);
  }

  /**
   * Throws on what no request could list: mistakes in what is there without loading.
   *
   * @internal
   */
  assertListable(always: readonly CompiledSpec[] = []): void {
    this.#registry.tools.assertFree(always, this.#policy, this.#registry.tools.namesOf([], this.#policy));
    const taken = this.#registry.tools.namesOf(always, this.#policy);
    // Each on its own, and together those that are there together.
    for (const keys of [...this.#allowed.map((key) => [key]), this.#startup]) {
      const specs = new Set(keys.flatMap((key) => this.#tools.own(key)));
      this.#registry.tools.assertFree([...specs], this.#policy, taken);
    }
  }

  /**
   * Throws where a view has tools of more toolsets than may be active. One that is in several counts once.
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
