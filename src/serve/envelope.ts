import { LRUCache } from 'lru-cache';
import { isLoggingLevel } from '../registry/log-levels.js';
import { MODERN } from '../registry/methods.js';
import { isJsonObject } from '../schema/json-schema.js';
import type { EdgeRequest } from './edge.js';
import { isId } from './messages.js';
import { decodeHeader } from './param-headers.js';
import { sdkIfLoaded } from './sdk.js';

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

/** Only the SDK's classifier can tell, and it is not there yet. */
export const NEEDS_SDK = Symbol('needs the SDK');

/** Whether body and headers agree, and name the revision that is served here. */
export function isRightRequest(
  { header, body }: EdgeRequest,
  method: string,
  params: Params,
): boolean | typeof NEEDS_SDK {
  const protocolVersionHeader = header('mcp-protocol-version');
  const mcpMethodHeader = header('mcp-method');
  if (protocolVersionHeader !== MODERN || mcpMethodHeader !== method) return false;
  const name = Object.hasOwn(named, method) ? named[method] : undefined;
  if (name !== undefined && decodeHeader(header('mcp-name') ?? '') !== params[name]) return false;
  return isEnvelopeRight(body as Params, params, () => {
    const sdk = sdkIfLoaded();
    if (!sdk) return NEEDS_SDK;
    const outcome = sdk.classifyInboundRequest({
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

/** Members of `_meta`, of what clients say they are and of what they can do that are right for certain. */
const isText = (value: unknown): boolean => typeof value === 'string';
const isEmpty = (value: unknown): boolean => isJsonObject(value) && Object.keys(value).length === 0;
const isOf =
  (forms: Readonly<Record<string, (value: unknown) => boolean>>, needed: readonly string[] = []) =>
  (value: unknown): boolean => {
    if (!isJsonObject(value)) return false;
    for (const key in value)
      if (!Object.hasOwn(forms, key) || forms[key]?.(value[key]) !== true) return false;
    return needed.every((key) => Object.hasOwn(value, key));
  };
const isPlain = isOf(
  {
    [`${PREFIX}protocolVersion`]: (version) => version === MODERN,
    [`${PREFIX}clientInfo`]: isOf({ name: isText, version: isText, title: isText }, ['name', 'version']),
    [`${PREFIX}clientCapabilities`]: isOf({
      elicitation: isOf({ form: isEmpty, url: isEmpty }),
      sampling: isOf({ tools: isEmpty }),
      roots: isEmpty,
      extensions: (extensions) => isJsonObject(extensions) && Object.values(extensions).every(isEmpty),
    }),
    [`${PREFIX}logLevel`]: isLoggingLevel,
    progressToken: isId,
  },
  [`${PREFIX}protocolVersion`, `${PREFIX}clientCapabilities`],
);

/**
 * The SDK's classifier reads a request with schemas, which takes longer than the call. It is asked only about what is
 * not plainly right, and once for each way of saying it: requests of one client differ in their arguments alone, which
 * it does not look at.
 */
function isEnvelopeRight(
  body: Params,
  params: Params,
  classify: () => boolean | typeof NEEDS_SDK,
): boolean | typeof NEEDS_SDK {
  const meta = params['_meta'];
  if (body['jsonrpc'] !== '2.0' || !isJsonObject(meta) || meta[`${PREFIX}protocolVersion`] !== MODERN)
    return false;
  for (const key in body) if (!members.has(key)) return classify();
  if (isPlain(meta)) return true;
  const key = JSON.stringify(meta);
  if (rightEnvelopes.get(key)) return true;
  const isRight = classify();
  if (isRight === true && key.length < MAX_REMEMBERED) rightEnvelopes.set(key, true);
  return isRight;
}

/**
 * Whether a request is of 2025 or before, by what it says of itself: one of 2026-07-28 names its revision in the body,
 * whatever its headers say.
 */
export function isLegacyRequest({ header, body }: EdgeRequest): boolean | typeof NEEDS_SDK {
  const protocolVersionHeader = header('mcp-protocol-version');
  const mcpMethodHeader = header('mcp-method');
  if (mcpMethodHeader === undefined && (protocolVersionHeader ?? '') < MODERN && isBare(body)) return true;
  const sdk = sdkIfLoaded();
  if (!sdk) return NEEDS_SDK;
  const outcome = sdk.classifyInboundRequest({
    httpMethod: 'POST',
    ...(protocolVersionHeader === undefined ? {} : { protocolVersionHeader }),
    ...(mcpMethodHeader === undefined ? {} : { mcpMethodHeader }),
    body,
  });
  return outcome.kind === 'legacy';
}

/** One message that says nothing of a revision. */
function isBare(body: unknown): boolean {
  if (!isJsonObject(body) || body['jsonrpc'] !== '2.0' || typeof body['method'] !== 'string') return false;
  for (const key in body) if (!members.has(key)) return false;
  if (Object.hasOwn(body, 'id') && !isId(body['id'])) return false;
  const { params } = body;
  if (params === undefined) return true;
  if (!isJsonObject(params)) return false;
  const meta = params['_meta'];
  return (
    meta === undefined || (isJsonObject(meta) && !Object.keys(meta).some((key) => key.startsWith(PREFIX)))
  );
}
