import type { PriorDiscovery, Tool } from '@modelcontextprotocol/client';
import type { ContextValues } from 'toolfold/web';
import { untilAborted } from '@toolfold/schema/internal';
import { isNever } from 'toolfold/internal';
import { ErrInvalidSessionContext, ErrUpstreamLost } from 'toolfold/errors';
import type { CallContext } from './call.js';
import { UpstreamConnection } from './connection.js';
import type { ChangingList } from './connection.js';
import type { Failure } from './health/health.js';
import { describeFailure, isGone, toCallError, toUnreachable, withoutReason } from './health/link-errors.js';
import { listItems, listTools } from './items/list-items.js';
import type { ListedItems, WantedItems } from './items/list-items.js';
import { budgetOf } from './message-budget.js';
import { envFor, headersFor } from './options.js';
import type { UpstreamSettings } from './options.js';
import { fingerprintTools } from './tools.js';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** A flood of messages delays the next attempt to connect like this many failed attempts. */
const FAILURES_OF_FLOOD = 7;
/** A connection counts as stable after this time, so that its end causes no pause. */
const STABLE_MS = 10_000;

interface LinkEvents {
  /** Called when the server may list other items of a kind. */
  readonly onChange: (kind: ChangingList) => void;
  readonly onSuccess: () => void;
  /** Called when a check or an attempt to connect failed, or the connection was lost. */
  readonly onFailure: (failure: Failure) => void;
}

/**
 * Keeps one context connected to an upstream server. It connects on first use, and reconnects on the next use after a loss, with growing
 * pauses between failed attempts. While it has subscriptions or followers, it reconnects by itself.
 */
export class UpstreamLink {
  readonly #settings: UpstreamSettings;
  readonly #context: ContextValues;
  readonly #events: LinkEvents;
  #connection: UpstreamConnection | undefined;
  #connecting: Promise<UpstreamConnection> | undefined;
  #prior: PriorDiscovery | undefined;
  #failures = 0;
  #notBefore = 0;
  #openedAt = 0;
  /** Counts connections in a row that ended by themselves before they were stable. */
  #shortLived = 0;
  #isRetired = false;
  #hasConnected = false;
  /** Why the last attempt to connect failed. Calls report it until the next attempt. */
  #lastReason: string | undefined;
  readonly #closing = new AbortController();
  /** Fingerprint of the last list, to detect whether a new connection lists other tools. */
  #listed: string | undefined;
  /** Counts checks in a row that the current connection did not answer. */
  #missed = 0;
  /** Called after each reconnect. While there are any, the link stays connected. */
  readonly #followers = new Set<() => void>();
  readonly #subscriptions = new Map<string, Set<() => void>>();
  #revival: NodeJS.Timeout | undefined;

  constructor(settings: UpstreamSettings, context: ContextValues, events: LinkEvents) {
    this.#settings = settings;
    this.#context = context;
    this.#events = events;
  }

