import type { Caller } from '../callers/caller.js';
import type { EnabledToolsets, Selection } from '../callers/selection.js';
import type { ResolvedContext } from '../callers/session-context.js';
import type { LogToClient, ReportProgress } from '../define/tool-definition.js';
import type { AskClient } from '../questions/request-input.js';

/** What the edge knows of any request. */
export interface RequestOptions {
  /** The revision of MCP that the client speaks. */
  readonly protocolVersion?: string | undefined;
  /** Ends when the caller gives up. */
  readonly signal?: AbortSignal | undefined;
  /** @internal Creates `signal` on first use, because most handlers never read it and creating one is expensive. */
  readonly lazySignal?: (() => AbortSignal) | undefined;
  /** Lets the connection go while the call runs on. */
  readonly release?: (() => void) | undefined;
  /** Tells the client how far the call has come. */
  readonly progress?: ReportProgress | undefined;
  /** Who is calling. */
  readonly caller?: Caller | undefined;
  /** The credential that handlers get as `context.accessToken`. */
  readonly accessToken?: string | undefined;
  /**
   * What the request and the server say about the caller. It tells apart whatever is kept, and proves nothing: it gives
   * nobody a share or a limit of its own.
   */
  readonly session?: ResolvedContext | undefined;
  /** What of the tools the request wants to see. */
  readonly selection?: Selection | undefined;
  /** What is enabled in the session of 2025 that the request belongs to. */
  readonly enabledToolsets?: EnabledToolsets | undefined;
  /** The client by the name it gives itself, as `clientIdOf` has it: for fairness and logs, and no proof. */
  readonly clientId?: string | undefined;
  /** What came with the request as `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  /** Sends log messages to the client. */
  readonly log?: LogToClient | undefined;
  /** Puts questions to the person at the client. */
  readonly ask?: AskClient | undefined;
  /** The context of the MCP SDK, passed on to the handler. */
  readonly sdk?: unknown;
}

/** One call, as the edge hands it over. */
export interface ExecuteRequest extends RequestOptions {
  /** The tool, by the name that clients know. */
  readonly name: string;
  /** What came with the call, unchecked. */
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
  /** Whether texts of the answer are compact; wins over hints among the arguments. */
  readonly minify?: boolean | undefined;
  /** Which call this repeats, for actions that are declared so. */
  readonly idempotencyKey?: string | undefined;
  /** Told when the guard has let the call through and its handler is about to run. */
  readonly onAdmitted?: (() => void) | undefined;
}

/** Any request of MCP on its way through a registry: `tools/list`, `tools/call`, `prompts/get` and so on. */
export interface McpRequest extends RequestOptions {
  /** Such as `tools/call` or `prompts/get`. */
  readonly method: string;
  /** What came with it, unchecked. */
  readonly params: Readonly<Record<string, unknown>>;
}
