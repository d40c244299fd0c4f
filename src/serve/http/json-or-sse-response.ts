import { LRUCache } from 'lru-cache';
import { toRpcError } from '../../protocol/rpc-error.js';
import { writtenList } from '../../views/lists.js';
import { isJsonObject } from '../../values/json-value.js';
import type { RpcError } from '../../protocol/rpc-error.js';
import type { Id } from '../../protocol/messages.js';
import { ErrInputUnavailable } from '../../errors.js';
import { EVENT_HEADERS } from './request-response.js';
import type { EdgeAnswer } from './request-response.js';
import { EventStream } from './event-stream.js';

/**
 * The response to one request. It is JSON unless the server sends a message before the result, such as progress; then it
 * becomes a stream of server-sent events.
 */
export class JsonOrSseResponse {
  readonly answer: Promise<EdgeAnswer>;
  #resolve!: (answer: EdgeAnswer) => void;
  /** The stream, once the response has become one. */
  stream: EventStream | undefined;
  #isFinished = false;
  readonly #createStream: () => EventStream;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #hasRoom: () => boolean;

  constructor({
    createStream = () => new EventStream(),
    headers = {},
    hasRoom = () => true,
  }: {
    readonly createStream?: () => EventStream;
    readonly headers?: Readonly<Record<string, string>>;
    /** Whether the capacity allows one more stream. */
    readonly hasRoom?: () => boolean;
  } = {}) {
    this.#createStream = createStream;
    this.#headers = headers;
    this.#hasRoom = hasRoom;
    this.answer = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** An error response that replaces the result, unless the response has become a stream. */
  rejection: EdgeAnswer | undefined;

  /** Turns the response into a stream. Returns `undefined` if JSON was already sent or the capacity is used up. */
  open(): EventStream | undefined {
    if (this.stream || this.#isFinished || !this.#hasRoom()) return this.stream;
    const stream = (this.stream = this.#createStream());
    stream.prime();
    const headers = { ...EVENT_HEADERS, ...this.#headers };
    this.#resolve({ status: 200, headers, body: stream.connect() });
    return stream;
  }

  /** Sends a notification before the result. Without a stream it is dropped, because a call must not fail for it. */
  notify(method: string, params?: object): void {
    const json = JSON.stringify({ jsonrpc: '2.0', method, params });
    this.open()?.send(json);
  }

  /** Sends a question. The client answers it in another request. */
  ask(json: string): void {
    const stream = this.open();
    if (!stream && !this.#isFinished)
      throw new ErrInputUnavailable('The client cannot be asked: there are too many streams.');
    stream?.send(json);
  }

  finish(answer: EdgeAnswer & { readonly body: string }): void {
    this.#isFinished = true;
    if (this.stream) {
      this.stream.send(answer.body);
      this.stream.end();
    } else this.#resolve({ ...answer, headers: { ...this.#headers, ...answer.headers } });
  }

  /** Sends the responses to all requests of one body. Cancelled requests have none. */
  finishAll(answers: readonly Written[], isBatch: boolean): void {
    this.#isFinished = true;
    if (this.stream) {
      for (const answer of answers) this.stream.send(textOf(answer));
      this.stream.end();
    } else if (this.rejection && !isBatch) this.#resolve(this.rejection);
    else if (answers.length === 0) {
      // All requests were cancelled. The body still needs a response, so it is an empty stream.
      const stream = new EventStream();
      stream.end();
      this.#resolve({ status: 200, headers: { ...EVENT_HEADERS, ...this.#headers }, body: stream.connect() });
    } else {
      const body = isBatch ? `[${answers.map(textOf).join(',')}]` : answers[0];
      this.#resolve({ status: 200, headers: this.#headers, body });
    }
  }
}

/** A JSON-RPC message: text or, for a list of tools, its cached bytes between two texts. */
export type Written = string | readonly [before: string, bytes: Uint8Array, after: string];

export function textOf(written: Written): string {
  if (typeof written === 'string') return written;
  const [before, bytes, after] = written;
  return `${before}${new TextDecoder().decode(bytes)}${after}`;
}

/** Writes a JSON-RPC result. A result that JSON cannot represent becomes an internal error. */
export function writeResult(id: Id, result: unknown, onError: (error: unknown) => void): Written {
  try {
    const listed = isJsonObject(result) ? result['tools'] : undefined;
    const tools = listed === undefined ? undefined : writtenList(listed);
    return tools === undefined
      ? JSON.stringify({ jsonrpc: '2.0', id, result })
      : writeList(id, tools, result as Readonly<Record<string, unknown>>);
  } catch (error) {
    return writeError(id, toRpcError(error, onError));
  }
}

/** Writes a list of tools around the JSON that was cached when the list was created. */
function writeList(id: Id, tools: string, result: Readonly<Record<string, unknown>>): Written {
  const { tools: _, ...rest } = result;
  const others = JSON.stringify(rest).slice(1, -1);
  const before = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"tools":`;
  return [before, bytesOf(tools), others === '' ? '}}' : `,${others}}}`];
}

/** The bytes of recently sent lists, up to 24 MiB. */
const encoded = new LRUCache<string, Uint8Array>({
  maxSize: 24 * 1024 * 1024,
  // A list that is larger than the whole cache is still cached.
  sizeCalculation: (bytes) => Math.min(bytes.byteLength + 1, 24 * 1024 * 1024),
});

/** The bytes of a list that was written as text. */
export function bytesOf(list: string): Uint8Array {
  let bytes = encoded.get(list);
  if (!bytes) encoded.set(list, (bytes = new TextEncoder().encode(list)));
  return bytes;
}

/** Writes a JSON-RPC error. Its data is dropped if JSON cannot represent it, because handlers may throw any value. */
export function writeError(
  id: Id,
  { code, message, data }: Pick<RpcError, 'code' | 'message'> & { readonly data?: unknown },
): string {
  const error = { code, message };
  try {
    return JSON.stringify({ jsonrpc: '2.0', id, error: data === undefined ? error : { ...error, data } });
  } catch {
    return JSON.stringify({ jsonrpc: '2.0', id, error });
  }
}

export function writeNotification(method: string, params?: object): string {
  return JSON.stringify({ jsonrpc: '2.0', method, ...(params ? { params } : {}) });
}
