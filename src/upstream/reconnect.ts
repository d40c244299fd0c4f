import type { PriorDiscovery, Tool } from '@modelcontextprotocol/client';
import type { ToolContext } from '../define/tool-definition.js';
import { ErrInvalidOptions, ErrProtocol, ErrToolFailed, ErrUpstreamLost, ToolfoldError } from '../errors.js';
import { messageOf } from '../engine/error-handler.js';
import { isNever } from '../engine/request-context.js';
import type { ContextValues } from '../callers/session-context.js';
import { isInputRequired } from '../protocol/input-required.js';
import { URL_REQUIRED } from '../protocol/rpc-error.js';
import { untilAborted } from './connect.js';
import { UpstreamConnection } from './connection.js';
import type { UpstreamServer } from './upstream-types.js';
import { isNetworkError, isInvalidAnswer } from './untrusted-messages.js';
import { ListError } from './list.js';
import { assertHeaders, isCommand } from './options.js';
import type { UpstreamHeaders, UpstreamSettings } from './options.js';
import { fingerprintTools } from './tools.js';
import { clip } from '../values/nearest-name.js';

// Exported here too, so that a loader gets its code with one import, in one file.
export { toDefinitions } from './tools.js';

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** The codes of the official client for an ended connection. The codes that a server answers with are numbers. */
const gone: ReadonlySet<unknown> = new Set(['CONNECTION_CLOSED', 'NOT_CONNECTED', 'SEND_FAILED']);
const MAX_TEXT = 500;

