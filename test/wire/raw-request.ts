/** Raw requests for tests without a client. */
export const MODERN_VERSION = '2026-07-28';

const PREFIX = 'io.modelcontextprotocol/';
const nameSources: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

type Headers = Readonly<Record<string, string>>;

export interface RawRequest {
  readonly method: 'POST';
  readonly headers: Record<string, string>;
  readonly body: string;
}

export interface ModernOverrides {
  /** Default: 1. */
  readonly id?: number | string;
  /** Further headers. They take precedence over the usual ones. */
  readonly headers?: Headers;
  /** Further members of `_meta`. They take precedence over the usual ones. */
  readonly meta?: object;
  /** Default: none. */
  readonly capabilities?: object;
}

/** A POST of any JSON, with the headers that every revision requires. */
export function jsonRequest(message: unknown, headers: Headers = {}): RawRequest {
  return {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(message),
  };
}

/** The `_meta` of a valid 2026-07-28 request. */
export function modernMeta(capabilities: object = {}, meta: object = {}): Record<string, unknown> {
  return {
    [`${PREFIX}protocolVersion`]: MODERN_VERSION,
    [`${PREFIX}clientCapabilities`]: capabilities,
    [`${PREFIX}clientInfo`]: { name: 'client', version: '1' },
    ...meta,
  };
}

/** The capabilities of a client that supports tasks. */
export const taskCapabilities = { extensions: { [`${PREFIX}tasks`]: {} } };

/** A valid 2026-07-28 request, to pass to `fetch`. */
export function modernRequest(
  method: string,
  params: object = {},
  { id = 1, headers = {}, meta = {}, capabilities = {} }: ModernOverrides = {},
): RawRequest {
  const source = nameSources[method];
  const name = source === undefined ? undefined : (params as Readonly<Record<string, unknown>>)[source];
  return jsonRequest(
    { jsonrpc: '2.0', id, method, params: { ...params, _meta: modernMeta(capabilities, meta) } },
    {
      'mcp-protocol-version': MODERN_VERSION,
      'mcp-method': method,
      ...(name === undefined ? {} : { 'mcp-name': String(name) }),
      ...headers,
    },
  );
}

/** The request that opens a 2025-11-25 session. */
export function initializeRequest(headers: Headers = {}): RawRequest {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  return jsonRequest({ jsonrpc: '2.0', id: 0, method: 'initialize', params }, headers);
}
