import { ErrInvalidOptions, ErrOverloaded } from '@toolfold/schema/errors';
import type { Store } from '../../stores/contracts.js';
import { assertOptions, callback, withMethods } from '@toolfold/schema/internal';
import type { Rules } from '@toolfold/schema/internal';
import {
  encodeKey,
  fromJsonText,
  parseEntry,
  toJsonText,
  writeEntry,
  createPendingDeletes,
} from './cache-entry.js';
import type { CacheKey } from './cache-entry.js';

export type { CacheKey } from './cache-entry.js';

/** Sets how long a value is cached, whether callers share it, and which tags invalidate it. */
export interface CacheOptions {
  /** Milliseconds for which a value is fresh. */
  readonly ttlMs: number;
  /** Additional milliseconds for which the stale value is served while one load runs. Default: 0. */
  readonly staleWhileRevalidateMs?: number;
  /** Whether all callers share one entry instead of having one each. Default: false. */
  readonly shared?: boolean;
  /** Names of the data that the value depends on, for `invalidate`. An entry is only found with the tags it was stored with. */
  readonly tags?: readonly string[];
}

/** The cache as a handler sees it. Entries belong to the caller unless they are shared. */
export interface CacheHelpers {
  /**
   * Returns the cached value of a key, or loads it. Concurrent callers share one load. Values are JSON and every caller
   * gets a copy. `undefined` is returned but not cached, and other values that JSON cannot express throw. A loader that
   * throws caches nothing. A loader must not ask for its own key.
   */
  wrap<T>(key: CacheKey, loader: () => T | Promise<T>, options: CacheOptions): Promise<T>;
  /**
   * Deletes an entry. A load that is in flight in this process does not restore it, but a load in another process may;
   * use tags to reach that one.
   */
  delete(key: CacheKey, options?: { readonly shared?: boolean }): Promise<void>;
  /**
   * Invalidates every entry with one of the tags, for all callers, including loads in flight. If the store is down, this
   * process applies it at once and other processes when the store answers again.
   */
  invalidate(...tags: string[]): Promise<void>;
}

/** Passed to `new Cache`: where values are stored, and where errors go. */
export interface CacheSettings {
  /** Stores the values. */
  readonly store: Store;
  /** The time in milliseconds, the same in all processes that share the store. Default: `Date.now`. */
  readonly clock?: () => number;
  /** Called with errors that did not fail a call, such as a store error or a failed reload. Must not throw. */
  readonly onError?: (error: unknown) => void;
}

const rules: Rules<keyof CacheSettings> = {
  store: withMethods('get', 'set', 'setIfAbsent', 'delete'),
  clock: callback,
  onError: callback,
};

type Lifetime = Required<Pick<CacheOptions, 'ttlMs' | 'staleWhileRevalidateMs' | 'tags'>> & {
  readonly isShared: boolean;
};

interface Load {
  readonly key: string;
  readonly loader: () => unknown;
  /** The generations of the tags when the load began. */
  readonly generations: string;
  readonly keepMs: number;
  readonly onError: (error: unknown) => void;
}

interface Flight {
  readonly generations: string;
  readonly since: number;
  readonly text: Promise<string | undefined>;
}

interface Entry {
  readonly at: number;
  readonly value: unknown;
}

const NO_TAGS = '[]';
/** Losing a generation only invalidates entries, so the exact lifetime does not matter as long as it is long. */
const GENERATION_MS = 30 * 24 * 60 * 60_000;
/** A load that runs longer than this may never end, so new callers start their own. */
const MAX_FLIGHT_MS = 10 * 60_000;
/** How long other processes leave a reload to the process that started it, which may have crashed. */
const RELOAD_MS = 30_000;
/** Maximum difference between the clocks of two processes. */
const MAX_SKEW_MS = 60_000;

/**
 * Caches values that handlers load. If the store is down, values are loaded but not cached, and values with tags are
 * loaded by each caller alone, because a value that may be stale is never shared.
 *
 * Every tag has a generation in the store, a random text. An entry records the generations of its tags from before its
 * load and is valid only while they are unchanged. Invalidating a tag deletes its generation. Generations never repeat,
 * so an entry cannot become valid again when the store loses one.
 */
