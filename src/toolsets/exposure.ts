import type { CompiledSpec } from '../compile/compiled-tool.js';
import type { ErrInvalidSelection } from '../errors.js';
import { isModern } from '../protocol/mcp-types.js';
import type { RequestOptions } from '../engine/request.js';
import type { AnyRegistry } from '../registry/any-registry.js';
import { assertRegistry } from '../registry/assert-registry.js';
import type { View, ViewSource } from '../views/view.js';
import { isSearchForm, offeredPolicy, Offers } from '../views/offers.js';
import type { Offer } from '../views/offers.js';
import type { Selection } from '../callers/caller.js';
import { accessTokenOf } from '../callers/session-context.js';
import type { ContextRequest, ResolvedContext } from '../callers/session-context.js';
import { ClientViews } from './client-cache.js';
import { createDynamicTools } from './dynamic-form.js';
import { CallerCeilings, keepReachable } from './caller-ceiling.js';
import { assertExposureOptions, offersAllTools } from './toolset-config.js';
import type { ExposureOptions } from './toolset-config.js';
import { isNaming, NOT_HERE, createSelectionReader } from './read-selection.js';
import { ViewsByOffer } from './registry-views.js';
import type { RegistryViews } from './registry-views.js';
import { SearchViews } from './search-views.js';
import { assertToolset } from './tool-set-catalog.js';
import { Toolsets } from './toolsets.js';
import { withGrantedScopes } from './view-plan.js';
import type { Listing, ViewPlan } from './view-plan.js';
import type { PendingView } from '../views/view-cache.js';