/**
 * Keeps one context connected to an upstream server. It connects on first use, and reconnects on the next use after a
 * loss, with growing pauses between failed attempts.
 */
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
  /** Fingerprint of the last list, to detect whether a new connection lists other tools. */
  #listed: string | undefined;

  constructor(settings: UpstreamSettings, context: ContextValues, onChange: () => void) {
    this.#settings = settings;
    this.#context = context;
    this.#onChange = onChange;
  }

  /** Lists the tools, with the server's description of itself. */
  async list(): Promise<{ readonly tools: readonly unknown[]; readonly server: UpstreamServer }> {
    const connection = await this.#connect();
    const tools = await this.#guard(connection, () => this.#listTools(connection));
    this.#listed = fingerprintTools(tools);
    return { tools, server: connection.server };
  }

  async #listTools(connection: UpstreamConnection): Promise<readonly unknown[]> {
    const { name, maxTools, maxMessageBytes } = this.#settings;
    try {
      return await connection.list('tools', { maxItems: maxTools, maxSize: maxMessageBytes });
    } catch (error) {
      if (!(error instanceof ListError)) throw error;
      throw new ErrUpstreamLost(`The server "${name}" cannot be used: ${error.message}.`, {
        details: { upstream: name },
      });
    }
  }

  async call(tool: Tool, args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<unknown> {
    const connection = await this.#connectFor(context.signal).catch((thrown: unknown) => {
      throw withoutReason(this.#settings.name, thrown);
    });
    return this.#guard(connection, () => connection.callTool(tool, args, context));
  }

  /** Lets running calls end, then closes the connection. */
  async retire(): Promise<void> {
    this.#isRetired = true;
    const connection = this.#connection ?? (await this.#connecting?.catch(() => undefined));
    await connection?.retire();
  }

  async close(): Promise<void> {
    this.#isRetired = true;
    this.#closing.abort(this.#closedError());
    const connection = this.#connection ?? (await this.#connecting?.catch(() => undefined));
    await connection?.close();
  }

  /** Runs a request, and drops the connection if the outcome shows that it is lost. */
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

  /** Connects for one caller. Its cancellation does not abort the attempt, because other callers may wait for it. */
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
        throw this.#closedError();
      }
      this.#prior = connection.prior;
      this.#connection = connection;
      if (this.#listed !== undefined) void this.#compare(connection);
      return connection;
    } catch (cause) {
      // The server may speak another protocol by the next attempt.
      this.#prior = undefined;
      this.#failed();
      const lost = toUnreachable(this.#settings.name, cause);
      this.#settings.onError(lost);
      throw lost;
    }
  }

  /**
   * Drops a lost connection, once for all of its calls. It counts as a failure, so that a server which crashes on every
   * call is not restarted for every call.
   */
  #drop(connection: UpstreamConnection): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    this.#failed();
    void connection.retire().catch(this.#settings.onError);
  }

  #failed(): void {
    const pause = Math.min(FIRST_PAUSE_MS * 2 ** (this.#failures - 1), LONGEST_PAUSE_MS);
    // The first retry is immediate.
    if (this.#failures > 0) this.#notBefore = Date.now() + pause;
    this.#failures++;
  }

  /** Reports a change if a new connection lists other tools than the last one. */
  async #compare(connection: UpstreamConnection): Promise<void> {
    try {
      const listed = fingerprintTools(await this.#listTools(connection));
      if (listed === this.#listed) return;
      this.#listed = listed;
      this.#onChange();
    } catch (error) {
      // Another server may have taken the address over, with another protocol.
      this.#prior = undefined;
      this.#drop(connection);
      this.#settings.onError(error);
    }
  }

  #closedError(): ErrUpstreamLost {
    return new ErrUpstreamLost(`The connection to the server "${this.#settings.name}" was closed.`);
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

function toUnreachable(name: string, cause: unknown): ToolfoldError {
  // An invalid option is the author's mistake, and an `ErrUpstreamLost` already names the reason.
  if (cause instanceof ErrInvalidOptions || cause instanceof ErrUpstreamLost) return cause;
  return new ErrUpstreamLost(`The server "${name}" cannot be reached: ${describe(cause)}.`, {
    cause,
    details: { upstream: name },
  });
}

/** Hides from callers why a server cannot be reached, because the reason may reveal its address. */
function withoutReason(name: string, thrown: unknown): unknown {
  if (!(thrown instanceof ErrUpstreamLost) || thrown.cause === undefined) return thrown;
  return new ErrUpstreamLost(`The server "${name}" cannot be reached.`, {
    hint: 'Try again later.',
    cause: thrown,
    details: { upstream: name },
  });
}

/** Maps a failed call to the error that the caller gets. The connection may have ended. */
function toCallError(name: string, thrown: unknown, hasEnded: boolean): unknown {
  if (isInputRequired(thrown) || thrown instanceof ToolfoldError) return thrown;
  if (isGone(thrown) || (hasEnded && !isAnswer(thrown))) {
    const { status } = Object(thrown) as { status?: unknown };
    const what = typeof status === 'number' ? `answered with HTTP status ${status}` : 'was lost';
    return new ErrUpstreamLost(`The server "${name}" ${what}.`, {
      hint: 'The call may have taken effect. The next call reconnects.',
      cause: thrown,
      details: { upstream: name, ...(typeof status === 'number' ? { status } : {}) },
    });
  }
  const { code, data } = Object(thrown) as { code?: unknown; data?: unknown };
  if (code === URL_REQUIRED) return new ErrProtocol(describe(thrown), { rpcCode: code, data, cause: thrown });
  const isRejection = typeof code === 'number' && !isInvalidAnswer(thrown);
  const what = isRejection ? `rejected the call (${code})` : 'gave no valid answer';
  return new ErrToolFailed(`The server "${name}" ${what}: ${describe(thrown)}`, {
    cause: thrown,
    details: { upstream: name },
  });
}

/** Whether the connection is lost: it ended, nothing listens at the address, or the server answered with an HTTP error. */
function isGone(thrown: unknown): boolean {
  if (thrown instanceof ErrUpstreamLost) return true;
  if (thrown instanceof ToolfoldError || isInputRequired(thrown) || isAnswer(thrown)) return false;
  const { code, status } = Object(thrown) as Record<string, unknown>;
  const isHttp = typeof status === 'number' || (typeof code === 'string' && code.startsWith('CLIENT_HTTP'));
  return isHttp || gone.has(code) || isNetworkError(thrown);
}

/** Whether the server answered with this error. A connection that carries answers has not ended. */
function isAnswer(thrown: unknown): boolean {
  return typeof (Object(thrown) as { code?: unknown }).code === 'number';
}

/** Describes an error in one line without a full stop, followed by its causes if they say more. */
function describe(thrown: unknown): string {
  const line = reasonsOf(thrown)
    .reduce((text, reason) => (text.includes(reason) ? text : `${text}: ${reason}`))
    .replaceAll(/\s+/g, ' ')
    .trim();
  return clip(line, MAX_TEXT).replace(/\.$/, '');
}

/** The messages of an error and its causes. The official client keeps a cause in `data`. */
function reasonsOf(thrown: unknown, depth = 0): string[] {
  const { cause, data } = Object(thrown) as { cause?: unknown; data?: { cause?: unknown } };
  const inner = cause ?? data?.cause;
  const own =
    messageOf(thrown) || String((thrown as { code?: unknown } | undefined)?.code ?? 'no reason given');
  return inner === undefined || inner === null || depth > 4 ? [own] : [own, ...reasonsOf(inner, depth + 1)];
}
