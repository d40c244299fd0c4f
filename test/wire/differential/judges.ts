/** Servers of the SDK that answer the same requests. */
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import {
  Server,
  WebStandardStreamableHTTPServerTransport,
  createMcpHandler,
  isJsonContentType,
  isLegacyRequest,
} from '@modelcontextprotocol/server';
import type { McpHttpHandler } from '@modelcontextprotocol/server';
import { createRegistry, createSdkServer } from './catalog.js';
import type { Fetch } from './send.js';

/**
 * - `composed`: `createMcpHandler` for 2026-07-28 and the SDK's session transport for what came before, with the
 *   registry attached to a server of the SDK. Everything but the road from the socket to the registry is the same.
 * - `handler`: `createMcpHandler` alone, which serves 2025 without sessions.
 * - `sdk`: `createMcpHandler` with a server of the SDK and its own tools, prompts and resources. Nothing is the same.
 */
export type JudgeName = 'composed' | 'handler' | 'sdk';

export interface Judge {
  readonly name: JudgeName;
  readonly fetch: Fetch;
  /** The port of a Node server with the same `fetch`, for requests that `Request` cannot express. */
  readonly port: number;
  close(): Promise<void>;
}

export async function createJudges(): Promise<Readonly<Record<JudgeName, Judge>>> {
  const registry = createRegistry();
  const attached = (): Server => {
    const server = new Server({ name: 'acme', version: '1.0.0' }, { capabilities: {} });
    registry.attachToServer(server);
    return server;
  };
  const strict = createMcpHandler(attached, { legacy: 'reject' });
  const handler = createMcpHandler(attached);
  const sdk = createMcpHandler(createSdkServer);
  return {
    composed: await listen('composed', withSessions(strict, attached), strict),
    handler: await listen('handler', (request) => handler.fetch(request), handler),
    sdk: await listen('sdk', (request) => sdk.fetch(request), sdk),
  };
}

/** Combines both as the SDK's documentation shows. */
function withSessions(strict: McpHttpHandler, createServerOf: () => Server): Fetch {
  const transports = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const open = async (): Promise<WebStandardStreamableHTTPServerTransport> => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void transports.set(id, transport),
      onsessionclosed: (id) => void transports.delete(id),
    });
    await createServerOf().connect(transport);
    return transport;
  };
  let another: WebStandardStreamableHTTPServerTransport | undefined;
  return async (request) => {
    const id = request.headers.get('mcp-session-id');
    const isForSessions =
      (request.method !== 'POST' || (await isJsonOf2025(request))) &&
      (id !== null || !['GET', 'DELETE'].includes(request.method));
    if (!isForSessions) return strict.fetch(request);
    if (id === null) return (await open()).handleRequest(request);
    // A transport with a session rejects other session ids itself.
    another ??= await openSession(open);
    return (transports.get(id) ?? another).handleRequest(request);
  };
}

/** Whether a request is valid 2025 JSON. The handler answers invalid JSON before it knows the era. */
async function isJsonOf2025(request: Request): Promise<boolean> {
  if (!isJsonContentType(request.headers.get('content-type')) || !(await isLegacyRequest(request)))
    return false;
  try {
    await request.clone().json();
    return true;
  } catch {
    return false;
  }
}

async function openSession(
  open: () => Promise<WebStandardStreamableHTTPServerTransport>,
): Promise<WebStandardStreamableHTTPServerTransport> {
  const transport = await open();
  await transport.handleRequest(
    new Request('http://localhost/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 0,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } },
      }),
    }),
  );
  return transport;
}

async function listen(name: JudgeName, fetch: Fetch, handler: McpHttpHandler): Promise<Judge> {
  const server = createServer((request, response) => {
    bridge(fetch, request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    name,
    fetch,
    port: (server.address() as AddressInfo).port,
    close: async () => {
      await handler.close();
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

async function bridge(fetch: Fetch, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const headers = new Headers();
  for (let at = 0; at < request.rawHeaders.length; at += 2)
    headers.append(request.rawHeaders[at] ?? '', request.rawHeaders[at + 1] ?? '');
  const controller = new AbortController();
  response.once('close', () => controller.abort());
  const hasBody = request.method !== 'GET' && request.method !== 'HEAD';
  const answer = await fetch(
    new Request(`http://localhost${request.url ?? '/'}`, {
      method: request.method ?? 'GET',
      headers,
      signal: controller.signal,
      ...(hasBody ? { body: Buffer.concat(chunks) } : {}),
    }),
  );
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (answer.body) Readable.fromWeb(answer.body as never).pipe(response);
  else response.end();
}
