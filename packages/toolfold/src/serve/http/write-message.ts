import { LRUCache } from 'lru-cache';
import { isJsonObject } from '@toolfold/schema/internal';
import { toRpcError } from '../../protocol/rpc-error.js';
import type { RpcError } from '../../protocol/rpc-error.js';
import type { CallToolResult } from '../../protocol/tool-result.js';
import type { Id } from '../../protocol/messages.js';
import { getOrMake } from '../../values/get-or-make.js';
import { writtenList } from '../../views/lists.js';
import type { Written } from './request-response.js';

export function textOf(written: Written): string {
  if (typeof written === 'string') return written;
  const [before, bytes, after] = written;
  return `${before}${new TextDecoder().decode(bytes)}${after}`;
}

/** Writes a JSON-RPC result. A result that JSON cannot represent becomes an internal error. */
export function writeResult(id: Id, result: unknown, onError: (error: unknown) => void): Written {
  try {
    const listed = isJsonObject(result) ? result['tools'] : undefined;
    const tools = listed === undefined ? undefined : writtenList(listed);
    return tools === undefined
      ? JSON.stringify({ jsonrpc: '2.0', id, result })
      : writeList(id, tools, result as Readonly<Record<string, unknown>>);
  } catch (error) {
    return writeError(id, toRpcError(error, onError));
  }
}

/** Writes a list of tools around the JSON that was cached when the list was created. */
function writeList(id: Id, tools: string, result: Readonly<Record<string, unknown>>): Written {
  const { tools: _, ...rest } = result;
  const others = JSON.stringify(rest).slice(1, -1);
  const before = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"tools":`;
  return [before, bytesOf(tools), others === '' ? '}}' : `,${others}}}`];
}

/** Caches the bytes of recently sent lists, because a list of tools may have megabytes and every client fetches it. */
const encoded = new LRUCache<string, Uint8Array>({
  maxSize: 24 * 1024 * 1024,
  // A list that is larger than the whole cache is still cached.
  sizeCalculation: (bytes) => Math.min(bytes.byteLength + 1, 24 * 1024 * 1024),
});

function bytesOf(list: string): Uint8Array {
  return getOrMake(encoded, list, () => new TextEncoder().encode(list));
}

/** Writes a JSON-RPC error. Its data is dropped if JSON cannot represent it, because handlers may throw any value. */
export function writeError(
  id: Id | null,
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

const SERVER_INFO = 'io.modelcontextprotocol/serverInfo';

interface ServerInfo {
  readonly name: string;
  readonly version: string;
}

/** Writes 2026 results. Most end with the same fields, which are written once. */
export function createResultWriter(
  server: ServerInfo,
  onError: (error: unknown) => void,
): (id: Id, result: object) => Written {
  const end = JSON.stringify(completeResult({}, server)).slice(1);
  return (id, result) => {
    if (!isPlain(result)) return writeResult(id, completeResult(result, server), onError);
    try {
      const fields = JSON.stringify(result).slice(0, -1);
      return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${fields},${end}}`;
    } catch (error) {
      return writeError(id, toRpcError(error, onError));
    }
  };
}

/** Whether a result of a tool gets the fields that all results get, at its end. */
function isPlain(result: Partial<CallToolResult>): boolean {
  const { content, isError, resultType, _meta } = result;
  return Boolean(content) && !isError && resultType === undefined && !_meta && !('toJSON' in result);
}

/** Adds the fields of 2026 results: a `resultType`, and the server's name in `_meta`. */
export function completeResult(given: object, server: ServerInfo): object {
  const result: Partial<CallToolResult> = 'toJSON' in given ? plainOf(given) : given;
  const { resultType, _meta: own, isError } = result;
  const _meta = { ...own, [SERVER_INFO]: server };
  if (resultType === undefined && !own) return { ...result, resultType: 'complete', _meta };
  // The members of errors keep the order that clients have always got.
  if (resultType === undefined && isError === true) return { ...result, _meta, resultType: 'complete' };
  const { resultType: _, _meta: __, ...fields } = result;
  return { ...fields, resultType: resultType ?? 'complete', _meta };
}

/** A result may write itself. Its own fields count if it does not write an object. */
function plainOf(result: object): object {
  const { toJSON: _, ...fields } = result as { toJSON?: unknown };
  const written: unknown = JSON.parse(JSON.stringify(result));
  return isJsonObject(written) ? written : fields;
}
