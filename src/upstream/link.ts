import type { PriorDiscovery, Tool } from '@modelcontextprotocol/client';
import type { ToolContext } from '../define/tool-definition.js';
import { ErrUpstreamLost } from '../errors.js';
import { never } from '../engine/request-context.js';
import type { ContextValues } from '../callers/context-values.js';
import { UpstreamConnection } from './connection.js';
import type { UpstreamServer } from './connection.js';
import { isGone, lostUpstream, toCallError, withoutReason } from './errors.js';
import { assertHeaders, isCommand } from './options.js';
import type { UpstreamHeaders, UpstreamSettings } from './options.js';
import { fingerprintTools } from './tools.js';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

/** Keeps one context connected to an upstream server: connects on the first use, and reconnects after a loss. */
export class UpstreamLink {
  readonly #settings: UpstreamSettings;
  readonly #context: ContextValues;
  readonly #onChange: () => void;
  #connection: UpstreamConnection | undefined;
  #connecting: Promise<UpstreamConnection> | undefined;
  #prior: PriorDiscovery | undefined;
  #failures = 0;
  #notBefore = 0;
  #isRetired = false;
  readonly #closing = new AbortController();
  /** Fingerprint of what was listed last, to tell whether another connection lists the same. */
  #listed: string | undefined;

  constructor(settings: UpstreamSettings, context: ContextValues, onChange: () => void) {
    this.#settings = settings;
    this.#context = context;
    this.#onChange = onChange;
  }

  /** What the server lists now, and says about itself. */
  async list(): Promise<{ readonly tools: readonly unknown[]; readonly server: UpstreamServer }> {
    const connection = await this.#connect();
    const tools = await this.#guard(connection, () => connection.listTools());
    this.#listed = fingerprintTools(tools);
    return { tools, server: connection.server };
  }

  async call(tool: Tool, args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<unknown> {
    const connection = await this.#connectFor(context.signal).catch((thrown: unknown) => {
      throw withoutReason(this.#settings.name, thrown);
    });
    return this.#guard(connection, () => connection.callTool(tool, args, context));
  }

  /** Lets running calls end, and then the connection. */
  async retire(): Promise<void> {
    this.#isRetired = true;
    const connection = this.#connection ?? (await this.#connecting?.catch(() => undefined));
    await connection?.retire();
  }

  async close(): Promise<void> {
    this.#isRetired = true;
    this.#closing.abort(
      new ErrUpstreamLost(`The connection to the server "${this.#settings.name}" was closed.`),
    );
    const connection = this.#connection ?? (await this.#connecting?.catch(() => undefined));
    await connection?.close();
  }

  /** Notes what an answer, or its absence, says about the connection. */
  async #guard<T>(connection: UpstreamConnection, run: () => Promise<T>): Promise<T> {
    try {
      const result = await run();
      this.#failures = 0;
      return result;
    } catch (thrown) {
      if (isGone(thrown) || connection.hasEnded) this.#drop(connection);
      throw toCallError(this.#settings.name, thrown, connection.hasEnded);
    }
  }

  /** Whoever gives up does not wait for the connection, which others may need. */
  async #connectFor(signal: AbortSignal): Promise<UpstreamConnection> {
    const connecting = this.#connect();
    if (this.#connection?.isUsable || signal === never) return connecting;
    let stop: (() => void) | undefined;
    const cancelled = new Promise<never>((_, reject) => {
      stop = () => reject(signal.reason as Error);
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
    });
    try {
      return await Promise.race([connecting, cancelled]);
    } finally {
      if (stop) signal.removeEventListener('abort', stop);
      connecting.catch(() => undefined);
    }
  }

  async #connect(): Promise<UpstreamConnection> {
    const { name } = this.#settings;
    if (this.#isRetired) throw new ErrUpstreamLost(`The connection to the server "${name}" was closed.`);
    if (this.#connection?.isUsable) return this.#connection;
    if (this.#connecting) return this.#connecting;
    const retryAfterMs = this.#notBefore - Date.now();
    if (retryAfterMs > 0) {
      throw new ErrUpstreamLost(`The server "${name}" cannot be reached.`, {
        hint: `Try again in ${Math.ceil(retryAfterMs / 1_000)} s.`,
        details: { upstream: name, retryAfterMs },
      });
    }
    const connecting = this.#open().finally(() => (this.#connecting = undefined));
    this.#connecting = connecting;
    return connecting;
  }

  async #open(): Promise<UpstreamConnection> {
    try {
      const headers = await this.#headers();
      const events = {
        onListChanged: this.#onChange,
        onLost: () =>
          this.#settings.onError(new ErrUpstreamLost(`The server "${this.#settings.name}" was lost.`)),
      };
      const { signal } = this.#closing;
      const opening = { headers, prior: this.#prior, signal };
      const connection = await UpstreamConnection.open(this.#settings, events, opening);
      if (this.#isRetired) {
        await connection.close();
        throw new ErrUpstreamLost(`The connection to the server "${this.#settings.name}" was closed.`);
      }
      this.#prior = connection.prior;
      this.#connection = connection;
      if (this.#listed !== undefined) void this.#compare(connection);
      return connection;
    } catch (cause) {
      // It may speak another protocol now.
      this.#prior = undefined;
      this.#failed();
      const lost = lostUpstream(this.#settings.name, cause, 'cannot be reached');
      this.#settings.onError(lost);
      throw lost;
    }
  }

  /** Once for all of its calls. A server that goes down with every call is not started as fast as it is called. */
  #drop(connection: UpstreamConnection): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    this.#failed();
    void connection.retire().catch(this.#settings.onError);
  }

  #failed(): void {
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** (this.#failures - 1), LONGEST_PAUSE_MS);
    // The first time it is tried again at once.
    if (this.#failures > 0) this.#notBefore = Date.now() + pause;
    this.#failures++;
  }

  /** Another process may have other tools. */
  async #compare(connection: UpstreamConnection): Promise<void> {
    try {
      const listed = fingerprintTools(await connection.listTools());
      if (listed === this.#listed) return;
      this.#listed = listed;
      this.#onChange();
    } catch (error) {
      // It may be another server by now, which speaks another protocol.
      this.#prior = undefined;
      this.#drop(connection);
      this.#settings.onError(error);
    }
  }

  async #headers(): Promise<UpstreamHeaders> {
    const { target } = this.#settings;
    if (isCommand(target) || target.headers === undefined) return {};
    if (typeof target.headers !== 'function') return target.headers;
    const headers: unknown = await target.headers(this.#context);
    assertHeaders(headers);
    return headers;
  }
}
