import { LRUCache } from 'lru-cache';
import { isLoggingLevel, MODERN } from '../../protocol/mcp-types.js';
import { isJsonObject, typeName } from '../../values/json-value.js';
import type { EdgeAnswer, EdgeRequest } from '../http/request-response.js';
import { isId } from '../../protocol/messages.js';
import { accepted, rejections, rejectMessage } from './rejections.js';
import { sdkIfLoaded } from '../sdk.js';

export const PREFIX = 'io.modelcontextprotocol/';
const VERSION = `${PREFIX}protocolVersion`;
export const CLIENT = `${PREFIX}clientInfo`;
export const CAPABILITIES = `${PREFIX}clientCapabilities`;
const LOG_LEVEL = `${PREFIX}logLevel`;
const RELATED_TASK = `${PREFIX}related-task`;

type Params = Readonly<Record<string, unknown>>;

/** The parameter that the `Mcp-Name` header repeats, for each method. */
const named: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/** The SDK's classifier must decide, and it is not loaded yet. */
export const SDK_NOT_LOADED = Symbol('SDK not loaded');
/** A message of a 2025 or earlier client. */
export const LEGACY = Symbol('legacy');
/** A 2026 request whose body and headers agree. */
export const VALID = Symbol('valid');

/** The kind of a POST: a valid 2026 request, a 2025 message, or the error response to an invalid one. */
export type Verdict = typeof VALID | typeof LEGACY | typeof SDK_NOT_LOADED | EdgeAnswer;

/** Classifies a POST that is certainly a valid request. Returns `undefined` if `classify` must decide. */
export function classifyPlain({ header, body }: EdgeRequest): typeof VALID | typeof LEGACY | undefined {
  if (!isJsonObject(body) || body['jsonrpc'] !== '2.0' || !isId(body['id'])) return undefined;
  const { method, params = {} } = body;
  if (typeof method !== 'string' || !isJsonObject(params)) return undefined;
  for (const key in body) if (!members.has(key)) return undefined;
  const version = header('mcp-protocol-version');
  const meta = params['_meta'];
  if (meta === undefined)
    return version === undefined || (version > OLDEST && version < MODERN) ? LEGACY : undefined;
  if (version !== MODERN || header('mcp-method') !== method) return undefined;
  const name = Object.hasOwn(named, method) ? named[method] : undefined;
  if (name !== undefined) {
    const given = header('mcp-name');
    const value = given?.startsWith(ENCODED) ? decodeHeader(given) : given;
    if (value === undefined || value !== params[name]) return undefined;
  }
  if (!isJsonObject(meta) || meta[VERSION] !== MODERN) return undefined;
  return hasPlainEnvelope(meta) || validEnvelopes.get(JSON.stringify(meta)) === true ? VALID : undefined;
}

/** Before the first revision of MCP. A header with other text, such as one that begins with a blank, needs `classify`. */
const OLDEST = '2024';

/** Envelopes that the SDK's classifier accepted before. Requests of one client repeat theirs. */
const validEnvelopes = new LRUCache<string, true>({ max: 500 });
const MAX_REMEMBERED = 4_096;
const members: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params']);

// Checks of the client's name and capabilities that accept only values that are certainly valid.
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
const isPlainClient = isOf({ name: isText, version: isText, title: isText }, ['name', 'version']);
const hasPlainCapabilities = isOf({
  elicitation: isOf({ form: isEmpty, url: isEmpty }),
  sampling: isOf({ tools: isEmpty }),
  roots: isEmpty,
  extensions: (extensions) => isJsonObject(extensions) && Object.values(extensions).every(isEmpty),
});

/** Checks only MCP's own keys. Other keys, such as `traceparent`, may hold any value. */
function hasPlainEnvelope(meta: Params): boolean {
  const client = meta[CLIENT];
  const level = meta[LOG_LEVEL];
  const token = meta['progressToken'];
  return (
    (client === undefined || isPlainClient(client)) &&
    hasPlainCapabilities(meta[CAPABILITIES]) &&
    (level === undefined || isLoggingLevel(level)) &&
    (token === undefined || isId(token)) &&
    meta[RELATED_TASK] === undefined
  );
}

/** The headers that repeat fields of the body, trimmed. */
interface StandardHeaders {
  readonly version: string | undefined;
  readonly methodHeader: string | undefined;
  readonly nameHeader: string | undefined;
}

