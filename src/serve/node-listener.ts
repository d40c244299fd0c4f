import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AuthInfo } from '@modelcontextprotocol/server';
import { isJson } from './content-type.js';
import { wrongMediaType } from './create-handler.js';
import type { Edge, McpHandler } from './create-handler.js';
import { INTERNAL_ERROR, REFUSED, refuse } from './edge.js';
import type { EdgeAnswer, Events } from './edge.js';
import type { Admission } from './gate.js';
import { pathOf } from './identify.js';
import { overloaded } from './load.js';
import { readNodeHeader } from './node-gate.js';
import { notJson, readJson } from './read-json.js';
import { singleHeaders } from '../toolsets/read-selection.js';

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
    const { origin } = request.headers;
    const added = edge.gate.headersFor(origin);
    if (added) for (const name of Object.keys(added)) response.setHeader(name, added[name] as string);
    const refused = load.isFull
      ? overloaded
      : (edge.check(request.headers.host, origin) ?? refuseRepeated(request));
    if (refused) {
      send(response, refused, edge);
      return;
    }
    load.requests++;
    admit(handler, request, response);
  };
}

function admit(handler: McpHandler, request: NodeRequest, response: ServerResponse): void {
  const { edge } = handler;
  const go = (admission: Admission): void => {
    if (admission.answer) {
      edge.load.requests--;
      send(response, admission.answer, edge);
      return;
    }
    const { auth } = admission;
    if (request.method !== 'POST') answer(handler, request, response, auth, undefined);
    // A body parser in front may have read it.
    else if (request.body !== undefined) answer(handler, request, response, auth, request.body);
    else readNodeBody(handler, request, response, auth);
  };
  const fail = (error: unknown): void => {
    edge.load.requests--;
    edge.onError(error);
    send(response, refuse(500, INTERNAL_ERROR, 'Internal server error'), edge);
  };
  try {
    const { method = 'GET', url = '/' } = request;
    const head = { method, path: pathOf(url), header: readNodeHeader(request) };
    const admission = edge.gate.admit(head, request.auth);
    if (admission instanceof Promise) admission.then(go, fail);
    else go(admission);
  } catch (error) {
    fail(error);
  }
}

/** With callbacks: promises of what is only passed on take longer than the call. */
function readNodeBody(
  handler: McpHandler,
  request: NodeRequest,
  response: ServerResponse,
  auth: AuthInfo | undefined,
): void {
  const { edge } = handler;
  const { maxBodyBytes } = edge;
  const chunks: Buffer[] = [];
  let size = 0;
  let isOver = false;
  const end = (refused?: EdgeAnswer): void => {
    isOver = true;
    edge.load.requests--;
    if (refused) send(response, refused, edge);
  };
  const tooLarge = (): EdgeAnswer => refuse(413, REFUSED, `The request has more than ${maxBodyBytes} bytes.`);
  if (!isJson(request.headers['content-type'])) {
    end(wrongMediaType);
    return;
  }
  if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) {
    end(tooLarge());
    return;
  }
  request.on('data', (chunk: Buffer) => {
    if (isOver) return;
    size += chunk.length;
    chunks.push(chunk);
    if (size <= maxBodyBytes) return;
    chunks.length = 0;
    // The rest is read and dropped, within the time for a request: a closed connection would take the answer along.
    end(tooLarge());
  });
  request.on('error', () => {
    if (!isOver) end();
  });
  request.on('end', () => {
    if (isOver) return;
    isOver = true;
    const [first] = chunks;
    const bytes = first && chunks.length === 1 ? first : Buffer.concat(chunks);
    // What is not UTF-8 would be read as something else.
    const { body, refused } = isUtf8(bytes)
      ? readJson(withoutMark(bytes.toString('utf8')), edge.jsonLimits)
      : { refused: notJson() };
    if (refused) end(refused);
    else answer(handler, request, response, auth, body);
  });
}

