import { currentCall } from './call.js';
import type { UpstreamCall } from './call.js';
import { appendBytes, idInText, INTERNAL_ERROR, noBytes } from 'toolfold/internal';
import { ErrUpstreamLost } from 'toolfold/errors';
import type { Id } from 'toolfold/internal';
import { countValues, exceededTextLimit, foreignJsonLimits, isJsonObject } from '@toolfold/schema/internal';
import { budgetOf } from './message-budget.js';
import type { MessageBudget } from './message-budget.js';
import type { ConnectionSettings } from './options.js';

/** Marks an error that replaces an invalid answer. It is random, so a server cannot forge it. */
const mark = crypto.randomUUID();
const { maxValues: MAX_VALUES } = foreignJsonLimits;
/**
 * The official client takes about 0.2 ms to describe a wrong value. So it sees no larger results, which Toolfold checks itself, and no
 * larger questions.
 */
const MAX_CHECKED = 500;

/**
 * Replaces an answer that is not valid JSON-RPC by an error. The official client ignores such an answer, so its request would wait until it
 * times out.
 */
function repairAnswer(message: unknown): unknown {
  if (Array.isArray(message)) return message.map(repairAnswer);
  if (!isJsonObject(message)) return message;
  // The client rejects a question without parameters.
  if ('method' in message) return isLarge(message['params']) ? { ...message, params: {} } : message;
  const { id, result, error } = message;
  if (typeof id !== 'string' && typeof id !== 'number') return message;
  const isValid = isJsonObject(result) || isError(error);
  if (!isValid || message['jsonrpc'] !== '2.0') return invalidAnswer(id, describe(message));
  if (!isJsonObject(result)) return message;
  const { content, _meta } = result;
  if (isTaskResult(result) || isLarge([content, _meta])) return hideResult(message, result);
  return isLarge([result['serverInfo'], result['capabilities']])
    ? invalidAnswer(id, `its description of itself has more than ${MAX_CHECKED} values`)
    : message;
}

function isLarge(value: unknown): boolean {
  return countValues(value, MAX_CHECKED) > MAX_CHECKED;
}

function invalidAnswer(id: Id | null, message: string): object {
  return { jsonrpc: '2.0', id, error: { code: INTERNAL_ERROR, message, data: mark } };
}

/** Returns the error that replaces a message with too many values. Each level is a value, so this also limits depth. */
function rejectLarge(text: string): object | undefined {
  if (exceededTextLimit(text, { maxDepth: Infinity, maxValues: MAX_VALUES }) === undefined) return undefined;
  return invalidAnswer(idInText(text) ?? null, `its answer has more than ${MAX_VALUES} values`);
}

export function isTaskResult(result: unknown): result is Record<string, unknown> {
  return isJsonObject(result) && result['resultType'] === 'task';
}

/** Hides a result that the official client must not check in `_meta` of an empty one. It also rejects the tasks of the extension. */
function hideResult(message: Readonly<Record<string, unknown>>, result: object): unknown {
  return { ...message, result: { resultType: 'complete', content: [], _meta: { [mark]: result } } };
}

export function revealResult<T>(result: T): T {
  const { _meta } = Object(result) as { readonly _meta?: unknown };
  return isJsonObject(_meta) && _meta[mark] !== undefined ? (_meta[mark] as T) : result;
}

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

function tooLarge(name: string, maxBytes: number): ErrUpstreamLost {
  const error = new ErrUpstreamLost(`The server "${name}" sent a message of more than ${maxBytes} bytes.`, {
    details: { upstream: name },
  });
  sizeErrors.add(error);
  return error;
}

export function isTooLarge(thrown: unknown): boolean {
  return sizeErrors.has(Object(thrown) as object);
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
/** The first byte of a byte order mark in UTF-8. */
const BYTE_ORDER_MARK = 0xef;

class LineBuffer {
  readonly #tooLarge: () => Error;
  readonly #maxBytes: number;
  #line: Uint8Array = noBytes;
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
    const bytes = this.#line.subarray(0, this.#size);
    this.clear();
    return bytes;
  }

  clear(): void {
    this.#line = noBytes;
    this.#size = 0;
  }

  #keep(part: Uint8Array): void {
    const size = this.#size + part.length;
    if (size > this.#maxBytes) {
      this.clear();
      throw this.#tooLarge();
    }
    this.#line = appendBytes(this.#line, this.#size, part);
    this.#size = size;
  }
}

