import { toRpcError } from '../../protocol/rpc-error.js';
import { writtenList } from '../../views/view.js';
import { isJsonObject } from '../../values/json-value.js';
import type { RpcError } from '../../protocol/rpc-error.js';
import type { Id } from '../../protocol/messages.js';

/** A result as JSON-RPC carries it. What JSON cannot say is a failure of the server. */
export function writeResult(id: Id, result: unknown, onError: (error: unknown) => void): string {
  try {
    const tools = isJsonObject(result) ? writtenList(result['tools']) : undefined;
    return tools === undefined
      ? JSON.stringify({ jsonrpc: '2.0', id, result })
      : writeList(id, tools, result as Readonly<Record<string, unknown>>);
  } catch (error) {
    return writeError(id, toRpcError(error, onError));
  }
}

/** A list of tools is long, and was written when it was made. */
function writeList(id: Id, tools: string, result: Readonly<Record<string, unknown>>): string {
  const { tools: _, ...rest } = result;
  const others = JSON.stringify(rest).slice(1, -1);
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"tools":${tools}${others === '' ? '' : `,${others}`}}}`;
}

/** An error as JSON-RPC carries it. Its data may be anything that somebody threw. */
export function writeError(
  id: Id,
  { code, message, data }: Pick<RpcError, 'code' | 'message'> & { readonly data?: unknown },
): string {
  const error = { code, message };
  try {
    return JSON.stringify({ jsonrpc: '2.0', id, error: data === undefined ? error : { ...error, data } });
  } catch {
    return JSON.stringify({ jsonrpc: '2.0', id, error });
  }
}

export function writeNotification(method: string, params?: object): string {
  return JSON.stringify({ jsonrpc: '2.0', method, ...(params ? { params } : {}) });
}
