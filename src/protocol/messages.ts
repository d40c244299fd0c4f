import { isJsonObject } from '../values/json-value.js';

export type Id = string | number;

/** A JSON-RPC message of a client. */
export type Message =
  | { readonly kind: 'request'; readonly id: Id; readonly method: string; readonly params: Params }
  | { readonly kind: 'notification'; readonly method: string; readonly params: Params }
  | { readonly kind: 'response'; readonly id: unknown; readonly result?: unknown; readonly error?: unknown };

type Params = Readonly<Record<string, unknown>>;

/** The last protocol version in which a client may send several messages as one array. */
export const LAST_WITH_BATCHES = '2025-03-26';
export const MAX_BATCH = 100;
const members: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params', 'result', 'error']);

/** Reads all messages of a body. Returns `undefined` if one of them is invalid. */
export function readMessages(body: unknown): readonly Message[] | undefined {
  if (!Array.isArray(body)) {
    const message = readMessage(body);
    return message && [message];
  }
  if (body.length === 0 || body.length > MAX_BATCH) return undefined;
  const messages = body.map(readMessage);
  return messages.every((message) => message !== undefined) ? messages : undefined;
}

function readMessage(value: unknown): Message | undefined {
  if (!isJsonObject(value) || value['jsonrpc'] !== '2.0') return undefined;
  // The schemas of MCP allow no further members in a message.
  for (const key in value) if (!members.has(key)) return undefined;
  const { id, method, params, result, error } = value;
  if (typeof method === 'string') {
    if (params !== undefined && !isJsonObject(params)) return undefined;
    if (!Object.hasOwn(value, 'id')) return { kind: 'notification', method, params: params ?? {} };
    return isId(id) ? { kind: 'request', id, method, params: params ?? {} } : undefined;
  }
  if (method !== undefined) return undefined;
  if (isJsonObject(result) && isId(id)) return { kind: 'response', id, result };
  return isJsonObject(error) && typeof error['message'] === 'string' && Number.isInteger(error['code'])
    ? { kind: 'response', id, error }
    : undefined;
}

/** Whether a value can be a request id. Unsafe integers are rejected, because they would come back changed. */
export function isId(id: unknown): id is Id {
  return typeof id === 'string' || Number.isSafeInteger(id);
}
