import { sharesPendingWork } from '../runtime/runtime.js';
import { LRUCache } from 'lru-cache';
import { ToolfoldError } from '../errors.js';
import type { View } from './view.js';

/** A view, or a view that is still loading. */
export type PendingView = View | Promise<View>;

/** The views that one client keeps, so that views of other clients cannot evict them. */
export interface KeptViews {
  get(key: string): View | undefined;
  set(key: string, view: View): void;
}

/** A view that a request needs. */
export interface WantedView {
  /** Equal for requests that see the same tools in the same form, and different for all others. */
  readonly key: string;
  /** Whether the request names single tools. */
  readonly isPicked: boolean;
  /** The views of the requesting client, which are looked up first. */
  readonly kept?: KeptViews | undefined;
  /** Called with the error of `make` when the last good view is returned instead. */
  readonly onStale?: ((error: unknown) => void) | undefined;
  /** Compiles the view. Calls `leaveOut` if some tools are missing because they could not be loaded in time. */
  readonly make: (leaveOut: () => void) => PendingView;
}

/** Maximum number of tools in cached views. The least recently used view is evicted. */
export const MAX_TOOLS = 20_000;
/** After so many milliseconds, loading the missing tools of a partial view is retried. */
const RETRY_MS = 30_000;

const limits = {
  maxSize: MAX_TOOLS,
  sizeCalculation: (view: PendingView) => (view instanceof Promise ? 1 : sizeOf(view)),
};

/**
 * The views of an exposure, by key. Concurrent requests for one key share one compilation. `clear` drops all views when the
 * registered tools or the tools of a module change.
 */
export class ViewCache {
  readonly #whole = new LRUCache<string, PendingView>(limits);
  /** Requests can name tools in countless ways, so these views have their own space and cannot evict the others. */
  readonly #picked = new LRUCache<string, PendingView>(limits);
  /** The last good view of each key, returned when a change makes the view impossible to compile. */
  readonly #last = new LRUCache<string, View>({ maxSize: MAX_TOOLS, sizeCalculation: sizeOf });

  getOrMake(wanted: WantedView): PendingView {
    const { key, kept } = wanted;
    const views = wanted.isPicked ? this.#picked : this.#whole;
    const ofClient = kept?.get(key);
    if (ofClient) return ofClient;
    const known = views.get(key);
    const isPending = known instanceof Promise;
    if (!known || (isPending && !sharesPendingWork())) return this.#make(wanted, views);
    if (kept && !isPending && !known.isPartial) kept.set(key, known);
    return known;
  }

  /** Whether a view that names single tools is cached. */
  hasPicked(key: string): boolean {
    return this.#picked.has(key);
  }

  /** Drops a partial view, so that it is compiled again. */
  forget(key: string): void {
    for (const views of [this.#whole, this.#picked]) {
      const view = views.peek(key);
      if (view && !(view instanceof Promise) && view.isPartial === true) views.delete(key);
    }
  }

  /** Drops all views, but not the last good ones. */
  clear(): void {
    this.#whole.clear();
    this.#picked.clear();
  }

  #make(wanted: WantedView, views: LRUCache<string, PendingView>): PendingView {
    const { key } = wanted;
    let isPartial = false;
    const finish = (view: View): View => {
      if (isPartial) return markPartial(view);
      this.#last.set(key, view);
      return view;
    };
    const keep = (view: View): void => {
      views.set(key, view, view.isPartial === true ? { ttl: RETRY_MS } : {});
    };
    let made: PendingView;
    try {
      made = wanted.make(() => {
        isPartial = true;
      });
    } catch (error) {
      made = this.#recover(wanted, error);
    }
    if (!(made instanceof Promise)) {
      const view = made.isPartial === true ? made : finish(made);
      keep(view);
      return view;
    }
    const making = made.then(finish, (error: unknown) => this.#recover(wanted, error));
    views.set(key, making);
    // After `clear`, another compilation may have taken the place of this one.
    const isCurrent = (): boolean => views.peek(key) === making;
    making.then(
      (view) => {
        if (isCurrent()) keep(view);
      },
      () => {
        if (isCurrent()) views.delete(key);
      },
    );
    return making;
  }

  /** The last good view in place of one that cannot be compiled. Errors that the client caused are thrown. */
  #recover({ key, onStale }: WantedView, error: unknown): View {
    const last = this.#last.get(key);
    const isClients = error instanceof ToolfoldError && error.audience !== 'author';
    if (isClients) this.#last.delete(key);
    if (!last || !onStale || isClients) throw error;
    onStale(error);
    return markPartial(last);
  }
}

/** The size of a view in the cache. A view that is larger than the cache counts as the whole cache, and is kept. */
export function sizeOf(view: View): number {
  return Math.min((view.searched ?? view).tools.size + 1, MAX_TOOLS);
}

/** Copies a view without building its tree, which is a getter. */
function markPartial(view: View): View {
  const isPartial = { value: true, enumerable: true };
  return Object.freeze(
    Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors(view), isPartial }),
  ) as View;
}
