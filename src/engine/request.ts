import type { Caller, EnabledToolsets, Selection } from '../callers/caller.js';
import type { ResolvedContext } from '../callers/session-context.js';
import type { LogToClient, ReportProgress } from '../define/tool-definition.js';
import type { AskClient } from '../questions/request-input.js';
import type { Redactor } from '../guards/redact/redactor.js';
import type { CallToolResult } from '../protocol/tool-result.js';
import type { CallTrace } from './trace/call-trace.js';

/** The request during which the author's code failed. */
export interface FaultContext {
  /** The address of the action, the name of the prompt or the URI of the resource. */
  readonly address: string | undefined;
  /** Removes the credentials of the request from texts. */
  readonly redactor: Redactor;
  /** Whether a logger has the error already. */
  readonly isLogged: boolean;
}

/** Called with an error of the author's code. Without a context, the error belongs to no handler. */
export type ReportFault = (error: unknown, context?: FaultContext) => void;

/** The properties of a request that the edge passes to the registry. */
export interface RequestOptions {
  /** The revision of MCP that the client speaks. */
  readonly protocolVersion?: string | undefined;
  /** Aborts when the caller cancels the request. */
  readonly signal?: AbortSignal | undefined;
  /** @internal Creates `signal` on first use, because most handlers never read it and creating one is expensive. */
  readonly lazySignal?: (() => AbortSignal) | undefined;
  /** Releases the connection while the call continues to run. */
  readonly release?: (() => void) | undefined;
  /** Reports progress to the client. */
  readonly progress?: ReportProgress | undefined;
  /** The sender of the request. */
  readonly caller?: Caller | undefined;
  /** The credential that handlers get as `context.accessToken`. */
  readonly accessToken?: string | undefined;
  /**
   * The session context that the request and the server set. Stored values are separated by it. A client can claim any context,
   * so a context has no quota or rate limit of its own.
   */
  readonly session?: ResolvedContext | undefined;
  /** The tools that the request selects. */
  readonly selection?: Selection | undefined;
  /** The toolsets that are enabled in the 2025 session of the request. */
  readonly enabledToolsets?: EnabledToolsets | undefined;
  /** The id that the client gives itself, as `clientIdOf` returns it. It is for fairness and logs, and proves nothing. */
  readonly clientId?: string | undefined;
  /** The `_meta` of the request. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** Sends log messages to the client. */
  readonly log?: LogToClient | undefined;
  /** Asks the person at the client. */
  readonly ask?: AskClient | undefined;
  /** The context of the MCP SDK, passed on to the handler. */
  readonly sdk?: unknown;
  /** @internal Called with errors of the author's code, of which the client gets only the message. */
  readonly onFault?: ReportFault | undefined;
  /** @internal Measures the steps of an observed call. */
  readonly trace?: CallTrace | undefined;
}

/** A call of a tool, as the edge passes it to the registry. */
export interface ExecuteRequest extends RequestOptions {
  /** The name of the tool, as clients see it. */
  readonly name: string;
  /** The arguments as the client sent them, not validated. */
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
  /** Whether texts of the result are compact. Takes precedence over hints in the arguments. */
  readonly minify?: boolean | undefined;
  /** The idempotency key of the call, for actions that declare idempotency. */
  readonly idempotencyKey?: string | undefined;
  /** Called when the security wrapper has admitted the call, before its handler runs. */
  readonly onAdmitted?: (() => void) | undefined;
  /**
   * @internal The id of the run of code that makes the call. Code reads the whole value as data: neither a budget nor a formatter
   * changes it.
   */
  readonly run?: string | undefined;
  /** @internal Called with the result and the request, unless the call throws. The search form sets it to learn from calls. */
  onResult?(result: CallToolResult, request: RequestOptions): void;
}

/** An MCP request of any method, as the edge passes it to the registry. */
export interface McpRequest extends RequestOptions {
  /** The MCP method, such as `tools/call` or `prompts/get`. */
  readonly method: string;
  /** The params as the client sent them, not validated. */
  readonly params: Readonly<Record<string, unknown>>;
}
