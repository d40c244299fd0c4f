import { assertRegistry, hashOf, neverSignal } from 'toolfold/internal';
import type { ContextValues } from 'toolfold/web';
import { ErrInvalidOptions } from 'toolfold/errors';
import type { ToolRegistry } from 'toolfold';
import { assertOptions, callback, flag, objectLike } from '@toolfold/schema/internal';
import type { Rules } from '@toolfold/schema/internal';
import { connectingMs } from './connect.js';
import type { ChangingList } from './connection.js';
import { Health } from './health/health.js';
import type { Follower } from './items/follower.js';
import { isCommand, isPerContext, readSettings } from './options.js';
import { assertOverrides } from './overrides/tool-override.js';
import type { FromMcpServerOptions, UpstreamSettings, UpstreamTarget } from './options.js';
import { ConnectionPool } from './pool.js';
import type { Wanted } from './pool.js';
import type { UpstreamLink } from './reconnect.js';
import type {
  FollowOptions,
  UpstreamHealth,
  UpstreamServer,
  UpstreamToolDefinition,
} from './upstream-types.js';

/** Loads the tools of another MCP server, or follows all of its items. Calls are forwarded to the server. */
export interface UpstreamLoader {
  /** Connects if necessary, and returns the tools of the server for a caller's context. */
  (context?: ContextValues): Promise<readonly UpstreamToolDefinition[]>;
  /**
   * Registers the tools, prompts and resources of the server in a registry without other items, and keeps them up to
   * date. Rejects if the server cannot be reached. Returns a function that stops following and removes the items.
   */
  follow(registry: ToolRegistry, options?: FollowOptions): Promise<() => void>;
  /** How the server describes itself. Set after the first connection. */
  readonly server: UpstreamServer | undefined;
  /** Whether the server answers, with the reason if it does not. */
  readonly health: UpstreamHealth;
  /** Upper limit in milliseconds for loading, which fails with a reason before that. */
  readonly timeoutMs: number;
  /** Calls the listener when the server may list other tools. Returns a function that removes the listener. */
  onChange(listener: () => void): () => void;
  /** Calls the listener after each change of `health`. Returns a function that removes the listener. */
  onHealth(listener: (health: UpstreamHealth) => void): () => void;
  /** Closes every connection and ends every started process. Followed items are removed. Later calls fail. */
  close(): Promise<void>;
}

/** Changes that are announced within this time become one. The time doubles while changes go on. */
const CHANGE_PAUSE_MS = 50;
const LONGEST_CHANGE_PAUSE_MS = 5_000;
const SLACK_MS = 1_000;
/** A server that did not answer is checked again after this time. */
const RECHECK_MS = 1_000;

/** Turns another MCP server into a module: its tools become definitions, and their calls are forwarded. */
export function fromMcpServer(target: UpstreamTarget, options: FromMcpServerOptions = {}): UpstreamLoader {
  if (options.overrides !== undefined) assertOverrides('fromMcpServer: overrides', options.overrides);
  const settings = readSettings(target, options);
  const upstream = new Upstream(settings);
  const load = (context: ContextValues = {}): Promise<readonly UpstreamToolDefinition[]> =>
    upstream.load(context);
  return Object.defineProperties(load, {
    server: { get: () => upstream.server },
    health: { get: () => upstream.health.current },
    follow: {
      value: (registry: ToolRegistry, followOptions: FollowOptions = {}) =>
        upstream.follow(registry, followOptions),
    },
    onChange: { value: (listener: () => void) => upstream.onChange(listener) },
    onHealth: {
      value: (listener: (health: UpstreamHealth) => void) => upstream.health.listen(listener),
    },
    timeoutMs: { value: Math.min(loadingMs(settings), 2 ** 31 - 1) },
    close: { value: () => upstream.close() },
  }) as UpstreamLoader;
}

/** Returns the longest time that waiting for a free connection, connecting and listing can take together. */
function loadingMs(settings: UpstreamSettings): number {
  const { target, protocol, connectTimeoutMs } = settings;
  const connecting = connectingMs(isCommand(target) && protocol === 'auto', settings);
  return 2 * connectTimeoutMs + connecting + SLACK_MS;
}

const followRules: Rules<keyof FollowOptions> = {
  review: callback,
  tools: callback,
  prompts: flag,
  resources: flag,
  context: objectLike('a context'),
  wait: flag,
};

/** Manages the connections to one server. Contexts share one connection, unless each has its own credentials. */
class Upstream {
  readonly #settings: UpstreamSettings;
  readonly #links: ConnectionPool<UpstreamLink>;
  readonly #listeners = new Set<() => void>();
  readonly #listListeners = new Set<() => void>();
  readonly #followers = new Set<Follower>();
  readonly #changed = new Set<ChangingList>();
  #change: NodeJS.Timeout | undefined;
  #changePauseMs = CHANGE_PAUSE_MS;
  #changeToldAt = -Infinity;
  #check: NodeJS.Timeout | undefined;
  #closed: Promise<void> | undefined;
  /** The connection that determines the health of the server. Those of other contexts may have invalid credentials. */
  #healthKey: string | undefined;
  readonly health: Health;
  server: UpstreamServer | undefined;

  constructor(settings: UpstreamSettings) {
    this.#settings = settings;
    const { name, maxConnections: max, connectTimeoutMs: waitMs, onError, healthCheck } = settings;
    this.#links = new ConnectionPool({ name, max, waitMs, onError });
    this.health = new Health(healthCheck.failures, onError);
  }

