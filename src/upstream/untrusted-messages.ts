import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { currentCall } from './call.js';
import type { UpstreamCall } from './call.js';
import { INTERNAL_ERROR } from '../protocol/rpc-error.js';
import { ErrUpstreamLost } from '../errors.js';
import { isJsonObject } from '../values/json-value.js';

/** Marks an error that replaces an invalid answer. It is random, so a server cannot forge it. */
const mark = crypto.randomUUID();

/**
 * Replaces an answer that is not valid JSON-RPC by an error. The official client ignores such an answer, so its request
 * would wait until it times out.
 */
function repairAnswer(message: unknown): unknown {
  if (Array.isArray(message)) return message.map(repairAnswer);
  if (!isJsonObject(message) || 'method' in message) return message;
  const { id, result, error } = message;
  if (typeof id !== 'string' && typeof id !== 'number') return message;
  const isAnswer = isJsonObject(result) || isError(error);
  if (isAnswer && message['jsonrpc'] === '2.0')
    return isTaskResult(result) ? wrapTask(message, result) : message;
  return {
    jsonrpc: '2.0',
    id,
    error: { code: INTERNAL_ERROR, message: describe(message), data: mark },
  };
}

function isTaskResult(result: unknown): result is Record<string, unknown> {
  return isJsonObject(result) && result['resultType'] === 'task';
}

/** The official client rejects the results of the tasks extension, so a task travels in `_meta` of an empty result. */
function wrapTask(message: Readonly<Record<string, unknown>>, task: Record<string, unknown>): unknown {
  return { ...message, result: { resultType: 'complete', content: [], _meta: { [mark]: task } } };
}

/** The task that a server answered a call with. */
export function taskOf(result: unknown): unknown {
  const { _meta } = isJsonObject(result) ? result : {};
  return isJsonObject(_meta) ? _meta[mark] : undefined;
}

/** Whether an error reports an answer that was not valid JSON-RPC. */
export function isInvalidAnswer(thrown: unknown): boolean {
  return (Object(thrown) as { data?: unknown }).data === mark;
}

function isError(error: unknown): boolean {
  return isJsonObject(error) && Number.isSafeInteger(error['code']) && typeof error['message'] === 'string';
}

function describe(message: Readonly<Record<string, unknown>>): string {
  if ('error' in message) return 'its error is not valid JSON-RPC';
  const { result } = message;
  if (result === undefined || isJsonObject(result)) return 'its answer is not valid JSON-RPC';
  const kind = Array.isArray(result) ? 'a list' : result === null ? 'null' : `a ${typeof result}`;
  return `its result is ${kind}, not an object`;
}

const sizeErrors = new WeakSet<object>();

/** Creates the error for a message that exceeds the size limit. */
function tooLarge(name: string, maxBytes: number): ErrUpstreamLost {
  const error = new ErrUpstreamLost(`The server "${name}" sent a message of more than ${maxBytes} bytes.`, {
    details: { upstream: name },
  });
  sizeErrors.add(error);
  return error;
}

/** Whether an error reports a message that exceeds the size limit. */
export function isTooLarge(thrown: unknown): boolean {
  return sizeErrors.has(Object(thrown) as object);
}

const LINE_FEED = 10;

/** Collects bytes up to a limit, and returns complete lines. */
class LineBuffer {
  readonly #tooLarge: () => Error;
  readonly #maxBytes: number;
  #parts: Uint8Array[] = [];
  #size = 0;

  constructor(maxBytes: number, onTooLarge: () => Error) {
    this.#maxBytes = maxBytes;
    this.#tooLarge = onTooLarge;
  }

  /** Adds bytes, and returns every completed line with its line feed. Throws if a line is too long. */
  add(chunk: Uint8Array): Uint8Array[] {
    const lines: Uint8Array[] = [];
    let start = 0;
    for (let end; (end = chunk.indexOf(LINE_FEED, start)) !== -1; start = end + 1) {
      this.#keep(chunk.subarray(start, end + 1));
      lines.push(this.take());
    }
    if (start < chunk.length) this.#keep(chunk.subarray(start));
    return lines;
  }

  /** Removes and returns the remaining bytes. */
  take(): Uint8Array {
    const [only] = this.#parts;
    const bytes = this.#parts.length === 1 && only ? only : Buffer.concat(this.#parts);
    this.clear();
    return bytes;
  }

  clear(): void {
    this.#parts = [];
    this.#size = 0;
  }

  #keep(part: Uint8Array): void {
    this.#size += part.length;
    if (this.#size > this.#maxBytes) {
      this.clear();
      throw this.#tooLarge();
    }
    this.#parts.push(part);
  }
}

/** Replaces the stdio buffer of the official client, which drops answers that are not valid JSON-RPC. */
export class StdioBuffer {
  readonly #parse: (message: unknown) => JSONRPCMessage;
  readonly #lines: LineBuffer;
  #waiting: Uint8Array[] = [];
  #next = 0;
  #isClosed = false;

  constructor(parse: (message: unknown) => JSONRPCMessage, name: string, maxBytes: number) {
    this.#parse = parse;
    this.#lines = new LineBuffer(maxBytes, () => {
      // The client stops the process after this error, so its remaining output is dropped.
      this.#isClosed = true;
      return tooLarge(name, maxBytes);
    });
  }

  append(chunk: Uint8Array): void {
    if (!this.#isClosed) this.#waiting.push(...this.#lines.add(chunk));
  }

  readMessage(): JSONRPCMessage | null {
    for (let line; (line = this.#waiting[this.#next++]);) {
      if (line.length <= 1) continue;
      let message: unknown;
      try {
        message = JSON.parse(new TextDecoder().decode(line));
      } catch {
        // Some servers also write log lines to standard output. Skip them.
        continue;
      }
      return this.#parse(repairAnswer(message));
    }
    this.#drop();
    return null;
  }

  clear(): void {
    this.#lines.clear();
    this.#drop();
  }

  #drop(): void {
    this.#waiting = [];
    this.#next = 0;
  }
}

