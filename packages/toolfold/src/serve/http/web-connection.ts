import { Connection } from './edge.js';
import type { Edge, Reply } from './edge.js';
import type { HostCheck } from './admission.js';
import { notJson, readJson } from './request-body.js';
import type { ArrivingBody, ReadBody } from './request-body.js';
import { alreadyRead, internalError } from './request-response.js';
import type { EdgeAnswer, EdgeRequest, Events, StreamAnswer, WholeAnswer } from './request-response.js';

/** Connects a web-standard `Request` to the edge. Its `reply` holds the `Response`. */
export class WebConnection extends Connection {
  readonly method: string;
  readonly target: string;
  readonly header = (name: string): string | undefined => this.#request.headers.get(name) ?? undefined;
  readonly signal = (): AbortSignal => this.#request.signal;
  readonly reply: WebReply;
  readonly #request: Request;

  constructor(request: Request, given: Pick<EdgeRequest, 'auth' | 'address'> = {}) {
    super();
    const { pathname, search } = new URL(request.url);
    this.method = request.method;
    this.target = `${pathname}${search}`;
    this.reply = new WebReply(request);
    this.auth = given.auth;
    this.address = given.address;
    this.#request = request;
  }

  /** A fetch-style runtime may leave the Host header out and have the host in the URL. */
  rejectHost(check: HostCheck): WholeAnswer | undefined {
    return check(this.header('host') ?? new URL(this.#request.url).host, this.header('origin'));
  }

  readBody({ bodies, jsonLimits }: Pick<Edge, 'bodies' | 'jsonLimits'>, share?: string): Promise<ReadBody> {
    const request = this.#request;
    if (request.bodyUsed || request.body?.locked === true) return Promise.resolve({ rejected: alreadyRead });
    const reader = request.body?.getReader();
    if (!reader) return Promise.resolve({ rejected: notJson() });
    const declared = Number(this.header('content-length') ?? 0);
    return new Promise((resolve) => {
      const cancel = (): void => void reader.cancel().catch(() => undefined);
      const body = bodies.begin(declared, share, resolve, cancel);
      if (!body) return;
      readAll(reader, body).then(
        (text) => body.end(readJson(text, jsonLimits)),
        () => body.end({ rejected: notJson() }),
      );
    });
  }

  toRequest(): Request {
    return this.#request;
  }
}

class WebReply implements Reply {
  readonly #request: Request;
  #added: Readonly<Record<string, string>> = {};
  #response: Response | undefined;

  constructor(request: Request) {
    this.#request = request;
  }

  addHeaders(headers: Readonly<Record<string, string>>): void {
    this.#added = headers;
  }

  send(answer: WholeAnswer, onSent?: () => void): void {
    this.#response = toResponse(answer);
    onSent?.();
  }

  sendEvents(answer: StreamAnswer, onEnd: () => void): void {
    this.#response = toResponse(answer, { onStreamEnd: onEnd, signal: this.#request.signal });
  }

  sendResponse(response: Response): void {
    this.#response = response;
  }

  fail(answer: WholeAnswer): void {
    this.#response = toResponse(answer);
  }

  onOver(listener: () => void): void {
    this.#request.signal.addEventListener('abort', listener, { once: true });
  }

  /** The response with the added headers. Its own headers take precedence. */
  get response(): Response {
    const response = this.#response ?? toResponse(internalError);
    for (const [name, value] of Object.entries(this.#added))
      if (!response.headers.has(name)) response.headers.set(name, value);
    return response;
  }
}

/** Maximum number of bytes that are buffered for a slow client. */
const MAX_WAITING = 1024 * 1024;

interface StreamOptions {
  /** Called once, when the stream has ended or the client has stopped reading. */
  readonly onStreamEnd?: () => void;
  /** Ends the stream, because some runtimes abort a request without cancelling the body of its response. */
  readonly signal?: AbortSignal;
}

export function toResponse({ status, headers, body }: EdgeAnswer, options: StreamOptions = {}): Response {
  if (body === undefined || status === 204) return new Response(null, { status, headers: { ...headers } });
  if (typeof body === 'function')
    return new Response(toReadable(body, options), { status, headers: { ...headers } });
  const parts =
    typeof body === 'string' ? body : new Blob([...body] as ConstructorParameters<typeof Blob>[0]);
  return new Response(parts, { status, headers: { 'content-type': 'application/json', ...headers } });
}

function toReadable(events: Events, { onStreamEnd, signal }: StreamOptions): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const listeners: (() => void)[] = [];
  let isOpen = true;
  const close = (): void => {
    if (!isOpen) return;
    isOpen = false;
    signal?.removeEventListener('abort', close);
    onStreamEnd?.();
    for (const listener of listeners) listener();
  };
  signal?.addEventListener('abort', close);
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        events({
          write: (text) => {
            // Only the buffered bytes count, not the new event, because a single event may be large.
            if (!isOpen || -(controller.desiredSize ?? 0) > MAX_WAITING) return false;
            controller.enqueue(encoder.encode(text));
            return true;
          },
          end: () => {
            if (isOpen) controller.close();
            close();
          },
          onClose: (listener) => listeners.push(listener),
        });
        if (signal?.aborted === true) close();
      },
      cancel: close,
    },
    { highWaterMark: 0, size: ({ byteLength }) => byteLength },
  );
}

/** Copies a response and reports when its body ends: read completely, cancelled or failed. */
export function withEnd(response: Response, body: ReadableStream<Uint8Array>, onEnd: () => void): Response {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  body.pipeTo(writable).then(onEnd, onEnd);
  return new Response(readable, response);
}

/** Reads a body to its end, or until it is rejected. Throws if it cannot be read or is not UTF-8. */
async function readAll(reader: ReadableStreamDefaultReader<Uint8Array>, body: ArrivingBody): Promise<string> {
  while (!body.isOver) {
    const { done, value } = await reader.read();
    if (done) break;
    body.add(value);
  }
  if (body.isOver) await reader.cancel();
  return new TextDecoder('utf-8', { fatal: true }).decode(body.data.subarray(0, body.size));
}