/** Reads the messages of a server from its standard output, as fast as its budget allows. */
export async function readMessages(
  output: AsyncIterable<Uint8Array>,
  settings: ConnectionSettings,
  onMessage: (message: unknown) => void,
): Promise<void> {
  const { name, maxMessageBytes } = settings;
  const budget = budgetOf(settings);
  const lines = new LineBuffer(maxMessageBytes, () => tooLarge(name, maxMessageBytes));
  for await (const chunk of output) {
    for (const line of lines.add(chunk)) {
      const read = readMessage(line);
      budget.count(isAnswer(read?.message), line.length, weightOf(read?.message));
      // Some servers also write log lines to standard output.
      if (read) onMessage(read.message);
      if (budget.restMs !== undefined) await budget.rest();
    }
  }
}

/** Parses and repairs a message. Returns `undefined` if it is not JSON. */
function readMessage(bytes: Uint8Array): { readonly message: unknown; readonly isSame: boolean } | undefined {
  try {
    const text = new TextDecoder().decode(bytes);
    const rejected = rejectLarge(text);
    if (rejected) return { message: rejected, isSame: false };
    const sent: unknown = JSON.parse(text);
    const message = repairAnswer(sent);
    const isSame = Array.isArray(sent)
      ? sent.every((each, index) => each === (message as unknown[])[index])
      : message === sent;
    return { message, isSame };
  } catch {
    return undefined;
  }
}

function isAnswer(message: unknown): boolean {
  return isJsonObject(message) && 'id' in message && !('method' in message);
}

/**
 * A question counts as ten messages, because over HTTP the client sends its answer in a request of its own, and each of its values as
 * half a message, because the official client checks them.
 */
function weightOf(message: unknown): number {
  return isJsonObject(message) && 'id' in message && 'method' in message ? 10 + countValues(message) / 2 : 1;
}

/** Records network errors that `fetch` has thrown. */
const networkErrors = new WeakSet<object>();

/** Whether `fetch` itself failed, before or during an answer. The text of an error is no proof, because a server can write it. */
export function isNetworkError(thrown: unknown): boolean {
  return typeof thrown === 'object' && thrown !== null && networkErrors.has(thrown);
}

function noteNetworkError(thrown: unknown, signal: AbortSignal | null | undefined): unknown {
  if (typeof thrown === 'object' && thrown !== null && signal?.aborted !== true) networkErrors.add(thrown);
  return thrown;
}

/**
 * Creates a `fetch` for a server that is not trusted. It limits the size of every answer and the rate of messages, repairs answers that the
 * client would ignore, and tells the call when its stream ends. `onFlood` must end the connection.
 */
export function createUpstreamFetch(
  settings: ConnectionSettings,
  onFlood: (flood: Error) => void,
): typeof fetch {
  const { name, maxMessageBytes: maxBytes } = settings;
  const budget = budgetOf(settings);
  return async (input, init) => {
    const call = currentCall();
    const response = await fetch(input, init).catch((error: unknown) => {
      // The client could not resume the stream, so the server is unreachable.
      if (init?.method === 'GET') call?.resumeFailed();
      throw noteNetworkError(error, init?.signal);
    });
    if (!response.body) return response;
    const type = response.headers.get('content-type') ?? '';
    // The client reads the answer to a GET as a stream, whatever its type.
    const isStream = response.ok && (init?.method === 'GET' || /^text\/event-stream\b/i.test(type));
    const count: MessageBudget['count'] = (...counted) => {
      try {
        budget.count(...counted);
      } catch (flood) {
        onFlood(flood as Error);
        throw flood;
      }
    };
    const filter = isStream
      ? streamFilter(name, maxBytes, call, count)
      : bodyFilter(name, maxBytes, response, count);
    if (isStream) call?.streamOpened();
    const onEnd = isStream && call ? () => call.streamEnded(resumable.has(call)) : () => {};
    const { status, statusText, headers, url } = response;
    const body = pass(response.body, filter, { onEnd, budget, signal: init?.signal });
    const bounded = new Response(body, { status, statusText, headers });
    return Object.defineProperty(bounded, 'url', { value: url });
  };
}

