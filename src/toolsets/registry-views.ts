import type { RequestOptions } from '../engine/request.js';
import type { ErrInvalidSelection } from '../errors.js';
import type { Selection } from '../callers/caller.js';
import type { AnyRegistry } from '../registry/any-registry.js';
import type { SearchedToolset } from '../search/form/entries.js';
import { offeredPolicy } from '../views/offers.js';
import type { Offer } from '../views/offers.js';
import { NO_NARROWING, compileNarrowing, compilePolicy } from '../views/policy.js';
import type { CompiledPolicy, ViewPolicy } from '../views/policy.js';
import { ViewCache } from '../views/view-cache.js';
import type { PendingView, WantedView } from '../views/view-cache.js';
import type { SelectableNames } from '../views/view-selection.js';
import type { View } from '../views/view.js';
import { grantedScopes } from './caller-ceiling.js';
import { assertToolset } from './tool-set-catalog.js';

interface RegistryViewsOptions {
  /** Whether actions are hidden for which the caller lacks a scope. */
  readonly hidesByScope: boolean;
  /** The views of all offers of the server. */
  readonly cache: ViewCache;
  /** Distinguishes the views of this offer from those of others. */
  readonly key: string;
  /** Puts a view into the form of the server. `isWhole` is true for a view that nothing has narrowed. */
  readonly shape: (view: View, request: RequestOptions, isWhole: boolean) => PendingView;
  /** Called with the error that makes a view impossible to compile, when its last good version is used. */
  readonly onStale: (error: unknown) => void;
  /** Called when a request needs a view that is not cached. */
  readonly onViewMade: (request: RequestOptions) => void;
}

/** The views of one offer of a server without a configuration of toolsets. Its only toolsets are mounted registries, which are all active. */
export class RegistryViews {
  readonly #registry: AnyRegistry;
  readonly #policy: CompiledPolicy;
  readonly #options: RegistryViewsOptions;
  readonly cache: ViewCache;
  /** The view that nothing has narrowed. */
  readonly whole: WantedView;
  /** The names that requests can select, for rejecting unknown ones without compiling a view. */
  #selectable: SelectableNames | undefined;

  constructor(registry: AnyRegistry, policy: CompiledPolicy, options: RegistryViewsOptions) {
    this.#registry = registry;
    this.#policy = policy;
    this.#options = options;
    // A mistake in the policy throws here. A mistake that a later registration causes leaves the last good view in place.
    const make = (): PendingView => options.shape(registry.tools.view(policy), {}, true);
    this.cache = options.cache;
    this.whole = { key: options.key, isPicked: false, onStale: options.onStale, make };
    const made = this.cache.getOrMake(this.whole);
    // The request that needs the view fails with the same error.
    if (made instanceof Promise) made.catch(options.onStale);
  }

  /** The keys of the toolsets. */
  get toolsets(): readonly string[] {
    return [...this.#registry.tools.toolsets.keys()];
  }

  /** The view of a request that selects something, or of any request if scopes hide actions. */
  viewFor(request: RequestOptions): PendingView {
    const { selection } = request;
    const { key, narrowing } = selection ? compileNarrowing(selection) : NO_NARROWING;
    const { hidesByScope, onStale, onViewMade, shape, key: offer } = this.#options;
    const { tools } = this.#registry;
    const chosen = selection?.toolsets;
    for (const each of chosen ?? []) assertToolset(each, this.toolsets, 'the request');
    const granted = hidesByScope ? grantedScopes(tools.scopes, request.caller) : undefined;
    if (key === '' && !chosen && !granted) return this.cache.getOrMake(this.whole);
    return this.cache.getOrMake({
      key: `${offer} ${chosen || granted ? JSON.stringify([key, granted, chosen?.toSorted()]) : key}`,
      isPicked: key !== '',
      onStale,
      make: () => {
        const rejected = selection && this.reject(selection);
        if (rejected) throw rejected;
        const { toolsetsOf } = tools;
        const more = [...tools.toolsets].filter(([each]) => chosen?.includes(each) ?? true);
        const specs = more.flatMap(([, toolset]) => toolset.specs);
        const view = tools.viewWith(specs, this.#policy.policy, { narrowing, granted, toolsetsOf });
        onViewMade(request);
        return shape(view, request, false);
      },
    });
  }

  /** The error with which `viewFor` rejects a selection. Where scopes hide names, only `viewFor` can tell. */
  reject(selection: Selection): ErrInvalidSelection | undefined {
    if (this.#options.hidesByScope) return undefined;
    const { narrowing, key } = compileNarrowing(selection);
    if (key === '' || this.cache.hasPicked(`${this.#options.key} ${key}`)) return undefined;
    this.#selectable ??= this.#registry.tools.selectableNames(this.#policy.policy);
    return this.#selectable.reject(narrowing);
  }

  /** Drops the names, because the registered tools have changed. */
  clear(): void {
    this.#selectable = undefined;
  }
}

interface OfferOptions extends Omit<RegistryViewsOptions, 'cache' | 'key' | 'shape'> {
  readonly shape: (view: View, offer: Offer, request: RequestOptions, isWhole: boolean) => PendingView;
}

/** The views of a server without a configuration of toolsets, for each form and profile that it offers. They share one cache. */
export class ViewsByOffer {
  readonly #cache = new ViewCache();
  readonly #views = new Map<Offer, RegistryViews>();
  readonly #create: (offer: Offer) => RegistryViews;

  constructor(registry: AnyRegistry, policy: ViewPolicy, { shape, ...options }: OfferOptions) {
    this.#create = (offer) =>
      new RegistryViews(registry, compilePolicy({ ...policy, ...offeredPolicy(offer) }), {
        ...options,
        cache: this.#cache,
        key: offer.key,
        shape: (view, request, isWhole) => shape(view, offer, request, isWhole),
      });
  }

  /** The views of an offer. The first use compiles the whole view, and throws if that is not possible. */
  of(offer: Offer): RegistryViews {
    let views = this.#views.get(offer);
    if (!views) this.#views.set(offer, (views = this.#create(offer)));
    return views;
  }

  /** Drops the views, because the registered tools have changed. */
  clear(): void {
    this.#cache.clear();
    for (const views of this.#views.values()) views.clear();
  }
}

/** The texts of mounted registries that are toolsets. */
export function describeMounted({ tools }: AnyRegistry): readonly SearchedToolset[] {
  return [...tools.toolsets].map(([key, toolset]) => ({ key, ...toolset }));
}
