// TypeScript 6 and later load no types of Node unless a file asks for them.
/// <reference types="node" preserve="true" />
import { createServer } from 'node:http';
import type { Server as HttpServer, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { AnyRegistry } from '../../registry/any-registry.js';
import { assertRegistry } from '../../registry/assert-registry.js';
import { closeOnSignal } from './close-on-signal.js';
import { createHandler } from '../http/create-handler.js';
import type { McpHandler } from '../http/create-handler.js';
import { assertServerOptions, toHandlerOptions } from '../http/handler-options.js';
import type { HandlerOptions } from '../http/handler-options.js';
import { pathOf } from '../http/admission.js';
import { serveRequest } from '../http/edge.js';
import { NodeConnection } from './node-listener.js';
import { adviseOnPort } from '../../values/explain-port.js';
import { ErrInvalidOptions } from '@toolfold/schema/errors';
import { describeValue, invalidOption } from '@toolfold/schema/internal';
import { isSelectionPath } from '../../toolsets/read-selection.js';

/** Passed to `serveHttp`: the options of the handler, and those of the Node server around it. */
export interface ServeHttpOptions<App = unknown> extends HandlerOptions<App> {
  /** Port to listen on. 0 picks a free port. Default: 3000. */
  readonly port?: number;
  /** Address to listen on. Default: 127.0.0.1, which only this machine reaches. */
  readonly host?: string;
  /**
   * The path of the endpoint. Paths below it select toolsets: `/mcp/x/users,billing`, `/mcp/x/users/readonly`,
   * `/mcp/readonly`. Default: /mcp.
   */
  readonly path?: string;
  /** Maximum size of the headers of a request, in bytes. Default: 16 KiB. */
  readonly maxHeaderBytes?: number;
  /** Milliseconds in which a client must send a whole request. Default: 30,000. */
  readonly requestTimeoutMs?: number;
  /** Whether the server is ready to serve, for `/readyz`. A `fault` of `shared` takes precedence. Default: always. */
  readonly isReady?: () => boolean;
  /** Fields that `/healthz` adds to its answer. Everybody who reaches the server can read them. Default: none. */
  readonly health?: () => Readonly<Record<string, unknown>>;
  /** Milliseconds that calls get to finish when the server is closed. Default: 5,000. */
  readonly graceMs?: number;
  /** Whether SIGINT and SIGTERM close the server. Default: true. */
  readonly closeOnSignals?: boolean;
}

/** Controls a server that `serveHttp` has started. */
export interface RunningServer {
  /** Address of the MCP endpoint, with the actual port. */
  readonly url: string;
  /** The Node server, for settings that Toolfold has no option for. */
  readonly server: HttpServer;
  /** Stops accepting requests, lets calls finish within `graceMs`, and ends streams. */
  close(): Promise<void>;
}

const CHECK_MS = 1_000;

/** Serves a registry over HTTP. */
export async function serveHttp<App>(
  registry: AnyRegistry<App>,
  options: ServeHttpOptions<NoInfer<App>> = {},
): Promise<RunningServer> {
  assertRegistry('serveHttp', registry);
  if (typeof options === 'number' || typeof options === 'string')
    throw invalidOption(
      'The second argument of serveHttp',
      `an object, not ${describeValue(options)}`,
      `Write serveHttp(registry, { port: ${Number(options) || 3000} }).`,
    );
  assertServerOptions(options);
  const { port = 3000, host = '127.0.0.1', path = '/mcp', graceMs = 5_000, isReady = () => true } = options;
  const { health = () => ({}) } = options;
  const { maxHeaderBytes: maxHeaderSize = 16_384, requestTimeoutMs: requestTimeout = 30_000 } = options;
  await options.auth?.ready?.();
  const handler = createHandler(registry, { ...toHandlerOptions(options), path });
  const { edge } = handler;
  await edge.exposure.ready().catch(async (error: unknown) => {
    await handler.close();
    throw error;
  });
  let isClosing = false;
  const timeouts = {
    requestTimeout,
    headersTimeout: Math.min(requestTimeout, 10_000),
    // The interval in which Node checks the timeouts.
    connectionsCheckingInterval: CHECK_MS,
  };
  const server = createServer({ maxHeaderSize, ...timeouts }, (request, response) => {
    const target = pathOf(request.url ?? '');
    if (target === path || edge.admission.serves(target) || isSelectionPath(target, path))
      void serveRequest(edge, new NodeConnection(request, response));
    else if (target === '/healthz') send(response, 200, 'ok', attempt(health, {}, edge.onError));
    else if (target === '/readyz') {
      const fault = registry.shared?.fault;
      if (isClosing) send(response, 503, 'closing');
      else if (fault) send(response, 503, 'not ready', { reason: fault.message });
      else if (attempt(isReady, false, edge.onError)) send(response, 200, 'ok');
      else send(response, 503, 'not ready');
    } else send(response, 404, 'not found');
  });
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const listening = new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
  await listening.catch(async (error: unknown) => {
    await handler.close();
    throw adviseOnPort(error);
  });
  if (!isLocal(host) && options.allowedHosts === undefined) edge.onError(unreachable(host));
  const { port: bound } = server.address() as AddressInfo;
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    isClosing = true;
    return (closed ??= closeWithin(graceMs, handler, server, sockets).finally(forget));
  };
  const forget = options.closeOnSignals === false ? () => {} : closeOnSignal(close, graceMs);
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}${path}`,
    server,
    close,
  };
}

const isLocal = (host: string): boolean => /^(?:localhost|127\.[\d.]+|::1)$/.test(host);

function unreachable(host: string): ErrInvalidOptions {
  return new ErrInvalidOptions(
    `The server listens on ${host}, but rejects requests that name another host than localhost.`,
    { hint: "Name the hosts by which clients reach it: allowedHosts: ['mcp.example.com', 'localhost']." },
  );
}

/** Calls a function of the author. An error is reported, but must not make the process look dead. */
function attempt<T>(call: () => T, fallback: T, onError: (error: unknown) => void): T {
  try {
    return call();
  } catch (error) {
    onError(error);
    return fallback;
  }
}

function send(response: ServerResponse, status: number, text: string, details: object = {}): void {
  const body = Buffer.from(JSON.stringify({ status: text, ...details }));
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
}

async function closeWithin(
  graceMs: number,
  handler: McpHandler,
  server: HttpServer,
  sockets: ReadonlySet<Socket>,
): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  const sweep = setInterval(() => {
    // Connections become idle as their calls end.
    server.closeIdleConnections();
    // Node counts connections that have sent nothing as busy, such as the spare connections of a client.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  }, 20);
  await handler.close();
  await closed;
  clearTimeout(timer);
  clearInterval(sweep);
}
