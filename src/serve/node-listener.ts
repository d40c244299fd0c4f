import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { AuthInfo } from '@modelcontextprotocol/server';
import { overloaded } from './create-handler.js';
import type { Edge, McpHandler } from './create-handler.js';
import { INTERNAL_ERROR, PARSE_ERROR, REFUSED, refuse } from './edge.js';
import type { EdgeAnswer, Events } from './edge.js';

/** What stands before a listener may have verified the caller and read the body. */
export type NodeRequest = IncomingMessage & { auth?: AuthInfo; body?: unknown };

/** How much may wait for a client that reads slowly, in bytes. */
const MAX_WAITING = 1024 * 1024;
/** Milliseconds in which a client has to take an answer. */
const MAX_SENDING_MS = 30_000;

/** For an HTTP server of one's own, or Express and the like: `app.all('/mcp', toNodeListener(handler))`. */
export function toNodeListener(
  handler: McpHandler,
): (request: NodeRequest, response: ServerResponse) => void {
  const { edge } = handler;
  const { load } = edge;
  return (request, response) => {
    const refused =
      load.requests >= edge.maxRequests
        ? overloaded
        : edge.check(request.headers.host, request.headers.origin);
    if (refused) {
      send(response, refused, edge);
      return;
    }
    load.requests++;
    serve(handler, request, response)
      .catch((error: unknown) => {
        if (error !== WENT_AWAY) edge.onError(error);
        if (response.headersSent) response.destroy();
        else send(response, refuse(500, INTERNAL_ERROR, 'Internal server error'), edge);
      })
      .finally(() => load.requests--);
  };
}

async function serve(handler: McpHandler, request: NodeRequest, response: ServerResponse): Promise<void> {
  const { edge } = handler;
  const { headers, method = 'GET' } = request;
  let text: string | undefined;
  let body: unknown;
  if (method === 'POST') {
    if (request.body === undefined) {
      const bytes = await readBytes(request, edge.maxBodyBytes);
      if (!bytes) {
        const tooLarge = refuse(413, REFUSED, `The request has more than ${edge.maxBodyBytes} bytes.`, {
          headers: { connection: 'close' },
        });
        send(response, tooLarge, edge);
        return;
      }
      text = bytes.toString('utf8');
      try {
        // What is not UTF-8 would be read as something else.
        if (!isUtf8(bytes)) throw new SyntaxError('not UTF-8');
        body = JSON.parse(text);
      } catch {
        send(response, refuse(400, PARSE_ERROR, 'Parse error: the request body is not valid JSON'), edge);
        return;
      }
    } else body = request.body;
  }
  const answered = edge.answer(method, {
    header: (name) => headers[name] as string | undefined,
    body,
    auth: request.auth as Readonly<Record<string, unknown>> | undefined,
    signal: () => signalOf(response),
  });
  if (answered) send(response, await answered, edge);
  else {
    text ??= JSON.stringify(body);
    const result = await handler.fetch(toRequest(request, text, signalOf(response)), {
      authInfo: request.auth,
    });
    await pipe(result, response);
  }
}

const WENT_AWAY = new Error('The client went away.');

/** Aborts when the client goes away before it is answered. */
function signalOf(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const abort = (): void => {
    if (!response.writableEnded) controller.abort();
  };
  if (response.destroyed) abort();
  else response.once('close', abort);
  return controller.signal;
}

/** With events: an iterator of the request takes longer than the call. */
function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else {
        request.pause();
        resolve(undefined);
      }
    });
    request.once('end', () => {
      const [only] = chunks;
      resolve(only && chunks.length === 1 ? only : Buffer.concat(chunks));
    });
    request.once('error', () => reject(WENT_AWAY));
  });
}

function toRequest(request: IncomingMessage, body: string | undefined, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    for (const each of [value ?? []].flat()) headers.append(name, each);
  }
  const url = `http://${request.headers.host ?? 'localhost'}${request.url ?? '/'}`;
  return new Request(url, {
    method: request.method ?? 'GET',
    headers,
    signal,
    ...(body === undefined ? {} : { body }),
  });
}

/** Sends what the SDK answered. */
async function pipe(result: Response, response: ServerResponse): Promise<void> {
  response.writeHead(result.status, Object.fromEntries(result.headers));
  if (!result.body) {
    response.end();
    return;
  }
  response.flushHeaders();
  const stream = Readable.fromWeb(result.body as Parameters<typeof Readable.fromWeb>[0]);
  response.once('close', () => stream.destroy());
  stream.on('error', () => response.destroy());
  stream.pipe(response);
}

function send(response: ServerResponse, { status, headers, body }: EdgeAnswer, edge: Edge): void {
  if (response.destroyed) return;
  if (typeof body === 'function') {
    sendEvents(response, status, headers, body, edge);
    return;
  }
  if (body === undefined) response.writeHead(status, { ...headers, 'content-length': 0 }).end();
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
  if (response.writableLength > 0) cutWhenSlow(response);
}

/** A client that does not take its answer keeps it in memory. */
function cutWhenSlow(response: ServerResponse): void {
  const timer = setTimeout(() => response.destroy(), MAX_SENDING_MS);
  response.once('close', () => clearTimeout(timer));
  response.once('finish', () => clearTimeout(timer));
}

function sendEvents(
  response: ServerResponse,
  status: number,
  headers: EdgeAnswer['headers'],
  events: Events,
  edge: Edge,
): void {
  const { load } = edge;
  if (load.streams >= edge.maxStreams) {
    send(response, overloaded, edge);
    return;
  }
  load.streams++;
  response.once('close', () => load.streams--);
  response.writeHead(status, { ...headers });
  response.flushHeaders();
  events({
    write: (text) => {
      if (response.destroyed || response.writableLength > MAX_WAITING) return false;
      response.write(text);
      return true;
    },
    end: () => {
      response.end();
      if (response.writableLength > 0) cutWhenSlow(response);
    },
    onClose: (listener) => response.once('close', listener),
  });
}