/** A well-formed message. */
interface Inbound extends StandardHeaders {
  readonly body: Params;
  readonly isRequest: boolean;
  readonly method: string;
  readonly params: Params | undefined;
  readonly meta: Params | undefined;
}

/** The message may be invalid or of a 2025 client. The SDK must decide. */
const UNSURE = Symbol('unsure');

/**
 * Classifies a POST. Checks the message in the SDK's order: its form, its envelope, its version, its headers. A message with
 * several mistakes is rejected for the first one. The SDK decides about messages that are neither clearly valid nor clearly
 * invalid.
 */
export function classify(request: EdgeRequest): Verdict {
  const inbound = read(request);
  if (inbound !== UNSURE && 'status' in inbound) return inbound;
  const verdict = inbound === UNSURE ? UNSURE : checkEnvelope(inbound);
  if (inbound === UNSURE || verdict === UNSURE) return askClassifier(request);
  return verdict ?? checkHeaders(inbound);
}

function read({ body, header }: EdgeRequest): Inbound | EdgeAnswer | typeof UNSURE {
  const invalid = (): EdgeAnswer => rejectMessage(rejections.notJsonRpc(), body);
  // Batches and responses may be 2025 messages.
  if (body === undefined || Array.isArray(body)) return UNSURE;
  if (!isJsonObject(body)) return invalid();
  const { method, id, params } = body;
  if (typeof method !== 'string')
    return Object.hasOwn(body, 'result') || Object.hasOwn(body, 'error') ? UNSURE : invalid();
  const isRequest = Object.hasOwn(body, 'id');
  if (body['jsonrpc'] !== '2.0' || (isRequest && !isId(id))) return invalid();
  for (const key in body) if (!members.has(key)) return invalid();
  if (params !== undefined && !isJsonObject(params)) return invalid();
  const meta = params?.['_meta'];
  if (meta !== undefined && !isJsonObject(meta)) return invalid();
  const token = meta?.['progressToken'];
  if (token !== undefined && !isId(token)) return invalid();
  if (meta?.[RELATED_TASK] !== undefined) return UNSURE;
  return { body, isRequest, method, params, meta, ...readHeaders(header) };
}

function readHeaders(header: EdgeRequest['header']): StandardHeaders {
  return {
    version: stripBlanks(header('mcp-protocol-version')),
    methodHeader: stripBlanks(header('mcp-method')),
    nameHeader: stripBlanks(header('mcp-name')),
  };
}

/** Checks the envelope. A message without one is a 2025 message. */
function checkEnvelope(inbound: Inbound): EdgeAnswer | typeof LEGACY | typeof UNSURE | undefined {
  const { body, isRequest, method, meta, version } = inbound;
  const isClaimed = meta !== undefined && Object.hasOwn(meta, VERSION);
  const isModernHeader = version !== undefined && version >= MODERN;
  if (!isClaimed && !isModernHeader) return LEGACY;
  // A 2025 handshake with the version of a 2026 request.
  if (method === 'initialize') return UNSURE;
  if (!isRequest) return isClaimed && typeof meta[VERSION] !== 'string' ? UNSURE : undefined;
  if (!isClaimed) {
    const needed = [VERSION, CAPABILITIES];
    const missing = meta ? needed.filter((key) => !Object.hasOwn(meta, key)) : ['_meta'];
    return rejectMessage(rejections.missingEnvelope(version as string, missing), body);
  }
  const problem = problemOf(meta);
  if (problem === undefined || problem === UNSURE) return problem;
  return rejectMessage(rejections.invalidEnvelope(...problem), body);
}

function problemOf(meta: Params): readonly [key: string, problem: string] | typeof UNSURE | undefined {
  if (!Object.hasOwn(meta, CAPABILITIES)) return [CAPABILITIES, 'missing'];
  const types = { [VERSION]: 'string', [CLIENT]: 'object', [CAPABILITIES]: 'object' };
  for (const [key, type] of Object.entries(types)) {
    const value = meta[key];
    if (value === undefined && key === CLIENT) continue;
    const given = typeName(value);
    if (given !== type) return [key, `Invalid input: expected ${type}, received ${given}`];
    if (key === CLIENT && !isPlainClient(value)) return UNSURE;
  }
  return hasPlainEnvelope(meta) ? undefined : UNSURE;
}

