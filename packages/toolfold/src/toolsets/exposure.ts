import { ErrInvalidPolicy } from '@toolfold/schema/errors';
import { didYouMean, listNames, nearestName } from '@toolfold/schema/internal';
import type { CompiledSpec } from '../compile/compiled-tool.js';
import type { RequestOptions } from '../engine/request.js';
import type { ContextRequest, ResolvedContext } from '../callers/session-context.js';
import { accessTokenOf } from '../callers/session-context.js';
import { isModern } from '../protocol/mcp-types.js';
import { internalsOf } from '../registry/any-registry.js';
import type { AnyRegistry } from '../registry/any-registry.js';
import { assertRegistry } from '../registry/assert-registry.js';
import { NO_NARROWING, compileNarrowing, compilePolicy } from '../views/policy.js';
import type { CompiledPolicy, ViewPolicy } from '../views/policy.js';
import { markPartial } from '../views/view.js';
import type { View, ViewSource } from '../views/view.js';
import { createCeilings, grantedScopes } from './caller-ceiling.js';
import { createDynamicTools } from './forms/dynamic-form.js';
import { createFormViews } from './forms/form-views.js';
import type { FormViews } from './forms/form-views.js';
import type { NamedFormSettings } from './forms/load-form.js';
import { offeredPolicy, Offers } from './forms/offers.js';
import type { Offer, OfferedForm } from './forms/offers.js';
import { NOT_HERE, createSelectionReader } from './read-selection.js';
import { assertToolset } from './tool-set-catalog.js';
import { assertExposureOptions, offersAllTools } from './toolset-config.js';
import type { ExposureOptions } from './toolset-config.js';
import { Toolsets } from './toolsets.js';
import { ViewCache } from './view-cache.js';
import { textOf } from './view-key.js';
import type { ViewKey } from './view-key.js';

const readHeaders = createSelectionReader(undefined);

/**
 * Decides what each request sees: the operator's offer, narrowed by the caller's ceiling and by the request's selection.
 *
 * `viewFor` is the path of every request. It makes a `ViewKey` of everything that decides about the tools, and looks up the view of
 * this key in one cache, which compiles it if it is missing.
 */