  async load(context: ContextValues): Promise<readonly UpstreamToolDefinition[]> {
    // Loaded on first use, because most servers forward nothing.
    const { UpstreamLink, toDefinitions } = await import('./forwarding.js');
    const wanted = this.#wanted(UpstreamLink, context);
    this.#healthKey ??= wanted.key;
    if (this.#settings.checked === 'all') this.#checkLater(false);
    const { tools, server, features } = await this.#links.use(wanted, (link) => link.list());
    this.server = server;
    // Each call looks up its link, because the pool closes links that were not used for long.
    return toDefinitions(tools, this.#settings, features, (tool, args, caller) =>
      this.#links.use({ ...wanted, signal: caller.signal }, (link) => link.call(tool, args, caller)),
    );
  }

  async follow(registry: ToolRegistry, options: FollowOptions): Promise<() => void> {
    assertRegistry('follow', registry);
    assertOptions('follow', options, followRules);
    const { tools, prompts, resources } = registry.counts;
    if (tools + prompts + resources > 0)
      throw new ErrInvalidOptions(`follow needs a registry without items, but "${registry.name}" has some.`, {
        hint: 'Create a registry for this server, and mount it in the other one.',
      });
    const { UpstreamLink, Follower } = await import('./forwarding.js');
    const wanted = (context: ContextValues, signal: AbortSignal) =>
      this.#wanted(UpstreamLink, context, signal);
    const own = wanted(options.context ?? {}, neverSignal());
    this.#healthKey = own.key;
    const { item: link, release } = await this.#links.hold(own);
    const follower = new Follower(
      {
        settings: this.#settings,
        health: this.health,
        link,
        call: (tool, args, caller) =>
          this.#links.use(wanted(caller.session, caller.signal), (each) => each.call(tool, args, caller)),
        request: (method, params, caller) =>
          this.#links.use(wanted(caller.session, caller.signal), (each) =>
            each.request(method, params, caller),
          ),
        hold: (session, signal) => this.#links.hold(wanted(session, signal)),
        onListChange: (listener) => {
          this.#listListeners.add(listener);
          return () => void this.#listListeners.delete(listener);
        },
        onListed: ({ server }) => (this.server = server),
      },
      registry,
      options,
    );
    this.#followers.add(follower);
    const stop = (): void => {
      follower.stop();
      this.#followers.delete(follower);
      release();
    };
    try {
      await follower.start();
    } catch (error) {
      stop();
      throw error;
    }
    if (this.#settings.checked !== 'none') this.#checkLater(false);
    return stop;
  }

  onChange(listener: () => void): () => void {
    // Each registration wraps the listener, so that the same listener can be added twice.
    const own = (): void => listener();
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  close(): Promise<void> {
    return (this.#closed ??= this.#close());
  }

  async #close(): Promise<void> {
    clearTimeout(this.#change);
    clearTimeout(this.#check);
    this.#listeners.clear();
    for (const follower of Array.from(this.#followers)) follower.stop();
    this.health.close();
    await this.#links.close();
  }

  #wanted(
    Link: typeof UpstreamLink,
    context: ContextValues,
    signal: AbortSignal = neverSignal(),
  ): Wanted<UpstreamLink> {
    const key = isPerContext(this.#settings.target) ? hashOf(context) : '';
    const isMain = (): boolean => this.#healthKey === key;
    const create = (): UpstreamLink =>
      new Link(this.#settings, context, {
        onChange: (kind) => this.#changedSoon(kind),
        onSuccess: () => isMain() && this.health.succeeded(),
        onFailure: (failure) => isMain() && this.health.failed(failure),
      });
    return { key, create, signal };
  }

  /** Checks the connections at regular intervals, and sooner after a check that failed. */
  #checkLater(hasFailed: boolean): void {
    if (this.#closed) return;
    const { everyMs, timeoutMs, failures } = this.#settings.healthCheck;
    clearTimeout(this.#check);
    this.#check = setTimeout(
      async () => {
        const results = await Promise.all(this.#links.items.map((link) => link.check(timeoutMs, failures)));
        this.#checkLater(results.includes(false));
      },
      hasFailed ? Math.min(everyMs, RECHECK_MS) : everyMs,
    );
    this.#check.unref();
  }

  /**
   * Calls the listeners once for several changes in a row, because servers announce each changed tool. Each call reads the lists again, so
   * it calls them less and less often if a server announces changes without end.
   */
  #changedSoon(kind: ChangingList): void {
    if (this.#closed) return;
    this.#changed.add(kind);
    if (this.#change) return;
    const isQuiet = Date.now() - this.#changeToldAt > LONGEST_CHANGE_PAUSE_MS;
    this.#changePauseMs = isQuiet
      ? CHANGE_PAUSE_MS
      : Math.min(2 * this.#changePauseMs, LONGEST_CHANGE_PAUSE_MS);
    this.#change = setTimeout(() => {
      this.#change = undefined;
      this.#changeToldAt = Date.now();
      const hasOtherTools = this.#changed.has('tools');
      this.#changed.clear();
      const listeners = [...this.#listListeners, ...(hasOtherTools ? this.#listeners : [])];
      for (const listener of listeners) {
        try {
          listener();
        } catch (error) {
          this.#settings.onError(error);
        }
      }
    }, this.#changePauseMs);
    this.#change.unref();
  }
}
