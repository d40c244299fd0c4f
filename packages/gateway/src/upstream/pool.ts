import { isNever } from 'toolfold/internal';
import { ErrUpstreamLost } from 'toolfold/errors';

interface Pooled {
  /** Lets running calls finish, then closes the connection. */
  retire(): Promise<void>;
  close(): Promise<void>;
}

interface PoolOptions {
  readonly name: string;
  readonly max: number;
  /** A caller waits at most this long for a free connection. */
  readonly waitMs: number;
  readonly onError: (error: unknown) => void;
}

export interface Wanted<T> {
  readonly key: string;
  /** Creates the connection if there is none for the key. */
  readonly create: () => T;
  readonly signal: AbortSignal;
}

interface Entry<T> {
  readonly item: T;
  users: number;
  /** Counts users that keep the connection for an unknown time. They are also counted as users. */
  holders: number;
}

/**
 * Keeps a bounded number of connections, one for each key. When all are taken, the least recently used idle connection is closed. A
 * connection in use is never closed: the caller waits until one is free.
 */
export class ConnectionPool<T extends Pooled> {
  readonly #options: PoolOptions;
  /** The least recently used connection comes first. */
  readonly #entries = new Map<string, Entry<T>>();
  readonly #closing = new Set<Promise<void>>();
  readonly #waiting = new Set<() => void>();
  #isClosed = false;

  constructor(options: PoolOptions) {
    this.#options = options;
  }

  /** Runs a function on the connection of a key, and keeps the connection open until the function is done. */
  async use<R>(wanted: Wanted<T>, run: (item: T) => Promise<R>): Promise<R> {
    const entry = await this.#take(wanted);
    try {
      return await run(entry.item);
    } finally {
      this.#free(entry);
    }
  }

  /**
   * Takes the connection of a key, which stays open until it is released. At most half of the connections can be held, so that
   * subscriptions leave some for calls.
   */
  async hold(wanted: Wanted<T>): Promise<{ readonly item: T; readonly release: () => void }> {
    const entry = await this.#take(wanted);
    const { name, max } = this.#options;
    const held = [...this.#entries.values()].filter(({ holders }) => holders > 0).length;
    const maxHeld = Math.ceil(max / 2);
    if (entry.holders === 0 && held >= maxHeld) {
      this.#free(entry);
      throw new ErrUpstreamLost(
        `Subscriptions already keep ${held} of ${max} connections to the server "${name}" open.`,
        { hint: 'Raise maxConnections.', details: { upstream: name, maxConnections: max } },
      );
    }
    entry.holders++;
    let isHeld = true;
    const release = (): void => {
      if (!isHeld) return;
      isHeld = false;
      entry.holders--;
      this.#free(entry);
    };
    return { item: entry.item, release };
  }

  #free(entry: Entry<T>): void {
    entry.users--;
    this.#wake();
  }

  get items(): readonly T[] {
    return Array.from(this.#entries.values(), ({ item }) => item);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wake();
    const { items } = this;
    this.#entries.clear();
    await Promise.allSettled([...items.map((item) => item.close()), ...this.#closing]);
  }

  async #take({ key, create, signal }: Wanted<T>): Promise<Entry<T>> {
    const { name, max, waitMs } = this.#options;
    const deadline = Date.now() + waitMs;
    for (;;) {
      if (this.#isClosed) throw new ErrUpstreamLost(`The connection to the server "${name}" was closed.`);
      let entry = this.#entries.get(key);
      if (!entry && this.#entries.size + this.#closing.size < max)
        entry = { item: create(), users: 0, holders: 0 };
      if (entry) {
        entry.users++;
        this.#entries.delete(key);
        this.#entries.set(key, entry);
        return entry;
      }
      const idle = [...this.#entries].find(([, { users }]) => users === 0);
      if (idle) this.#retire(...idle);
      await this.#change(deadline - Date.now(), signal);
    }
  }

  #retire(key: string, { item }: Entry<T>): void {
    this.#entries.delete(key);
    const closing = item
      .retire()
      .catch(this.#options.onError)
      .finally(() => {
        this.#closing.delete(closing);
        this.#wake();
      });
    this.#closing.add(closing);
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
  }

  /** Waits until a connection may have become free. */
  async #change(waitMs: number, signal: AbortSignal): Promise<void> {
    const { name, max } = this.#options;
    let settle: (() => void) | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        const busy = new ErrUpstreamLost(`All ${max} connections to the server "${name}" are in use.`, {
          hint: 'Try again later, or raise maxConnections.',
          details: { upstream: name, maxConnections: max },
        });
        const cancel = (): void => reject(signal.reason as Error);
        const timer = setTimeout(() => reject(busy), Math.max(0, waitMs));
        settle = () => {
          clearTimeout(timer);
          this.#waiting.delete(resolve);
          signal.removeEventListener('abort', cancel);
        };
        this.#waiting.add(resolve);
        // Many calls share the `never` signal, so listeners on it would pile up.
        if (!isNever(signal)) signal.addEventListener('abort', cancel, { once: true });
        if (signal.aborted) cancel();
      });
    } finally {
      settle?.();
    }
  }
}
