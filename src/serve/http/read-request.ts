import { createClientNamer } from '../../callers/client-identity.js';
import { peerAddress } from '../../callers/peer-address.js';
import { ToolfoldError } from '../../errors.js';
import { isId } from '../../protocol/messages.js';
import { INVALID_PARAMS, REJECTED } from '../../protocol/rpc-codes.js';
import type { AnyRegistry } from '../../registry/any-registry.js';
import type { Exposure } from '../../toolsets/exposure.js';
import { NOT_HERE, createSelectionReader } from '../../toolsets/read-selection.js';
import { isJsonObject } from '../../values/json-value.js';
import { reject } from './request-response.js';
import type { EdgeRequest, WholeAnswer } from './request-response.js';

/** The fields of a request that are read from its path, its query and its headers. */
export interface ReadableRequest extends EdgeRequest {
  address?: EdgeRequest['address'];
  clientId?: EdgeRequest['clientId'];
  selection?: EdgeRequest['selection'];
  session?: EdgeRequest['session'];
}

/** Fills in the fields of a request. Returns an error response if the request selects or says something invalid. */
export type ReadRequest = (request: ReadableRequest) => WholeAnswer | undefined;

export interface ReadRequestOptions {
  /** The path under which requests reach the handler. */
  readonly path?: string | undefined;
  readonly trustedProxies?: number | undefined;
}

export function createRequestReader(
  registry: AnyRegistry,
  exposure: Exposure,
  { path, trustedProxies = 0 }: ReadRequestOptions,
): ReadRequest {
  const nameClient = createClientNamer({ trustedProxies });
  const readSelection = createSelectionReader(path);
  const { hasToolsets, readsContext } = exposure;
  return (request) => {
    const { target, header, auth } = request;
    try {
      const read = readSelection(pathOf(target), header);
      if (read === NOT_HERE) return notFound;
      if (read) {
        exposure.assertToolsets(read.named, { caller: { auth } });
        request.selection = read.selection;
      }
      if (hasToolsets)
        request.session = exposure.contextOf({ header, query: (name) => readQuery(target, name) });
      if (readsContext || registry.namesClients) request.clientId = nameClient(request);
      if (trustedProxies > 0) request.address = peerAddress(request, trustedProxies);
      return undefined;
    } catch (error) {
      return rejectClient(error, idOf(request.body));
    }
  };
}

/** The error response to a mistake of the client. Errors that only the author of the server can fix are rethrown. */
export function rejectClient(error: unknown, id: string | number | null = null): WholeAnswer {
  if (!(error instanceof ToolfoldError) || error.audience === 'author') throw error;
  return reject(400, INVALID_PARAMS, error.message, { id });
}

/** The id to repeat in an error response; `null` if the body is not a request. */
export function idOf(body: unknown): string | number | null {
  return isJsonObject(body) && isId(body['id']) ? body['id'] : null;
}

/** The path of a target. A request may name its target by the whole URL. */
export function pathOf(url: string): string {
  if (!url.startsWith('/')) return URL.canParse(url) ? new URL(url).pathname : url;
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

function readQuery(target: string, name: string): readonly string[] {
  const start = target.indexOf('?');
  if (start === -1) return [];
  const end = target.indexOf('#', start);
  return new URLSearchParams(target.slice(start + 1, end === -1 ? undefined : end)).getAll(name);
}

const notFound = reject(404, REJECTED, 'Not found: there is nothing under this path.');
