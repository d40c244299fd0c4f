import { LRUCache } from 'lru-cache';
import type { Caller } from '../compile/tool-definition.js';
import type { CompiledSpec } from '../compile/tool-definition-compiler.js';
import { ErrInvalidPolicy } from '../errors.js';
import { isModern } from '../registry/methods.js';
import type { RequestOptions } from '../registry/request-context.js';
import type { ToolRegistry } from '../registry/tool-registry.js';
import { normalizePolicy } from '../registry/view.js';
import type { Narrowing, View, ViewPolicy } from '../registry/view.js';
import type { Selection, ViewSource } from '../registry/view-source.js';
import { isJsonObject } from '../schema/json-schema.js';
import { canonicalJson } from '../schema/json-value.js';
import { ClientBundles } from '../session/client-bundles.js';
import type { ContextRequest, ResolvedContext } from '../session/session-context.js';
import { createDynamicTools } from './dynamic-form.js';
import { createGrants } from './grant.js';
import type { ToolsetConfig } from './mode-config-mapper.js';
import { NOT_HERE, createSelectionReader } from './read-selection.js';
import { createSearchView, searchToolNames } from './search-form.js';
import type { CreateRanker } from './search-form.js';
import { assertToolset } from './server-mode.js';
import { Toolsets } from './toolsets.js';
import { idOf, narrowingOf } from './view-plan.js';
import type { ViewPlan } from './view-plan.js';
import { MAX_TOOLS, sizeOf } from './view-cache.js';
import type { KeptViews, Ready } from './view-cache.js';

/** What is offered, and how. */
export interface OfferedView extends Omit<ViewPolicy, 'form'> {
  /** `search`: tools are found and called through a few that are always the same. Default: `grouped`. */
  readonly form?: 'grouped' | 'flat' | 'search' | undefined;
  /** The tools that stay listed beside those of the search, by name or address. */
  readonly pinned?: readonly string[] | undefined;
  /** Ranks beside the search that Toolfold brings, such as by embeddings. */
  readonly ranker?: CreateRanker | undefined;
}

export interface ExposureOptions {
  /** What callers see; everything by default. */
  readonly view?: OfferedView | undefined;
  /** Toolsets beside what is registered. */
  readonly toolsets?: ToolsetConfig | undefined;
  /** Told what went wrong and is not for clients. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

const MAX_PLANS = 2_000;

/** What a caller can get at, by what was verified of it. */
interface Grant {
  readonly reachable: readonly string[];
  readonly ceiling?: Narrowing;
}

/** What a view is for: what is active in a session, or anything else. */
type Use = 'listed' | 'session';

/** Decides what each request sees: what the operator offers, narrowed by what the request selects, in the form for its era. */
export class Exposure implements ViewSource {
  readonly #registry: ToolRegistry;
  readonly #policy: ViewPolicy;
  readonly #isSearched: boolean;
  readonly #pinned: readonly string[];
  readonly #ranker: CreateRanker | undefined;
  readonly #toolsets: Toolsets | undefined;
  readonly #grantTo: ((caller: Caller | undefined) => Selection | undefined) | undefined;
  readonly #dynamicTools: readonly CompiledSpec[] | undefined;
  readonly #onError: (error: unknown) => void;
  /** What requests have picked out of what is registered. */
  readonly #picked = new LRUCache<string, View>({ maxSize: MAX_TOOLS, sizeCalculation: sizeOf });
  /** The search over each view, for as long as the view is there. */
  readonly #searches = new WeakMap<View, View>();
  /** By who may what, what is active and what is selected, each as one object: nothing is read twice. */
  readonly #plans = new LRUCache<string, ViewPlan>({ max: MAX_PLANS });
  readonly #grants = new LRUCache<string, Grant>({ max: MAX_PLANS });
  readonly #everybody: Grant;
  readonly #bundles: ClientBundles<ClientViews> | undefined;
  readonly #forget: () => void;
  #whole: View | undefined;