export class Exposure<App = unknown> implements ViewSource {
  /** @internal Whether toolsets are configured. */
  readonly hasToolsets: boolean;
  /** @internal Whether requests can set the session context of their callers. */
  readonly readsContext: boolean;
  /** @internal Whether actions are hidden for which the caller lacks a scope. */
  readonly hidesByScope: boolean;
  /** @internal Whether two clients may see different tools, so that a list must not be cached for others. */
  readonly variesByClient: boolean;
  /** @internal The options that it was created with, for tools that explain what callers see. */
  readonly options: ExposureOptions;
  /** @internal The form and the profile of each client. */
  readonly offers: Offers;
  readonly #registry: AnyRegistry;
  readonly #policy: ViewPolicy;
  readonly #toolsets: Toolsets | undefined;
  readonly #ceilingOf: ReturnType<typeof createCeilings>;
  /** Whether two callers may see different tools of the toolsets. */
  readonly #selectsByCaller: boolean;
  readonly #dynamicTools: readonly CompiledSpec[] | undefined;
  readonly #formViews: FormViews;
  readonly #views: ViewCache;
  readonly #wholeKeys = new Map<Offer, ViewKey>();
  readonly #ready: Promise<unknown>;
  readonly #onError: (error: unknown) => void;
  readonly #onViewMade: (request: RequestOptions) => void;

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
    this.variesByClient = this.offers.dependsOnClient;
    this.#policy = compilePolicy(policy).policy;
    const first = { ...policy, ...offeredPolicy(this.offers.first) };
    this.#toolsets = toolsets && new Toolsets(registry, toolsets, first, onError);
    this.readsContext = this.#toolsets?.readsContext === true;
    this.#formViews = createFormViews(registry, {
      pinned,
      optionalPins,
      settings: { search, code },
      toolsets: this.#toolsets,
      offersAll: offersAllTools(toolsets, policy),
      onError,
    });
    const { isDynamic = false, allowed = [], startup = [] } = this.#toolsets ?? {};
    this.#ceilingOf = createCeilings(isDynamic ? allowed : startup, toolsets?.select);
    this.#selectsByCaller = toolsets?.select !== undefined;
    this.#dynamicTools =
      isDynamic && this.#toolsets ? createDynamicTools(registry, this.#toolsets, this) : undefined;
    this.#onError = onError;
    this.#onViewMade = onViewMade;
    this.#views = this.#toolsets?.views ?? new ViewCache(registry);
    try {
      for (const offer of this.offers.ofEachForm) this.#assertOffer(offer);
    } catch (error) {
      this.close();
      throw error;
    }
    this.#ready = this.#loadForms({ search, code });
    this.#ready.catch(onError);
  }

  /** Stops listening to the registry. Later registrations then no longer change the views. */
  close(): void {
    (this.#toolsets ?? this.#views).close();
    this.#formViews.close();
  }

  /** @internal Called when a server starts. Loads what the forms need, and reports why it cannot be loaded. */
  start(): void {
    if (!this.#toolsets) this.#reportUnknownTags();
    for (const { own } of this.offers.ofEachForm)
      this.#ready.then(
        () => this.#formViews.prepare(own).catch(this.#onError),
        () => undefined,
      );
  }

  /** @internal Rejects if a form cannot be loaded, or if its settings or the pinned tools are invalid. */
  async ready(): Promise<void> {
    await this.#ready;
  }

  /** Reports mistakes in the policy and in the pins when the server starts, in every form that a client may get. */
  #assertOffer(offer: Offer): void {
    if (this.#toolsets) {
      this.#toolsets.assertListable(this.#dynamicTools, offeredPolicy(offer));
      return;
    }
    const whole = internalsOf(this.#registry).tools.view(this.#policyOf(offer));
    if (offer.listsOwnTools) {
      this.#formViews.assertPins(offer.own, whole);
      return;
    }
    this.offers.accepts(whole, offer, { offers: [offer], client: undefined });
    this.#views.set(this.#keyOf({}, offer), whole);
  }

  /** Tools may be registered later, so a tag that no action has is reported, and not rejected. */
  #reportUnknownTags(): void {
    const { tags = [], anyTags = [] } = this.#policy;
    for (const tag of [...tags, ...anyTags]) {
      const known = internalsOf(this.#registry).tools.tags();
      if (known.has(tag)) continue;
      this.#onError(
        new ErrInvalidPolicy(`The view of the server selects the tag "${tag}", which no action has.`, {
          hint: `The tags are: ${listNames(known)}.${didYouMean(nearestName(tag, known))}`,
        }),
      );
    }
  }

  /** Loads the forms that clients get, and those that have settings, whose mistakes are then reported. */
  async #loadForms({ search, code }: NamedFormSettings): Promise<void> {
    const offers = this.offers.ofEachForm;
    const forms = new Set<OfferedForm>(offers.map(({ own }) => own));
    if (search !== undefined || this.#dynamicTools) forms.add('search');
    if (code !== undefined) forms.add('code');
    await Promise.all([...forms].map((form) => this.#formViews.load(form)));
    // Toolsets are loaded only when a request needs them.
    const compiled = this.#toolsets ? [] : offers.filter(({ listsOwnTools }) => listsOwnTools);
    await Promise.all(compiled.map((offer) => this.#lookUp(this.#keyOf({}, offer), {})));
  }

  /** @internal Throws if a caller cannot use a toolset, or if the toolset does not exist. */
  assertToolsets(keys: readonly string[], request: RequestOptions): void {
    if (keys.length === 0) return;
    const reachable = this.reachableFor(request);
    for (const key of keys) assertToolset(key, reachable, 'the request');
  }

  /** @internal Whether two requests with equal selections may see different tools. */
  get isPersonal(): boolean {
    return this.#selectsByCaller || this.readsContext || this.hidesByScope;
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
  viewFor(request: RequestOptions): View | Promise<View> {
    // Fast path: a compiled view of a server without toolsets needs no promise.
    if (!this.#toolsets && !this.hidesByScope && this.offers.hasOneForm) {
      const [offer] = this.offers.of(request.caller?.client).offers;
      const known = this.#views.find(this.#keyOf(request, offer as Offer));
      if (known) return known;
    }
    return this.#findView(request);
  }

  async #findView(request: RequestOptions): Promise<View> {
    const choice = this.offers.of(request.caller?.client);
    let view: View | undefined;
    for (const offer of choice.offers) {
      const key = this.#keyOf(request, offer);
      if (key.listing === 'session') await this.#checkNames(request, offer);
      view = await this.#lookUp(key, request);
      // `maxActiveToolsets` also limits the toolsets whose tools a request names.
      if (key.listing === 'tools') this.#toolsets?.assertRoomFor(view);
      if (this.offers.accepts(view, offer, choice)) break;
    }
    return view as View;
  }

  #keyOf(request: RequestOptions, offer: Offer, asked?: Listing): ViewKey {
    const { selection: given, caller, session } = request;
    const own = this.#toolsets;
    const selection = given ? compileNarrowing(given) : NO_NARROWING;
    if (!own) {
      const known = given ? undefined : this.#wholeKeys.get(offer);
      if (known) return known;
      if (given?.toolsets) this.assertToolsets(given.toolsets, request);
      const key: ViewKey = {
        offer,
        listing: offer.listsOwnTools ? 'form' : 'tools',
        toolsets: given?.toolsets?.toSorted(),
        ceiling: NO_NARROWING,
        selection,
        toleratesUnknown: false,
        toleratesFailed: false,
      };
      if (!given) this.#wholeKeys.set(offer, key);
      return key;
    }
    const listing = asked ?? this.#listingFor(request, offer);
    const { reachable, narrowing } = this.#ceilingOf(caller);
    const isSession = listing === 'session';
    const chosen = isSession ? undefined : given?.toolsets;
    const enabled = request.enabledToolsets?.current ?? own.startup;
    const active = isSession ? enabled.filter((key) => reachable.includes(key)) : reachable;
    const toolsets = own.inOrder(chosen ? own.select(chosen, reachable) : active);
    // A request that names no toolset gets the toolsets that can be loaded. A named toolset must load.
    const isOpen = listing !== 'tools' || this.#dynamicTools !== undefined;
    return {
      offer,
      listing,
      toolsets,
      ceiling: narrowing,
      selection,
      context: own.tools.dependOnContext(toolsets) ? (session ?? own.contextOf()).hash : undefined,
      // A session may select tools of toolsets that it has not enabled yet.
      toleratesUnknown: isSession,
      toleratesFailed: isSession || (isOpen && !chosen),
    };
  }

  #listingFor({ enabledToolsets, protocolVersion, selection }: RequestOptions, offer: Offer): Listing {
    if (offer.listsOwnTools) return 'form';
    if (!this.#dynamicTools || selection?.toolsets || selection?.tools) return 'tools';
    return enabledToolsets && !isModern(protocolVersion) ? 'session' : 'form';
  }

  /** The view of a key. With `scopes: 'hide'`, the scopes that matter are known once the tools are loaded. */
  async #lookUp(key: ViewKey, request: RequestOptions): Promise<View> {
    if (!this.hidesByScope) return this.#cached(key, request);
    const anything = { ...request, selection: undefined };
    const whole = await this.#cached({ ...key, listing: 'tools', selection: NO_NARROWING }, anything);
    return this.#cached({ ...key, scopes: grantedScopes(whole, request.caller) }, request);
  }

  #cached(key: ViewKey, request: RequestOptions): Promise<View> {
    const { context } = key;
    const { clientId } = request;
    const isOwn = context !== undefined && clientId !== undefined;
    return this.#views.get(key, {
      compile: () => this.#compile(key, request),
      owner: isOwn ? { clientId, sessionConfigHash: context } : undefined,
      onStale: this.#onError,
    });
  }

  async #compile(key: ViewKey, request: RequestOptions): Promise<View> {
    const toolsets = this.#toolsets;
    const view = toolsets
      ? await toolsets.compile(key, (request.session ?? toolsets.contextOf()).context, {
          always: key.listing === 'session' ? this.#dynamicTools : undefined,
          onFailed: this.#onError,
        })
      : this.#compileRegistered(key);
    const isNarrowed = key.selection.key !== '';
    if (isNarrowed || request.selection?.toolsets || key.scopes) this.#onViewMade(request);
    if (key.listing !== 'form') return view;
    // A request that selects toolsets gets its own index, because the words of hidden toolsets must not rank its tools.
    const wider =
      isNarrowed && !request.selection?.toolsets
        ? await this.#cached({ ...key, selection: NO_NARROWING }, { ...request, selection: undefined }).then(
            ({ shown }) => shown?.view,
            // A request for the wider view reports this error.
            () => undefined,
          )
        : undefined;
    const isWhole = !view.isPartial && !this.#selectsByCaller && this.#isWhole(key);
    const shown = await this.#formViews.create(view, key, { isWhole, wider });
    return view.isPartial ? markPartial(shown) : shown;
  }

  /** Without a configuration of toolsets, the only toolsets are mounted registries, and all of them are active. */
  #compileRegistered({ offer, toolsets, selection: { key, narrowing }, scopes }: ViewKey): View {
    const { tools } = internalsOf(this.#registry);
    const policy = this.#policyOf(offer as Offer);
    if (key === '' && !scopes && !toolsets) return tools.view(policy);
    // Cheaper than compiling, because clients can send any names. Hidden names are known only to the compiled view.
    const rejected = scopes ? undefined : tools.selectableNames(policy).reject(narrowing);
    if (rejected) throw rejected;
    const shown = [...tools.toolsets].filter(([each]) => toolsets?.includes(each) ?? true);
    const specs = shown.flatMap(([, toolset]) => toolset.specs);
    const { toolsetsOf } = tools;
    return tools.viewWith(specs, policy.policy, { narrowing, granted: scopes, toolsetsOf });
  }

  #policyOf(offer: Offer): CompiledPolicy {
    return compilePolicy({ ...this.#policy, ...offeredPolicy(offer) });
  }

  /** Whether nothing narrows the view. */
  #isWhole(key: ViewKey): boolean {
    return key.offer !== undefined && textOf(key) === textOf(this.#keyOf({}, key.offer));
  }

  /** @internal Rejects if a request selects something that it cannot have. */
  async check(request: RequestOptions): Promise<void> {
    // Names depend on the form. The client is known only to its session, which then rejects the selection.
    if (!this.offers.hasOneForm && !request.caller?.client) return;
    await (this.#toolsets ? this.#checkNames(request, this.#offerFor(request)) : this.viewFor(request));
  }

  /** Tools that a request names need not be enabled in its session, but they must exist. */
  async #checkNames(request: RequestOptions, offer: Offer): Promise<void> {
    const { tools, excludeTools } = request.selection ?? {};
    const key = this.#keyOf(request, offer, offer.listsOwnTools ? 'form' : 'tools');
    if (tools || excludeTools) await this.#lookUp(key, request);
  }

  /** The offer for which names are checked. A client may get another form if the tools do not fit. */
  #offerFor({ caller }: RequestOptions): Offer {
    return this.offers.of(caller?.client).offers[0] as Offer;
  }

  /** @internal The toolsets that a caller can use, whether or not they are active. */
  reachableFor({ caller }: RequestOptions): readonly string[] {
    if (this.#toolsets) return this.#ceilingOf(caller).reachable;
    return [...internalsOf(this.#registry).tools.toolsets.keys()];
  }

  /** @internal The tools that a request would see if these toolsets were active. */
  async toolsOf(keys: readonly string[], request: RequestOptions): Promise<View> {
    const own = this.#toolsets;
    if (!own) return this.viewFor(request);
    const { reachable } = this.#ceilingOf(request.caller);
    const toolsets = own.inOrder(keys.filter((key) => reachable.includes(key)));
    // Use the given toolsets instead of the request's. Like a session, tolerate selected tools that these toolsets
    // lack.
    const key = this.#keyOf(request, this.#offerFor(request), 'session');
    const context = own.tools.dependOnContext(toolsets)
      ? (request.session ?? own.contextOf()).hash
      : undefined;
    return this.#lookUp({ ...key, listing: 'tools', toolsets, context, toleratesFailed: false }, request);
  }
}

type Listing = ViewKey['listing'];
