import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { ErrInvalidOptions } from '../../errors.js';
import type { AuthInfo } from '../auth/auth-info.js';
import { REJECTED } from '../../protocol/rpc-error.js';
import { singleHeaders } from '../../toolsets/read-selection.js';
import { describeValue, isPromise } from '../../values/describe-value.js';
import { isObject } from '../../values/json-value.js';
import type { McpHandler } from '../http/create-handler.js';
import { RequestState, serveRequest } from '../http/edge.js';
import type { Connection, Edge } from '../http/edge.js';
import type { HostCheck } from '../http/admission.js';
import { notJson, readJson } from '../http/request-body.js';
import type { ReadBody } from '../http/request-body.js';
import { alreadyRead, reject } from '../http/request-response.js';
import type { EdgeRequest, WholeAnswer } from '../http/request-response.js';
import { NodeReply } from './node-reply.js';

/** A Node request. Middleware in front of the listener may have verified the caller and parsed the body. */
export type NodeRequest = IncomingMessage & { auth?: AuthInfo; body?: unknown };

/**
 * For a server of your own (`node:http`, `node:https`, `node:http2`), or Express and the like:
 * `app.all('/mcp', toNodeListener(handler))`.
 */
export function toNodeListener(
  handler: McpHandler,
): (request: NodeRequest | Http2ServerRequest, response: ServerResponse | Http2ServerResponse) => void {
  assertHandler(handler);
  const { edge } = handler;
  return (request, response) => {
    // HTTP/2 objects have everything that is used here; `NodeReply` knows where they differ.
    void serveRequest(edge, new NodeConnection(request as NodeRequest, response as ServerResponse));
  };
}

function assertHandler(handler: unknown): void {
  if (isObject(handler) && 'edge' in handler) return;
  const isRegistry = isObject(handler) && 'executeTool' in handler;
  throw new ErrInvalidOptions(
    `toNodeListener needs the handler of createHandler(), but got ${describeValue(handler)}.`,
    {
      hint: `Write toNodeListener(${isPromise(handler) ? 'await …' : `createHandler(${isRegistry ? 'registry' : '…'})`}).`,
    },
  );
}

/** A request of `node:http` or `node:http2`. */
export class NodeConnection extends RequestState implements Connection {
  readonly method: string;
  readonly target: string;
  readonly header: (name: string) => string | undefined;
  readonly signal: () => AbortSignal;
  readonly reply: NodeReply;
  readonly #request: NodeRequest;

  constructor(request: NodeRequest, response: ServerResponse) {
    super();
    const { headers, rawHeaders, method = 'GET', url = '/', socket } = request;
    this.method = method;
    this.target = url;
    // Node keeps only the first of several Authorization headers. Joined, they are rejected as malformed.
    this.header = (name) =>
      name === 'authorization' ? joinHeaders(rawHeaders, name) : (headers[name] as string | undefined);
    const reply = (this.reply = new NodeReply(request, response));
    let signal: AbortSignal | undefined;
    this.signal = () => (signal ??= reply.createSignal());
    this.body = request.body;
    this.auth = request.auth as EdgeRequest['auth'];
    this.address = socket.remoteAddress;
    this.caller = undefined;
    this.selection = undefined;
    this.session = undefined;
    this.clientId = undefined;
    this.#request = request;
  }

  rejectHost(check: HostCheck): WholeAnswer | undefined {
    const { headers, rawHeaders } = this.#request;
    const { host, origin } = headers;
    if (!this.target.startsWith('/') && this.target !== '*') {
      // A request line may hold the whole URL, which takes precedence over the Host header.
      const [, authority] = /^https?:\/\/([^/?#]*)/i.exec(this.target) ?? [];
      if (authority === undefined) return reject(400, REJECTED, 'Bad Request: invalid request target');
      const rejected = check(authority, origin) ?? check(host, origin);
      if (rejected) return rejected;
    } else {
      // HTTP/2 requests name their host in a pseudo-header, and may have a Host header too.
      const authority = headers[':authority'] as string | undefined;
      const rejected = check(authority ?? host, origin);
      if (rejected) return rejected;
      const other = authority === undefined || host === undefined ? undefined : check(host, origin);
      if (other) return other;
    }
    // Node joins repeated selection headers, which would widen a selection that a proxy has set.
    if (isRepeated(rawHeaders, 'host')) return rejectRepeated('Host');
    for (const [name, lower] of singles)
      if (headers[lower] !== undefined && isRepeated(rawHeaders, lower)) return rejectRepeated(name);
    return undefined;
  }

  readBody(
    { bodies, jsonLimits }: Pick<Edge, 'bodies' | 'jsonLimits'>,
    share: string | undefined,
  ): Promise<ReadBody> {
    const request = this.#request;
    const { reply } = this;
    if (reply.isOver) return Promise.resolve(undefined);
    // The events of a consumed stream are not emitted again.
    if (request.readableDidRead || request.readableEnded) return Promise.resolve({ rejected: alreadyRead });
    return new Promise((resolve) => {
      const declared = Number(request.headers['content-length'] ?? 0);
      // When a body is cut off, the client may still be sending, so the connection cannot be used again.
      const body = bodies.begin(declared, share, resolve, () => reply.closeAfterSending());
      if (!body) return;
      reply.onOver(body.end);
      request.on('error', () => body.end());
      // The rest of a rejected body is read and dropped, because closing the connection now could lose the response.
      request.on('data', body.add);
      request.on('end', () => {
        const [first] = body.chunks as Buffer[];
        const bytes = first && body.chunks.length === 1 ? first : Buffer.concat(body.chunks);
        const text = bytes.toString('utf8');
        // Decoding bytes that are not UTF-8 would silently change the text. Some clients write a byte order mark.
        if (!isUtf8(bytes)) body.end({ rejected: notJson() });
        else body.end(readJson(text.codePointAt(0) === 0xfe_ff ? text.slice(1) : text, jsonLimits));
      });
    });
  }

  toRequest(): Request {
    const { headers, method = 'GET' } = this.#request;
    const copied = new Headers();
    for (const [name, value] of Object.entries(headers)) {
      // Skip the pseudo-headers of HTTP/2, such as `:path`.
      if (name.startsWith(':')) continue;
      for (const each of [value ?? []].flat()) copied.append(name, each);
    }
    const host = headers.host ?? String(headers[':authority'] ?? 'localhost');
    // A request line may hold the whole URL.
    const url = this.target.startsWith('/') ? `http://${host}${this.target}` : this.target;
    return new Request(url, { method, headers: copied, signal: this.signal() });
  }
}

const singles = singleHeaders.map((name) => [name, name.toLowerCase()] as const);

/** Every request passes here, so names are compared only if their lengths are equal. */
function isRepeated(rawHeaders: readonly string[], name: string): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at];
    if (given?.length === name.length && given.toLowerCase() === name) count++;
  }
  return count > 1;
}

function rejectRepeated(name: string): WholeAnswer {
  return reject(400, REJECTED, `Bad Request: several ${name} headers`);
}

function joinHeaders(rawHeaders: readonly string[], name: string): string | undefined {
  let joined: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const raw = rawHeaders[index] ?? '';
    if (raw.length !== name.length || raw.toLowerCase() !== name) continue;
    joined = joined === undefined ? rawHeaders[index + 1] : `${joined}, ${rawHeaders[index + 1]}`;
  }
  return joined;
}
