import { INTERNAL_ERROR } from '../../protocol/rpc-codes.js';
import type { Caller } from '../../callers/caller.js';
import type { RequestOptions } from '../../engine/request.js';

/** A request as the edge has read it, whatever carried it. */
export interface EdgeRequest {
  /** By its name in lower case. */
  readonly header: (name: string) => string | undefined;
  /** Parsed JSON; `undefined` where there was no body. */
  readonly body: unknown;
  readonly auth?: Caller['auth'];
  /** The path and the query, or the whole URL. */
  readonly target: string;
  /** The address at the other end of the connection, where that is known. */
  readonly address?: string | undefined;
  /** The caller that limits count for. */
  readonly caller?: RequestCaller | undefined;
  /** What was found out about it: the name that the client goes by, what it selects, and what it says about its caller. */
  readonly selection?: RequestOptions['selection'];
  readonly session?: RequestOptions['session'];
  readonly clientId?: RequestOptions['clientId'];
  /** Made when somebody asks, for most calls never look at it. It aborts when the client goes away. */
  readonly signal: () => AbortSignal;
}

/** The caller of a request, as limits see it. */
export interface RequestCaller {
  /** Identifies the caller. All callers without identity and address share one key. */
  readonly key: string;
  /**
   * Whose share of the load the request counts in. Anonymous callers on this machine have none, because a single user and
   * a proxy that forwards for many users look the same; nor have callers of whom not even the address is known.
   */
  readonly share: string | undefined;
}

/** What goes back. */
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

export function isStream(answer: EdgeAnswer): answer is StreamAnswer {
  return typeof answer.body === 'function';
}

/** Starts to send events as soon as there is somewhere to send them. */
export type Events = (sink: EventSink) => void;

/** Where events go: the response of a Node server, or a web stream. */
export interface EventSink {
  /** `false` when nobody reads any more, or too slowly. */
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

/** An answer that is no result. */
export function reject(
  status: number,
  code: number,
  message: string,
  { id = null, data, headers }: { id?: Id; data?: unknown; headers?: Readonly<Record<string, string>> } = {},
): WholeAnswer {
  const error = { code, message, ...(data === undefined ? {} : { data }) };
  return { status, body: JSON.stringify({ jsonrpc: '2.0', error, id }), ...(headers ? { headers } : {}) };
}

/** The answer if a body parser has consumed the body. It tells the author of the server what to change. */
export const alreadyRead = reject(
  500,
  INTERNAL_ERROR,
  'The request body was already read before it reached the MCP handler. Mount the handler in front of body parsers, or pass the parsed body on as request.body.',
);
