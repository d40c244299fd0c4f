import { Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { AuthInfo } from '@modelcontextprotocol/server';
import { LRUCache } from 'lru-cache';
import { callerKey } from '../guard/caller-key.js';
import type { ToolRegistry } from '../registry/tool-registry.js';
import type { ViewPolicy } from '../registry/view.js';
import { jsonError } from './json-error.js';

export interface SessionOptions {
  /** How many sessions there may be; the one that was not used for longest ends first. Default: 10,000. */
  readonly max?: number;
  /** Milliseconds after which an unused session ends. Default: an hour. */
  readonly ttl?: number;
}

interface Session {
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly server: Server;
  /** Who opened it, and may use it. */
  readonly owner: string;
}

const HOUR = 60 * 60_000;

/** Sessions of clients of 2025 and before. */
export class LegacySessions {
  readonly #registry: ToolRegistry;
  readonly #view: ViewPolicy | undefined;
  readonly #sessions: LRUCache<string, Session>;

  constructor(
    registry: ToolRegistry,
    view: ViewPolicy | undefined,
    { max = 10_000, ttl = HOUR }: SessionOptions = {},
  ) {
    this.#registry = registry;
    this.#view = view;
    this.#sessions = new LRUCache<string, Session>({
      max,
      ttl,
      updateAgeOnGet: true,
      dispose: ({ server }) => void server.close().catch(() => undefined),
    });
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Serves a request of a session, or opens one. A request that is neither creates nothing. */
  async serve(request: Request, body: unknown, authInfo: AuthInfo | undefined): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    const options = {
      ...(body === undefined ? {} : { parsedBody: body }),
      ...(authInfo ? { authInfo } : {}),
    };
    if (id !== null) {
      const session = this.#sessions.get(id);
      // Somebody else's session does not exist.
      if (!session || session.owner !== ownerOf(authInfo))
        return jsonError(404, -32_001, 'Session not found or expired');
      return session.transport.handleRequest(request, options);
    }
    if (request.method === 'GET' || request.method === 'DELETE')
      return jsonError(405, -32_000, 'Method not allowed.');
    if (!isInitialize(body)) return jsonError(400, -32_000, 'Bad Request: Mcp-Session-Id header is required');
    return this.#open(authInfo).then(({ transport }) => transport.handleRequest(request, options));
  }

  async close(): Promise<void> {
    const servers = [...this.#sessions.values()].map(({ server }) => server);
    this.#sessions.clear();
    await Promise.allSettled(servers.map((server) => server.close()));
  }

  async #open(authInfo: AuthInfo | undefined): Promise<Session> {
    const server = new Server(
      { name: this.#registry.name, version: this.#registry.version },
      { capabilities: {} },
    );
    this.#registry.attachToServer(server, this.#view ? { view: this.#view } : {});
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      enableJsonResponse: false,
      onsessioninitialized: (id) => void this.#sessions.set(id, session),
      onsessionclosed: (id) => void this.#sessions.delete(id),
    });
    const session: Session = { transport, server, owner: ownerOf(authInfo) };
    await server.connect(transport);
    return session;
  }
}

function ownerOf(authInfo: AuthInfo | undefined): string {
  return callerKey({ auth: authInfo as Readonly<Record<string, unknown>> | undefined }, undefined);
}

function isInitialize(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'method' in body && body.method === 'initialize';
}
