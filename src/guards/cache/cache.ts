import { ErrInvalidModel, ErrOverloaded } from '../../errors.js';
import { encodeKey } from './cache-key.js';
import type { CacheKey } from './cache-key.js';
import { fromJsonText, toJsonText } from './cache-value.js';
import { OwedDeletes } from './pending-deletes.js';
import type { Store } from '../../stores/store.js';

export type { CacheKey } from './cache-key.js';

/** For how long, for whom and under which names a value is kept. */
export interface CacheOptions {
  /** For how many milliseconds a value is fresh. */
  readonly ttlMs: number;
  /** For how many milliseconds more the old value is served while one load runs. Default: 0. */
  readonly staleWhileRevalidateMs?: number;
  /** One entry for all callers instead of one for each. */
  readonly shared?: boolean;
  /** What the value is made of. An entry is found only with the tags it was stored with. */
  readonly tags?: readonly string[];
}

/** What a handler gets: a cache that is the caller's own. */
export interface CacheHelpers {
  /**
   * The value of the key, loaded if there is none. Callers who ask while a load runs share it. Values are
   * JSON and everyone gets a copy; `undefined` is passed on and not kept, and whatever else JSON cannot say
   * is an error. A loader that throws leaves nothing behind, and one must not ask for its own key.
   */
  wrap<T>(key: CacheKey, loader: () => T | Promise<T>, options: CacheOptions): Promise<T>;
  /**
   * The entry is gone, and no load that this process has under way brings it back. A load of another process
   * may: only tags reach that one.
   */
  delete(key: CacheKey, options?: { readonly shared?: boolean }): Promise<void>;
  /**
   * Every entry with one of the tags, of all callers, is out of date from now on, also one being loaded. While
   * the store rejects, this process keeps to that and others do when the store answers again.
   */
  invalidate(...tags: string[]): Promise<void>;
}

/** What a cache works with. */
export interface CacheSettings {
  /** Where values are kept. */
  readonly store: Store;
  /** The time in milliseconds, the same in all processes that share the store. Default: `Date.now`. */
  readonly clock?: () => number;
  /** Told what did not break a call: a store that rejects, a reload that fails. Must not throw. */
  readonly onError?: (error: unknown) => void;
}

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
/** A generation that is lost makes entries out of date, so this needs only be long. */
const GENERATION_MS = 30 * 24 * 60 * 60_000;
/** A load that has run for so long may never end, and new callers no longer wait for it. */
const MAX_FLIGHT_MS = 10 * 60_000;
/** For so long other processes leave a reload to the one that began it, which may be dead. */
const RELOAD_MS = 30_000;
/** How far the clocks of two processes may be apart. */
const MAX_SKEW_MS = 60_000;

/**
 * Values that handlers load, kept in a store. When the store rejects, values are loaded and not kept, and
 * those with tags by each caller alone: a value that may be out of date is never served.
 *
 * Every tag has a generation in the store, a random text. An entry names those of its tags when its load began
 * and counts only while they are the same; to invalidate a tag is to delete its generation. As no generation
 * comes twice, one that the store loses can never make an old entry count again.
 */
export class Cache {
  readonly #store: Store;
  readonly #clock: () => number;
  readonly #onError: (error: unknown) => void;
  readonly #deletes: OwedDeletes;
  /** The latest load of each key. Only what is still here when it ends may be kept. */
  readonly #flights = new Map<string, Flight>();
  readonly #reloading = new Set<string>();

  constructor({ store, clock = Date.now, onError = () => {} }: CacheSettings) {
    this.#store = store;
    this.#clock = clock;
    this.#onError = onError;
    this.#deletes = new OwedDeletes(store, onError);
  }

  /** The helpers of one caller. Whoever gives the same text shares the entries. */
  for(caller: string, { onError = this.#onError }: Pick<CacheSettings, 'onError'> = {}): CacheHelpers {
    if (typeof caller !== 'string' || caller === '') {
      throw new ErrInvalidModel('A cache must know whose entries it holds.', {
        hint: 'Give callers without a name a text of their own.',
      });
    }
    const own = `cache:of:${JSON.stringify(caller)}:`;
    const toStoreKey = (key: CacheKey, options: { readonly shared?: boolean } | undefined): string =>
      (options?.shared === true ? 'cache:all:' : own) + encodeKey(key);
    return {
      wrap: async <T>(key: CacheKey, loader: () => T | Promise<T>, options: CacheOptions): Promise<T> =>
        (await this.#wrap(toStoreKey(key, options), loader, readOptions(options), onError)) as T,
      delete: async (key, options) => this.#delete(toStoreKey(key, options)),
      invalidate: async (...tags) => this.#invalidate(readTags(tags)),
    };
  }

  async #wrap(
    key: string,
    loader: () => unknown,
    { ttlMs, staleWhileRevalidateMs, tags, isShared }: Lifetime,
    onError: (error: unknown) => void,
  ): Promise<unknown> {
    const { entry, generations } = await this.#read(key, tags, onError);
    // Without generations nobody can tell which load began late enough to be shared or kept.
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
      // An error may hold what only the caller may read whose load it was.
      throw isShared ? notLoaded() : cause;
    }
  }

