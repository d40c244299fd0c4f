import type { JSONRPCMessage, JSONRPCRequest, RequestId, Transport } from '@modelcontextprotocol/server';
import type { JsonLimits } from '@toolfold/schema/internal';
import { INVALID_REQUEST, REJECTED } from '../../protocol/rpc-error.js';
import { isId } from '../../protocol/messages.js';
import { writeError } from '../http/write-message.js';
import { LineReader, readLine } from './stdio-messages.js';
import { Batch, StdioRequests } from './stdio-requests.js';

interface StdioTransportOptions {
  /** Milliseconds that running requests have to finish after the input has ended. */
  readonly graceMs: number;
  /** The most requests that run at once. */
  readonly maxRequests: number;
  readonly limits: JsonLimits;
  /** Writes to standard output, whose own `write` goes to standard error. */
  readonly write: typeof process.stdout.write;
  /** Called when a 2026 client listens for changes. Returns a function that is called when it stops. */
  readonly onListen: (params: unknown) => () => void;
}

const MAX_LINE_BYTES = 10 * 1024 * 1024;
/** No request starts while the client has more unread output than this. */
const MAX_UNREAD_BYTES = 1024 * 1024;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/**
 * Standard input and output of this process. Unlike the SDK's transport it answers the requests that run when the input
 * ends, accepts batches, and starts no more requests than the client reads answers.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Resolves when the input has ended, or when the rest of it cannot be parsed. */
  readonly inputEnded: Promise<void>;
  readonly ended: Promise<void>;
  readonly #options: StdioTransportOptions;
  readonly #reader = new LineReader(MAX_LINE_BYTES);
  readonly #requests: StdioRequests;
  /** Ids of requests of the server that the client has not answered yet. */
  readonly #questions = new Set<RequestId>();
  /** Ends the streams of changes that a 2026 client has opened, by request id. */
  readonly #listening = new Map<RequestId, () => void>();
  /** Negotiated in the handshake of a 2025 client; 2026 clients have none. */
  #protocolVersion: string | undefined;
  /** The version that a 2025 client requested. It applies during the handshake, because batches may follow it at once. */
  #requestedVersion: string | undefined;
  #isClosed = false;
  /** Whether the grace time is over, so that waiting requests are rejected. */
  #isLate = false;
  #draining: Promise<void> | undefined;
  /** Keeps the process alive while standard input is paused. */
  #keepAlive: NodeJS.Timeout | undefined;
  #onIdle: (() => void) | undefined;
  #onInputEnd!: () => void;
  #onEnd!: () => void;

  constructor(options: StdioTransportOptions) {
    const { maxRequests } = (this.#options = options);
    this.#requests = new StdioRequests(
      (count) => !this.#isClosed && count < maxRequests && process.stdout.writableLength <= MAX_UNREAD_BYTES,
    );
    this.inputEnded = new Promise((resolve) => {
      this.#onInputEnd = resolve;
    });
    this.ended = new Promise((resolve) => {
      this.#onEnd = resolve;
    });
  }

  async start(): Promise<void> {
    process.stdout.on('error', this.#failOutput);
    process.stdin.on('error', this.#failInput);
    process.stdin.on('end', this.#endInput);
    process.stdin.on('close', this.#endInput);
    process.stdin.on('data', this.#read);
    if (process.stdin.readableEnded || process.stdin.destroyed) setImmediate(this.#endInput);
  }

  setProtocolVersion(version: string): void {
    this.#protocolVersion = version;
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const text = JSON.stringify(message);
    if ('method' in message) {
      if ('id' in message) this.#questions.add(message.id);
      return this.#write(text);
    }
    if (message.id !== undefined) this.#endListening(message.id);
    const answered = message.id === undefined ? undefined : this.#requests.takeAnswered(message.id);
    const line = answered?.batch ? answered.batch.add(text) : text;
    try {
      if (line !== undefined) await this.#write(line);
    } finally {
      if (answered) this.#requests.freePlace();
      this.#advance();
    }
  }

  /** Stops reading, and waits until all requests are answered or the grace time is over. */
  drain(): Promise<void> {
    return (this.#draining ??= this.#drain());
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#stopReading();
    process.stdout.off('error', this.#failOutput);
    ignoreLateErrors();
    this.#onIdle?.();
    for (const id of Array.from(this.#listening.keys())) this.#endListening(id);
    this.onclose?.();
    this.#onEnd();
  }

  async #drain(): Promise<void> {
    this.#stopReading();
    // No more input is read, so the client cannot answer these questions.
    const error = { code: REJECTED, message: 'The connection has ended.' };
    for (const id of this.#questions) this.onmessage?.({ jsonrpc: '2.0', id, error });
    if (await this.#becomesIdle()) return;
    if (process.stdout.writableLength === 0) return this.#rejectRest();
    // A client that does not read would keep the process alive with a write that never ends.
    abandonOutput();
    await this.close();
  }

  get #isIdle(): boolean {
    return this.#requests.isEmpty && process.stdout.writableLength === 0;
  }

  /** Resolves to whether everything was answered within the grace time. */
  #becomesIdle(): Promise<boolean> {
    if (this.#isIdle) return Promise.resolve(true);
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), this.#options.graceMs);
      this.#onIdle = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
  }

  #rejectRest(): void {
    this.#isLate = true;
    this.#requests.startWaiting(() => true);
    const error = { code: REJECTED, message: 'The server ended before it finished this request.' };
    for (const id of this.#requests.ids)
      this.send({ jsonrpc: '2.0', id, error }).catch((cause: Error) => this.onerror?.(cause));
  }

  readonly #read = (chunk: Buffer | string): void => {
    const lines = this.#reader.read(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    for (const line of lines) this.#readLine(line);
    if (this.#reader.isTooLong) this.#rejectInput();
    else if (this.#requests.isFull) this.#pause();
  };

  readonly #endInput = (): void => {
    this.#stopReading();
    this.#readLine(this.#reader.end());
    this.#onInputEnd();
  };

  readonly #failInput = (error: Error): void => {
    this.onerror?.(error);
    this.#endInput();
  };

  /** Ends the input, because the rest of an oversize line cannot be parsed. */
  #rejectInput(): void {
    const message = 'A message on standard input is longer than 10 MiB. The connection ends.';
    this.onerror?.(new Error(message));
    this.#enqueueText(writeError(null, { code: INVALID_REQUEST, message }));
    process.exitCode ??= 1;
    this.#stopReading();
    process.stdin.destroy();
    this.#onInputEnd();
  }

  readonly #failOutput = (cause: Error): void => {
    this.onerror?.(
      new Error(`The client stopped reading (${cause.message}). The connection ends.`, { cause }),
    );
    process.stdin.destroy();
    void this.close();
  };

  #readLine(line: string): void {
    if (line.trim() === '') return;
    const read = readLine(line, {
      protocolVersion: this.#protocolVersion ?? this.#requestedVersion,
      limits: this.#options.limits,
      onError: (error) => this.onerror?.(error as Error),
    });
    // Notifications and answers overtake waiting requests, because running requests may wait for them.
    for (const message of read.others) this.#receive(message);
    const { requests, rejections, isBatch } = read;
    const [first] = requests;
    if (!first) {
      if (rejections.length > 0) this.#enqueueText(isBatch ? `[${rejections.join(',')}]` : rejections.join());
      return;
    }
    const { protocolVersion } = first.params ?? {};
    if (first.method === 'initialize' && typeof protocolVersion === 'string')
      this.#requestedVersion ??= protocolVersion;
    const batch = isBatch ? new Batch(requests.length, rejections) : undefined;
    const run = (): void => requests.forEach((request) => this.#start(request, batch));
    this.#requests.enqueue({ ...(batch ? {} : { id: first.id }), bytes: line.length, run });
  }

  #receive(message: JSONRPCMessage): void {
    if (!('method' in message)) this.#questions.delete(message.id as RequestId);
    else if (message.method === 'notifications/cancelled') {
      const id = message.params?.['requestId'];
      if (isId(id)) this.#endListening(id);
      const line = isId(id) ? this.#requests.cancel(id)?.add(undefined) : undefined;
      if (line !== undefined) this.#enqueueText(line);
      this.#advance();
    }
    this.onmessage?.(message);
  }

  #start(request: JSONRPCRequest, batch: Batch | undefined): void {
    // A 2026 client that listens for changes gets its answer when the connection ends.
    const isListening = request.method === 'subscriptions/listen' && this.#protocolVersion === undefined;
    if (!isListening) this.#requests.begin(request.id, batch);
    else if (!this.#listening.has(request.id))
      this.#listening.set(request.id, this.#options.onListen(request.params));
    if (!this.#isLate) this.onmessage?.(request);
  }

  #endListening(id: RequestId): void {
    const stop = this.#listening.get(id);
    this.#listening.delete(id);
    stop?.();
  }

  /** Writes once there is room, because errors for a client that does not read must not fill the memory either. */
  #enqueueText(text: string): void {
    const run = (): void => {
      this.#write(text).catch((error: Error) => this.onerror?.(error));
    };
    this.#requests.enqueue({ bytes: text.length, run });
  }

  #write(text: string): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error('The connection has ended.'));
    return new Promise((resolve, reject) => {
      this.#options.write(`${text}\n`, (error) => {
        if (error) reject(error);
        else resolve();
        this.#advance();
      });
    });
  }

  /** Starts waiting requests and continues reading if there is room. */
  readonly #advance = (): void => {
    this.#requests.startWaiting();
    if (this.#isIdle) this.#onIdle?.();
    if (!this.#keepAlive || this.#requests.isFull) return;
    clearInterval(this.#keepAlive);
    this.#keepAlive = undefined;
    process.stdin.resume();
  };

  #pause(): void {
    process.stdin.pause();
    // A paused input does not keep the process alive.
    this.#keepAlive ??= setInterval(() => {}, LONGEST_TIMER_MS);
  }

  #stopReading(): void {
    clearInterval(this.#keepAlive);
    this.#keepAlive = undefined;
    process.stdin.off('data', this.#read);
    process.stdin.off('end', this.#endInput);
    process.stdin.off('close', this.#endInput);
    process.stdin.off('error', this.#failInput);
    if (process.stdin.listenerCount('data') === 0) process.stdin.pause();
  }
}

/** Ignores writes that fail after the end, because an uncaught error would end the process. */
function ignoreLateErrors(): void {
  if (!process.stdout.listeners('error').includes(ignore)) process.stdout.on('error', ignore);
}

function ignore(): void {}

/** Closes the handle of standard output, because Node ends a stuck write in no other way. */
function abandonOutput(): void {
  const { _handle: handle } = process.stdout as { _handle?: { close?: () => void } };
  handle?.close?.();
}
