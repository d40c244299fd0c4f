import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { AuthInfo } from '@modelcontextprotocol/server';
import { rejectMedia } from '../http/request-body.js';
import type { Edge, McpHandler } from '../http/create-handler.js';
import { alreadyRead, isStream, reject } from '../http/request-response.js';
import { INTERNAL_ERROR, REJECTED } from '../../protocol/rpc-codes.js';
import type { EdgeAnswer, EdgeRequest, WholeAnswer, RequestCaller } from '../http/request-response.js';
import type { Admission } from '../http/admission.js';
import type { HostCheck } from '../http/hosts-and-origins.js';
import { pathOf } from '../http/read-request.js';
import type { Hold } from '../http/capacity.js';
import { readNodeBody } from './node-body.js';
import { readNodeHeader } from './node-admission.js';
import { NodeReply } from './node-reply.js';
import { singleHeaders } from '../../toolsets/read-selection.js';

/** What stands before a listener may have verified the caller and read the body. */
export type NodeRequest = IncomingMessage & { auth?: AuthInfo; body?: unknown };

/** Milliseconds after which a pending authenticator or limiter stops counting once the client has disconnected. */
const MAX_WORK_MS = 10_000;

/**
 * For a server of your own (`node:http`, `node:https`, `node:http2`), or Express and the like:
 * `app.all('/mcp', toNodeListener(handler))`.
 */
export function toNodeListener(
  handler: McpHandler,
): (request: NodeRequest | Http2ServerRequest, response: ServerResponse | Http2ServerResponse) => void {
  const { edge } = handler;
  return (given, givenResponse) => {
    // The objects of HTTP/2 have everything that is used here; `NodeReply` knows where they differ.
    const request = given as NodeRequest;
    const response = givenResponse as ServerResponse;
    const { origin } = request.headers;
    const added = edge.gate.headersFor(origin);
    if (added) for (const name of Object.keys(added)) response.setHeader(name, added[name] as string);
    new NodeExchange(edge, request, new NodeReply(request, response)).start();
  };
}

/**
 * One request on its way: the caller is authenticated, the body read, the request answered. It takes a slot for each step
 * that is work and releases it when the work is done, so that no step depends on the events of another.
 */
class NodeExchange {
  readonly #edge: Edge;
  readonly #request: NodeRequest;
  readonly #reply: NodeReply;
  #auth: AuthInfo | undefined;
  #caller: RequestCaller;
  #signal: AbortSignal | undefined;

  constructor(edge: Edge, request: NodeRequest, reply: NodeReply) {
    this.#edge = edge;
    this.#request = request;
    this.#reply = reply;
    this.#caller = this.#readCaller();
  }

  start(): void {
    const { gate, capacity, check } = this.#edge;
    const { method = 'GET', url = '/' } = this.#request;
    const rejected = rejectHost(this.#request, check) ?? rejectRepeated(this.#request);
    if (rejected) {
      this.#reject(rejected);
      return;
    }
    const busy = capacity.rejection('requests', this.#caller.share);
    if (busy) {
      this.#reply.send(busy);
      return;
    }
    const head = { method, path: pathOf(url), header: readNodeHeader(this.#request) };
    try {
      const admission = gate.admit(head, this.#request.auth);
      if (admission instanceof Promise) this.#after(admission, (admitted) => this.#enter(admitted));
      else this.#enter(admission);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Continues after asynchronous work, such as authentication. */
  #after<T>(work: Promise<T>, goOn: (result: T) => void): void {
    const slot = this.#edge.capacity.hold('requests', this.#caller.share);
    // The work continues after the client has disconnected, and counts until it is done.
    this.#reply.onOver(() => {
      if (!slot.isReleased) setTimeout(slot.release, MAX_WORK_MS).unref();
    });
    work
      .finally(slot.release)
      .then(goOn)
      .catch((error: unknown) => this.#fail(error));
  }

  /** Rejects a request before its caller is known. It counts for the address. */
  #reject(answer: WholeAnswer): void {
    this.#limit(() => this.#reply.send(answer));
  }

  #limit(goOn: () => void): void {
    const limited = this.#edge.limiter.take(this.#caller.key);
    const proceed = (rejected: WholeAnswer | undefined): void => {
      if (rejected) this.#reply.send(rejected);
      else goOn();
    };
    if (limited instanceof Promise) this.#after(limited, proceed);
    else proceed(limited);
  }

  #enter(admission: Admission): void {
    if (admission.answer) {
      this.#reject(admission.answer);
      return;
    }
    this.#auth = admission.auth;
    if (admission.auth) this.#caller = this.#readCaller(admission.auth);
    this.#limit(() => this.#read());
  }

  #read(): void {
    const { method, body } = this.#request;
    // A body parser in front may have read it.
    if (method !== 'POST' || body !== undefined) this.#answer(body);
    else {
      const { headers } = this.#request;
      const rejected = rejectMedia((name) => headers[name] as string | undefined);
      if (rejected) this.#reply.send(rejected);
      else this.#readBody();
    }
  }

  #readBody(): void {
    if (this.#reply.isOver) return;
    readNodeBody(this.#request, this.#reply, this.#edge, {
      share: this.#caller.share,
      onBody: (body) => this.#answer(body),
      onRejected: (rejection, isUnfinished) => {
        if (rejection === alreadyRead)
          this.#edge.onError(new TypeError('The body of a request was already read.'));
        if (isUnfinished) this.#reply.sendAndClose(rejection);
        else this.#reply.send(rejection);
      },
    });
  }