  async #delete(key: string): Promise<void> {
    this.#flights.delete(key);
    await this.#deletes.delete(key);
  }

  async #invalidate(tags: readonly string[]): Promise<void> {
    await Promise.all(tags.map((tag) => this.#deletes.delete(toTagKey(tag))));
  }

  /** The entry, if it counts, and the generations that hold now, if they can be known. */
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
      // Neither the text nor the key is named: both are confidential.
      onError(new ErrInvalidModel('The store holds something that is no cache entry in the place of one.'));
      return undefined;
    }
    const [at, stored, value] = parts;
    // One from the future would be fresh for ever.
    if (at > this.#clock() + MAX_SKEW_MS) return undefined;
    return stored === generations ? { at, value } : undefined;
  }

  /** The load that is under way, if it began after the last change of its tags. */
  #findFlight({ key, generations }: Load): Flight | undefined {
    const flight = this.#flights.get(key);
    const isRecent = flight?.generations === generations && this.#clock() - flight.since < MAX_FLIGHT_MS;
    return isRecent ? flight : undefined;
  }

  /** Loads what is about to be over, unless this or another process does so already. */
  async #reload(load: Load): Promise<void> {
    const { key, onError } = load;
    if (this.#reloading.has(key)) return;
    this.#reloading.add(key);
    const claim = `${key}:reload`;
    try {
      if ((await this.#store.setIfAbsent(claim, '', RELOAD_MS)) !== undefined) return;
      // One that began meanwhile does as well.
      await (this.#findFlight(load) ?? this.#startFlight(load)).text.catch(onError);
      await this.#store.delete(claim);
    } catch (error) {
      onError(error);
    } finally {
      this.#reloading.delete(key);
    }
  }

  #startFlight(load: Load): Flight {
    const { key, loader, generations } = load;
    // The loader begins only when the flight is known, so that it can delete its own key.
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
      // A reload that gives nothing ends the old value too.
      if (text === undefined) await this.#store.delete(key);
      else await this.#store.set(key, writeEntry(this.#clock(), generations, text), keepMs);
    } catch (error) {
      onError(error);
    }
  }
}

function notLoaded(): ErrOverloaded {
  return new ErrOverloaded('A value that several callers waited for could not be loaded.', {
    hint: 'Try again in a moment.',
  });
}

function writeEntry(at: number, generations: string, text: string): string {
  return `[${at},${JSON.stringify(generations)},${text}]`;
}

function parseEntry(text: string): [at: number, generations: string, value: unknown] | undefined {
  let parts: unknown;
  try {
    parts = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(parts) || parts.length !== 3) return undefined;
  const [at, generations, value] = parts as unknown[];
  return typeof at === 'number' && typeof generations === 'string' ? [at, generations, value] : undefined;
}

function toTagKey(tag: string): string {
  return `cache:tag:${JSON.stringify(tag)}`;
}

function readOptions(options: CacheOptions): Lifetime {
  const { ttlMs = NaN, staleWhileRevalidateMs = 0, tags = [] } = (options ?? {}) as Partial<CacheOptions>;
  if (!Number.isFinite(ttlMs) || ttlMs <= 0) {
    throw new ErrInvalidModel(`ttlMs must be a finite number of milliseconds above 0, not ${String(ttlMs)}.`);
  }
  if (!Number.isFinite(staleWhileRevalidateMs) || staleWhileRevalidateMs < 0) {
    throw new ErrInvalidModel(
      `staleWhileRevalidateMs must be a finite number of milliseconds, not ${String(staleWhileRevalidateMs)}.`,
    );
  }
  return { ttlMs, staleWhileRevalidateMs, tags: readTags(tags), isShared: options.shared === true };
}

/** Each tag once and in one order, so that equal sets have equal generations. */
function readTags(tags: readonly string[]): readonly string[] {
  if (!Array.isArray(tags) || tags.some((tag) => typeof tag !== 'string')) {
    throw new ErrInvalidModel('tags must be a list of texts.');
  }
  return [...new Set(tags)].toSorted();
}
