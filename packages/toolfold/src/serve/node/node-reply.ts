import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { Connection, Reply } from '../http/edge.js';
import type { StreamAnswer, WholeAnswer } from '../http/request-response.js';

/** Maximum number of bytes that are buffered for a slow client. */
const MAX_WAITING = 1024 * 1024;
/** Milliseconds in which a client must read its response. */
const MAX_SENDING_MS = 30_000;
/** Maximum number of bytes in this process that clients have not read, in total and of one caller. */
const MAX_UNREAD = 256 * 1024 * 1024;
const MAX_UNREAD_OF_CALLER = 64 * 1024 * 1024;

/** Sent replies that clients have not read completely, the oldest first. */
const unread = new Set<NodeReply>();

/**
 * The reply to one request of a Node server. It is over once it is sent or the client has disconnected; everything that
 * the request holds is released then at the latest.
 */
export class NodeReply implements Reply {
  isOver: boolean;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #connection: Pick<Connection, 'caller'>;
  readonly #isQueued: boolean;
  readonly #listeners: (() => void)[] = [];

  constructor(request: IncomingMessage, response: ServerResponse, connection: Pick<Connection, 'caller'>) {
    this.#request = request;
    this.#connection = connection;
    this.#response = response;
    // A pipelined request waits for earlier ones. Until then its response gets no events of the socket.
    this.#isQueued = !response.socket;
    // The client may have disconnected while middleware in front was running. Then no event follows.
    this.isOver =
      (response as MaybeHttp2).stream?.destroyed ?? (response.destroyed || request.socket.destroyed);
    if (this.isOver) return;
    response.once('close', this.#end);
    if (this.#isQueued) onClose(request.socket, this.#end);
  }

  readonly #end = (): void => {
    if (this.isOver) return;
    this.isOver = true;
    unread.delete(this);
    if (this.#isQueued) queued.get(this.#request.socket)?.delete(this.#end);
    for (const listener of this.#listeners) listener();
  };

  onOver(listener: () => void): void {
    if (this.isOver) listener();
    else this.#listeners.push(listener);
  }

  addHeaders(headers: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(headers)) this.#response.setHeader(name, value);
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
    else {
      const chunks = typeof body === 'string' ? [body] : body;
      let length = 0;
      for (const chunk of chunks) length += Buffer.byteLength(chunk);
      response.writeHead(status, {
        'content-type': 'application/json',
        'content-length': length,
        ...headers,
      });
      for (const chunk of chunks.slice(0, -1)) response.write(chunk);
      response.end(chunks.at(-1));
    }
    this.#afterEnd(onSent);
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
        if (!response.write(text)) this.#limitUnread();
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
      if (!response.write(value)) this.#limitUnread();
    }
    response.end();
    this.#afterEnd();
  }

  fail(answer: WholeAnswer): void {
    if (this.#response.headersSent) this.#disconnect();
    else this.send(answer);
  }

  /** Destroys the socket of a response that waits behind others, because the response itself has no socket yet. */
  #disconnect(): void {
    if (this.#isQueued && !this.#response.socket) this.#request.socket.destroy();
    else this.#response.destroy();
  }

  /** Disconnects the clients that have not read for the longest time until the limits are kept. Spares the newest response. */
  #limitUnread(): void {
    unread.add(this);
    const share = this.#connection.caller?.share;
    const isOwn = (reply: NodeReply): boolean =>
      share !== undefined && reply.#connection.caller?.share === share;
    let all = 0;
    let own = 0;
    for (const reply of unread) {
      all += reply.#response.writableLength;
      if (isOwn(reply)) own += reply.#response.writableLength;
    }
    for (const reply of unread) {
      if (reply === this || (all <= MAX_UNREAD && (own <= MAX_UNREAD_OF_CALLER || !isOwn(reply)))) continue;
      all -= reply.#response.writableLength;
      if (isOwn(reply)) own -= reply.#response.writableLength;
      unread.delete(reply);
      reply.#disconnect();
    }
  }

  /** Disconnects a client that does not read its response in time, because the response stays in memory until then. */
  #afterEnd(onSent?: () => void): void {
    const response = this.#response;
    if (this.isOver || response.writableLength === 0) {
      onSent?.();
      return;
    }
    this.#limitUnread();
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

/** Listeners of pipelined requests by socket. The socket has one listener for all of them, because there may be many. */
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

/** Only a response of HTTP/2 has a stream. */
interface MaybeHttp2 {
  readonly stream?: ServerHttp2Stream;
}