export class Cache {
  readonly #store: Store;
  readonly #clock: () => number;
  readonly #onError: (error: unknown) => void;
  readonly #deletes: ReturnType<typeof createPendingDeletes>;
  /** The latest load of each key. A load is cached only if it is still listed here when it ends. */
  readonly #flights = new Map<string, Flight>();

  constructor(settings: CacheSettings) {
    assertOptions('Cache', settings, rules, { required: ['store'] });
    const { store, clock = Date.now, onError = () => {} } = settings;
    this.#store = store;
    this.#clock = clock;
    this.#onError = onError;
    this.#deletes = createPendingDeletes(store, onError);
  }

  /** Creates the helpers of one caller. Equal caller texts share their entries. */
  for(caller: string, { onError = this.#onError }: Pick<CacheSettings, 'onError'> = {}): CacheHelpers {
    if (typeof caller !== 'string' || caller === '') {
      throw new ErrInvalidOptions('Cache.for needs a text that identifies the caller.', {
        hint: 'Pass the caller key; give anonymous callers a text of their own.',
      });
    }
    const own = `cache:of:${JSON.stringify(caller)}:`;
    const toStoreKey = (key: CacheKey, options: { readonly shared?: boolean } | undefined): string =>
      (options?.shared === true ? 'cache:all:' : own) + encodeKey(key);
    return {
      wrap: async <T>(key: CacheKey, loader: () => T | Promise<T>, options: CacheOptions): Promise<T> =>
        (await this.#wrap(toStoreKey(key, options), loader, readOptions(options), onError)) as T,
      delete: async (key, options) => {
        const storeKey = toStoreKey(key, options);
        this.#flights.delete(storeKey);
        await this.#deletes.delete(storeKey);
      },
      invalidate: async (...tags) => {
        await Promise.all(readTags(tags).map((tag) => this.#deletes.delete(toTagKey(tag))));
      },
    };
  }

  async #wrap(
    key: string,
    loader: () => unknown,
    { ttlMs, staleWhileRevalidateMs, tags, isShared }: Lifetime,
    onError: (error: unknown) => void,
  ): Promise<unknown> {
    const { entry, generations } = await this.#read(key, tags, onError);
    // Without generations the cache cannot tell whether a load is recent enough to be shared or cached.
    if (generations === undefined) return fromJsonText(toJsonText(await loader()));
    const keepMs = Math.min(Math.ceil(ttlMs + staleWhileRevalidateMs), Number.MAX_SAFE_INTEGER);
    const load: Load = { key, loader, generations, keepMs, onError };
    const age = entry ? this.#clock() - entry.at : Infinity;
    if (entry && age < ttlMs) return entry.value;
    if (entry && age < ttlMs + staleWhileRevalidateMs) {
      if (!this.#findFlight(load)) void this.#reload(load);
      return entry.value;
    }
    const joined = this.#findFlight(load);
    if (!joined) return fromJsonText(await this.#startFlight(load).text);
    try {
      return fromJsonText(await joined.text);
    } catch (cause) {
      if (!isShared) throw cause;
      // The error belongs to another caller's load and may contain that caller's data.
      throw new ErrOverloaded('A cached value that several callers waited for could not be loaded.', {
        hint: 'Try again in a moment.',
      });
    }
  }

  /** Resolves to the entry if it is valid, and to the current generations if the store answers. */
  async #read(
    key: string,
    tags: readonly string[],
    onError: (error: unknown) => void,
  ): Promise<{ entry?: Entry | undefined; generations?: string }> {
    try {
      await this.#deletes.settle([key, ...tags.map(toTagKey)]);
      const [text, generations] = await Promise.all([this.#store.get(key), this.#readGenerations(tags)]);
      this.#deletes.drain();
      return {
        entry: text === undefined ? undefined : this.#readEntry(text, generations, onError),
        generations,
      };
    } catch (error) {
      onError(error);
      return tags.length === 0 ? { generations: NO_TAGS } : {};
    }
  }

  async #readGenerations(tags: readonly string[]): Promise<string> {
    if (tags.length === 0) return NO_TAGS;
    return JSON.stringify(await Promise.all(tags.map(async (tag) => [tag, await this.#readGeneration(tag)])));
  }

  async #readGeneration(tag: string): Promise<string> {
    const key = toTagKey(tag);
    const known = await this.#store.get(key);
    if (known !== undefined) return known;
    const made = crypto.randomUUID();
    return (await this.#store.setIfAbsent(key, made, GENERATION_MS)) ?? made;
  }

  #readEntry(text: string, generations: string, onError: (error: unknown) => void): Entry | undefined {
    const parts = parseEntry(text);
    if (!parts) {
      // The message contains neither the text nor the key, because both are confidential.
      onError(new ErrInvalidOptions('The store contains a text that is not a cache entry.'));
      return undefined;
    }
    const [at, stored, value] = parts;
    // An entry from the future would never become stale.
    if (at > this.#clock() + MAX_SKEW_MS) return undefined;
    return stored === generations ? { at, value } : undefined;
  }

  /** Finds the load in flight, if it began after the last change of its tags. */
  #findFlight({ key, generations }: Load): Flight | undefined {
    const flight = this.#flights.get(key);
    const isRecent = flight?.generations === generations && this.#clock() - flight.since < MAX_FLIGHT_MS;
    return isRecent ? flight : undefined;
  }

  /** Reloads a stale value in the background, unless this or another process already does. */
  async #reload(load: Load): Promise<void> {
    const { key, onError } = load;
    const claim = `${key}:reload`;
    try {
      if ((await this.#store.setIfAbsent(claim, '', RELOAD_MS)) !== undefined) return;
      // A load that another caller began meanwhile serves as the reload.
      await (this.#findFlight(load) ?? this.#startFlight(load)).text.catch(onError);
      await this.#store.delete(claim);
    } catch (error) {
      onError(error);
    }
  }

  #startFlight(load: Load): Flight {
    const { key, loader, generations } = load;
    // The loader starts after the flight is registered, so that the loader can delete its own key.
    const text = Promise.resolve()
      .then(loader)
      .then(toJsonText)
      .then(async (loaded) => {
        if (this.#flights.get(key) === flight) await this.#keep(load, loaded);
        return loaded;
      })
      .finally(() => {
        if (this.#flights.get(key) === flight) this.#flights.delete(key);
      });
    const flight: Flight = { generations, since: this.#clock(), text };
    this.#flights.set(key, flight);
    return flight;
  }

  async #keep({ key, generations, keepMs, onError }: Load, text: string | undefined): Promise<void> {
    try {
      // A reload that returns undefined also deletes the stale value.
      if (text === undefined) await this.#store.delete(key);
      else await this.#store.set(key, writeEntry(this.#clock(), generations, text), keepMs);
    } catch (error) {
      onError(error);
    }
  }
}

function toTagKey(tag: string): string {
  return `cache:tag:${JSON.stringify(tag)}`;
}

function readOptions(options: CacheOptions): Lifetime {
  const { ttlMs = NaN, staleWhileRevalidateMs = 0, tags = [] } = (options ?? {}) as Partial<CacheOptions>;
  if (!Number.isFinite(ttlMs) || ttlMs <= 0) {
    throw new ErrInvalidOptions(
      `ttlMs must be a finite number of milliseconds above 0, not ${String(ttlMs)}.`,
    );
  }
  if (!Number.isFinite(staleWhileRevalidateMs) || staleWhileRevalidateMs < 0) {
    throw new ErrInvalidOptions(
      `staleWhileRevalidateMs must be a finite number of milliseconds, not ${String(staleWhileRevalidateMs)}.`,
    );
  }
  return { ttlMs, staleWhileRevalidateMs, tags: readTags(tags), isShared: options.shared === true };
}

/** Removes duplicates and sorts the tags, so that equal sets have equal generations. */
function readTags(tags: readonly string[]): readonly string[] {
  if (!Array.isArray(tags) || tags.some((tag) => typeof tag !== 'string')) {
    throw new ErrInvalidOptions('tags must be a list of texts.');
  }
  return [...new Set(tags)].toSorted();
}
