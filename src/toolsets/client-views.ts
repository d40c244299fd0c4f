import type { View } from '../views/view.js';
import { ClientBundles } from './client-cache.js';
import type { ClientBundlesOptions } from './client-cache.js';
import { MAX_TOOLS, sizeOf } from './view-cache.js';
import type { KeptViews } from './view-cache.js';

/** What a client has lately seen of what was made for its context. */
interface Seen {
  readonly views: ReadonlyMap<string, View>;
}

/** How many views a client keeps of each of its contexts. */
const MAX_KEPT = 16;

/** Where contexts differ, a client keeps what was made for its own, whatever others bring. */
export class ClientViews {
  readonly #bundles: ClientBundles<Seen>;

  constructor(bounds?: Pick<ClientBundlesOptions, 'max' | 'ttlMs'>) {
    this.#bundles = new ClientBundles({ ...bounds, maxSize: MAX_TOOLS, sizeOf: sizeOfBundle });
  }

  /** What one client keeps for one context, by the hash of that. */
  of(clientId: string, sessionConfigHash: string): KeptViews {
    const bundles = this.#bundles;
    const owner = { clientId, sessionConfigHash };
    return {
      get: (key) => bundles.get(owner)?.views.get(key),
      set: (key, view) => bundles.set(owner, { views: withOne(bundles.get(owner)?.views, key, view) }),
    };
  }

  clear(): void {
    this.#bundles.clear();
  }
}

function withOne(views: ReadonlyMap<string, View> | undefined, key: string, view: View): Map<string, View> {
  const latest = [...(views ?? [])].filter(([each]) => each !== key).slice(1 - MAX_KEPT);
  return new Map([...latest, [key, view]]);
}

function sizeOfBundle({ views }: Seen): number {
  return [...views.values()].reduce((sum, view) => sum + sizeOf(view), 1);
}