/** Transforms the bytes of an answer. Throws if there are too many. */
interface Filter {
  take(chunk: Uint8Array): Iterable<Uint8Array>;
  end(): Iterable<Uint8Array>;
}

/** Limits a body that is one message, and repairs it if it is JSON. The client parses the bodies of some errors, whatever their type. */
function bodyFilter(
  name: string,
  maxBytes: number,
  { ok, headers }: Response,
  count: MessageBudget['count'],
): Filter {
  let size = 0;
  const isJson = !ok || /^application\/json\b/i.test(headers.get('content-type') ?? '');
  let body: Uint8Array = noBytes;
  return {
    take(chunk) {
      if (isJson) body = appendBytes(body, size, chunk);
      size += chunk.length;
      if (size > maxBytes) throw tooLarge(name, maxBytes);
      return isJson ? [] : [chunk];
    },
    end: () => {
      count(true, size);
      if (size === 0 || !isJson) return [];
      const whole = body.subarray(0, size);
      if (ok) return [repairJson(whole)];
      const rejected = rejectLarge(new TextDecoder().decode(whole));
      return [rejected ? encoder.encode(JSON.stringify(rejected)) : whole];
    },
  };
}

/** Calls whose stream has sent an event with an ID. The client can resume such a stream. */
const resumable = new WeakSet<UpstreamCall>();
const encoder = new TextEncoder();
/** A line of a stream without a message, such as the ID of one, counts as this many messages. */
const OTHER_LINE = 0.1;

/**
 * Limits each message of an event stream. A blank line ends a message. The filter would overlook data after a lone carriage return or a
 * byte order mark, and the values of data in several lines, so streams with these are rejected. Servers do not send them.
 */
function streamFilter(
  name: string,
  maxBytes: number,
  call: UpstreamCall | undefined,
  count: MessageBudget['count'],
): Filter {
  const lines = new LineBuffer(maxBytes, () => tooLarge(name, maxBytes));
  let size = 0;
  let dataLines = 0;
  const toLine = (bytes: Uint8Array): Uint8Array => {
    size += bytes.length;
    if (size > maxBytes) throw tooLarge(name, maxBytes);
    const field = String.fromCharCode(...bytes.subarray(0, 5));
    if (bytes.length <= 2 && field.trim() === '') size = dataLines = 0;
    if (field === 'data:') dataLines++;
    const hasLoneReturn = bytes.subarray(0, -2).includes(CARRIAGE_RETURN);
    if (hasLoneReturn || bytes[0] === BYTE_ORDER_MARK || (dataLines > 1 && size > 2 * MAX_VALUES))
      throw new ErrUpstreamLost(`The server "${name}" sent an invalid event stream.`, {
        details: { upstream: name },
      });
    if (field.startsWith('id:') && call) resumable.add(call);
    if (field !== 'data:') {
      count(false, bytes.length, OTHER_LINE);
      return bytes;
    }
    const read = readMessage(bytes.subarray(5));
    count(isAnswer(read?.message), bytes.length, weightOf(read?.message));
    return !read || read.isSame ? bytes : encoder.encode(`data:${JSON.stringify(read.message)}\n`);
  };
  // A generator, so that a line is parsed only after the previous one was passed on.
  function* readLines(all: Iterable<Uint8Array>): Iterable<Uint8Array> {
    for (const line of all) if (line.length > 0) yield toLine(line);
  }
  return { take: (chunk) => readLines(lines.add(chunk)), end: () => readLines([lines.take()]) };
}

/** Repairs a JSON message. Returns the same bytes if the message needs no repair, or if it is not JSON, which the client reports. */
function repairJson(bytes: Uint8Array): Uint8Array {
  const read = readMessage(bytes);
  return !read || read.isSame ? bytes : encoder.encode(JSON.stringify(read.message));
}

/** Reads a body as fast as it is consumed. A body that is too large is cancelled, which closes its connection. */
function pass(
  body: ReadableStream<Uint8Array>,
  filter: Filter,
  {
    onEnd,
    budget,
    signal,
  }: {
    readonly onEnd: () => void;
    readonly budget: MessageBudget;
    readonly signal: AbortSignal | null | undefined;
  },
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
          for (const bytes of done ? filter.end() : filter.take(value)) {
            controller.enqueue(bytes);
            isEmpty = false;
            if (budget.restMs !== undefined) await budget.rest();
          }
          if (!done) continue;
          isEmpty = false;
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
