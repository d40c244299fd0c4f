import { ToolfoldError } from '../../errors.js';
import { peerAddress } from '../../callers/peer-address.js';
import { isJsonObject } from '../../values/json-value.js';
import { createClientNamer } from '../../callers/client-identity.js';
import type { Exposure } from '../../toolsets/exposure.js';
import { reject } from './request-response.js';
import { INVALID_PARAMS, REJECTED } from '../../protocol/rpc-codes.js';
import type { EdgeAnswer, EdgeRequest } from './request-response.js';
import { isId } from '../../protocol/messages.js';
import { NOT_HERE, createSelectionReader } from '../../toolsets/read-selection.js';

/** Finds out what a request selects and says about its caller. What is wrong with that is answered. */
export type Identify = (request: EdgeRequest) => EdgeRequest | EdgeAnswer;

export function createIdentify(
  exposure: Exposure,
  {
    path,
    trustedProxies = 0,
  }: { readonly path?: string | undefined; readonly trustedProxies?: number | undefined },
): Identify {
  const nameClient = createClientNamer({ trustedProxies });
  const readSelection = createSelectionReader(path);
  return (request) => {
    const { target, header, auth } = request;
    const address = peerAddress(request, trustedProxies);
    try {
      const read = readSelection(pathOf(target), header);
      if (read === NOT_HERE) return notFound;
      if (read) exposure.assertToolsets(read.named, { caller: { auth } });
      const session = exposure.hasToolsets
        ? exposure.contextOf({ header, query: (name) => readQuery(target, name) })
        : undefined;
      const clientId = exposure.namesClients ? nameClient(request) : undefined;
      if (!read && !session && clientId === undefined && address === request.address) return request;
      return { ...request, address, clientId, selection: read?.selection, session };
    } catch (error) {
      return rejectClient(error, idOf(request.body));
    }
  };
}

/** What a client has selected or said wrongly is its own to mend; anything else is not. */
export function rejectClient(error: unknown, id: string | number | null = null): EdgeAnswer {
  if (!(error instanceof ToolfoldError) || error.audience === 'author') throw error;
  return reject(400, INVALID_PARAMS, error.message, { id });
}

/** The id of the request that is rejected, where it is one. */
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
