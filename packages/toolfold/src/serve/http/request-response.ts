import type { Id } from '../../protocol/messages.js';
import type { RequestOrigin } from '../../registry/incoming-request.js';
import { INTERNAL_ERROR, REJECTED } from '../../protocol/rpc-error.js';

export interface EdgeRequest extends RequestOrigin {
  /** Returns a header by its lowercase name. A header that was sent several times comes joined with commas. */
  readonly header: (name: string) => string | undefined;
  readonly body: unknown;
  /** The path and the query, or the whole URL. */
  readonly target: string;
  readonly caller?: RequestCaller | undefined;
  /** Creates a signal on first use, because most calls never need it. It aborts when the client disconnects. */
  readonly signal: () => AbortSignal;
}

export interface RequestCaller {
  /** Requests and calls are counted under this key. All callers without identity and address share one. */
  readonly key: string;
  /**
   * The caller whose share of the capacity the request uses. Anonymous callers on this machine have no share, because a
   * single user and a proxy that forwards for many users look the same. Callers without a known address have none either.
   */
  readonly share: string | undefined;
}

export type EdgeAnswer = WholeAnswer | StreamAnswer;

interface AnswerHead {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A JSON-RPC message: text or, for a list of tools, its cached bytes between two texts, so that it is encoded only once. */
export type Written = string | readonly [before: string, bytes: Uint8Array, after: string];

export interface WholeAnswer extends AnswerHead {
  readonly body: Written | undefined;
}

export interface StreamAnswer extends AnswerHead {
  readonly body: Events;
}

export type Events = (sink: EventSink) => void;

export interface EventSink {
  /** Returns `false` if the client has disconnected or reads too slowly. */
  write(text: string): boolean;
  end(): void;
  onClose(listener: () => void): void;
}

export const EVENT_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

export type WrittenAnswer = WholeAnswer & { readonly body: Written };

export function reject(
  status: number,
  code: number,
  message: string,
  {
    id = null,
    data,
    headers,
  }: { id?: Id | null; data?: unknown; headers?: Readonly<Record<string, string>> } = {},
): WrittenAnswer {
  const error = { code, message, ...(data === undefined ? {} : { data }) };
  return { status, body: JSON.stringify({ jsonrpc: '2.0', error, id }), ...(headers ? { headers } : {}) };
}

/** The response to a method that the path does not have. */
export function methodNotAllowed(allow: string): WrittenAnswer {
  return reject(405, REJECTED, 'Method not allowed.', { headers: { allow } });
}

export const internalError = reject(500, INTERNAL_ERROR, 'Internal server error');

/** The response if a body parser has consumed the body. The message tells the author of the server what to change. */
export const alreadyRead = reject(
  500,
  INTERNAL_ERROR,
  'The request body was already read before it reached the MCP handler. Mount the handler in front of body parsers, or pass the parsed body on as request.body.',
);