  /** Stays connected from now on, and calls the listener after each reconnect. Returns a function that ends this. */
  follow(onReconnect: () => void): () => void {
    const own = (): void => onReconnect();
    this.#followers.add(own);
    if (!this.#connection?.isUsable) this.#reviveLater();
    return () => {
      this.#followers.delete(own);
      if (!this.#isKept) clearTimeout(this.#revival);
    };
  }

  /** Calls the listener when a resource has changed, or may have changed. Returns a function that ends this. */
  subscribe(uri: string, onUpdate: () => void): () => void {
    const own = (): void => onUpdate();
    const listeners = this.#subscriptions.get(uri) ?? new Set();
    this.#subscriptions.set(uri, listeners.add(own));
    if (this.#connection?.isUsable) this.#connection.subscribe(this.#subscriptions.keys());
    else this.#reviveLater();
    return () => {
      listeners.delete(own);
      if (listeners.size > 0 || this.#subscriptions.get(uri) !== listeners) return;
      this.#subscriptions.delete(uri);
      if (this.#connection?.isUsable) this.#connection.subscribe(this.#subscriptions.keys());
      if (!this.#isKept) clearTimeout(this.#revival);
    };
  }

  /** Checks that an idle connection still answers, and drops it after several checks without an answer. Returns false then. */
  async check(timeoutMs: number, maxMissed: number): Promise<boolean> {
    const connection = this.#connection;
    if (!connection?.isUsable || connection.isBusy) return true;
    try {
      await connection.ping(timeoutMs);
      this.#missed = 0;
      if (this.#connection === connection) this.#events.onSuccess();
      return true;
    } catch (error) {
      // A call that has begun meanwhile may keep the server from answering.
      if (this.#connection !== connection || (connection.isBusy && !connection.hasEnded)) return true;
      const isLost = isGone(error) || connection.hasEnded;
      const reason = `it does not answer: ${describeFailure(error)}`;
      if (!isLost) this.#missed++;
      if (isLost || this.#missed >= maxMissed) this.#drop(connection, reason);
      else this.#report(reason);
      return false;
    }
  }

  get #isKept(): boolean {
    return !this.#isRetired && this.#followers.size + this.#subscriptions.size > 0;
  }

  /** Reconnects when the pause after the last failure and the given pause are over. */
  #reviveLater(pauseMs = 0): void {
    clearTimeout(this.#revival);
    if (!this.#isKept) return;
    const pause = Math.max(this.#notBefore - Date.now(), pauseMs);
    this.#revival = setTimeout(() => {
      // A timer may fire slightly early.
      if (Date.now() < this.#notBefore) this.#reviveLater();
      // A failed attempt reports its error and plans the next attempt.
      else if (this.#isKept) void this.#connect().catch(() => undefined);
    }, pause);
    this.#revival.unref();
  }

  #report(reason: string): void {
    const failures = Math.max(this.#failures, this.#missed);
    this.#events.onFailure({ reason, failures, retryAt: this.#notBefore });
  }

  async list(): Promise<Pick<ListedItems, 'tools' | 'server' | 'features'>> {
    const connection = await this.#connect();
    const tools = await this.#guard(connection, () => listTools(connection, this.#settings));
    this.#listed = fingerprintTools(tools);
    const { server, features } = connection;
    return { tools, server, features };
  }

  /** Lists everything. An unusable list of prompts or resources does not hide the others. */
  async listItems(wanted: WantedItems): Promise<ListedItems> {
    const connection = await this.#connect();
    const listed = await this.#guard(connection, () => listItems(connection, this.#settings, wanted));
    this.#listed = fingerprintTools(listed.tools);
    return listed;
  }

  call(tool: Tool, args: Readonly<Record<string, unknown>>, context: CallContext): Promise<unknown> {
    return this.#forward(context, (connection) => connection.callTool(tool, args, context));
  }

  /** Sends a caller's request other than a tool call. */
  request(method: string, params: Readonly<Record<string, unknown>>, context: CallContext): Promise<unknown> {
    return this.#forward(context, (connection) => connection.request(method, params, context));
  }

  async #forward(
    { signal }: CallContext,
    run: (connection: UpstreamConnection) => Promise<unknown>,
  ): Promise<unknown> {
    const connection = await this.#connectFor(signal).catch((thrown: unknown) => {
      throw withoutReason(this.#settings.name, thrown);
    });
    const result = await this.#guard(connection, () => run(connection));
    this.#failures = this.#shortLived = 0;
    return result;
  }

  /** Lets running calls end, then closes the connection. */
  async retire(): Promise<void> {
    this.#isRetired = true;
    clearTimeout(this.#revival);
    const connection = this.#connection ?? (await this.#connecting?.catch(() => undefined));
    await connection?.retire();
  }

  async close(): Promise<void> {
    this.#isRetired = true;
    clearTimeout(this.#revival);
    this.#closing.abort(this.#closedError());
    const connection = this.#connection ?? (await this.#connecting?.catch(() => undefined));
    await connection?.close();
  }

  /** Runs a request, and drops the connection if the outcome shows that it is lost. */
  async #guard<T>(connection: UpstreamConnection, run: () => Promise<T>): Promise<T> {
    try {
      const result = await run();
      this.#missed = 0;
      // A server that lists its tools but crashes soon after each start keeps its failures, so that it is not restarted at once forever.
      if (this.#isStable) this.#failures = 0;
      this.#events.onSuccess();
      return result;
    } catch (thrown) {
      if (isGone(thrown) || connection.hasEnded)
        this.#drop(connection, `it was lost: ${describeFailure(thrown)}`);
      throw toCallError(this.#settings.name, thrown, connection.hasEnded);
    }
  }

  /** Connects for one caller. Its cancellation does not abort the attempt, because concurrent callers may share it. */
  async #connectFor(signal: AbortSignal): Promise<UpstreamConnection> {
    const connecting = this.#connect();
    if (this.#connection?.isUsable || isNever(signal)) return connecting;
    return untilAborted(connecting, signal);
  }

  async #connect(): Promise<UpstreamConnection> {
    const { name } = this.#settings;
    if (this.#isRetired) throw this.#closedError();
    if (this.#connection?.isUsable) return this.#connection;
    if (this.#connecting) return this.#connecting;
    const retryAfterMs = this.#notBefore - Date.now();
    if (retryAfterMs > 0) {
      throw new ErrUpstreamLost(this.#lastReason ?? `The server "${name}" cannot be reached.`, {
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
      const [headers, env] = await Promise.all([
        headersFor(this.#settings.target, this.#context),
        envFor(this.#settings.target, this.#context),
      ]);
      const events = {
        onListChanged: this.#events.onChange,
        onResourceUpdated: (uri: string) => this.#updated(uri),
        onLost: () => this.#lost(),
      };
      const { signal } = this.#closing;
      const opening = { headers, env, prior: this.#prior, signal };
      const connection = await UpstreamConnection.open(this.#settings, events, opening);
      if (this.#isRetired) {
        await connection.close();
        throw this.#closedError();
      }
      if (connection.hasEnded) throw this.#lostError();
      this.#lastReason = undefined;
      this.#prior = connection.prior;
      this.#connection = connection;
      this.#openedAt = Date.now();
      this.#missed = 0;
      this.#resume(connection);
      return connection;
    } catch (cause) {
      // The caller lacks credentials, which it can provide. The server itself has not failed.
      if (cause instanceof ErrInvalidSessionContext) throw cause;
      // The server may speak another protocol by the next attempt.
      this.#prior = undefined;
      const lost = toUnreachable(this.#settings.name, cause);
      this.#lastReason = (withoutReason(this.#settings.name, lost) as Error).message;
      this.#failed(lost.message);
      this.#settings.onError(lost);
      throw lost;
    }
  }

  get #isStable(): boolean {
    return Date.now() - this.#openedAt >= STABLE_MS;
  }

  /** Handles a connection that ended without a request that could report it. */
  #lost(): void {
    const connection = this.#connection;
    this.#settings.onError(this.#lostError());
    // A running attempt to connect fails now and counts as a failure itself.
    if (!connection || this.#connecting) return;
    if (this.#isStable) this.#failures = this.#shortLived = 0;
    const wasCut = budgetOf(this.#settings).takeCut();
    if (wasCut) this.#failures = FAILURES_OF_FLOOD;
    if (connection.hasEnded) this.#drop(connection, wasCut ? 'it was cut off' : 'it was lost');
    // Only a stream of changes has ended. Calls need no pause, because the server may still answer them.
    else this.#reviveLater(pauseAfter(this.#shortLived++));
  }

  /**
   * Drops a lost connection, once for all of its calls. It counts as a failure, so that a server which crashes on every call is not
   * restarted for every call.
   */
  #drop(connection: UpstreamConnection, reason: string): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    this.#failed(reason);
    void connection.retire().catch(this.#settings.onError);
  }

  #failed(reason: string): void {
    if (this.#isRetired) return;
    const pause = pauseAfter(this.#failures++);
    if (pause > 0) this.#notBefore = Date.now() + pause;
    this.#report(reason);
    this.#reviveLater();
  }

  /** Restores subscriptions, followers and the list of tools on a new connection. */
  #resume(connection: UpstreamConnection): void {
    const isReconnect = this.#hasConnected;
    this.#hasConnected = true;
    if (this.#subscriptions.size > 0) connection.subscribe(this.#subscriptions.keys());
    if (this.#followers.size > 0) for (const follower of Array.from(this.#followers)) follower();
    else if (this.#listed !== undefined) void this.#compare(connection);
    // Updates may have been missed while the connection was lost.
    if (isReconnect) for (const uri of this.#subscriptions.keys()) this.#updated(uri);
  }

  #updated(uri: string): void {
    for (const listener of Array.from(this.#subscriptions.get(uri) ?? [])) listener();
  }

  /** Reports a change if a new connection lists other tools than the last one. */
  async #compare(connection: UpstreamConnection): Promise<void> {
    try {
      const listed = fingerprintTools(await listTools(connection, this.#settings));
      if (listed === this.#listed) return;
      this.#listed = listed;
      this.#events.onChange('tools');
    } catch (error) {
      // Another server with another protocol may have taken over the address.
      this.#prior = undefined;
      this.#drop(connection, describeFailure(error));
      this.#settings.onError(error);
    }
  }

  #lostError(): ErrUpstreamLost {
    return new ErrUpstreamLost(`The server "${this.#settings.name}" was lost.`);
  }

  #closedError(): ErrUpstreamLost {
    return new ErrUpstreamLost(`The connection to the server "${this.#settings.name}" was closed.`);
  }
}

/** Returns the pause after a number of failures in a row. The first retry is immediate. */
function pauseAfter(failures: number): number {
  return failures === 0 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), LONGEST_PAUSE_MS);
}
