import type { LoadedModule } from '../../analysis/target/loaded-module.js';
import type { Exposure } from '../../web.js';
import type { PageSource } from '../page-source.js';
import type { TokenThread } from '../tokens/token-thread.js';

/** A computation that several requests wait for. */
interface Shared {
  readonly result: Promise<unknown>;
  readonly abort: AbortController;
  /** Requests that still wait. */
  waiting: number;
  isDone: boolean;
}

/** The server at one revision. Its analyses are computed once, and requests share them. */
export class Snapshot {
  readonly source: PageSource;
  readonly revision: number;
  readonly tokens: TokenThread;
  readonly loaded: LoadedModule;
  /** The same with the options of an exported Exposure in place of the Exposure, so that the page can show all of its tools. */
  readonly served: LoadedModule;
  /** Aborts when the server has changed. */
  readonly ended: AbortSignal;
  readonly #end = new AbortController();
  #expiresAt = Infinity;
  readonly #shared = new Map<string, Shared>();

  constructor(source: PageSource, revision: number, tokens: TokenThread) {
    this.source = source;
    this.revision = revision;
    this.tokens = tokens;
    this.loaded = source.current();
    this.served = withoutExposure(this.loaded);
    this.ended = this.#end.signal;
  }

  /** Whether analyses should be computed again, although nothing is known to have changed. */
  get isExpired(): boolean {
    return Date.now() >= this.#expiresAt;
  }

  expireIn(ms: number): void {
    this.#expiresAt = Math.min(this.#expiresAt, Date.now() + ms);
  }

  /** Ends computations that are under way, because their results are stale. */
  end(): void {
    this.#end.abort(new StaleSnapshot());
  }

  /**
   * Returns the result of a computation with this key. Concurrent requests share one computation, which is aborted when the last of
   * them is. A result is kept unless there are too many of its kind; an error is not.
   */
  async share<T>(
    key: string,
    signal: AbortSignal,
    compute: (signal: AbortSignal) => Promise<T>,
    { isKept = true }: { readonly isKept?: boolean } = {},
  ): Promise<T> {
    signal.throwIfAborted();
    this.ended.throwIfAborted();
    let shared = this.#shared.get(key);
    if (!shared) this.#shared.set(key, (shared = this.#start(key, compute, isKept)));
    const { result, abort } = shared as Shared & { readonly result: Promise<T> };
    if (shared.isDone) return result;
    shared.waiting++;
    const leave = (): void => {
      if (--shared.waiting > 0 || shared.isDone) return;
      this.#shared.delete(key);
      abort.abort(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    try {
      return await untilAborted(result, signal);
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  #start<T>(key: string, compute: (signal: AbortSignal) => Promise<T>, isKept: boolean): Shared {
    const abort = new AbortController();
    const signal = AbortSignal.any([abort.signal, this.ended]);
    const result = compute(signal);
    const shared: Shared = { result: untilAborted(result, signal), abort, waiting: 0, isDone: false };
    const forget = (): void => {
      if (this.#shared.get(key) === shared) this.#shared.delete(key);
    };
    shared.result.then(() => {
      shared.isDone = true;
      if (!isKept) forget();
    }, forget);
    return shared;
  }
}

/** A module with the options of its Exposure. An Exposure that another version of Toolfold created is kept, because its options cannot be read. */
export function withoutExposure(loaded: LoadedModule): LoadedModule {
  const { options } = (loaded.exposure ?? {}) as Partial<Exposure>;
  if (!options) return loaded;
  const { registry, found } = loaded;
  return { registry, found, view: options.view, config: options.toolsets, scopes: options.scopes };
}

/** The reason why a computation was aborted: the server has changed since. */
export class StaleSnapshot extends Error {
  constructor() {
    super('The tools of the server have changed.');
  }
}

/** Rejects as soon as the signal aborts, even if the work ignores it. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** The present snapshot of a source, and the number of its changes. */
export class Snapshots {
  readonly #source: PageSource;
  readonly #tokens: TokenThread;
  readonly #unsubscribe: () => void;
  #revision = 1;
  #current: Snapshot | undefined;
  isClosed = false;

  constructor(source: PageSource, tokens: TokenThread) {
    this.#source = source;
    this.#tokens = tokens;
    this.#unsubscribe = source.onChange(() => {
      this.#revision++;
      this.#current?.end();
      this.#current = undefined;
    });
  }

  /** Grows with every change. */
  get revision(): number {
    return this.#revision;
  }

  get current(): Snapshot {
    if (this.#current?.isExpired === true) this.#current = undefined;
    return (this.#current ??= new Snapshot(this.#source, this.#revision, this.#tokens));
  }

  close(): void {
    this.isClosed = true;
    this.#unsubscribe();
    this.#current?.end();
  }
}
