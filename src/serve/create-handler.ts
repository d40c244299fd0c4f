import {
  Server,
  createMcpHandler,
  isJsonContentType,
  isLegacyRequest,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server';
import type { AuthInfo } from '@modelcontextprotocol/server';
import { LRUCache } from 'lru-cache';
import type { ToolRegistry } from '../registry/tool-registry.js';
import type { ViewPolicy } from '../registry/view.js';
import { ModernAnswers } from './answer-modern.js';
import type { EdgeAnswer, EdgeRequest } from './answer-modern.js';
import { jsonError } from './json-error.js';
import { LegacySessions } from './legacy-sessions.js';
import type { SessionOptions } from './legacy-sessions.js';

export interface HandlerOptions {
  /** What callers see; everything by default. */
  readonly view?: ViewPolicy;
  /** The names under which the server may be addressed. Default: localhost. */
  readonly allowedHosts?: readonly string[];
  /** Whose web pages may call. Default: those of localhost. */
  readonly allowedOrigins?: readonly string[];
  /** How large a request may be. Default: 4 MiB. */
  readonly maxBodyBytes?: number;
  /** For clients of 2025 and before. */
  readonly sessions?: SessionOptions;
  /** Told what went wrong and is not for clients. */
  readonly onError?: (error: unknown) => void;
}

interface Refusal {
  readonly status: number;
  readonly message: string;
}

/** Serves a registry to clients of every era. */
export interface McpHandler {
  /** The web-standard face. `authInfo` is what the caller's authorization was verified to be. */
  fetch(request: Request, options?: { readonly authInfo?: AuthInfo | undefined }): Promise<Response>;
  /** For servers that have read the body already: an answer where it needs no stream and nothing is wrong. */
  answer(request: EdgeRequest): Promise<EdgeAnswer> | undefined;
  /** Whether a request comes to and from where it may; an error otherwise. */
  check(host: string | undefined, origin: string | undefined): Refusal | undefined;
  readonly maxBodyBytes: number;
  close(): Promise<void>;
}

const FINE = Symbol('fine');
const DEFAULT_MAX_BODY = 4 * 1024 * 1024;

export function createHandler(registry: ToolRegistry, options: HandlerOptions = {}): McpHandler {
  const { view, maxBodyBytes = DEFAULT_MAX_BODY, onError = () => {} } = options;
  const hosts = [...(options.allowedHosts ?? localhostAllowedHostnames())];
  const origins = [...(options.allowedOrigins ?? localhostAllowedOrigins())];
  const modern = new ModernAnswers(registry, () => registry.view(view));
  const sessions = new LegacySessions(registry, view, options.sessions);
  const sdk = createMcpHandler(
    () => {
      const server = new Server({ name: registry.name, version: registry.version }, { capabilities: {} });
      registry.attachToServer(server, view ? { view } : {});
      return server;
    },
    { legacy: 'reject', onerror: onError, maxRequestBodySize: maxBodyBytes },
  );
  const unsubscribe = registry.onChange(({ kind }) => {
    if (kind === 'tools') sdk.notify.toolsChanged();
    else if (kind === 'prompts') sdk.notify.promptsChanged();
    else if (kind === 'resources') sdk.notify.resourcesChanged();
  });

  // The same few come with every request.
  const checked = new LRUCache<string, Refusal | typeof FINE>({ max: 100 });
  const check: McpHandler['check'] = (host, origin) => {
    const key = `${host} ${origin}`;
    let outcome = checked.get(key);
    if (outcome === undefined) checked.set(key, (outcome = judge(host, origin) ?? FINE));
    return outcome === FINE ? undefined : outcome;
  };
  const judge: McpHandler['check'] = (host, origin) => {
    const checkedHost = validateHostHeader(host, hosts);
    if (!checkedHost.ok) return { status: 403, message: checkedHost.message };
    const checkedOrigin = validateOriginHeader(origin, origins);
    return checkedOrigin.ok ? undefined : { status: 403, message: checkedOrigin.message };
  };

  const serve = async (request: Request, authInfo: AuthInfo | undefined): Promise<Response> => {
    const refused = check(hostOf(request), request.headers.get('origin') ?? undefined);
    if (refused) return jsonError(refused.status, -32_000, refused.message);
    if (!['POST', 'GET', 'DELETE'].includes(request.method))
      return jsonError(405, -32_000, 'Method not allowed.', { allow: 'GET, POST, DELETE' });
    const isPost = request.method === 'POST';
    if (isPost && !isJsonContentType(request.headers.get('content-type')))
      return jsonError(415, -32_000, 'Unsupported Media Type: Content-Type must be application/json');
    const { body, error } = isPost ? await readBody(request, maxBodyBytes) : NO_BODY;
    if (error) return error;
    const answer = isPost
      ? modern.answer({
          header: (name) => request.headers.get(name) ?? undefined,
          body,
          auth: authInfo as EdgeRequest['auth'],
          signal: request.signal,
        })
      : undefined;
    if (answer) return toResponse(await answer);
    const isLegacy = !isPost || (await isLegacyRequest(request, body));
    if (isLegacy) return sessions.serve(request, body, authInfo);
    return sdk.fetch(request, { parsedBody: body, ...(authInfo ? { authInfo } : {}) });
  };

  return {
    fetch: async (request, { authInfo } = {}) => {
      try {
        return await serve(request, authInfo);
      } catch (error) {
        onError(error);
        return jsonError(500, -32_603, 'Internal server error');
      }
    },
    answer: (request) => modern.answer(request),
    check,
    maxBodyBytes,
    close: async () => {
      unsubscribe();
      await Promise.all([sdk.close(), sessions.close()]);
    },
  };
}

function toResponse({ status, body }: EdgeAnswer): Response {
  const parts =
    typeof body === 'string' ? body : new Blob([...body] as ConstructorParameters<typeof Blob>[0]);
  return new Response(parts, { status, headers: { 'content-type': 'application/json' } });
}

/** A fetch-style runtime may leave the header out and have the host in the URL. */
function hostOf(request: Request): string {
  return request.headers.get('host') ?? new URL(request.url).host;
}

interface ReadBody {
  readonly body?: unknown;
  readonly error?: Response;
}

const NO_BODY: ReadBody = {};

async function readBody(request: Request, maxBytes: number): Promise<ReadBody> {
  const tooLarge = (): ReadBody => ({
    error: jsonError(413, -32_000, `The request has more than ${maxBytes} bytes.`),
  });
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) return tooLarge();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  let size = 0;
  try {
    for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
      size += chunk.byteLength;
      if (size > maxBytes) return tooLarge();
      text += decoder.decode(chunk, { stream: true });
    }
    return { body: JSON.parse(text + decoder.decode()) as unknown };
  } catch {
    return { error: jsonError(400, -32_700, 'Parse error: the request body is not valid JSON') };
  }
}
