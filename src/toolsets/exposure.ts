import type { CompiledSpec } from '../compile/compiled-tool.js';
import type { ErrInvalidSelection } from '../errors.js';
import { isModern } from '../protocol/mcp-types.js';
import type { RequestOptions } from '../engine/request.js';
import type { AnyRegistry } from '../registry/any-registry.js';
import { assertRegistry } from '../registry/assert-registry.js';
import { compilePolicy } from '../views/policy.js';
import type { View, ViewSource } from '../views/view.js';
import type { CompiledPolicy } from '../views/policy.js';
import type { Selection } from '../callers/caller.js';
import type { ContextRequest, ResolvedContext } from '../callers/session-context.js';
import { ClientViews } from './client-cache.js';
import { createDynamicTools } from './dynamic-form.js';
import { CallerCeilings } from './caller-ceiling.js';
import { assertExposureOptions } from './toolset-config.js';
import type { ExposureOptions } from './toolset-config.js';
import { withGrantedScopes } from './granted-scopes.js';
import { NOT_HERE, createSelectionReader } from './read-selection.js';
import { RegistryViews } from './registry-views.js';
import { createSearchView, pinsIn } from '../search/form/search-form.js';
import type { SearchedToolset } from '../search/form/entries.js';
import type { CreateRanker } from '../search/form/open-search.js';
import { assertToolset } from './tool-set-catalog.js';
import { Toolsets } from './toolsets.js';
import type { ViewPlan } from './view-plan.js';
import type { PendingView } from '../views/view-cache.js';

/** `session`: the enabled toolsets and the tools that enable more. `search`: the tools that find and call others. */
type Listing = 'listed' | 'search' | 'session';

/**
 * Decides what each request sees: the operator's offer, narrowed by the caller's ceiling and by the request's selection.
 *
 * `viewFor` is the path of every request. Without toolsets, only steps 1, 4 and 5 apply:
 * 1. the form, by the configuration and the protocol version;
 * 2. the caller's ceiling, as `select` of the configuration returns it;
 * 3. the toolsets: those that the request selects, or those that are active;
 * 4. the key, made of 1 to 3, the named tools and, if loaded tools depend on it, the caller's context;
 * 5. one lookup in one cache, which compiles the view if it is missing.
 */
export class Exposure<App = unknown> implements ViewSource {
  /** @internal Whether toolsets are configured. */
  readonly hasToolsets: boolean;
  /** @internal Whether actions are hidden for which the caller lacks a scope. */
  readonly hidesByScope: boolean;
  /** @internal Whether the view depends on more of a request than its selection. */
  readonly dependsOnCaller: boolean;
  readonly #registry: AnyRegistry;
  readonly #policy: CompiledPolicy;
  readonly #isSearched: boolean;
  readonly #pinned: readonly string[];
  readonly #ranker: CreateRanker | undefined;
  readonly #toolsets: Toolsets | undefined;
  readonly #ceilings: CallerCeilings;
  readonly #dynamicTools: readonly CompiledSpec[] | undefined;
  readonly #onError: (error: unknown) => void;
  readonly #onViewMade: (request: RequestOptions) => void;
  /** The views of an exposure without a configuration of toolsets. */
  readonly #ofRegistry: RegistryViews | undefined;
  readonly #ofClients: ClientViews | undefined;
  readonly #unsubscribe: () => void;

