import { isNever, neverSignal } from '../engine/request-context.js';
import { hashOf } from '../callers/session-context.js';
import type { ContextValues } from '../callers/session-context.js';
import type { UpstreamLink } from './reconnect.js';
import { isCommand, readSettings } from './options.js';
import type { FromMcpServerOptions, UpstreamSettings, UpstreamTarget } from './options.js';
import { assertClientSdk, connectingMs } from './client-sdk.js';
import type { UpstreamServer, UpstreamToolDefinition } from './upstream-types.js';
import { ErrUpstreamLost } from '../errors.js';

/** Loads the tools of another MCP server, to which their calls are forwarded. */
export interface UpstreamLoader {
  /** Connects if necessary, and returns the tools of the server for a caller's context. */
  (context?: ContextValues): Promise<readonly UpstreamToolDefinition[]>;
  /** The server's description of itself, after the first connection. */
  readonly server: UpstreamServer | undefined;
  /** Upper limit in milliseconds for loading, which fails with a reason before that. */
  readonly timeoutMs: number;
  /** Calls the listener when the server may list other tools. Returns a function that removes the listener. */
  onChange(listener: () => void): () => void;
  /** Closes every connection and ends every started process. Later calls fail. */
  close(): Promise<void>;
}

const CHANGE_PAUSE_MS = 50;
const SLACK_MS = 1_000;

/** Turns another MCP server into a module: its tools become definitions, and their calls are forwarded. */
export function fromMcpServer(target: UpstreamTarget, options: FromMcpServerOptions = {}): UpstreamLoader {
  const settings = readSettings(target, options);
  assertClientSdk('fromMcpServer');
  const upstream = new Upstream(settings);
  const load = (context: ContextValues = {}): Promise<readonly UpstreamToolDefinition[]> =>
    upstream.load(context);
  return Object.defineProperties(load, {
    server: { get: () => upstream.server },
    onChange: { value: (listener: () => void) => upstream.onChange(listener) },
    timeoutMs: { value: Math.min(loadingMs(settings), 2 ** 31 - 1) },
    close: { value: () => upstream.close() },
  }) as UpstreamLoader;
}

/** The longest time that waiting for a free connection, connecting and listing can take together. */
function loadingMs({ target, protocol, connectTimeoutMs }: UpstreamSettings): number {
  const connecting = connectingMs(isCommand(target) && protocol === 'auto', connectTimeoutMs);
  return 2 * connectTimeoutMs + connecting + SLACK_MS;
}

/** The connections to one server. Contexts share one connection, unless each has its own headers. */
class Upstream {
  readonly #settings: UpstreamSettings;
  readonly #links: ConnectionPool<UpstreamLink>;
  readonly #listeners = new Set<() => void>();
  #change: NodeJS.Timeout | undefined;
  #closed: Promise<void> | undefined;
  server: UpstreamServer | undefined;

  constructor(settings: UpstreamSettings) {
    this.#settings = settings;
    const { name, maxConnections: max, connectTimeoutMs: waitMs, onError } = settings;
    this.#links = new ConnectionPool({ name, max, waitMs, onError });
  }

  async load(context: ContextValues): Promise<readonly UpstreamToolDefinition[]> {
    // Loaded on first use, because most servers forward nothing.
    const { UpstreamLink, toDefinitions } = await import('./reconnect.js');
    const create = (): UpstreamLink => new UpstreamLink(this.#settings, context, () => this.#changed());
    const key = this.#keyOf(context);
    const { tools, server } = await this.#links.use({ key, create, signal: neverSignal() }, (link) =>
      link.list(),
    );
    this.server = server;
    // Look up the link for every call, because the pool closes links that were not used for long.
    return toDefinitions(tools, this.#settings, (tool, args, caller) =>
      this.#links.use({ key, create, signal: caller.signal }, (link) => link.call(tool, args, caller)),
    );
  }

  onChange(listener: () => void): () => void {
    // A new function for each registration, so that the same listener can be added twice.
    const own = (): void => listener();
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  async #close(): Promise<void> {
    clearTimeout(this.#change);
    this.#listeners.clear();
    await this.#links.close();
  }

  /** The key of the connection of a context. */
  #keyOf(context: ContextValues): string {
    const { target } = this.#settings;
    const isOwn = !isCommand(target) && typeof target.headers === 'function';
    return isOwn ? hashOf(context) : '';
  }

  /** Calls the listeners once for several changes in a row, because servers announce each changed tool. */
  #changed(): void {
    clearTimeout(this.#change);
    if (this.#closed) return;
    this.#change = setTimeout(() => {
      for (const listener of Array.from(this.#listeners)) {
        try {
          listener();
        } catch (error) {
          this.#settings.onError(error);
        }
      }
    }, CHANGE_PAUSE_MS);
    this.#change.unref();
  }
}

/** A connection that the pool can close when it is idle. */
interface Pooled {
  /** Lets running calls finish, then closes the connection. */
  retire(): Promise<void>;
  close(): Promise<void>;
}

interface PoolOptions {
  /** The name of the server in errors. */
  readonly name: string;
  readonly max: number;
  /** Milliseconds that a caller waits for a connection to become free. */
  readonly waitMs: number;
  readonly onError: (error: unknown) => void;
}

interface Wanted<T> {
  readonly key: string;
  /** Creates the connection if there is none for the key. */
  readonly create: () => T;
  /** Cancels waiting for a connection. */
  readonly signal: AbortSignal;
}

interface Entry<T> {
  readonly item: T;
  users: number;
}

/**
 * A bounded number of connections, one for each key. When all are taken, the least recently used idle connection is closed.
 * A connection in use is never closed: the caller waits until one is free.
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
      entry.users--;
      this.#wake();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wake();
    const items = [...this.#entries.values()].map(({ item }) => item);
    this.#entries.clear();
    await Promise.allSettled([...items.map((item) => item.close()), ...this.#closing]);
  }

  async #take({ key, create, signal }: Wanted<T>): Promise<Entry<T>> {
    const { name, max, waitMs } = this.#options;
    const deadline = Date.now() + waitMs;
    for (;;) {
      if (this.#isClosed) throw new ErrUpstreamLost(`The connection to the server "${name}" was closed.`);
      let entry = this.#entries.get(key);
      if (!entry && this.#entries.size + this.#closing.size < max) entry = { item: create(), users: 0 };
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
