import { createServer } from 'node:http';
import type { IncomingMessage, Server as HttpServer, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import type { AuthInfo } from '@modelcontextprotocol/server';
import type { ToolRegistry } from '../registry/tool-registry.js';
import { createHandler } from './create-handler.js';
import type { HandlerOptions, McpHandler } from './create-handler.js';

export interface ServeHttpOptions extends HandlerOptions {
  /** 0 for any that is free. Default: 3000. */
  readonly port?: number;
  /** Default: 127.0.0.1, which only this machine reaches. */
  readonly host?: string;
  /** Default: /mcp. */
  readonly path?: string;
  /** Milliseconds that calls get to finish when the server is closed. Default: 5,000. */
  readonly graceMs?: number;
}

export interface RunningServer {
  readonly url: string;
  readonly server: HttpServer;
  /** Takes no more requests, lets calls finish within the grace time, and ends streams. */
  close(): Promise<void>;
}

/** Serves a registry over HTTP. */
export async function serveHttp(
  registry: ToolRegistry,
  options: ServeHttpOptions = {},
): Promise<RunningServer> {
  const { port = 3000, host = '127.0.0.1', path = '/mcp', graceMs = 5_000 } = options;
  const handler = createHandler(registry, options);
  const listener = toNodeListener(handler, options.onError);
  const server = createServer({ requestTimeout: 30_000, headersTimeout: 10_000 }, (request, response) => {
    const [target = ''] = (request.url ?? '').split('?', 1);
    if (target === path) listener(request, response);
    else if (target === '/healthz' || target === '/readyz') send(response, 200, '{"status":"ok"}');
    else send(response, 404, '{"error":"Not found"}');
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}${path}`,
    server,
    close: () => closeWithin(server, handler, graceMs),
  };
}

/** For an HTTP server of one's own, or Express and the like: `app.all('/mcp', toNodeListener(handler))`. */
export function toNodeListener(
  handler: McpHandler,
  onError: (error: unknown) => void = () => {},
): (request: IncomingMessage & { auth?: AuthInfo; body?: unknown }, response: ServerResponse) => void {
  return (request, response) => {
    serve(handler, request, response).catch((error: unknown) => {
      onError(error);
      if (response.headersSent) response.destroy();
      else send(response, 500, rpcError(-32_603, 'Internal server error'));
    });
  };
}

async function serve(
  handler: McpHandler,
  request: IncomingMessage & { auth?: AuthInfo; body?: unknown },
  response: ServerResponse,
): Promise<void> {
  const { headers, method, auth } = request;
  const refused = handler.check(headers.host, headers.origin);
  if (refused) {
    send(response, refused.status, rpcError(-32_000, refused.message));
    return;
  }
  let text: string | undefined;
  if (method === 'POST') {
    // A body parser in front may have read it.
    text =
      request.body === undefined
        ? await readText(request, handler.maxBodyBytes)
        : JSON.stringify(request.body);
    if (text === undefined) {
      send(response, 413, rpcError(-32_000, `The request has more than ${handler.maxBodyBytes} bytes.`), {
        connection: 'close',
      });
      return;
    }
    const answer = headers['content-type']?.startsWith('application/json')
      ? answerFast(handler, request, response, text)
      : undefined;
    if (answer) {
      const { status, body } = await answer;
      if (typeof body === 'string') send(response, status, body);
      else sendParts(response, status, body);
      return;
    }
  }
  const controller = new AbortController();
  response.once('close', () => controller.abort());
  const result = await handler.fetch(toRequest(request, text, controller.signal), { authInfo: auth });
  await write(result, response);
}

/** Without objects of the web standard, which cost more than the call. */
function answerFast(
  handler: McpHandler,
  request: IncomingMessage & { auth?: AuthInfo },
  response: ServerResponse,
  text: string,
): ReturnType<McpHandler['answer']> {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return undefined;
  }
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableEnded) controller.abort();
  });
  return handler.answer({
    header: (name) => request.headers[name] as string | undefined,
    body,
    auth: request.auth as Readonly<Record<string, unknown>> | undefined,
    signal: controller.signal,
  });
}

/** With events: an iterator of the request takes longer than the call. */
function readText(request: IncomingMessage, maxBytes: number): Promise<string | undefined> {
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
      resolve((only && chunks.length === 1 ? only : Buffer.concat(chunks)).toString('utf8'));
    });
    request.once('error', reject);
    request.once('close', () => reject(new Error('The client went away.')));
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

async function write(result: Response, response: ServerResponse): Promise<void> {
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

function send(
  response: ServerResponse,
  status: number,
  body: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...headers,
  });
  response.end(body);
}

function sendParts(
  response: ServerResponse,
  status: number,
  [before, bytes, after]: readonly [string, Uint8Array, string],
): void {
  const length = Buffer.byteLength(before) + bytes.byteLength + Buffer.byteLength(after);
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': length });
  response.write(before);
  response.write(bytes);
  response.end(after);
}

function rpcError(code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null });
}

async function closeWithin(server: HttpServer, handler: McpHandler, graceMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  // Connections become idle as their calls end.
  const sweep = setInterval(() => server.closeIdleConnections(), 20);
  await handler.close();
  await closed;
  clearTimeout(timer);
  clearInterval(sweep);
}