/**
 * Decides what each request sees: the operator's offer, narrowed by the caller's ceiling and by the request's selection.
 *
 * `viewFor` is the path of every request. Without toolsets, only steps 1, 4 and 5 apply:
 * 1. the form and the profile, by the configuration, the client and the protocol version;
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
  /** @internal Whether two clients may see different tools, so that a list must not be cached for others. */
  readonly variesByClient: boolean;
  /** @internal The options that it was created with, for tools that explain what callers see. */
  readonly options: ExposureOptions;
  /** @internal The form and the profile of each client. */
  readonly offers: Offers;
  readonly #registry: AnyRegistry;
  readonly #searchViews: SearchViews;
  readonly #toolsets: Toolsets | undefined;
  readonly #ceilings: CallerCeilings;
  readonly #dynamicTools: readonly CompiledSpec[] | undefined;
  readonly #onError: (error: unknown) => void;
  readonly #onViewMade: (request: RequestOptions) => void;
  /** The views of an exposure without a configuration of toolsets. */
  readonly #ofRegistry: ViewsByOffer;
  /** The views of a server without toolsets whose form and profile are fixed. */
  readonly #single: RegistryViews | undefined;
  readonly #ofClients: ClientViews | undefined;
  readonly #unsubscribe: () => void;

  constructor(registry: AnyRegistry<App>, options: ExposureOptions<NoInfer<App>> = {}) {
    assertRegistry('new Exposure', registry);
    assertExposureOptions(options);
    const { view = {}, toolsets, scopes = 'challenge', onError = () => {}, onViewMade = () => {} } = options;
    const { form, profile, clients, pinned, optionalPins = false, search, code, ...policy } = view;
    this.#registry = registry;
    this.options = options as ExposureOptions;
    this.hasToolsets = toolsets !== undefined;
    this.hidesByScope = scopes === 'hide';
    this.offers = new Offers({ form, profile, clients }, onError);
    const { first, dependsOnClient } = this.offers;
    this.variesByClient = dependsOnClient;
    this.dependsOnCaller = this.hasToolsets || this.hidesByScope || this.variesByClient;
    this.#ofRegistry = new ViewsByOffer(registry, policy, {
      hidesByScope: this.hidesByScope,
      shape: (inner, offer, request, isWhole) => this.#shape(inner, offer, request, isWhole),
      onStale: onError,
      onViewMade,
    });
    this.#toolsets =
      toolsets && new Toolsets(registry, toolsets, { ...policy, ...offeredPolicy(first) }, onError);
    this.#searchViews = new SearchViews(registry, {
      pinned,
      optionalPins,
      search,
      code,
      toolsets: this.#toolsets,
      widerFor: (request, offer) => this.#widerFor(request, offer),
      offersAll: offersAllTools(toolsets, policy),
      onError,
    });
    const { isDynamic = false, allowed = [], startup = [] } = this.#toolsets ?? {};
    this.#ceilings = new CallerCeilings(isDynamic ? allowed : startup, toolsets?.select);
    this.#dynamicTools =
      isDynamic && this.#toolsets ? createDynamicTools(registry, this.#toolsets, this) : undefined;
    this.#onError = onError;
    this.#onViewMade = onViewMade;
    this.#ofClients = this.readsContext ? new ClientViews(toolsets?.clientBundles) : undefined;
    try {
      // Mistakes are reported here, in every form that a client may get, and not in a request.
      for (const offer of this.offers.ofEachForm) {
        if (!this.#toolsets) this.#ofRegistry.of(offer);
        else this.#toolsets.assertListable(this.#dynamicTools, offeredPolicy(offer));
      }
      if (this.offers.isFixed && !toolsets) this.#single = this.#ofRegistry.of(first);
    } catch (error) {
      this.#toolsets?.close();
      throw error;
    }
    this.#unsubscribe = registry.onChange(({ kind }) => {
      if (kind === 'resource') return;
      this.#ofRegistry.clear();
      this.#ofClients?.clear();
    });
  }

  /** Stops listening to the registry. Later registrations then no longer change the views. */
  close(): void {
    this.#unsubscribe();
    this.#toolsets?.close();
    this.#searchViews.close();
  }

  /** @internal Called when a server starts. Loads the sandbox of the code form, and reports why it cannot be loaded. */
  start(): void {
    if (this.offers.ofEachForm.some(({ form }) => form === 'code'))
      this.#searchViews.prepare().catch(this.#onError);
  }

  /** @internal Throws if a caller cannot use a toolset, or if the toolset does not exist. */
  assertToolsets(keys: readonly string[], request: RequestOptions): void {
    if (keys.length === 0) return;
    const reachable = this.reachableFor(request);
    for (const key of keys) assertToolset(key, reachable, 'the request');
  }

  /** The offer for which a request is checked. A client may get another form if the tools do not fit. */
  #offerFor({ caller }: RequestOptions): Offer {
    return this.offers.of(caller?.client).offers[0] as Offer;
  }

  /** @internal Whether anything reads the client's id. */
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
    // Fast path: most requests select nothing, and most servers list the same tools for all clients.
    if (this.#single && !request.selection && !this.hidesByScope)
      return this.#single.cache.getOrMake(this.#single.whole);
    return this.offers.viewFor(request.caller?.client, (offer) => this.#viewIn(request, offer));
  }

  #viewIn(request: RequestOptions, offer: Offer): PendingView {
    return this.#toolsets
      ? this.#viewOfToolsets(request, this.#toolsets, offer)
      : this.#ofRegistry.of(offer).viewFor(request);
  }

  /** With toolsets, the view also depends on the caller, the active toolsets and the caller's context. */
  #viewOfToolsets(request: RequestOptions, toolsets: Toolsets, offer: Offer): PendingView {
    const form = this.#formFor(request, offer);
    if (form === 'session') {
      // Tools that the request excludes need not be enabled, but they must exist.
      const checked = this.#check(request, offer);
      return checked instanceof Promise
        ? checked.then(() => this.#viewOf(request, { form, offer }))
        : this.#viewOf(request, { form, offer });
    }
    const view = this.#viewOf(request, { form, offer });
    if (form === 'search' || !toolsets.hasLimit) return view;
    return view instanceof Promise ? view.then((ready) => this.#assertRoom(ready)) : this.#assertRoom(view);
  }

  #formFor({ enabledToolsets, protocolVersion, selection }: RequestOptions, offer: Offer): Listing['form'] {
    if (isSearchForm(offer.form)) return 'search';
    if (!this.#dynamicTools || isNaming(selection)) return 'listed';
    return enabledToolsets && !isModern(protocolVersion) ? 'session' : 'search';
  }

  #viewOf(request: RequestOptions, listing: Listing): PendingView {
    const toolsets = this.#toolsets as Toolsets;
    const { selection, caller } = request;
    const isSession = listing.form === 'session';
    const ceiling = this.#ceilings.of(caller);
    const { reachable } = ceiling;
    const active = isSession ? (request.enabledToolsets?.current ?? toolsets.startup) : reachable;
    const keys =
      !isSession && selection?.toolsets
        ? toolsets.select(selection.toolsets, reachable)
        : keepReachable(active, reachable);
    // A request that names no toolset gets the toolsets that can be loaded. A named toolset must load.
    const isOpen = isSearchForm(listing.offer.form) || this.#dynamicTools !== undefined;
    const plan = toolsets.plan(keys, selection, {
      always: isSession ? this.#dynamicTools : undefined,
      ceiling,
      toleratesUnknown: isSession,
      toleratesFailed: isSession || (selection?.toolsets === undefined && isOpen),
    });
    return this.#lookUp(plan, request, listing);
  }

  /** With `scopes: 'hide'`, the scopes that matter are known once the tools are loaded, so the whole view is looked up first. */
  #lookUp(plan: ViewPlan, request: RequestOptions, listing: Listing): PendingView {
    if (!this.hidesByScope) return this.#lookUpPlan(plan, request, listing);
    const narrowing = {};
    const compileOptions = { ...plan.compileOptions, narrowing };
    const wholePlan = { ...plan, key: plan.wholeKey, isPicked: false, compileOptions };
    const { offer } = listing;
    const whole = this.#lookUpPlan(
      wholePlan,
      { ...request, selection: undefined },
      { form: 'listed', offer },
    );
    const narrow = (view: View): PendingView =>
      this.#lookUpPlan(withGrantedScopes(plan, view, request.caller), request, listing);
    return whole instanceof Promise ? whole.then(narrow) : narrow(whole);
  }

  #lookUpPlan(plan: ViewPlan, request: RequestOptions, listing: Listing): PendingView {
    const toolsets = this.#toolsets as Toolsets;
    const { session = toolsets.contextOf(), clientId } = request;
    const isOwn = plan.dependsOnContext && clientId !== undefined;
    const isNarrowed = request.selection !== undefined || plan.compileOptions.granted !== undefined;
    const { form, offer } = listing;
    return toolsets.viewOf(plan, session, {
      offer: offer === this.offers.first ? undefined : { key: offer.key, policy: offeredPolicy(offer) },
      shape: form === 'search' ? this.#shaperOf(plan, request, offer) : undefined,
      kept: isOwn ? this.#ofClients?.of(clientId, session.hash) : undefined,
      onFailed: this.#onError,
      onMade: isNarrowed ? () => this.#onViewMade(request) : undefined,
    });
  }

  #shaperOf(
    { keys }: ViewPlan,
    request: RequestOptions,
    offer: Offer,
  ): (view: View, isPartial: boolean) => PendingView {
    const own = this.contextOf();
    const { selection, session = own } = request;
    const isNarrowed = selection !== undefined || this.#ceilings.differ || this.hidesByScope;
    return (view, isPartial) => {
      const isWhole = !isNarrowed && !isPartial && session?.hash === own?.hash;
      return this.#searchViews.wrap(view, offer, request, { isWhole, keys });
    };
  }

  /**
   * The error with which `viewFor` rejects a selection that names an unknown tool. Asking for it first saves the throw,
   * which costs more than the check.
   *
   * @internal
   */
  rejectSelection(selection: Selection): ErrInvalidSelection | undefined {
    // The names that a request can select depend on the form, and without toolsets and clients it is fixed.
    return this.#single?.reject(selection);
  }

  /** @internal Throws or rejects if a request selects something that it cannot have. */
  check(request: RequestOptions): PendingView | undefined {
    // The client is known only to its session, which then rejects the selection.
    if (this.variesByClient && !request.caller?.client) return undefined;
    return this.#toolsets ? this.#check(request, this.#offerFor(request)) : this.viewFor(request);
  }

  #check(request: RequestOptions, offer: Offer): PendingView | undefined {
    const { selection, caller } = request;
    if (selection?.tools || selection?.excludeTools)
      return this.#viewOf(request, { form: isSearchForm(offer.form) ? 'search' : 'listed', offer });
    // No tools are named, so only the toolsets need checking.
    if (selection?.toolsets) this.#toolsets?.select(selection.toolsets, this.#ceilings.of(caller).reachable);
    return undefined;
  }

  /** @internal The toolsets that a caller can use, whether or not they are active. */
  reachableFor(request: RequestOptions): readonly string[] {
    if (this.#toolsets) return this.#ceilings.of(request.caller).reachable;
    return [...this.#registry.tools.toolsets.keys()];
  }

  /** @internal The tools that a request would see if these toolsets were active. */
  async toolsOf(keys: readonly string[], request: RequestOptions): Promise<View> {
    if (!this.#toolsets) return this.viewFor(request);
    const ceiling = this.#ceilings.of(request.caller);
    const within = keepReachable(keys, ceiling.reachable);
    const plan = this.#toolsets.plan(within, request.selection, { ceiling, toleratesUnknown: true });
    return this.#lookUp(plan, request, { form: 'listed', offer: this.#offerFor(request) });
  }

  /** A request cannot name tools of more toolsets than may be active at once. */
  #assertRoom(view: View): View {
    this.#toolsets?.assertRoomFor(view);
    return view;
  }

  #shape(inner: View, offer: Offer, request: RequestOptions, isWhole: boolean): PendingView {
    const shaped = isSearchForm(offer.form)
      ? this.#searchViews.wrap(inner, offer, request, { isWhole })
      : inner;
    return shaped instanceof Promise
      ? shaped.then((view) => this.offers.judgeFixed(view))
      : this.offers.judgeFixed(shaped);
  }

  /** The view without the selection, if it is cached. Its index serves narrower views too. */
  #widerFor(request: RequestOptions, offer: Offer): View | undefined {
    // A request that selects toolsets gets its own index, because the words of hidden toolsets must not rank its tools.
    if (!request.selection || request.selection.toolsets) return undefined;
    const wider = this.#viewIn({ ...request, selection: undefined }, offer);
    if (!(wider instanceof Promise)) return wider.searched;
    // A request for the whole view reports this error.
    wider.catch(() => undefined);
    return undefined;
  }
}

const readHeaders = createSelectionReader(undefined);