  constructor(registry: ToolRegistry, options: ExposureOptions = {}) {
    assertOptions(options);
    const { view = {}, toolsets, onError = () => {} } = options;
    assertOffer(view);
    const { form, pinned, ranker, ...policy } = view;
    this.#registry = registry;
    this.#isSearched = form === 'search';
    this.#ranker = ranker;
    this.#pinned = Object.freeze([...new Set(pinned)].toSorted());
    this.#policy = normalizePolicy(form === 'flat' ? { ...policy, form } : policy);
    this.#toolsets = toolsets && new Toolsets(registry, toolsets, this.#policy, onError);
    this.#grantTo = toolsets?.select && createGrants(toolsets.select);
    const { isDynamic = false, allowed = [], startup = [] } = this.#toolsets ?? {};
    this.#everybody = { reachable: isDynamic ? allowed : startup };
    this.#dynamicTools =
      isDynamic && this.#toolsets ? createDynamicTools(registry, this.#toolsets, this) : undefined;
    this.#onError = onError;
    this.#bundles = this.readsContext
      ? new ClientBundles({ ...toolsets?.clientBundles, maxSize: MAX_TOOLS, sizeOf: sizeOfBundle })
      : undefined;
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
      this.#bundles?.clear();
    });
  }

  /** Listens to nothing any more. What is registered later is then no longer noticed. */
  close(): void {
    this.#forget();
    this.#toolsets?.close();
  }

  get hasToolsets(): boolean {
    return this.#toolsets !== undefined;
  }

  /** Throws where there is no such toolset for a caller. */
  assertToolsets(keys: readonly string[], request: RequestOptions): void {
    if (keys.length === 0) return;
    const reachable = this.reachableFor(request);
    for (const key of keys) assertToolset(key, reachable, 'the request');
  }

  /** Whether anybody looks at what clients are called. */
  get namesClients(): boolean {
    return this.readsContext || this.#registry.namesClients;
  }

  /** Whether requests say something about their callers that counts. */
  get readsContext(): boolean {
    return this.#toolsets?.readsContext === true;
  }

  /** Whether two requests that select the same may see different tools. */
  get isPersonal(): boolean {
    return this.#grantTo !== undefined || this.readsContext;
  }

  /** What a request says about its caller, with what the server says. A malformed one throws. */
  contextOf(request?: ContextRequest): ResolvedContext | undefined {
    return this.#toolsets?.contextOf(request);
  }

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

  viewFor(request: RequestOptions): Ready {
    const { selection } = request;
    const toolsets = this.#toolsets;
    if (!toolsets) {
      this.assertToolsets(selection?.toolsets ?? [], request);
      const view = selection ? this.#pick(selection) : this.#current();
      return this.#isSearched ? this.#search(view, [], request) : view;
    }
    const grant = this.#grantOf(request);
    if (this.#isOfSession(request)) return this.#viewOfSession(toolsets, request, grant);
    const plan = this.#planOf(toolsets, grant, request, 'listed');
    const view = this.#viewOf(toolsets, plan, request);
    if (this.#isSearched || (this.#dynamicTools && !isNaming(selection)))
      return this.#search(view, plan.keys, request);
    if (!toolsets.hasLimit) return view;
    return view instanceof Promise ? view.then((ready) => this.#assertRoom(ready)) : this.#assertRoom(view);
  }

  /** Throws, or rejects, where a request selects what it cannot. */
  check(request: RequestOptions): Ready | undefined {
    const { selection } = request;
    const toolsets = this.#toolsets;
    if (!toolsets) return this.viewFor(request);
    const plan = this.#planOf(toolsets, this.#grantOf(request), request, 'listed');
    // What names nothing cannot name what is not there.
    if (!selection?.tools && !selection?.excludeTools) return undefined;
    return this.#viewOf(toolsets, plan, request);
  }

  /** The toolsets that a caller can get at, whatever is active. */
  reachableFor(request: RequestOptions): readonly string[] {
    return this.#grantOf(request).reachable;
  }

  /** The tools that a request would see with these toolsets active. */
  async toolsOf(keys: readonly string[], request: RequestOptions): Promise<View> {
    const toolsets = this.#toolsets;
    if (!toolsets) return this.viewFor(request);
    const { reachable, ceiling } = this.#grantOf(request);
    const within = keys.filter((key) => reachable.includes(key));
    const options = { ceiling, toleratesUnknown: true };
    const plan = toolsets.plan(within, withoutToolsets(request.selection), options);
    return this.#viewOf(toolsets, plan, request);
  }

  /** Equal answers of the operator's function are one, whatever objects they are. */
  #grantOf({ caller }: RequestOptions): Grant {
    const granted = this.#grantTo?.(caller);
    if (!granted) return this.#everybody;
    const { toolsets, tools, excludeTools, readOnly } = granted;
    const key = JSON.stringify([toolsets, tools, excludeTools, readOnly]);
    let grant = this.#grants.get(key);
    if (!grant) {
      const { reachable } = this.#everybody;
      grant = {
        reachable: toolsets ? reachable.filter((each) => toolsets.includes(each)) : reachable,
        ceiling: narrowingOf(granted),
      };
      this.#grants.set(key, grant);
    }
    return grant;
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

  #pick(selection: Selection): View {
    const narrowing = narrowingOf(selection);
    const key = canonicalJson(narrowing);
    if (key === '{}') return this.#current();
    let view = this.#picked.get(key);
    if (!view) {
      view = this.#registry.viewWith([], this.#policy, { narrowing });
      this.#picked.set(key, view);
    }
    return view;
  }

  #viewOf(
    toolsets: Toolsets,
    plan: ViewPlan,
    { session = toolsets.contextOf(), clientId }: RequestOptions,
  ): Ready {
    const isOwn = plan.dependsOnContext && clientId !== undefined;
    const kept = isOwn ? this.#keptFor(clientId, session) : undefined;
    return toolsets.viewOf(plan, session, { kept, onFailed: this.#onError });
  }

  /** Where contexts differ, a client keeps what was made for its own, whatever others bring. */
  #keptFor(clientId: string, { hash }: ResolvedContext): KeptViews | undefined {
    const bundles = this.#bundles;
    if (!bundles) return undefined;
    const owner = { clientId, sessionConfigHash: hash };
    return {
      get: (key) => bundles.get(owner)?.views.get(key),
      set: (key, view) => bundles.set(owner, { views: withOne(bundles.get(owner)?.views, key, view) }),
    };
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
    const isWhole = !selection && !this.#grantTo && inner.isPartial !== true && session?.hash === own?.hash;
    const search = createSearchView(this.#registry, inner, {
      toolsets: this.#toolsets?.describe([], keys) ?? [],
      pinned: this.#pinsOf(inner, isWhole),
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
    const plan = this.#planOf(toolsets, this.#grantOf(request), {}, 'listed');
    const wider = this.#viewOf(toolsets, plan, request);
    if (!(wider instanceof Promise)) return wider;
    // What cannot be loaded is told where it is asked for.
    wider.catch(() => undefined);
    return undefined;
  }

  #pinsOf({ groups, tools }: View, isWhole: boolean): readonly string[] {
    const startup = this.#toolsets?.isDynamic ? this.#toolsets.startup : [];
    const ofStartup = groups
      .filter(({ key }) => startup.includes(key))
      .flatMap((group) => group.tools)
      // One that is called like a tool of the search can be found, not listed.
      .filter((name) => !searchToolNames.has(name));
    const known = new Set(
      [...tools].flatMap(([name, { actions }]) => [
        name,
        ...[...actions.values()].map(({ address }) => address),
      ]),
    );
    const pinned = isWhole ? this.#pinned : this.#pinned.filter((name) => known.has(name));
    return [...new Set([...pinned, ...ofStartup])];
  }
}

/** Whether a request says itself what is to be listed. */
function isNaming(selection: Selection | undefined): boolean {
  return selection?.toolsets !== undefined || selection?.tools !== undefined;
}

const readHeaders = createSelectionReader(undefined);

/** What a client has lately seen of what was made for its context. */
interface ClientViews {
  readonly views: ReadonlyMap<string, View>;
}

const MAX_KEPT = 16;

function withOne(views: ReadonlyMap<string, View> | undefined, key: string, view: View): Map<string, View> {
  const latest = [...(views ?? [])].filter(([each]) => each !== key).slice(1 - MAX_KEPT);
  return new Map([...latest, [key, view]]);
}

function sizeOfBundle({ views }: ClientViews): number {
  return [...views.values()].reduce((sum, view) => sum + sizeOf(view), 1);
}

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
  const unknown = Object.keys(options).find((key) => !['view', 'toolsets', 'onError'].includes(key));
  if (unknown !== undefined) {
    throw new ErrInvalidPolicy(`An exposure has no "${unknown}".`, {
      hint: 'It takes view, toolsets and onError.',
    });
  }
}

function assertOffer(view: OfferedView): void {
  if (!isJsonObject(view as unknown)) throw new ErrInvalidPolicy('A view policy is an object.');
  const { form, pinned, ranker } = view;
  if (form !== undefined && form !== 'grouped' && form !== 'flat' && form !== 'search')
    throw new ErrInvalidPolicy('"form" of a view policy must be "grouped", "flat" or "search".');
  if (pinned !== undefined && !(Array.isArray(pinned) && pinned.every((name) => typeof name === 'string')))
    throw new ErrInvalidPolicy('"pinned" of a view policy must be a list of names.');
  if (ranker !== undefined && typeof ranker !== 'function')
    throw new ErrInvalidPolicy('"ranker" of a view policy must be a function.');
}
