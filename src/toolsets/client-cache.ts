import { LRUCache } from 'lru-cache';
import { ErrInvalidOptions } from '../errors.js';
import type { View } from '../views/view.js';
import { MAX_TOOLS, sizeOf as sizeOfView } from '../views/view-cache.js';
import type { KeptViews } from '../views/view-cache.js';

/**
 * Fields that a bundle must not have, by their usual names. Clients choose their own ids, and clients with the same id share
 * a bundle. The caller and its permissions are determined again for every request.
 */
interface NoAuthority {
  readonly accessToken?: never;
  readonly auth?: never;
  readonly authInfo?: never;
  readonly caller?: never;
  readonly claims?: never;
  readonly permissions?: never;
  readonly roles?: never;
  readonly scopes?: never;
  readonly token?: never;
}

/** What is kept for a client: a view, what loaders gave. Never who it is, and never what it may do. */
export type Bundle = object & NoAuthority;

/** Whose bundle: a client by the name it gives itself, with one configuration. */
export interface BundleOwner {
  readonly clientId: string;
  /** The hash of the session context. */
  readonly sessionConfigHash: string;
}

/** How much is kept for clients, and for how long. */
export interface ClientBundlesOptions<T = object> {
  /** How many are kept that are used, and how many that were only made. Default: 1,000. */
  readonly max?: number | undefined;
  /** Milliseconds after which one that is not used is dropped. Default: an hour. */
  readonly ttlMs?: number | undefined;
  /** How much is kept of either kind, by what `sizeOf` says of each. Default: as much as there is. */
  readonly maxSize?: number | undefined;
  /** How large one is. */
  readonly sizeOf?: ((bundle: T) => number) | undefined;
  /** The time in milliseconds, above 0. Default: `performance.now`. */
  readonly clock?: (() => number) | undefined;
}

const HOUR = 60 * 60_000;
/** As `hashOf` writes it: of one length and without a colon, so that no client id can be part of it. */
const HASH = /^[A-Za-z0-9_-]{43}$/;

/** Where a bundle is kept. The hash ends at the end and begins 43 characters before it, whatever the client is called. */
export function bundleKey({ clientId, sessionConfigHash }: BundleOwner): string {
  if (typeof clientId !== 'string' || clientId === '')
    throw new ErrInvalidOptions('A client must have an id.');
  if (!HASH.test(sessionConfigHash))
    throw new ErrInvalidOptions('sessionConfigHash must be the hash of a session context.');
  return `${clientId}:${sessionConfigHash}`;
}

/**
 * What was made for clients, so that it need not be made with every request. It saves work and decides nothing: to drop
 * any of it at any time changes no answer.
 *
 * Those that were made and never used since have a place of their own, so that clients who come once, under however
 * many names, drop none that is in use.
 */
export class ClientBundles<T extends Bundle> {
  readonly #made: LRUCache<string, T>;
  readonly #used: LRUCache<string, T>;

  constructor({ max = 1_000, ttlMs = HOUR, maxSize, sizeOf, clock }: ClientBundlesOptions<T> = {}) {
    for (const [name, value] of Object.entries({ max, ttlMs })) {
      // LRUCache takes 0 for no bound.
      if (!Number.isSafeInteger(value) || value < 1)
        throw new ErrInvalidOptions(`bundles.${name} must be a whole number of at least 1.`, {
          details: { name },
        });
    }
    const options = {
      max,
      ...(maxSize === undefined || !sizeOf
        ? {}
        : { maxSize, sizeCalculation: (bundle: T) => Math.min(maxSize, Math.max(1, sizeOf(bundle))) }),
      ttl: ttlMs,
      ...(clock ? { perf: { now: clock }, ttlResolution: 0 } : {}),
    };
    this.#made = new LRUCache(options);
    this.#used = new LRUCache({ ...options, updateAgeOnGet: true });
  }

  get size(): number {
    return this.#made.size + this.#used.size;
  }

  get(owner: BundleOwner): T | undefined {
    const key = bundleKey(owner);
    const used = this.#used.get(key);
    if (used !== undefined) return used;
    const made = this.#made.get(key);
    if (made === undefined) return undefined;
    this.#made.delete(key);
    this.#used.set(key, made);
    return made;
  }

  /** Puts a bundle in place of the one that there was. */
  set(owner: BundleOwner, bundle: T): void {
    const key = bundleKey(owner);
    (this.#used.has(key) ? this.#used : this.#made).set(key, bundle);
  }

  delete(owner: BundleOwner): void {
    const key = bundleKey(owner);
    this.#made.delete(key);
    this.#used.delete(key);
  }

  clear(): void {
    this.#made.clear();
    this.#used.clear();
  }

  /** Drops those whose time is over, which are otherwise dropped when somebody asks for them. */
  sweep(): void {
    this.#made.purgeStale();
    this.#used.purgeStale();
  }
}

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
  return [...views.values()].reduce((sum, view) => sum + sizeOfView(view), 1);
}
