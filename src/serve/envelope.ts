import { classifyInboundRequest } from '@modelcontextprotocol/server';
import { LRUCache } from 'lru-cache';
import { MODERN } from '../registry/methods.js';
import { isJsonObject } from '../schema/json-schema.js';
import type { EdgeRequest } from './edge.js';

export const PREFIX = 'io.modelcontextprotocol/';

type Params = Readonly<Record<string, unknown>>;

/** The parameter that `Mcp-Name` repeats. */
const named: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/** Whether body and headers agree, and name the revision that is served here. */
export function isRightRequest({ header, body }: EdgeRequest, method: string, params: Params): boolean {
  const protocolVersionHeader = header('mcp-protocol-version');
  const mcpMethodHeader = header('mcp-method');
  if (protocolVersionHeader !== MODERN || mcpMethodHeader !== method) return false;
  const name = Object.hasOwn(named, method) ? named[method] : undefined;
  if (name !== undefined && header('mcp-name') !== params[name]) return false;
  return isEnvelopeRight(body as Params, params, () => {
    const outcome = classifyInboundRequest({
      httpMethod: 'POST',
      protocolVersionHeader,
      mcpMethodHeader,
      body,
    });
    return (
      outcome.kind === 'modern' &&
      outcome.messageKind === 'request' &&
      outcome.classification.revision === MODERN
    );
  });
}

/** What clients say of themselves in every request, as the classifier has found it right before. */
const rightEnvelopes = new LRUCache<string, true>({ max: 500 });
const members = new Set(['jsonrpc', 'id', 'method', 'params']);
const MAX_REMEMBERED = 4_096;

/** The least that a client must say, and says it right: nothing else is there to be wrong. */
function isLeast(meta: Params): boolean {
  let count = 0;
  for (const _ in meta) count++;
  const capabilities = meta[`${PREFIX}clientCapabilities`];
  if (count !== 2 || !isJsonObject(capabilities)) return false;
  for (const _ in capabilities) return false;
  return true;
}

/**
 * The SDK's classifier reads a request with schemas, which takes longer than the call. Requests of one client differ
 * in their arguments alone, which it does not look at: so it is asked once for each way of saying the rest.
 */
function isEnvelopeRight(body: Params, params: Params, classify: () => boolean): boolean {
  const meta = params['_meta'];
  if (body['jsonrpc'] !== '2.0' || !isJsonObject(meta) || meta[`${PREFIX}protocolVersion`] !== MODERN)
    return false;
  for (const key in body) if (!members.has(key)) return classify();
  if (isLeast(meta)) return true;
  const key = JSON.stringify(meta);
  if (rightEnvelopes.get(key)) return true;
  const isRight = classify();
  if (isRight && key.length < MAX_REMEMBERED) rightEnvelopes.set(key, true);
  return isRight;
}