/** Compares a message with a valid envelope to its headers, and checks that both name the version served here. */
function checkHeaders(inbound: Inbound): Verdict {
  const { body, isRequest, method, params, meta, version, methodHeader } = inbound;
  const claimed = meta?.[VERSION] as string | undefined;
  const mismatch = (header: string, problem: string): EdgeAnswer =>
    rejectMessage(rejections.headerMismatch(header, problem), body);
  const missing = (name: string, problem: string): EdgeAnswer =>
    rejectMessage(rejections.missingHeader(name, problem), body);
  const the = isRequest ? 'the body' : 'the notification body';
  const theEnvelope = isRequest ? 'the body envelope' : 'the notification envelope';
  const names = `${theEnvelope} names protocol version ${claimed}`;
  if (claimed !== undefined && version !== undefined && version !== claimed)
    return mismatch(version, `${names} but the MCP-Protocol-Version header names ${version}`);
  const revision = claimed ?? (version as string);
  const isMethodChecked = isRequest || revision >= MODERN;
  if (isMethodChecked && methodHeader !== undefined && methodHeader !== method)
    return mismatch(
      methodHeader,
      `${the} names method ${method} but the Mcp-Method header names ${methodHeader}`,
    );
  if (revision !== MODERN) return rejectMessage(rejections.unsupportedVersion(revision), body);
  if (!isRequest) return accepted;
  if (version === undefined) return missing('MCP-Protocol-Version', names);
  if (methodHeader === undefined) return missing('Mcp-Method', `the body names method ${method}`);
  return checkName(inbound, params, mismatch, missing) ?? VALID;
}

function checkName(
  { method, nameHeader }: Inbound,
  params: Params | undefined,
  mismatch: (header: string, problem: string) => EdgeAnswer,
  missing: (name: string, problem: string) => EdgeAnswer,
): EdgeAnswer | undefined {
  const field = Object.hasOwn(named, method) ? named[method] : undefined;
  if (field === undefined) return undefined;
  const value = params?.[field];
  const carries = `the body carries params.${field}="${String(value)}"`;
  // A parameter that is not text is rejected later, when the parameters are validated.
  if (nameHeader === undefined) return typeof value === 'string' ? missing('Mcp-Name', carries) : undefined;
  const decoded = decodeHeader(nameHeader);
  if (decoded === undefined)
    return mismatch(nameHeader, 'the Mcp-Name header carries an invalid Base64 sentinel value');
  if (typeof value !== 'string' || value === decoded) return undefined;
  return mismatch(nameHeader, `${carries} but the Mcp-Name header names "${decoded}"`);
}

/** The SDK's classifier reads a message with schemas, which takes longer than a call. */
function askClassifier({ header, body }: EdgeRequest): Verdict {
  const sdk = sdkIfLoaded();
  if (!sdk) return SDK_NOT_LOADED;
  const headers = readHeaders(header);
  const { version, methodHeader } = headers;
  const outcome = sdk.classifyInboundRequest({
    httpMethod: 'POST',
    ...(version === undefined ? {} : { protocolVersionHeader: version }),
    ...(methodHeader === undefined ? {} : { mcpMethodHeader: methodHeader }),
    body,
  });
  if (outcome.kind === 'legacy') return LEGACY;
  if (outcome.kind === 'reject') return rejectMessage(outcome, body, outcome.httpStatus);
  const isRequest = outcome.messageKind === 'request';
  const { method } = outcome.message;
  const params = (body as Params)['params'] as Params | undefined;
  const meta = params?.['_meta'] as Params | undefined;
  if (isRequest && outcome.classification.revision === MODERN) remember(meta);
  return checkHeaders({ body: body as Params, isRequest, method, params, meta, ...headers });
}

function remember(meta: Params | undefined): void {
  const key = JSON.stringify(meta);
  if (key.length < MAX_REMEMBERED) validEnvelopes.set(key, true);
}

const BLANKS = /^[\t ]+|[\t ]+$/g;

function stripBlanks(header: string | undefined): string | undefined {
  return header?.replace(BLANKS, '');
}

const ENCODED = '=?base64?';

/** Decodes `=?base64?…?=`, which carries text that a header cannot hold. Returns `undefined` if it is malformed. */
export function decodeHeader(header: string): string | undefined {
  const value = header.replace(BLANKS, '');
  if (!value.startsWith(ENCODED) || !value.endsWith('?=')) return value;
  const encoded = value.slice(ENCODED.length, -2);
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(encoded)) return undefined;
  try {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.codePointAt(0) ?? 0);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