function answer(
  handler: McpHandler,
  request: NodeRequest,
  response: ServerResponse,
  auth: AuthInfo | undefined,
  body: unknown,
): void {
  const { edge } = handler;
  const { headers, method = 'GET' } = request;
  let signal: AbortSignal | undefined;
  const fail = (error: unknown): void => {
    edge.load.requests--;
    edge.onError(error);
    if (response.headersSent) response.destroy();
    else send(response, refuse(500, INTERNAL_ERROR, 'Internal server error'), edge);
  };
  const finish = (ready: EdgeAnswer | undefined): void => {
    edge.load.requests--;
    if (ready) send(response, ready, edge);
    else {
      // It counts as a request there.
      askSdk(handler, request, response, auth, body).catch((error: unknown) => {
        edge.load.requests++;
        fail(error);
      });
    }
  };
  try {
    const answered = edge.answer(method, {
      header: (name) => headers[name] as string | undefined,
      body,
      auth: auth as Readonly<Record<string, unknown>> | undefined,
      target: request.url ?? '/',
      address: request.socket.remoteAddress,
      signal: () => (signal ??= signalOf(response)),
    });
    if (answered) answered.then(finish).catch(fail);
    else finish(undefined);
  } catch (error) {
    fail(error);
  }
}

async function askSdk(
  handler: McpHandler,
  request: NodeRequest,
  response: ServerResponse,
  auth: AuthInfo | undefined,
  body: unknown,
): Promise<void> {
  const asked = toRequest(request, JSON.stringify(body), signalOf(response));
  await pipe(await handler.fetch(asked, { authInfo: auth, address: request.socket.remoteAddress }), response);
}

/** Some writers put a byte order mark before everything. */
function withoutMark(text: string): string {
  return text.codePointAt(0) === 0xfe_ff ? text.slice(1) : text;
}

/** Which of them would count is for each server to guess, and Node gives the others joined. */
function refuseRepeated({ headers, rawHeaders }: IncomingMessage): EdgeAnswer | undefined {
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

function several(name: string): EdgeAnswer {
  return refuse(400, REFUSED, `Bad Request: several ${name} headers`);
}

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

function toRequest(request: IncomingMessage, body: string | undefined, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    for (const each of [value ?? []].flat()) headers.append(name, each);
  }
  // A request may name its target by the whole URL.
  const { url: target = '/' } = request;
  const url = target.startsWith('/') ? `http://${request.headers.host ?? 'localhost'}${target}` : target;
  return new Request(url, {
    method: request.method ?? 'GET',
    headers,
    signal,
    ...(body === undefined ? {} : { body }),
  });
}

/** Sends what the SDK answered. It is read as it comes, so that what waits for a slow client can be seen. */
async function pipe(result: Response, response: ServerResponse): Promise<void> {
  response.writeHead(result.status, Object.fromEntries(result.headers));
  if (!result.body) {
    response.end();
    return;
  }
  const reader = result.body.getReader();
  response.once('close', () => void reader.cancel().catch(() => undefined));
  response.flushHeaders();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (response.destroyed) return;
    if (response.writableLength > MAX_WAITING) {
      response.destroy();
      return;
    }
    response.write(value);
  }
  response.end();
  if (response.writableLength > 0) cutWhenSlow(response);
}

function send(response: ServerResponse, { status, headers, body }: EdgeAnswer, edge: Edge): void {
  if (response.destroyed) return;
  if (typeof body === 'function') {
    sendEvents(response, status, headers, body, edge);
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
  if (response.writableLength > 0) cutWhenSlow(response);
}

/** A client that does not take its answer keeps it in memory. */
function cutWhenSlow(response: ServerResponse): void {
  // The client may have gone already, of which nobody would tell any more.
  if (response.destroyed) return;
  const timer = setTimeout(() => response.destroy(), MAX_SENDING_MS);
  timer.unref();
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
