/** Requests as data, so that each can be sent by `fetch` and over a socket. */

export type Header = readonly [name: string, value: string];

export interface HttpRequest {
  readonly method: string;
  readonly headers: readonly Header[];
  readonly body?: string | Uint8Array;
  readonly target?: string;
}

/** Requests that are sent one after the other. A header with the value SESSION gets the session opened before. */
export interface HttpCase {
  readonly title: string;
  readonly requests: readonly HttpRequest[];
}

export const SESSION = '$session';
export const VERSION = '2026-07-28';
const PREFIX = 'io.modelcontextprotocol/';
export const VERSION_KEY = `${PREFIX}protocolVersion`;
export const CAPABILITIES_KEY = `${PREFIX}clientCapabilities`;
export const CLIENT_KEY = `${PREFIX}clientInfo`;
export const LOG_LEVEL_KEY = `${PREFIX}logLevel`;

export type Json = Record<string, unknown>;

export const envelope: Readonly<Json> = {
  [VERSION_KEY]: VERSION,
  [CAPABILITIES_KEY]: {},
  [CLIENT_KEY]: { name: 'differential', version: '1.0.0' },
};

export const BOTH = 'application/json, text/event-stream';

/** The parameter that `Mcp-Name` repeats. */
const nameSources: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
};

export function modernHeaders(method: string, params: Readonly<Json> = {}): Header[] {
  const source = Object.hasOwn(nameSources, method) ? nameSources[method] : undefined;
  const name = source === undefined ? undefined : params[source];
  return [
    ['content-type', 'application/json'],
    ['accept', BOTH],
    ['mcp-protocol-version', VERSION],
    ['mcp-method', method],
    ...(typeof name === 'string' ? [['mcp-name', name] as const] : []),
  ];
}

export function modernMessage(method: string, params: Readonly<Json> = {}, meta: Readonly<Json> = {}): Json {
  return { jsonrpc: '2.0', id: 7, method, params: { ...params, _meta: { ...envelope, ...meta } } };
}

/** A valid 2026-07-28 request. */
export function modern(method: string, params: Readonly<Json> = {}, meta: Readonly<Json> = {}): HttpRequest {
  return {
    method: 'POST',
    headers: modernHeaders(method, params),
    body: JSON.stringify(modernMessage(method, params, meta)),
  };
}

export function post(headers: readonly Header[], message: unknown): HttpRequest {
  return { method: 'POST', headers, body: JSON.stringify(message) };
}

export const legacyHeaders: readonly Header[] = [
  ['content-type', 'application/json'],
  ['accept', BOTH],
];

export function inSession(version = '2025-11-25'): Header[] {
  return [...legacyHeaders, ['mcp-session-id', SESSION], ['mcp-protocol-version', version]];
}

export function initialize(version = '2025-11-25', capabilities: Readonly<Json> = {}): HttpRequest {
  return post(legacyHeaders, {
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: {
      protocolVersion: version,
      capabilities,
      clientInfo: { name: 'differential', version: '1.0.0' },
    },
  });
}

/** The requests that open a session, as the start of a case. */
export function handshake(version = '2025-11-25', capabilities: Readonly<Json> = {}): HttpRequest[] {
  return [
    initialize(version, capabilities),
    post(inSession(version), { jsonrpc: '2.0', method: 'notifications/initialized' }),
  ];
}

/** Replaces the headers of that name, or removes them with `undefined`. */
export function withHeader(request: HttpRequest, name: string, ...values: readonly string[]): HttpRequest {
  const others = request.headers.filter(([other]) => other.toLowerCase() !== name.toLowerCase());
  return { ...request, headers: [...others, ...values.map((value) => [name, value] as const)] };
}

export function headerOf(request: HttpRequest, name: string): string | undefined {
  const values = request.headers.filter(([other]) => other.toLowerCase() === name).map(([, value]) => value);
  return values.length === 0 ? undefined : values.join(', ');
}

export function bytesOf({ body }: HttpRequest): Buffer {
  return body === undefined
    ? Buffer.alloc(0)
    : typeof body === 'string'
      ? Buffer.from(body, 'utf8')
      : Buffer.from(body);
}

/** Parses the body leniently. */
export function messageOf(request: HttpRequest): unknown {
  try {
    return JSON.parse(
      bytesOf(request)
        .toString('utf8')
        .replace(/^\uFEFF/, ''),
    );
  } catch {
    return undefined;
  }
}

export function methodOf(request: HttpRequest): unknown {
  const message = messageOf(request);
  return typeof message === 'object' && message !== null ? (message as Json)['method'] : undefined;
}

export function paramsOf(request: HttpRequest): Json {
  const message = messageOf(request);
  const params = typeof message === 'object' && message !== null ? (message as Json)['params'] : undefined;
  return typeof params === 'object' && params !== null ? (params as Json) : {};
}

/** Whether a request names no revision, or one before 2026-07-28. */
export function isOf2025(request: HttpRequest): boolean {
  const meta = paramsOf(request)['_meta'];
  const isClaimed = typeof meta === 'object' && meta !== null && Object.hasOwn(meta, VERSION_KEY);
  return !isClaimed && headerOf(request, 'mcp-protocol-version')?.trim() !== VERSION;
}
