import { LRUCache } from 'lru-cache';
import { ErrInvalidOptions } from '@toolfold/schema/errors';
import { assertOptions, count } from '@toolfold/schema/internal';
import type { Rules } from '@toolfold/schema/internal';

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

/** The cached data of a client, such as views and loaded tools. Never its identity or its permissions. */
export type Bundle = object & NoAuthority;

/** The key of a bundle: the ID that the client chose, and the hash of its session context. */
export interface BundleOwner {
  readonly clientId: string;
  /** The hash of the session context. */
  readonly sessionConfigHash: string;
}

/** Limits of the client cache. */
export interface ClientBundlesOptions {
  /** Maximum number of bundles that were used again, and of bundles that were not. Default: 1,000 each. */
  readonly max?: number | undefined;
  /** Milliseconds after which an unused bundle is dropped. Default: 3,600,000, an hour. */
  readonly ttlMs?: number | undefined;
}

interface BundleOptions<T> extends ClientBundlesOptions {
  /** Maximum total size of either kind, as `sizeOf` measures it. Default: no limit. */
  readonly maxSize?: number | undefined;
  readonly sizeOf?: ((bundle: T) => number) | undefined;
  /** Returns the time in milliseconds, above 0. Default: `performance.now`. */
  readonly clock?: (() => number) | undefined;
}

const HOUR = 60 * 60_000;
/** A hash as `hashOf` writes it. Its length is fixed and it has no colon, so it cannot be confused with a client ID. */
const HASH = /^[A-Za-z0-9_-]{43}$/;

/** The rules for the limits of the cache. `LRUCache` reads 0 as no limit. */
export const bundleRules: Rules<keyof ClientBundlesOptions> = { max: count, ttlMs: count };

/** The cache key of a bundle. The hash is its last 43 characters, so client IDs may hold any character. */
export function bundleKey({ clientId, sessionConfigHash }: BundleOwner): string {
  if (typeof clientId !== 'string' || clientId === '')
    throw new ErrInvalidOptions('A client must have an id.');
  if (!HASH.test(sessionConfigHash))
    throw new ErrInvalidOptions('sessionConfigHash must be the hash of a session context.');
  return `${clientId}:${sessionConfigHash}`;
}

/**
 * Caches the bundles of clients. The cache only saves work: dropping any bundle at any time changes no answer.
 *
 * Bundles that were never used again have their own space, so that clients that connect once, under any number of names, cannot
 * evict the bundles of returning clients.
 */
export class ClientBundles<T extends Bundle> {
  readonly #made: LRUCache<string, T>;
  readonly #used: LRUCache<string, T>;

  constructor({ max = 1_000, ttlMs = HOUR, maxSize, sizeOf, clock }: BundleOptions<T> = {}) {
    assertOptions('clientBundles', { max, ttlMs }, bundleRules, {
      nameOf: (name) => `clientBundles.${name}`,
    });
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

  set(owner: BundleOwner, bundle: T): void {
    const key = bundleKey(owner);
    (this.#used.has(key) ? this.#used : this.#made).set(key, bundle);
  }

  clear(): void {
    this.#made.clear();
    this.#used.clear();
  }
}
