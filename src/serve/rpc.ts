import { toRpcError } from '../registry/methods.js';
import type { RpcError } from '../registry/methods.js';
import type { Id } from './messages.js';

/** A result as JSON-RPC carries it. What JSON cannot say is a failure of the server. */
export function writeResult(id: Id, result: unknown, onError: (error: unknown) => void): string {
  try {
    return JSON.stringify({ jsonrpc: '2.0', id, result });
  } catch (error) {
    return writeError(id, toRpcError(error, onError));
  }
}

/** An error as JSON-RPC carries it. Its data may be anything that somebody threw. */
export function writeError(id: Id, { code, message, data }: RpcError): string {
  const error = { code, message };
  try {
    return JSON.stringify({ jsonrpc: '2.0', id, error: data === undefined ? error : { ...error, data } });
  } catch {
    return JSON.stringify({ jsonrpc: '2.0', id, error });
  }
}
