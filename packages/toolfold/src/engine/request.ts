import type { Caller, EnabledToolsets, Selection } from '../callers/caller.js';
import type { ResolvedContext } from '../callers/session-context.js';
import type { LogToClient, ReportProgress } from '../define/tool-definition.js';
import type { AskClient } from '../questions/request-input.js';
import type { Reading } from '../guards/repair/choose-arguments.js';
import type { Emit, FaultContext } from './events/call-events.js';

/** Called with an error of the author's code. Without a context, the error belongs to no handler. */
export type ReportFault = (error: unknown, context?: FaultContext) => void;

/** A request as the server's edge passes it to a registry. */
export interface RequestOptions {
  /** The MCP revision of the client, such as `2025-11-25`. */
  readonly protocolVersion?: string | undefined;
  /** Aborts when the caller cancels the request. */
  readonly signal?: AbortSignal | undefined;
  /** @internal Creates `signal` on first use, because most handlers never read it and creating one is expensive. */
  readonly lazySignal?: (() => AbortSignal) | undefined;
  /** Releases the connection while the call continues to run. */
  readonly release?: (() => void) | undefined;
  /** Sends progress notifications; `undefined` if the client did not ask for them. */
  readonly progress?: ReportProgress | undefined;
  /** The verified identity and the address of the sender. */
  readonly caller?: Caller | undefined;
  /** The credential that handlers get as `context.accessToken`. */
  readonly accessToken?: string | undefined;
  /**
   * The session context that the request and the server set. It separates stored values. A client can claim any
   * context, so quotas and rate limits ignore it.
   */
  readonly session?: ResolvedContext | undefined;
  /** Narrows the tools to those that the request selects. */
  readonly selection?: Selection | undefined;
  /** The toolsets that are enabled in the 2025 session of the request. */
  readonly enabledToolsets?: EnabledToolsets | undefined;
  /** The id that the client gives itself, as `clientIdOf` returns it. It is for fairness and logs, and proves nothing. */
  readonly clientId?: string | undefined;
  /** The `_meta` object of the request, unchecked. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** Sends log messages of the levels that the client asked for. */
  readonly log?: LogToClient | undefined;
  /** Sends questions of the handler to the client. */
  readonly ask?: AskClient | undefined;
  /** The context object of the MCP SDK, which handlers get as `context.sdk`. */
  readonly sdk?: unknown;
  /** @internal Whether the arguments may have the form in which the client's list shows them. */
  readonly asListed?: boolean | undefined;
  /** @internal Passes the events of the call to all subscribers; `undefined` if there are none. */
  readonly emit?: Emit | undefined;
}

/** A tool call, as `executeTool` takes it. */
export interface ExecuteRequest extends RequestOptions {
  /** The listed name of the tool. */
  readonly name: string;
  /** The arguments as the client sent them, not validated. */
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
  /** Whether texts of the result are compact. Takes precedence over hints in the arguments. */
  readonly minify?: boolean | undefined;
  /** Identifies repetitions of the call, for actions that declare idempotency. */
  readonly idempotencyKey?: string | undefined;
  /**
   * @internal The id of the run of code that makes the call. Code reads the whole value as data: neither a budget nor a formatter
   * changes it.
   */
  readonly run?: string | undefined;
  /** @internal The arguments as the client's tool list describes them. Middleware that replaces the arguments discards it. */
  readonly reading?: Reading | undefined;
}

/** For fields that are added one by one, because `Object.assign` takes longer than some handlers. */
export type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** An MCP request of any method, as middleware of `registry.use` sees it. */
export interface McpRequest extends RequestOptions {
  /** The MCP method, such as `tools/call` or `prompts/get`. */
  readonly method: string;
  /** The params as the client sent them, not validated. */
  readonly params: Readonly<Record<string, unknown>>;
}
