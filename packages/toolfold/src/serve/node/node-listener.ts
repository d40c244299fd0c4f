import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import { ErrInvalidOptions } from '@toolfold/schema/errors';
import type { AuthInfo } from '../auth/auth-info.js';
import { REJECTED } from '../../protocol/rpc-error.js';
import { singleHeaders } from '../../toolsets/read-selection.js';
import { describeValue, isObject, isPromise } from '@toolfold/schema/internal';
import type { McpHandler } from '../http/create-handler.js';
import { Connection, serveRequest } from '../http/edge.js';
import type { Edge } from '../http/edge.js';
import type { HostCheck } from '../http/admission.js';
import { notJson, readJson } from '../http/request-body.js';
import type { ReadBody } from '../http/request-body.js';
import { alreadyRead, reject } from '../http/request-response.js';
import type { EdgeRequest, WholeAnswer } from '../http/request-response.js';
import { NodeReply } from './node-reply.js';

/** A Node request. Middleware in front of the listener may have verified the caller and parsed the body. */
export type NodeRequest = IncomingMessage & { auth?: AuthInfo; body?: unknown };

/**
 * Turns a handler into a listener for `node:http`, `node:https`, `node:http2`, Express and the like:
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

/**
 * A request of a Node server with its reply. Its functions are initialized as fields: V8 may allocate a function that is assigned to
 * `this.…` in its old generation, where it keeps the request in memory until the next full garbage collection.
 */
export class NodeConnection extends Connection {
  readonly method: string;
  readonly target: string;
  readonly reply: NodeReply;
  readonly #request: NodeRequest;
  #signal: AbortSignal | undefined;

  constructor(request: NodeRequest, response: ServerResponse) {
    super();
    this.#request = request;
    this.method = request.method ?? 'GET';
    this.target = request.url ?? '/';
    this.reply = new NodeReply(request, response, this);
    this.body = request.body;
    this.auth = request.auth as EdgeRequest['auth'];
    this.address = request.socket.remoteAddress;
  }

  readonly header = (name: string): string | undefined => {
    const { headers, rawHeaders } = this.#request;
    // Node keeps only the first of several Authorization headers. Joined, they are rejected as malformed.
    return name === 'authorization' && headers.authorization !== undefined
      ? valuesOf(rawHeaders, name).join(', ')
      : (headers[name] as string | undefined);
  };

  readonly signal = (): AbortSignal => (this.#signal ??= this.reply.createSignal());

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
    for (const [name, lower] of onlyOnce)
      if (headers[lower] !== undefined && valuesOf(rawHeaders, lower).length > 1)
        return reject(400, REJECTED, `Bad Request: several ${name} headers`);
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
        const { buffer, byteOffset } = body.data;
        const bytes = Buffer.from(buffer, byteOffset, body.size);
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

const onlyOnce = ['Host', ...singleHeaders].map((name) => [name, name.toLowerCase()] as const);

function valuesOf(rawHeaders: readonly string[], lower: string): string[] {
  const values: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === lower.length && name.toLowerCase() === lower)
      values.push(rawHeaders[at + 1] as string);
  }
  return values;
}
