import { LRUCache } from 'lru-cache';
import { ToolfoldError } from '../errors.js';
import type { View } from '../views/view.js';

/** A view, or one that is being loaded. */
export type Ready = View | Promise<View>;

/** Where one client keeps its views, by what they were made of, so that others cannot drop them. */
export interface KeptViews {
  /** The view that was kept under a key. */
  get(key: string): View | undefined;
  /** Keeps a view. */
  set(key: string, view: View): void;
}

/** Maximum number of tools in cached views. The least recently used view is evicted. */
export const MAX_TOOLS = 20_000;
/** What could not be loaded is tried again after a while. */
const RETRY_MS = 30_000;

const bounds = {
  maxSize: MAX_TOOLS,
  sizeCalculation: (view: Ready) => (view instanceof Promise ? 1 : sizeOf(view)),
};

interface Wanted {
  readonly key: string;
  /** Whether a request has picked single tools. */
  readonly isPicked: boolean;
  readonly kept?: KeptViews | undefined;
  /** Told why the last good view is served instead of one that cannot be made. */
  readonly onStale?: ((error: unknown) => void) | undefined;
}

/** Views that are compiled, once for all who ask meanwhile. */
export class ViewCache {
  /** Whole toolsets; and apart from them, for there are many more, what requests have picked out of them. */
  readonly #views = new LRUCache<string, Ready>(bounds);
  readonly #picked = new LRUCache<string, Ready>(bounds);
  /** What was last good, for when what has changed cannot be served. */
  readonly #last = new LRUCache<string, View>({ maxSize: MAX_TOOLS, sizeCalculation: sizeOf });

  /** `make` calls `leaveOut` where the view lacks something that will be there later. */
  getOrMake({ key, isPicked, kept, onStale }: Wanted, make: (leaveOut: () => void) => Promise<View>): Ready {
    const views = isPicked ? this.#picked : this.#views;
    const known = kept?.get(key) ?? views.get(key);
    if (known instanceof Promise) return known;
    if (known) {
      if (kept && !known.isPartial && kept.get(key) !== known) kept.set(key, known);
      return known;
    }
    let isPassing = false;
    const pass = (): void => {
      isPassing = true;
    };
    const making = make(pass).then(
      (view) => {
        if (isPassing) return Object.freeze({ ...view, isPartial: true });
        this.#last.set(key, view);
        return view;
      },
      (error: unknown) => {
        const last = this.#last.get(key);
        // What a request cannot select is not there any more.
        const isClients = error instanceof ToolfoldError && error.audience !== 'author';
        if (isClients) this.#last.delete(key);
        if (!last || !onStale || isClients) throw error;
        onStale(error);
        pass();
        return Object.freeze({ ...last, isPartial: true });
      },
    );
    views.set(key, making);
    const isWanted = (): boolean => views.peek(key) === making;
    making.then(
      (view) => {
        if (isWanted()) views.set(key, view, isPassing ? { ttl: RETRY_MS } : {});
      },
      () => {
        if (isWanted()) views.delete(key);
      },
    );
    return making;
  }

  /** Drops an incomplete view, so that it is compiled again. */
  forget(key: string): void {
    for (const views of [this.#views, this.#picked]) {
      const view = views.peek(key);
      if (view && !(view instanceof Promise) && view.isPartial === true) views.delete(key);
    }
  }

  clear(): void {
    this.#views.clear();
    this.#picked.clear();
  }
}

/** The size of a view in the cache. A view that is larger than the cache counts as the whole cache, and is kept. */
export function sizeOf(view: View): number {
  return Math.min(view.tools.size + 1, MAX_TOOLS);
}
