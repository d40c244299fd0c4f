import { RpcError } from '../registry/methods.js';
import { INTERNAL_ERROR } from './edge.js';
import type { Id } from './messages.js';

/** A result as JSON-RPC carries it. What JSON cannot say, or is no object, is a failure of the server. */
export function writeResult(id: Id, result: unknown): string {
  try {
    if (typeof result !== 'object' || result === null) throw new TypeError('not an object');
    return JSON.stringify({ jsonrpc: '2.0', id, result });
  } catch {
    return writeError(id, failed());
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

function failed(): RpcError {
  return new RpcError(INTERNAL_ERROR, 'The server failed to answer.');
}