  #answer(body: unknown): void {
    const { capacity } = this.#edge;
    const rejected = capacity.rejection('requests', this.#caller.share);
    if (rejected) {
      this.#reply.send(rejected);
      return;
    }
    // The slot is held until the work is done, even if the client has disconnected.
    const slot = capacity.hold('requests', this.#caller.share);
    const { headers, method = 'GET', url = '/', socket } = this.#request;
    const fail = (error: unknown): void => {
      slot.release();
      this.#fail(error);
    };
    try {
      const answered = this.#edge.answer(method, {
        header: (name) => headers[name] as string | undefined,
        body,
        auth: this.#auth as Readonly<Record<string, unknown>> | undefined,
        target: url,
        address: socket.remoteAddress,
        caller: this.#caller,
        signal: () => this.#getSignal(),
      });
      if (answered) answered.then((ready) => this.#finish(ready, body, slot)).catch(fail);
      else this.#askSdk(body, slot).catch(fail);
    } catch (error) {
      fail(error);
    }
  }

  #finish(ready: EdgeAnswer | undefined, body: unknown, slot: Hold): Promise<void> | undefined {
    if (!ready) return this.#askSdk(body, slot);
    if (!isStream(ready)) {
      this.#reply.send(ready, slot.release);
      return undefined;
    }
    slot.release();
    // Check again, because other streams may have been opened since the first check.
    const full =
      this.#request.method === 'GET' && this.#edge.capacity.rejection('streams', this.#caller.share);
    if (full) {
      this.#reply.send(full);
      return undefined;
    }
    const stream = this.#edge.capacity.hold('streams', this.#caller.share);
    this.#reply.onOver(stream.release);
    this.#reply.sendEvents(ready);
    return undefined;
  }

  async #askSdk(body: unknown, slot: Hold): Promise<void> {
    const request = toWebRequest(this.#request, this.#getSignal());
    const asked = { body, auth: this.#auth, share: this.#caller.share };
    const response = await this.#edge.askSdk(request, asked).finally(slot.release);
    await this.#reply.pipe(response);
  }

  #fail(error: unknown): void {
    this.#edge.onError(error);
    this.#reply.fail(reject(500, INTERNAL_ERROR, 'Internal server error'));
  }

  #readCaller(auth?: AuthInfo): RequestCaller {
    const { headers, socket } = this.#request;
    const header = (name: string): string | undefined => headers[name] as string | undefined;
    return this.#edge.readCaller({ header, address: socket.remoteAddress }, auth as EdgeRequest['auth']);
  }

  #getSignal(): AbortSignal {
    return (this.#signal ??= this.#reply.createSignal());
  }
}

/** Checks every place in which a request can name its host. All of them must be allowed. */
function rejectHost({ headers, url = '/' }: IncomingMessage, check: HostCheck): WholeAnswer | undefined {
  const { host, origin } = headers;
  const named = headers[':authority'] as string | undefined;
  if (url.startsWith('/') || url === '*') {
    // In HTTP/2 the host has a field of its own.
    const rejected = check(named ?? host, origin);
    return rejected ?? (named === undefined || host === undefined ? undefined : check(host, origin));
  }
  // A request line may hold the whole URL, which counts more than the Host header.
  const [, authority] = /^https?:\/\/([^/?#]*)/i.exec(url) ?? [];
  if (authority === undefined) return reject(400, REJECTED, 'Bad Request: invalid request target');
  return check(authority, origin) ?? check(host, origin);
}

/** Which of them would count is for each server to guess, and Node gives the others joined. */
function rejectRepeated({ headers, rawHeaders }: IncomingMessage): WholeAnswer | undefined {
  if (isRepeated(rawHeaders, 'host')) return several('Host');
  for (const name of singleHeaders) {
    const lower = name.toLowerCase();
    if (headers[lower] !== undefined && isRepeated(rawHeaders, lower)) return several(name);
  }
  return undefined;
}

/** Every request passes here: names are looked at only where they are as long. */
function isRepeated(rawHeaders: readonly string[], name: string): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at];
    if (given?.length === name.length && given.toLowerCase() === name) count++;
  }
  return count > 1;
}

function several(name: string): WholeAnswer {
  return reject(400, REJECTED, `Bad Request: several ${name} headers`);
}

/** Creates a `Request` without a body for the SDK, which gets the parsed body separately. */
function toWebRequest(request: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    // Skip the pseudo-headers of HTTP/2, such as `:path`.
    if (name.startsWith(':')) continue;
    for (const each of [value ?? []].flat()) headers.append(name, each);
  }
  // A request may name its target by the whole URL.
  const { url: target = '/' } = request;
  const host = request.headers.host ?? String(request.headers[':authority'] ?? 'localhost');
  const url = target.startsWith('/') ? `http://${host}${target}` : target;
  return new Request(url, { method: request.method ?? 'GET', headers, signal });
}
