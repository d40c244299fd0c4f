import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { INTERNAL_ERROR } from '../protocol/rpc-codes.js';
import { ErrUpstreamLost } from '../errors.js';
import { isJsonObject } from '../values/json-value.js';

/** Marks an error that replaces an invalid answer. It is random, so a server cannot forge it. */
const mark = crypto.randomUUID();

/**
 * Replaces an answer that is not valid JSON-RPC by an error. The official client ignores such an answer, so its request
 * would wait until it times out.
 */
export function repairAnswer(message: unknown): unknown {
  if (Array.isArray(message)) return message.map(repairAnswer);
  if (!isJsonObject(message) || 'method' in message) return message;
  const { id, result, error } = message;
  if (typeof id !== 'string' && typeof id !== 'number') return message;
  const isAnswer = isJsonObject(result) || isError(error);
  if (isAnswer && message['jsonrpc'] === '2.0') return message;
  return {
    jsonrpc: '2.0',
    id,
    error: { code: INTERNAL_ERROR, message: describe(message), data: mark },
  };
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
export function tooLarge(name: string, maxBytes: number): ErrUpstreamLost {
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
export class LineBuffer {
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
