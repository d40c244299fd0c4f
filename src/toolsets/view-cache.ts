import { LRUCache } from 'lru-cache';
import type { View } from '../registry/view.js';

export type Ready = View | Promise<View>;

/** The views of one client, by what they were made of. */
export type KeptViews = Map<string, View>;

/** How many views are kept; the one that was not used for longest is compiled anew. */
const MAX_VIEWS = 1_000;
/** Of one client. */
const MAX_KEPT = 16;
/** What could not be loaded is tried again after a while. */
const RETRY_MS = 30_000;

interface Wanted {
  readonly key: string;
  /** Whether a request has picked single tools. */
  readonly isPicked: boolean;
  /** Where a client keeps its views, so that others cannot drop them. */
  readonly kept?: KeptViews | undefined;
}

/** Views that are compiled, once for all who ask meanwhile. */
export class ViewCache {
  /** Whole toolsets; and apart from them, for there are many more, what requests have picked out of them. */
  readonly #views = new LRUCache<string, Ready>({ max: MAX_VIEWS });
  readonly #picked = new LRUCache<string, Ready>({ max: MAX_VIEWS });
  readonly #partial = new WeakSet<View>();

  /** `make` calls `leaveOut` where the view lacks something that will be there later. */
  getOrMake({ key, isPicked, kept }: Wanted, make: (leaveOut: () => void) => Promise<View>): Ready {
    const views = isPicked ? this.#picked : this.#views;
    const known = kept?.get(key) ?? views.get(key);
    if (known instanceof Promise) return known;
    if (known) {
      if (kept && !this.#partial.has(known)) keep(kept, key, known);
      return known;
    }
    let isPartial = false;
    const making = make(() => {
      isPartial = true;
    });
    views.set(key, making);
    const isWanted = (): boolean => views.peek(key) === making;
    making.then(
      (view) => {
        if (isPartial) this.#partial.add(view);
        if (isWanted()) views.set(key, view, isPartial ? { ttl: RETRY_MS } : {});
      },
      () => {
        if (isWanted()) views.delete(key);
      },
    );
    return making;
  }

  clear(): void {
    this.#views.clear();
    this.#picked.clear();
  }
}

function keep(kept: KeptViews, key: string, view: View): void {
  if (kept.has(key)) return;
  const [oldest] = kept.keys();
  if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest);
  kept.set(key, view);
}