/** Network errors that `fetch` has thrown. */
const networkErrors = new WeakSet<object>();

/** Whether `fetch` itself failed, before or during an answer. Error texts prove nothing, because a server can write them. */
export function isNetworkError(thrown: unknown): boolean {
  return typeof thrown === 'object' && thrown !== null && networkErrors.has(thrown);
}

function noteNetworkError(thrown: unknown, signal: AbortSignal | null | undefined): unknown {
  if (typeof thrown === 'object' && thrown !== null && signal?.aborted !== true) networkErrors.add(thrown);
  return thrown;
}

/**
 * Creates a `fetch` for a server that is not trusted. It limits the size of every answer, repairs answers that the client
 * would ignore, and tells the call when its stream ends.
 */
export function createUpstreamFetch(name: string, maxBytes: number): typeof fetch {
  return async (input, init) => {
    const call = currentCall();
    const response = await fetch(input, init).catch((error: unknown) => {
      // The client could not resume the stream, so the server itself is gone.
      if (init?.method === 'GET') call?.resumeFailed();
      throw noteNetworkError(error, init?.signal);
    });
    if (!response.body) return response;
    const type = response.headers.get('content-type') ?? '';
    const isStream = response.ok && /^text\/event-stream\b/i.test(type);
    const filter = isStream ? streamFilter(name, maxBytes, call) : bodyFilter(name, maxBytes, response);
    if (isStream) call?.streamOpened();
    const onEnd = isStream && call ? () => call.streamEnded(resumable.has(call)) : () => {};
    const { status, statusText, headers, url } = response;
    const body = pass(response.body, filter, { onEnd, signal: init?.signal });
    const bounded = new Response(body, { status, statusText, headers });
    return Object.defineProperty(bounded, 'url', { value: url });
  };
}

/** Transforms the bytes of an answer. Throws if there are too many. */
interface Filter {
  take(chunk: Uint8Array): readonly Uint8Array[];
  end(): readonly Uint8Array[];
}

/** Limits a body that is one message, and repairs it if it is JSON. */
function bodyFilter(name: string, maxBytes: number, { ok, headers }: Response): Filter {
  let size = 0;
  const isJson = ok && /^application\/json\b/i.test(headers.get('content-type') ?? '');
  const parts: Uint8Array[] = [];
  return {
    take(chunk) {
      size += chunk.length;
      if (size > maxBytes) throw tooLarge(name, maxBytes);
      if (!isJson) return [chunk];
      parts.push(chunk);
      return [];
    },
    end: () => (size > 0 && isJson ? [repairJson(Buffer.concat(parts))] : []),
  };
}

/** Calls whose stream has sent an event with an ID. The client can resume such a stream. */
const resumable = new WeakSet<UpstreamCall>();
const encoder = new TextEncoder();

/** Limits each message of an event stream. A blank line ends a message. */
function streamFilter(name: string, maxBytes: number, call: UpstreamCall | undefined): Filter {
  const lines = new LineBuffer(maxBytes, () => tooLarge(name, maxBytes));
  let size = 0;
  const toLine = (bytes: Uint8Array): Uint8Array => {
    size += bytes.length;
    if (size > maxBytes) throw tooLarge(name, maxBytes);
    if (bytes.length <= 2 && String.fromCharCode(...bytes).trim() === '') size = 0;
    const field = String.fromCharCode(...bytes.subarray(0, 5));
    if (field.startsWith('id:') && call) resumable.add(call);
    return field === 'data:' ? repairData(bytes) : bytes;
  };
  return {
    take: (chunk) => lines.add(chunk).map(toLine),
    end: () => [lines.take()].filter(({ length }) => length > 0).map(toLine),
  };
}

function repairData(line: Uint8Array): Uint8Array {
  const data = line.subarray(5);
  const repaired = repairJson(data);
  return repaired === data ? line : Buffer.concat([encoder.encode('data:'), repaired, encoder.encode('\n')]);
}

/** Repairs a JSON message. Returns the same bytes if nothing is wrong with it. */
function repairJson(bytes: Uint8Array): Uint8Array {
  let message: unknown;
  try {
    message = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    // The client reports text that is not JSON.
    return bytes;
  }
  const repaired = repairAnswer(message);
  const isSame = Array.isArray(message)
    ? message.every((each, index) => each === (repaired as unknown[])[index])
    : repaired === message;
  return isSame ? bytes : encoder.encode(JSON.stringify(repaired));
}

/** Reads a body as fast as it is consumed. A body that is too large is cancelled, which closes its connection. */
function pass(
  body: ReadableStream<Uint8Array>,
  filter: Filter,
  { onEnd, signal }: { readonly onEnd: () => void; readonly signal: AbortSignal | null | undefined },
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        // A stream calls `pull` again only after a chunk was enqueued.
        for (let isEmpty = true; isEmpty;) {
          const { done, value } = await reader.read().catch((error: unknown) => {
            throw noteNetworkError(error, signal);
          });
          const passed = done ? filter.end() : filter.take(value);
          for (const bytes of passed) controller.enqueue(bytes);
          isEmpty = passed.length === 0 && !done;
          if (!done) continue;
          onEnd();
          controller.close();
        }
      } catch (error) {
        onEnd();
        controller.error(error);
        // A body that failed is already closed.
        reader.cancel(error).catch(() => undefined);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
