import { LRUCache } from 'lru-cache';
import type { CompiledSpec } from '../compile/compiled-tool.js';
import { ErrInvalidPolicy } from '../errors.js';
import type { ErrInvalidSelection } from '../errors.js';
import { isModern } from '../protocol/versions.js';
import type { RequestOptions } from '../engine/request.js';
import type { AnyRegistry } from '../registry/any-registry.js';
import { normalizePolicy } from '../views/policy.js';
import type { View, ViewSource } from '../views/view.js';
import type { Narrowing, ViewPolicy } from '../views/policy.js';
import type { SelectableNames } from '../views/view-selection.js';
import type { Selection } from '../callers/selection.js';
import { canonicalJson } from '../values/json-value.js';
import type { ContextRequest, ResolvedContext } from '../callers/session-context.js';
import { ClientViews } from './client-cache.js';
import { createDynamicTools } from './dynamic-form.js';
import { Grants } from './caller-ceiling.js';
import type { Grant } from './caller-ceiling.js';
import type { ToolsetConfig } from './toolset-config.js';
import { assertOffer } from './exposure-policy.js';
import type { OfferedView } from './exposure-policy.js';
import { NOT_HERE, createSelectionReader } from './read-selection.js';
import { createSearchView, pinsIn } from '../search/form/search-form.js';
import type { CreateRanker } from '../search/form/open-search.js';
import { assertToolset } from './tool-set-catalog.js';
import { Toolsets } from './toolsets.js';
import { MAX_TOOLS, sizeOf } from './view-cache.js';
import type { Ready } from './view-cache.js';
import { idOf, narrowingOf } from './view-plan.js';
import type { ViewPlan } from './view-plan.js';

/** What an operator offers. */
export interface ExposureOptions {
  /** What callers see; everything by default. */
  readonly view?: OfferedView | undefined;
  /** Toolsets beside what is registered. */
  readonly toolsets?: ToolsetConfig | undefined;
  /** Told what went wrong and is not for clients. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Called when the selection of a request needs a view that is not cached. */
  readonly onViewMade?: ((request: RequestOptions) => void) | undefined;
}

/** How many plans are kept, by what was asked. */
const MAX_PLANS = 2_000;

/** What a selection picks out of what is registered, and the key of its view. */
interface Pick {
  readonly narrowing: Narrowing;
  readonly key: string;
}

/** What a view is for: what is active in a session, or anything else. */
type Use = 'listed' | 'session';

/** Decides what each request sees: what the operator offers, narrowed by what the request selects, in the form for its era. */
export class Exposure implements ViewSource {
  readonly #registry: AnyRegistry;
  readonly #policy: ViewPolicy;
  readonly #isSearched: boolean;
  readonly #pinned: readonly string[];
  readonly #ranker: CreateRanker | undefined;
  readonly #toolsets: Toolsets | undefined;
  readonly #grants: Grants;
  readonly #dynamicTools: readonly CompiledSpec[] | undefined;
  readonly #onError: (error: unknown) => void;
  readonly #onViewMade: (request: RequestOptions) => void;
  /** What requests have picked out of what is registered. */
  readonly #picked = new LRUCache<string, View>({ maxSize: MAX_TOOLS, sizeCalculation: sizeOf });
  #selectable: SelectableNames | undefined;
  /** What each selection means. Requests that select the same share one selection. */
  readonly #picks = new WeakMap<Selection, Pick>();
  /** The search over each view, for as long as the view is there. */
  readonly #searches = new WeakMap<View, View>();
  /** By who may what, what is active and what is selected, each as one object: nothing is read twice. */
  readonly #plans = new LRUCache<string, ViewPlan>({ max: MAX_PLANS });
  readonly #ofClients: ClientViews | undefined;
  readonly #forget: () => void;
  #whole: View | undefined;

