import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { StreamAnswer, WholeAnswer } from '../http/request-response.js';

/** Maximum number of bytes that are buffered for a slow client. */
const MAX_WAITING = 1024 * 1024;
/** Milliseconds in which a client must read an answer. */
const MAX_SENDING_MS = 30_000;

/**
 * The reply to one request of a Node server. It knows when it is over: sent, or left by its client. Everything that a
 * request holds is let go then at the latest.
 */
export class NodeReply {
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #listeners: (() => void)[] = [];
  readonly #isQueued: boolean;
  #isOver: boolean;

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.#request = request;
    this.#response = response;
    // The client may have disconnected while middleware in front was running. Then no event follows.
    this.#isOver = isDestroyed(request, response);
    // A pipelined request waits for earlier ones. Until then its response gets no events of the socket.
    this.#isQueued = !response.socket;
    if (this.#isOver) return;
    response.once('close', this.#end);
    if (this.#isQueued) onClose(request.socket, this.#end);
  }

  /** Whether the reply is sent, or the client has disconnected. */
  get isOver(): boolean {
    return this.#isOver;
  }

  onOver(listener: () => void): void {
    if (this.#isOver) listener();
    else this.#listeners.push(listener);
  }

  /** Aborts when the client goes away before it is answered. */
  createSignal(): AbortSignal {
    const controller = new AbortController();
    this.onOver(() => {
      if (!this.#response.writableEnded) controller.abort();
    });
    return controller.signal;
  }

  /** Sends an answer that is not a stream. `onSent` is called when no part of it is buffered any more. */
  send({ status, headers, body }: WholeAnswer, onSent?: () => void): void {
    const response = this.#response;
    if (this.#isOver) {
      onSent?.();
      return;
    }
    if (status === 204) response.writeHead(status, { ...headers }).end();
    else if (body === undefined) response.writeHead(status, { ...headers, 'content-length': 0 }).end();
    else if (typeof body === 'string') {
      response.writeHead(status, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        ...headers,
      });
      response.end(body);
    } else {
      const [before, bytes, after] = body;
      response.writeHead(status, {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(before) + bytes.byteLength + Buffer.byteLength(after),
        ...headers,
      });
      response.write(before);
      response.write(bytes);
      response.end(after);
    }
    this.#afterEnd(onSent);
  }

  /** Rejects a body that is still arriving, and closes the connection, because it cannot be used again. */
  sendAndClose(answer: WholeAnswer): void {
    const response = this.#response;
    const stream = streamOf(response);
    if (stream) stream.once('finish', () => stream.close());
    else response.shouldKeepAlive = false;
    this.send(answer);
  }

  sendEvents({ status, headers, body: events }: StreamAnswer): void {
    const response = this.#response;
    if (this.#isOver) return;
    response.writeHead(status, { ...headers });
    response.flushHeaders();
    events({
      write: (text) => {
        if (this.#isOver || response.writableLength > MAX_WAITING) return false;
        response.write(text);
        return true;
      },
      end: () => {
        response.end();
        this.#afterEnd();
      },
      onClose: (listener) => this.onOver(listener),
    });
  }

  /** Sends a response of the SDK. It is read chunk by chunk, to bound the bytes that are buffered for a slow client. */
  async pipe(result: Response): Promise<void> {
    const response = this.#response;
    if (this.#isOver) {
      await result.body?.cancel();
      return;
    }
    response.writeHead(result.status, Object.fromEntries(result.headers));
    if (!result.body) {
      response.end();
      return;
    }
    const reader = result.body.getReader();
    this.onOver(() => void reader.cancel().catch(() => undefined));
    response.flushHeaders();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      if (this.#isOver) return;
      if (response.writableLength > MAX_WAITING) {
        this.#disconnect();
        return;
      }
      response.write(value);
    }
    response.end();
    this.#afterEnd();
  }

  /** Sends an error, or disconnects the client if the answer has already started. */
  fail(answer: WholeAnswer): void {
    if (this.#response.headersSent) this.#disconnect();
    else this.send(answer);
  }

  /** A response that waits behind other responses has no socket yet, and destroying it would wait for one. */
  #disconnect(): void {
    if (this.#isQueued && !this.#response.socket) this.#request.socket.destroy();
    else this.#response.destroy();
  }

  /** Disconnects a client that does not read its answer in time, because the answer stays in memory until then. */
  #afterEnd(onSent?: () => void): void {
    const response = this.#response;
    if (this.#isOver || response.writableLength === 0) {
      onSent?.();
      return;
    }
    const timer = setTimeout(() => this.#disconnect(), MAX_SENDING_MS);
    timer.unref();
    const end = (): void => {
      clearTimeout(timer);
      onSent?.();
    };
    this.onOver(end);
    response.once('finish', end);
  }

  readonly #end = (): void => {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#isQueued) queued.get(this.#request.socket)?.delete(this.#end);
    for (const listener of this.#listeners) listener();
  };
}

/** Pipelined requests by their socket. It has one listener for all of them, because there may be many. */
const queued = new WeakMap<Socket, Set<() => void>>();

function onClose(socket: Socket, listener: () => void): void {
  const known = queued.get(socket);
  const listeners = known ?? new Set();
  listeners.add(listener);
  if (known) return;
  queued.set(socket, listeners);
  socket.once('close', () => {
    for (const each of listeners) each();
  });
}

function isDestroyed(request: IncomingMessage, response: ServerResponse): boolean {
  return streamOf(response)?.destroyed ?? (response.destroyed || request.socket.destroyed);
}

/** The stream of an HTTP/2 response; `undefined` for HTTP/1. */
function streamOf(response: object): ServerHttp2Stream | undefined {
  return (response as { readonly stream?: ServerHttp2Stream }).stream;
}
