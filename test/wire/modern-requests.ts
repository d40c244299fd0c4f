import type { Face } from './faces.js';
import { readEvents } from './events.js';

type Json = Record<string, unknown>;

export interface ModernAnswer {
  readonly status: number;
  /** What came before the answer. */
  readonly notifications: readonly Json[];
  readonly result: Json & { readonly resultType?: string };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
  readonly id: unknown;
}

const PREFIX = 'io.modelcontextprotocol/';
const named: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/** Asks as a client of 2026-07-28 does: every request says everything. */
export function createModernClient(
  face: Face,
  { capabilities = {}, user, meta = {} }: { capabilities?: Json; user?: string; meta?: Json } = {},
) {
  let id = 0;
  const send = (method: string, params: Json = {}, signal?: AbortSignal): Promise<Response> => {
    const name = named[method];
    const _meta = {
      [`${PREFIX}protocolVersion`]: '2026-07-28',
      [`${PREFIX}clientCapabilities`]: capabilities,
      [`${PREFIX}clientInfo`]: { name: 'client', version: '1' },
      ...meta,
    };
    return face.send({
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': method,
        ...(name === undefined ? {} : { 'mcp-name': String(params[name]) }),
        ...(user === undefined ? {} : { 'x-user': user }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params: { ...params, _meta } }),
      ...(signal ? { signal } : {}),
    });
  };
  const request = async (method: string, params?: Json): Promise<ModernAnswer> => {
    const response = await send(method, params);
    const { status } = response;
    if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
      return { ...((await response.json()) as ModernAnswer), status, notifications: [] };
    const messages = (await readEvents(response).rest()).flatMap(({ message }) => (message ? [message] : []));
    return { ...(messages.at(-1) as unknown as ModernAnswer), status, notifications: messages.slice(0, -1) };
  };
  return { send, request };
}
