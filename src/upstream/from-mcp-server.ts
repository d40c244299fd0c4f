import { never } from '../engine/request-context.js';
import { hashOf } from '../callers/context-values.js';
import type { ContextValues } from '../callers/context-values.js';
import type { UpstreamServer } from './connection.js';
import { UpstreamLink } from './reconnect.js';
import { isCommand, readSettings } from './options.js';
import type { FromMcpServerOptions, UpstreamSettings, UpstreamTarget } from './options.js';
import { ConnectionPool } from './pool.js';
import { assertClientSdk, connectingMs } from './connect.js';
import { toDefinitions } from './tools.js';
import type { UpstreamToolDefinition } from './tools.js';

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
    const { tools, server } = await this.#use(context, never, (link) => link.list());
    this.server = server;
    // Look up the link for every call, because the pool closes links that were not used for long.
    return toDefinitions(tools, this.#settings, (tool, args, caller) =>
      this.#use(context, caller.signal, (link) => link.call(tool, args, caller)),
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

  #use<T>(context: ContextValues, signal: AbortSignal, run: (link: UpstreamLink) => Promise<T>): Promise<T> {
    const { target } = this.#settings;
    const isOwn = !isCommand(target) && typeof target.headers === 'function';
    const key = isOwn ? hashOf(context) : '';
    const create = (): UpstreamLink => new UpstreamLink(this.#settings, context, () => this.#changed());
    return this.#links.use({ key, create, signal }, run);
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