  constructor(registry: AnyRegistry, options: ExposureOptions = {}) {
    assertOptions(options);
    const { view = {}, toolsets, onError = () => {}, onViewMade = () => {} } = options;
    assertOffer(view);
    const { form, pinned, ranker, ...policy } = view;
    this.#registry = registry;
    this.#isSearched = form === 'search';
    this.#ranker = ranker;
    this.#pinned = Object.freeze([...new Set(pinned)].toSorted());
    this.#policy = normalizePolicy(form === 'flat' ? { ...policy, form } : policy);
    this.#toolsets = toolsets && new Toolsets(registry, toolsets, this.#policy, onError);
    const { isDynamic = false, allowed = [], startup = [] } = this.#toolsets ?? {};
    this.#grants = new Grants(isDynamic ? allowed : startup, toolsets?.select);
    this.#dynamicTools =
      isDynamic && this.#toolsets ? createDynamicTools(registry, this.#toolsets, this) : undefined;
    this.#onError = onError;
    this.#onViewMade = onViewMade;
    this.#ofClients = this.readsContext ? new ClientViews(toolsets?.clientBundles) : undefined;
    // A mistake in the policy throws here. One that comes later leaves the last good view in place.
    if (!toolsets) this.#whole = registry.view(this.#policy);
    if (!toolsets && this.#isSearched) this.viewFor({});
    try {
      this.#toolsets?.assertListable(this.#dynamicTools);
    } catch (error) {
      this.#toolsets?.close();
      throw error;
    }
    this.#forget = registry.onChange(({ kind }) => {
      if (kind !== 'tools') return;
      this.#picked.clear();
      this.#selectable = undefined;
      this.#ofClients?.clear();
    });
  }

  /** Listens to nothing any more. What is registered later is then no longer noticed. */
  close(): void {
    this.#forget();
    this.#toolsets?.close();
  }

  /**
   * Whether there are toolsets beside what is registered.
   *
   * @internal
   */
  get hasToolsets(): boolean {
    return this.#toolsets !== undefined;
  }

  /**
   * Throws where there is no such toolset for a caller.
   *
   * @internal
   */
  assertToolsets(keys: readonly string[], request: RequestOptions): void {
    if (keys.length === 0) return;
    const reachable = this.reachableFor(request);
    for (const key of keys) assertToolset(key, reachable, 'the request');
  }

  /**
   * Whether anybody looks at what clients are called.
   *
   * @internal
   */
  get namesClients(): boolean {
    return this.readsContext || this.#registry.namesClients;
  }

  /**
   * Whether requests say something about their callers that counts.
   *
   * @internal
   */
  get readsContext(): boolean {
    return this.#toolsets?.readsContext === true;
  }

  /**
   * Whether two requests that select the same may see different tools.
   *
   * @internal
   */
  get isPersonal(): boolean {
    return this.#grants.differ || this.readsContext;
  }

  /**
   * What a request says about its caller, with what the server says. A malformed one throws.
   *
   * @internal
   */
  contextOf(request?: ContextRequest): ResolvedContext | undefined {
    return this.#toolsets?.contextOf(request);
  }

  /** A request with what its headers select and say about its caller. Malformed words throw. */
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

  /** What a request sees. */
  viewFor(request: RequestOptions): Ready {
    const { selection } = request;
    const toolsets = this.#toolsets;
    if (!toolsets) {
      this.assertToolsets(selection?.toolsets ?? [], request);
      const view = selection ? this.#pick(selection, request) : this.#current();
      return this.#isSearched ? this.#search(view, [], request) : view;
    }
    const grant = this.#grants.of(request.caller);
    if (this.#isOfSession(request)) return this.#viewOfSession(toolsets, request, grant);
    const plan = this.#planOf(toolsets, grant, request, 'listed');
    const view = this.#viewOf(toolsets, plan, request);
    if (this.#isSearched || (this.#dynamicTools && !isNaming(selection)))
      return this.#search(view, plan.keys, request);
    if (!toolsets.hasLimit) return view;
    return view instanceof Promise ? view.then((ready) => this.#assertRoom(ready)) : this.#assertRoom(view);
  }

  /**
   * The error with which `viewFor` rejects a selection that names an unknown tool. Asking for it first saves the throw,
   * which costs more than the check.
   *
   * @internal
   */
  refuseSelection(selection: Selection): ErrInvalidSelection | undefined {
    if (this.#toolsets) return undefined;
    const { narrowing, key } = this.#readPick(selection);
    if (this.#picked.has(key)) return undefined;
    this.#selectable ??= this.#registry.selectableNames(this.#policy);
    return this.#selectable.refuse(narrowing);
  }

  /**
   * Throws, or rejects, where a request selects what it cannot.
   *
   * @internal
   */
  check(request: RequestOptions): Ready | undefined {
    const { selection } = request;
    const toolsets = this.#toolsets;
    if (!toolsets) return this.viewFor(request);
    const plan = this.#planOf(toolsets, this.#grants.of(request.caller), request, 'listed');
    // What names nothing cannot name what is not there.
    if (!selection?.tools && !selection?.excludeTools) return undefined;
    return this.#viewOf(toolsets, plan, request);
  }

  /**
   * The toolsets that a caller can get at, whatever is active.
   *
   * @internal
   */
  reachableFor(request: RequestOptions): readonly string[] {
    return this.#grants.of(request.caller).reachable;
  }

  /**
   * The tools that a request would see with these toolsets active.
   *
   * @internal
   */
  async toolsOf(keys: readonly string[], request: RequestOptions): Promise<View> {
    const toolsets = this.#toolsets;
    if (!toolsets) return this.viewFor(request);
    const { reachable, ceiling } = this.#grants.of(request.caller);
    const within = keys.filter((key) => reachable.includes(key));
    const options = { ceiling, toleratesUnknown: true };
    const plan = toolsets.plan(within, withoutToolsets(request.selection), options);
    return this.#viewOf(toolsets, plan, request);
  }

  #planOf(
    toolsets: Toolsets,
    grant: Grant,
    { selection }: RequestOptions,
    use: Use,
    active: readonly string[] = grant.reachable,
  ): ViewPlan {
    const key = `${idOf(grant)} ${idOf(active)} ${idOf(selection)} ${use}`;
    let plan = this.#plans.get(key);
    if (!plan) {
      const { reachable, ceiling } = grant;
      const isSession = use === 'session';
      const keys =
        !isSession && selection?.toolsets
          ? toolsets.select(selection.toolsets, reachable)
          : active.filter((each) => reachable.includes(each));
      const always = isSession ? this.#dynamicTools : undefined;
      // Who names no toolset is served what can be loaded of those that he did not ask for.
      const isOpen = this.#isSearched || this.#dynamicTools !== undefined;
      const toleratesFailed = isSession || (selection?.toolsets === undefined && isOpen);
      const options = { always, ceiling, toleratesUnknown: isSession, toleratesFailed };
      plan = toolsets.plan(keys, withoutToolsets(selection), options);
      this.#plans.set(key, plan);
    }
    return plan;
  }

  /** Whether a request belongs to a session in which toolsets are enabled. */
  #isOfSession({ enabledToolsets, protocolVersion, selection }: RequestOptions): boolean {
    return (
      this.#dynamicTools !== undefined &&
      !this.#isSearched &&
      !isNaming(selection) &&
      enabledToolsets !== undefined &&
      !isModern(protocolVersion)
    );
  }

  /** Tools can be named of no more toolsets than may be active. */
  #assertRoom(view: View): View {
    this.#toolsets?.assertRoomFor(view);
    return view;
  }

  #current(): View {
    try {
      this.#whole = this.#registry.view(this.#policy);
    } catch (error) {
      this.#onError(error);
    }
    return this.#whole as View;
  }

  #readPick(selection: Selection): Pick {
    let pick = this.#picks.get(selection);
    if (!pick) {
      const narrowing = narrowingOf(selection);
      this.#picks.set(selection, (pick = { narrowing, key: canonicalJson(narrowing) }));
    }
    return pick;
  }

  #pick(selection: Selection, request: RequestOptions): View {
    const { narrowing, key } = this.#readPick(selection);
    if (key === '{}') return this.#current();
    let view = this.#picked.get(key);
    if (!view) {
      const refused = this.refuseSelection(selection);
      if (refused) throw refused;
      view = this.#registry.viewWith([], this.#policy, { narrowing });
      this.#picked.set(key, view);
      this.#onViewMade(request);
    }
    return view;
  }

  #viewOf(toolsets: Toolsets, plan: ViewPlan, request: RequestOptions): Ready {
    const { session = toolsets.contextOf(), clientId, selection } = request;
    const isOwn = plan.dependsOnContext && clientId !== undefined;
    const kept = isOwn ? this.#ofClients?.of(clientId, session.hash) : undefined;
    const onMade = selection && (() => this.#onViewMade(request));
    return toolsets.viewOf(plan, session, { kept, onFailed: this.#onError, onMade });
  }

  /** What is enabled, and the tools that enable more. */
  #viewOfSession(toolsets: Toolsets, request: RequestOptions, grant: Grant): Ready {
    const active = request.enabledToolsets?.current ?? toolsets.startup;
    const view = (): Ready =>
      this.#viewOf(toolsets, this.#planOf(toolsets, grant, request, 'session', active), request);
    // What is not to be there need not be enabled, but must exist.
    const checked = this.check(request);
    return checked instanceof Promise ? checked.then(view) : view();
  }

  /** The search over a view. What is pinned must be there, unless the view is narrower than the operator knew. */
  #search(inner: Ready, keys: readonly string[], request: RequestOptions): Ready {
    if (inner instanceof Promise) return inner.then((view) => this.#search(view, keys, request));
    const known = this.#searches.get(inner);
    if (known) return known;
    const own = this.contextOf();
    const { selection, session = own } = request;
    const isWhole =
      !selection && !this.#grants.differ && inner.isPartial !== true && session?.hash === own?.hash;
    const search = createSearchView(this.#registry, inner, {
      toolsets: this.#toolsets?.describe([], keys) ?? [],
      pinned: pinsIn(inner, isWhole, this.#pinned, this.#toolsets?.isDynamic ? this.#toolsets.startup : []),
      ranker: this.#ranker,
      // Of other toolsets not even an index may tell: this view may be that of callers who cannot have them.
      wider: request.selection && !request.selection.toolsets ? this.#widerFor(request) : undefined,
    });
    const view = inner.isPartial === true ? Object.freeze({ ...search, isPartial: true }) : search;
    this.#searches.set(inner, view);
    return view;
  }

  /** What the caller sees where it selects nothing, whose index serves narrower views too; if it is there. */
  #widerFor(request: RequestOptions): View | undefined {
    const toolsets = this.#toolsets;
    if (!toolsets) return this.#current();
    const plan = this.#planOf(toolsets, this.#grants.of(request.caller), {}, 'listed');
    const wider = this.#viewOf(toolsets, plan, request);
    if (!(wider instanceof Promise)) return wider;
    // What cannot be loaded is told where it is asked for.
    wider.catch(() => undefined);
    return undefined;
  }
}

/** Whether a request says itself what is to be listed. */
function isNaming(selection: Selection | undefined): boolean {
  return selection?.toolsets !== undefined || selection?.tools !== undefined;
}

const readHeaders = createSelectionReader(undefined);

/** The credential of the session, where it brings one, else of the server. */
function accessTokenOf({ context }: ResolvedContext): string | undefined {
  const { accessToken } = context;
  return typeof accessToken === 'string' && accessToken !== '' ? accessToken : undefined;
}

function withoutToolsets(selection: Selection = {}): Selection {
  const { toolsets: _, ...rest } = selection;
  return rest;
}

/** A slip must not leave everything open. */
function assertOptions(options: ExposureOptions): void {
  const unknown = Object.keys(options).find(
    (key) => !['view', 'toolsets', 'onError', 'onViewMade'].includes(key),
  );
  if (unknown !== undefined) {
    throw new ErrInvalidPolicy(`An exposure has no "${unknown}".`, {
      hint: 'It takes view, toolsets, onError and onViewMade.',
    });
  }
}
