import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { Reply } from '../http/edge.js';
import type { StreamAnswer, WholeAnswer } from '../http/request-response.js';

/** Maximum number of bytes that are buffered for a slow client. */
const MAX_WAITING = 1024 * 1024;
/** Milliseconds in which a client must read its response. */
const MAX_SENDING_MS = 30_000;

/**
 * The reply to one request of a Node server. It is over once it is sent or the client has disconnected; everything that
 * the request holds is released then at the latest.
 */
export class NodeReply implements Reply {
  /** Whether the reply is sent, or the client has disconnected. */
  isOver: boolean;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #isQueued: boolean;
  readonly #end: () => void;
  #listeners: (() => void)[] | undefined;

  constructor(request: IncomingMessage, response: ServerResponse) {
    this.#request = request;
    this.#response = response;
    // A pipelined request waits for earlier ones. Until then its response gets no events of the socket.
    this.#isQueued = !response.socket;
    this.#end = () => {
      if (this.isOver) return;
      this.isOver = true;
      if (this.#isQueued) queued.get(this.#request.socket)?.delete(this.#end);
      if (this.#listeners) for (const listener of this.#listeners) listener();
    };
    // The client may have disconnected while middleware in front was running. Then no event follows.
    this.isOver =
      (response as MaybeHttp2).stream?.destroyed ?? (response.destroyed || request.socket.destroyed);
    if (this.isOver) return;
    response.once('close', this.#end);
    if (this.#isQueued) onClose(request.socket, this.#end);
  }

  onOver(listener: () => void): void {
    if (this.isOver) listener();
    else if (this.#listeners) this.#listeners.push(listener);
    else this.#listeners = [listener];
  }

  addHeaders(headers: Readonly<Record<string, string>>): void {
    for (const name of Object.keys(headers)) this.#response.setHeader(name, headers[name] as string);
  }

  /** Creates a signal that aborts if the client disconnects before it is answered. */
  createSignal(): AbortSignal {
    const controller = new AbortController();
    this.onOver(() => {
      if (!this.#response.writableEnded) controller.abort();
    });
    return controller.signal;
  }

  send({ status, headers, body }: WholeAnswer, onSent?: () => void): void {
    const response = this.#response;
    if (this.isOver) {
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
    // Fast path: the socket has taken the whole response.
    if (response.writableLength === 0) onSent?.();
    else this.#afterEnd(onSent);
  }

  /** Closes the connection after the next response, because the rest of the request cannot be read. */
  closeAfterSending(): void {
    const { stream } = this.#response as MaybeHttp2;
    if (stream) stream.once('finish', () => stream.close());
    else this.#response.shouldKeepAlive = false;
  }

  sendEvents({ status, headers, body: events }: StreamAnswer, onEnd: () => void): void {
    const response = this.#response;
    this.onOver(onEnd);
    if (this.isOver) return;
    response.writeHead(status, { ...headers });
    response.flushHeaders();
    events({
      write: (text) => {
        if (this.isOver || response.writableLength > MAX_WAITING) return false;
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

  /** Reads the response of the SDK chunk by chunk, to bound the bytes that are buffered for a slow client. */
  async sendResponse(result: Response): Promise<void> {
    const response = this.#response;
    if (this.isOver) {
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
      if (this.isOver) return;
      if (response.writableLength > MAX_WAITING) {
        this.#disconnect();
        return;
      }
      response.write(value);
    }
    response.end();
    this.#afterEnd();
  }

  fail(answer: WholeAnswer): void {
    if (this.#response.headersSent) this.#disconnect();
    else this.send(answer);
  }

  /** A response that waits behind other responses has no socket yet, and destroying it would wait for one. */
  #disconnect(): void {
    if (this.#isQueued && !this.#response.socket) this.#request.socket.destroy();
    else this.#response.destroy();
  }

  /** Disconnects a client that does not read its response in time, because the response stays in memory until then. */
  #afterEnd(onSent?: () => void): void {
    const response = this.#response;
    if (this.isOver || response.writableLength === 0) {
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

/** A response of HTTP/2 has a stream; that of HTTP/1 has none. */
interface MaybeHttp2 {
  readonly stream?: ServerHttp2Stream;
}
