import { parseJSONRPCMessage } from '@modelcontextprotocol/server';
import type { JSONRPCMessage, JSONRPCRequest } from '@modelcontextprotocol/server';
import { exceededLimit, exceededTextLimit } from '../../values/json-limits.js';
import type { JsonLimits } from '../../values/json-limits.js';
import { isJsonObject } from '../../values/json-value.js';
import { INVALID_REQUEST, PARSE_ERROR } from '../../protocol/rpc-error.js';
import { isId, LAST_WITH_BATCHES, MAX_BATCH } from '../../protocol/messages.js';
import type { Id } from '../../protocol/messages.js';
import { describeLimit } from '../http/request-body.js';

const NEWLINE = 10;

/** Splits a stream of bytes into lines of text. */
export class LineReader {
  readonly #maxBytes: number;
  /** The pieces of the line that is not complete yet. */
  #pieces: Buffer[] = [];
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

  /** The last line, if the stream ended without a newline. */
  end(): string {
    return this.#take();
  }

  #add(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#size += piece.length;
    if (this.isTooLong) this.#pieces = [];
  }

  #take(): string {
    const [piece] = this.#pieces;
    const bytes = this.#pieces.length === 1 && piece ? piece : Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#size = 0;
    const line = bytes.toString();
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    // Windows programs begin a stream with a byte order mark, which JSON does not allow.
    return isFirst && line.startsWith('\uFEFF') ? line.slice(1) : line;
  }
}

/** The messages of a line of input. */
export interface StdioLine {
  readonly requests: readonly JSONRPCRequest[];
  /** Notifications, and answers to questions of the server. */
  readonly others: readonly JSONRPCMessage[];
  /** The error responses to invalid messages, as JSON. */
  readonly rejections: readonly string[];
  /** Whether the answers go into one array. */
  readonly isBatch: boolean;
}

export interface StdioLineOptions {
  /** The version that a 2025 client negotiated in its handshake; `undefined` for 2026 clients. */
  readonly protocolVersion: string | undefined;
  readonly limits: JsonLimits;
  readonly onError: (error: unknown) => void;
}

/** Parses a line of input, which holds one message or a batch. */
export function readLine(line: string, { protocolVersion, limits, onError }: StdioLineOptions): StdioLine {
  // Scanning is faster than parsing. Every value but the last needs two characters, so shorter lines cannot have too many.
  const excess = line.length > 2 * limits.maxValues ? exceededTextLimit(line, limits) : undefined;
  if (excess) return reject(writeRejection(findId(line), INVALID_REQUEST, describeLimit(excess, limits)));
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    onError(error);
    return reject(writeRejection(null, PARSE_ERROR, 'Parse error: the line is not valid JSON.'));
  }
  const exceeded = exceededLimit(value, limits);
  if (exceeded) return reject(writeRejection(idOf(value), INVALID_REQUEST, describeLimit(exceeded, limits)));
  const isBatch = Array.isArray(value);
  const problem = isBatch ? findBatchProblem(value as unknown[], protocolVersion) : undefined;
  if (problem !== undefined)
    return reject(writeRejection(null, INVALID_REQUEST, `Invalid Request: ${problem}`));
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
      if (!isAnswer(each)) rejections.push(rejectMessage(each));
    }
  }
  return { requests, others, rejections, isBatch };
}

/** An error response as JSON. The id is `null` where the request has none that can be used. */
export function writeRejection(id: Id | null, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
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

function reject(rejection: string): StdioLine {
  return { requests: [], others: [], rejections: [rejection], isBatch: false };
}

function rejectMessage(value: unknown): string {
  return writeRejection(idOf(value), INVALID_REQUEST, 'Invalid Request: this is not a JSON-RPC 2.0 message.');
}

/** The id of a request. The id of an answer belongs to a request of the server, so it must not go back. */
function idOf(value: unknown): Id | null {
  return isJsonObject(value) && isId(value['id']) && !isAnswer(value) ? value['id'] : null;
}

/** The id of a request that is not parsed, so that its client need not wait. Clients write it first or last. */
function findId(line: string): Id | null {
  if (!line.includes('"method":')) return null;
  const [, first, last] =
    /^\s*\{(?:"jsonrpc":"2\.0",)?"id":(\d+|"[^"\\]*"),|[{,]"id":(\d+|"[^"\\]*")\}\s*$/.exec(line) ?? [];
  const text = first ?? last;
  return text === undefined ? null : idOf({ id: JSON.parse(text) as unknown });
}

/** An invalid answer is not answered, or two servers could send each other errors without end. */
function isAnswer(value: unknown): boolean {
  return isJsonObject(value) && !('method' in value) && ('result' in value || 'error' in value);
}
