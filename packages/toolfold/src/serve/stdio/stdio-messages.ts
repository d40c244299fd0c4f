import { parseJSONRPCMessage } from '@modelcontextprotocol/server';
import type { JSONRPCMessage, JSONRPCRequest } from '@modelcontextprotocol/server';
import { appendBytes, noBytes } from '../../values/append-bytes.js';
import { exceededLimit, exceededTextLimit, isJsonObject } from '@toolfold/schema/internal';
import type { JsonLimits } from '@toolfold/schema/internal';
import { INVALID_REQUEST, PARSE_ERROR } from '../../protocol/rpc-error.js';
import { idInText, isId, LAST_WITH_BATCHES, MAX_BATCH } from '../../protocol/messages.js';
import type { Id } from '../../protocol/messages.js';
import { describeLimit } from '../http/request-body.js';
import { writeError } from '../http/write-message.js';

const NEWLINE = 10;
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export class LineReader {
  readonly #maxBytes: number;
  /** The line that is not complete yet, in the first `#size` bytes. */
  #line: Uint8Array = noBytes;
  #size = 0;
  #isFirst = true;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Whether the incomplete line exceeds the limit. The reader cannot be used afterwards. */
  get isTooLong(): boolean {
    return this.#size > this.#maxBytes;
  }

  /** Returns the lines that a chunk completes, up to the first one that is too long. */
  read(chunk: Buffer): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#add(chunk.subarray(start, end));
      if (this.isTooLong) return lines;
      lines.push(this.#take());
      start = end + 1;
    }
    this.#add(chunk.subarray(start));
    return lines;
  }

  /** Returns the last line, which has no newline. */
  end(): string {
    return this.#take();
  }

  #add(piece: Buffer): void {
    this.#line = appendBytes(this.#line, this.#size, piece);
    this.#size += piece.length;
    if (this.isTooLong) this.#line = noBytes;
  }

  #take(): string {
    const line = decoder.decode(this.#line.subarray(0, this.#size));
    this.#line = noBytes;
    this.#size = 0;
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    // Windows programs begin a stream with a byte order mark, which JSON does not allow.
    return isFirst && line.startsWith('\uFEFF') ? line.slice(1) : line;
  }
}

interface StdioLine {
  readonly requests: readonly JSONRPCRequest[];
  /** Notifications, and answers to questions of the server. */
  readonly others: readonly JSONRPCMessage[];
  readonly rejections: readonly string[];
  /** Whether the answers go into one array. */
  readonly isBatch: boolean;
}

interface StdioLineOptions {
  /** The version that a 2025 client negotiated in its handshake; `undefined` for 2026 clients. */
  readonly protocolVersion: string | undefined;
  readonly limits: JsonLimits;
  readonly onError: (error: unknown) => void;
}

/** Parses a line of input, which holds one message or a batch. */
export function readLine(line: string, { protocolVersion, limits, onError }: StdioLineOptions): StdioLine {
  // Scanning is faster than parsing. Every value but the last needs two characters, so shorter lines cannot have too many.
  const excess = line.length > 2 * limits.maxValues ? exceededTextLimit(line, limits) : undefined;
  if (excess) return reject(findId(line), INVALID_REQUEST, describeLimit(excess, limits));
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    onError(error);
    return reject(null, PARSE_ERROR, 'Parse error: the line is not valid JSON.');
  }
  const exceeded = exceededLimit(value, limits);
  if (exceeded) return reject(idOf(value), INVALID_REQUEST, describeLimit(exceeded, limits));
  const isBatch = Array.isArray(value);
  const problem = isBatch ? findBatchProblem(value as unknown[], protocolVersion) : undefined;
  if (problem !== undefined) return reject(null, INVALID_REQUEST, `Invalid Request: ${problem}`);
  const requests: JSONRPCRequest[] = [];
  const others: JSONRPCMessage[] = [];
  const rejections: string[] = [];
  for (const each of isBatch ? (value as unknown[]) : [value]) {
    try {
      const message = parseJSONRPCMessage(each);
      if ('method' in message && 'id' in message) requests.push(message);
      else others.push(message);
    } catch (error) {
      onError(error);
      const invalid = 'Invalid Request: this is not a JSON-RPC 2.0 message.';
      if (!isAnswer(each))
        rejections.push(writeError(idOf(each), { code: INVALID_REQUEST, message: invalid }));
    }
  }
  return { requests, others, rejections, isBatch };
}

function findBatchProblem(
  batch: readonly unknown[],
  protocolVersion: string | undefined,
): string | undefined {
  if (protocolVersion === undefined || protocolVersion > LAST_WITH_BATCHES)
    return `batches need protocol version ${LAST_WITH_BATCHES}. Send each message on a line of its own.`;
  if (batch.length === 0) return 'the batch is empty.';
  if (batch.length > MAX_BATCH) return `a batch holds at most ${MAX_BATCH} messages.`;
  if (batch.some((message) => isJsonObject(message) && message['method'] === 'initialize'))
    return 'initialize cannot be part of a batch.';
  return undefined;
}

function reject(id: Id | null, code: number, message: string): StdioLine {
  return { requests: [], others: [], rejections: [writeError(id, { code, message })], isBatch: false };
}

/** Returns the id of a request. The id of an answer belongs to a request of the server, so it must not go back. */
function idOf(value: unknown): Id | null {
  return isJsonObject(value) && isId(value['id']) && !isAnswer(value) ? value['id'] : null;
}

/** Finds the id of a request in unparsed text, so that the client gets an error instead of waiting for an answer. */
function findId(line: string): Id | null {
  return line.includes('"method":') ? (idInText(line) ?? null) : null;
}

/** An invalid answer is not answered, or two servers could send each other errors without end. */
function isAnswer(value: unknown): boolean {
  return isJsonObject(value) && !('method' in value) && ('result' in value || 'error' in value);
}