  constructor(registry: AnyRegistry<App>, options: ExposureOptions<NoInfer<App>> = {}) {
    assertRegistry('new Exposure', registry);
    assertExposureOptions(options);
    const { view = {}, toolsets, scopes = 'challenge', onError = () => {}, onViewMade = () => {} } = options;
    const { form, pinned, ranker, ...policy } = view;
    this.#registry = registry;
    this.hasToolsets = toolsets !== undefined;
    this.hidesByScope = scopes === 'hide';
    this.dependsOnCaller = this.hasToolsets || this.hidesByScope;
    this.#isSearched = form === 'search';
    this.#ranker = ranker;
    this.#pinned = Object.freeze([...new Set(pinned)].toSorted());
    this.#policy = compilePolicy(form === 'flat' ? { ...policy, form } : policy);
    this.#toolsets = toolsets && new Toolsets(registry, toolsets, this.#policy.policy, onError);
    const { isDynamic = false, allowed = [], startup = [] } = this.#toolsets ?? {};
    this.#ceilings = new CallerCeilings(isDynamic ? allowed : startup, toolsets?.select);
    this.#dynamicTools =
      isDynamic && this.#toolsets ? createDynamicTools(registry, this.#toolsets, this) : undefined;
    this.#onError = onError;
    this.#onViewMade = onViewMade;
    this.#ofClients = this.readsContext ? new ClientViews(toolsets?.clientBundles) : undefined;
    if (!toolsets) this.#ofRegistry = this.#createRegistryViews();
    try {
      this.#toolsets?.assertListable(this.#dynamicTools);
    } catch (error) {
      this.#toolsets?.close();
      throw error;
    }
    this.#unsubscribe = registry.onChange(({ kind }) => {
      if (kind === 'resource') return;
      this.#ofRegistry?.clear();
      this.#ofClients?.clear();
    });
  }

  /** Stops listening to the registry. Later registrations then no longer change the views. */
  close(): void {
    this.#unsubscribe();
    this.#toolsets?.close();
  }

  /** @internal Throws if a caller cannot use a toolset, or if the toolset does not exist. */
  assertToolsets(keys: readonly string[], request: RequestOptions): void {
    if (keys.length === 0) return;
    const reachable = this.reachableFor(request);
    for (const key of keys) assertToolset(key, reachable, 'the request');
  }

  /** @internal Whether anything reads the client's name. */
  get namesClients(): boolean {
    return this.readsContext || this.#registry.namesClients;
  }

  /** @internal Whether requests can set the session context of their callers. */
  get readsContext(): boolean {
    return this.#toolsets?.readsContext === true;
  }

  /** @internal Whether two requests with equal selections may see different tools. */
  get isPersonal(): boolean {
    return this.#ceilings.differ || this.readsContext || this.hidesByScope;
  }

  /** @internal The session context of a request, merged with the context of the server. Throws if it is malformed. */
  contextOf(request?: ContextRequest): ResolvedContext | undefined {
    return this.#toolsets?.contextOf(request);
  }

  /** Adds the selection and the session context of an HTTP request. Throws if one of them is malformed. */
  complete(request: RequestOptions, http?: ContextRequest): RequestOptions {
    const session = request.session ?? this.contextOf(http);
    const read = http && !request.selection ? readHeaders('', http.header) : undefined;
    const found = read && read !== NOT_HERE ? read : undefined;
    if (found) this.assertToolsets(found.named, request);
    if (!session && !found) return request;
    return {
      ...request,
      ...(found ? { selection: found.selection } : {}),
      ...(session ? { session, accessToken: accessTokenOf(session) ?? request.accessToken } : {}),
    };
  }

  /** The view of a request. Throws or rejects if the request selects something that it cannot have. */
  viewFor(request: RequestOptions): PendingView {
    if (this.#toolsets) return this.#viewOfToolsets(request, this.#toolsets);
    const views = this.#ofRegistry as RegistryViews;
    // Fast path: most requests select nothing.
    if (!request.selection && !this.hidesByScope) return views.cache.getOrMake(views.whole);
    return views.viewFor(request);
  }

  #createRegistryViews(): RegistryViews {
    const form = this.#isSearched ? 'search' : 'listed';
    return new RegistryViews(this.#registry, this.#policy, {
      hidesByScope: this.hidesByScope,
      shape: (view, request, isWhole) => this.#shape(view, form, request, { isWhole }),
      onStale: this.#onError,
      onViewMade: this.#onViewMade,
    });
  }

  /** With toolsets, the view also depends on the caller, the active toolsets and the caller's context. */
  #viewOfToolsets(request: RequestOptions, toolsets: Toolsets): PendingView {
    const form = this.#formFor(request);
    if (form === 'session') {
      // Tools that the request excludes need not be enabled, but they must exist.
      const checked = this.check(request);
      return checked instanceof Promise
        ? checked.then(() => this.#viewOf(request, form))
        : this.#viewOf(request, form);
    }
    const view = this.#viewOf(request, form);
    if (form === 'search' || !toolsets.hasLimit) return view;
    return view instanceof Promise ? view.then((ready) => this.#assertRoom(ready)) : this.#assertRoom(view);
  }

  #formFor({ enabledToolsets, protocolVersion, selection }: RequestOptions): Listing {
    if (this.#isSearched) return 'search';
    if (!this.#dynamicTools || isNaming(selection)) return 'listed';
    return enabledToolsets && !isModern(protocolVersion) ? 'session' : 'search';
  }

  #viewOf(request: RequestOptions, form: Listing): PendingView {
    const toolsets = this.#toolsets as Toolsets;
    const { selection, caller } = request;
    const isSession = form === 'session';
    const ceiling = this.#ceilings.of(caller);
    const { reachable } = ceiling;
    const active = isSession ? (request.enabledToolsets?.current ?? toolsets.startup) : reachable;
    const keys =
      !isSession && selection?.toolsets
        ? toolsets.select(selection.toolsets, reachable)
        : keepReachable(active, reachable);
    // A request that names no toolset gets the toolsets that can be loaded. A named toolset must load.
    const isOpen = this.#isSearched || this.#dynamicTools !== undefined;
    const plan = toolsets.plan(keys, selection, {
      always: isSession ? this.#dynamicTools : undefined,
      ceiling,
      toleratesUnknown: isSession,
      toleratesFailed: isSession || (selection?.toolsets === undefined && isOpen),
    });
    return this.#lookUp(plan, request, form);
  }

  /** With `scopes: 'hide'`, the scopes that matter are known once the tools are loaded, so the whole view is looked up first. */
  #lookUp(plan: ViewPlan, request: RequestOptions, form: Listing): PendingView {
    if (!this.hidesByScope) return this.#lookUpPlan(plan, request, form);
    const narrowing = {};
    const compileOptions = { ...plan.compileOptions, narrowing };
    const wholePlan = { ...plan, key: plan.wholeKey, isPicked: false, compileOptions };
    const whole = this.#lookUpPlan(wholePlan, { ...request, selection: undefined }, 'listed');
    const narrow = (view: View): PendingView =>
      this.#lookUpPlan(withGrantedScopes(plan, view, request.caller), request, form);
    return whole instanceof Promise ? whole.then(narrow) : narrow(whole);
  }

  #lookUpPlan(plan: ViewPlan, request: RequestOptions, form: Listing): PendingView {
    const toolsets = this.#toolsets as Toolsets;
    const { session = toolsets.contextOf(), clientId } = request;
    const isOwn = plan.dependsOnContext && clientId !== undefined;
    const isNarrowed = request.selection !== undefined || plan.compileOptions.granted !== undefined;
    return toolsets.viewOf(plan, session, {
      form: form === 'search' ? { name: form, shape: this.#shaperOf(plan, request) } : undefined,
      kept: isOwn ? this.#ofClients?.of(clientId, session.hash) : undefined,
      onFailed: this.#onError,
      onMade: isNarrowed ? () => this.#onViewMade(request) : undefined,
    });
  }

  #shaperOf({ keys }: ViewPlan, request: RequestOptions): (view: View, isPartial: boolean) => View {
    const own = this.contextOf();
    const { selection, session = own } = request;
    const isNarrowed = selection !== undefined || this.#ceilings.differ || this.hidesByScope;
    return (view, isPartial) => {
      const isWhole = !isNarrowed && !isPartial && session?.hash === own?.hash;
      return this.#shape(view, 'search', request, { isWhole, keys });
    };
  }

  /**
   * The error with which `viewFor` rejects a selection that names an unknown tool. Asking for it first saves the throw,
   * which costs more than the check.
   *
   * @internal
   */
  rejectSelection(selection: Selection): ErrInvalidSelection | undefined {
    return this.#ofRegistry?.reject(selection);
  }

  /** @internal Throws or rejects if a request selects something that it cannot have. */
  check(request: RequestOptions): PendingView | undefined {
    const { selection, caller } = request;
    if (!this.#toolsets) return this.viewFor(request);
    if (selection?.tools || selection?.excludeTools)
      return this.#viewOf(request, this.#isSearched ? 'search' : 'listed');
    // No tools are named, so only the toolsets need checking.
    if (selection?.toolsets) this.#toolsets.select(selection.toolsets, this.#ceilings.of(caller).reachable);
    return undefined;
  }

  /** @internal The toolsets that a caller can use, whether or not they are active. */
  reachableFor(request: RequestOptions): readonly string[] {
    return this.#ofRegistry?.toolsets ?? this.#ceilings.of(request.caller).reachable;
  }

  /** @internal The tools that a request would see if these toolsets were active. */
  async toolsOf(keys: readonly string[], request: RequestOptions): Promise<View> {
    if (!this.#toolsets) return this.viewFor(request);
    const ceiling = this.#ceilings.of(request.caller);
    const within = keepReachable(keys, ceiling.reachable);
    const options = { ceiling, toleratesUnknown: true };
    return this.#lookUp(this.#toolsets.plan(within, request.selection, options), request, 'listed');
  }

  /** A request cannot name tools of more toolsets than may be active at once. */
  #assertRoom(view: View): View {
    this.#toolsets?.assertRoomFor(view);
    return view;
  }

  /** Wraps a view into the search form. Pinned tools must exist, unless the view is narrower than the operator's offer. */
  #shape(
    inner: View,
    form: Listing,
    request: RequestOptions,
    { isWhole, keys = [] }: { readonly isWhole: boolean; readonly keys?: readonly string[] },
  ): View {
    if (form !== 'search') return inner;
    const { selection } = request;
    return createSearchView(this.#registry, inner, {
      toolsets: this.#toolsets?.describe([], keys) ?? describeMounted(this.#registry),
      pinned: pinsIn(inner, isWhole, this.#pinned, this.#toolsets?.isDynamic ? this.#toolsets.startup : []),
      ranker: this.#ranker,
      // A request that selects toolsets gets its own index, because the words of hidden toolsets must not rank its tools.
      wider: selection && !selection.toolsets ? this.#widerFor(request) : undefined,
    });
  }

  /** The view without the selection, if it is cached. Its index serves narrower views too. */
  #widerFor(request: RequestOptions): View | undefined {
    const wider = this.viewFor({ ...request, selection: undefined });
    if (!(wider instanceof Promise)) return wider.searched;
    // A request for the whole view reports this error.
    wider.catch(() => undefined);
    return undefined;
  }
}

/** The texts of mounted registries that are toolsets. */
function describeMounted({ tools }: AnyRegistry): readonly SearchedToolset[] {
  return [...tools.toolsets].map(([key, toolset]) => ({ key, ...toolset }));
}

function keepReachable(keys: readonly string[], reachable: readonly string[]): readonly string[] {
  return keys === reachable ? reachable : keys.filter((key) => reachable.includes(key));
}

/** Whether a request selects toolsets or tools. */
function isNaming(selection: Selection | undefined): boolean {
  return selection?.toolsets !== undefined || selection?.tools !== undefined;
}

const readHeaders = createSelectionReader(undefined);

/** The credential of the session if it has one, otherwise the credential of the server. */
function accessTokenOf({ context }: ResolvedContext): string | undefined {
  const { accessToken } = context;
  return typeof accessToken === 'string' && accessToken !== '' ? accessToken : undefined;
}
