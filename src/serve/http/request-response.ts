import type { Caller } from '../../callers/caller.js';
import type { RequestOptions } from '../../engine/request.js';
import { INTERNAL_ERROR } from '../../protocol/rpc-error.js';

/** A request as the edge has read it, from a web `Request` or from Node. */
export interface EdgeRequest {
  /** Returns a header by its lowercase name. A header that was sent several times comes joined with commas. */
  readonly header: (name: string) => string | undefined;
  /** Parsed JSON; `undefined` for a request without a body. */
  readonly body: unknown;
  readonly auth?: Caller['auth'];
  /** The path and the query, or the whole URL. */
  readonly target: string;
  /** The address at the other end of the connection or, behind trusted proxies, the address that they report. */
  readonly address?: string | undefined;
  /** The caller that limits count for. */
  readonly caller?: RequestCaller | undefined;
  readonly selection?: RequestOptions['selection'];
  /** The session context: facts about the caller that the request and the server's configuration give. */
  readonly session?: RequestOptions['session'];
  readonly clientId?: RequestOptions['clientId'];
  /** Creates a signal on first use, because most calls never need it. It aborts when the client disconnects. */
  readonly signal: () => AbortSignal;
}

/** The caller of a request, as limits see it. */
export interface RequestCaller {
  /** Identifies the caller. All callers without identity and address share one key. */
  readonly key: string;
  /**
   * The caller whose share of the capacity the request uses. Anonymous callers on this machine have no share, because a
   * single user and a proxy that forwards for many users look the same. Callers without a known address have none either.
   */
  readonly share: string | undefined;
}

/** The response to a request, before Node or the web standard sends it. */
export type EdgeAnswer = WholeAnswer | StreamAnswer;

interface AnswerHead {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface WholeAnswer extends AnswerHead {
  /** Text, or cached bytes between two texts. */
  readonly body: string | readonly [before: string, bytes: Uint8Array, after: string] | undefined;
}

export interface StreamAnswer extends AnswerHead {
  readonly body: Events;
}

/** Starts to send events once the response has a sink for them. */
export type Events = (sink: EventSink) => void;

/** The receiver of events: the response of a Node server, or a web stream. */
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

type Id = string | number | null;

/** An error response with a JSON-RPC error. */
export function reject(
  status: number,
  code: number,
  message: string,
  { id = null, data, headers }: { id?: Id; data?: unknown; headers?: Readonly<Record<string, string>> } = {},
): WholeAnswer {
  const error = { code, message, ...(data === undefined ? {} : { data }) };
  return { status, body: JSON.stringify({ jsonrpc: '2.0', error, id }), ...(headers ? { headers } : {}) };
}

export const internalError = reject(500, INTERNAL_ERROR, 'Internal server error');

/** The response if a body parser has consumed the body. The message tells the author of the server what to change. */
export const alreadyRead = reject(
  500,
  INTERNAL_ERROR,
  'The request body was already read before it reached the MCP handler. Mount the handler in front of body parsers, or pass the parsed body on as request.body.',
);
