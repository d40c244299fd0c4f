import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { adviseOnPort } from 'toolfold/internal';
import { answerClientError } from './client-errors.js';
import { refuseForeign, refuseStranger, securityHeaders } from './guard.js';
import { ApiFailure, sendProblem } from './answers.js';
import type { PageFile } from './page-files.js';
import { readPageFiles } from './page-files.js';

/** Handles authenticated requests under one path prefix. */
export interface PagePart {
  /** Rejects with an `ApiFailure` if the message explains the problem. */
  answer(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void>;
}

/** Handlers by path prefix. The first matching prefix wins. */
type PageRoutes = readonly (readonly [path: string, part: PagePart])[];

interface PageServerOptions {
  readonly routes: PageRoutes;
  readonly token: string;
  /** Default: 4400, or any free port if it is taken. */
  readonly port?: number | undefined;
  readonly onError: (error: unknown) => void;
}

interface PageServer {
  readonly port: number;
  /** Closes all connections and stops listening. */
  close(): Promise<void>;
}

const DEFAULT_PORT = 4400;
/** A page opens at most a few dozen connections. */
const MAX_CONNECTIONS = 256;
const limits = {
  maxHeaderSize: 16_384,
  /** Milliseconds in which a client must send its headers, and the complete request. */
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
} as const;

/** Listens on the loopback address only, so that other machines never reach the page. */
export async function listenForPage(options: PageServerOptions): Promise<PageServer> {
  const files = readPageFiles();
  const server = createServer(limits, (request, response) => {
    // A broken connection is handled where its answer is written.
    request.on('error', () => {});
    response.on('error', () => {});
    answer(request, response, files, options).catch((error: unknown) =>
      sendProblem(response, error, options.onError),
    );
  });
  server.maxConnections = MAX_CONNECTIONS;
  // No other protocol is supported, such as WebSocket.
  server.on('upgrade', (_request, socket) => socket.destroy());
  server.on('clientError', answerClientError);
  const { port } = options;
  await listen(server, options.port ?? DEFAULT_PORT).catch((error: NodeJS.ErrnoException) => {
    if (port === undefined && error.code === 'EADDRINUSE') return listen(server, 0);
    throw adviseOnPort(error);
  });
  server.on('error', options.onError);
  return { port: (server.address() as AddressInfo).port, close: () => close(server) };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  files: ReadonlyMap<string, PageFile>,
  { routes, token }: PageServerOptions,
): Promise<void> {
  for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
  const foreign = refuseForeign(request);
  if (foreign) throw new ApiFailure(foreign.message, foreign);
  const url = readUrl(request.url ?? '/');
  const { pathname } = url;
  if (pathname.startsWith('/api/') || pathname.startsWith('/mcp/')) {
    const stranger = refuseStranger(request, token);
    if (stranger) throw new ApiFailure(stranger.message, stranger);
    const part = routes.find(([path]) => pathname.startsWith(path))?.[1];
    if (!part) throw new ApiFailure('There is no such endpoint.', { status: 404 });
    return part.answer(request, response, url);
  }
  const file = files.get(pathname === '/' ? '/index.html' : pathname);
  if (!file) throw new ApiFailure('There is no such file.', { status: 404 });
  if (request.method !== 'GET' && request.method !== 'HEAD')
    throw new ApiFailure('Files can only be read.', { status: 405, allow: 'GET, HEAD' });
  response.writeHead(200, {
    'content-type': file.type,
    'content-length': file.body.length,
    'cache-control': file.isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
  });
  response.end(request.method === 'HEAD' ? undefined : file.body);
}

/** Parses the path of a request. Proxies send absolute URLs, and the URL parser would read `//host/` and `/\host/` as one. */
function readUrl(path: string): URL {
  if (!path.startsWith('/') || /^\/[\\/]/.test(path) || !URL.canParse(path, 'http://127.0.0.1'))
    throw new ApiFailure('The address of the request is not a path.');
  return new URL(path, 'http://127.0.0.1');
}
