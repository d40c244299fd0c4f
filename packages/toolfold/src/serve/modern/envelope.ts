import { LRUCache } from 'lru-cache';
import { isLoggingLevel, MODERN } from '../../protocol/mcp-types.js';
import { isJsonObject, typeName } from '@toolfold/schema/internal';
import type { EdgeAnswer, EdgeRequest } from '../http/request-response.js';
import { isId } from '../../protocol/messages.js';
import { accepted, rejections, rejectMessage } from './rejections.js';
import type { Rejection } from './rejections.js';
import { sdkIfLoaded } from '../sdk.js';

export const PREFIX = 'io.modelcontextprotocol/';
const VERSION = `${PREFIX}protocolVersion`;
export const CLIENT = `${PREFIX}clientInfo`;
export const CAPABILITIES = `${PREFIX}clientCapabilities`;
const LOG_LEVEL = `${PREFIX}logLevel`;
const RELATED_TASK = `${PREFIX}related-task`;

type Params = Readonly<Record<string, unknown>>;

const { headerMismatch, missingHeader } = rejections;

/** Maps a method to the parameter that the `Mcp-Name` header repeats. */
const named: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

/** The SDK's classifier must decide, and the SDK is not loaded yet. */
export const SDK_NOT_LOADED = Symbol('SDK not loaded');
export const LEGACY = Symbol('legacy');
export const VALID = Symbol('valid');

export type Verdict = typeof VALID | typeof LEGACY | typeof SDK_NOT_LOADED | EdgeAnswer;

/** Caches envelopes that the SDK's classifier has accepted, because it takes longer than a call and clients repeat their envelope. */
const validEnvelopes = new LRUCache<string, true>({ max: 500 });
const MAX_REMEMBERED = 4_096;
const members: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params']);

// These checks accept only names and capabilities of clients that are certainly valid. The SDK checks the others.
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

interface StandardHeaders {
  readonly version: string | undefined;
  readonly methodHeader: string | undefined;
  readonly nameHeader: string | undefined;
}

interface Inbound extends StandardHeaders {
  readonly isRequest: boolean;
  readonly method: string;
  readonly params: Params | undefined;
  readonly meta: Params | undefined;
}

/** The message may be invalid, or a 2025 message. The SDK must decide. */
const UNSURE = Symbol('unsure');

/**
 * Classifies a POST. Checks the message in the SDK's order: its form, its envelope, its version, its headers. A message with
 * several mistakes is rejected for the first one. The SDK decides about messages that are neither clearly valid nor clearly
 * invalid.
 */
export function classify({ body, header }: EdgeRequest): Verdict {
  const headers = {
    version: stripBlanks(header('mcp-protocol-version')),
    methodHeader: stripBlanks(header('mcp-method')),
    nameHeader: stripBlanks(header('mcp-name')),
  };
  const inbound = read(body, headers);
  const isRead = inbound !== UNSURE && !('code' in inbound);
  const judged = isRead ? (checkEnvelope(inbound) ?? checkHeaders(inbound)) : inbound;
  const verdict = judged === UNSURE ? askClassifier(body, headers) : judged;
  return typeof verdict === 'object' && 'code' in verdict ? rejectMessage(verdict, body) : verdict;
}

function read(body: unknown, headers: StandardHeaders): Inbound | Rejection | typeof UNSURE {
  const invalid = rejections.notJsonRpc;
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
  return { isRequest, method, params, meta, ...headers };
}

/** A message without an envelope is a 2025 message. */
function checkEnvelope(inbound: Inbound): Rejection | typeof LEGACY | typeof UNSURE | undefined {
  const { isRequest, method, meta, version } = inbound;
  const isClaimed = meta !== undefined && Object.hasOwn(meta, VERSION);
  const isModernHeader = version !== undefined && version >= MODERN;
  if (!isClaimed && !isModernHeader) return LEGACY;
  // This is a 2025 handshake with the version of a 2026 request.
  if (method === 'initialize') return UNSURE;
  if (!isRequest) return isClaimed && typeof meta[VERSION] !== 'string' ? UNSURE : undefined;
  if (!isClaimed) {
    const needed = [VERSION, CAPABILITIES];
    const missing = meta ? needed.filter((key) => !Object.hasOwn(meta, key)) : ['_meta'];
    return rejections.missingEnvelope(version as string, missing);
  }
  const isKnown = hasPlainEnvelope(meta) || validEnvelopes.get(JSON.stringify(meta)) === true;
  if (isKnown && typeof meta[VERSION] === 'string') return undefined;
  return findProblem(meta);
}

function findProblem(meta: Params): Rejection | typeof UNSURE {
  if (!Object.hasOwn(meta, CAPABILITIES)) return rejections.invalidEnvelope(CAPABILITIES, 'missing');
  const types = { [VERSION]: 'string', [CLIENT]: 'object', [CAPABILITIES]: 'object' };
  for (const [key, type] of Object.entries(types)) {
    const value = meta[key];
    if (value === undefined && key === CLIENT) continue;
    const given = typeName(value);
    if (given !== type)
      return rejections.invalidEnvelope(key, `Invalid input: expected ${type}, received ${given}`);
    if (key === CLIENT && !isPlainClient(value)) return UNSURE;
  }
  return UNSURE;
}

/** Compares a message with a valid envelope to its headers, and checks that both name the version served here. */
function checkHeaders(inbound: Inbound): Rejection | typeof VALID | typeof accepted {
  const { isRequest, method, meta, version, methodHeader } = inbound;
  const claimed = meta?.[VERSION] as string | undefined;
  const the = isRequest ? 'the body' : 'the notification body';
  const theEnvelope = isRequest ? 'the body envelope' : 'the notification envelope';
  const names = `${theEnvelope} names protocol version ${claimed}`;
  if (claimed !== undefined && version !== undefined && version !== claimed)
    return headerMismatch(version, `${names} but the MCP-Protocol-Version header names ${version}`);
  const revision = claimed ?? (version as string);
  const isMethodChecked = isRequest || revision >= MODERN;
  if (isMethodChecked && methodHeader !== undefined && methodHeader !== method)
    return headerMismatch(
      methodHeader,
      `${the} names method ${method} but the Mcp-Method header names ${methodHeader}`,
    );
  if (revision !== MODERN) return rejections.unsupportedVersion(revision);
  if (!isRequest) return accepted;
  if (version === undefined) return missingHeader('MCP-Protocol-Version', names);
  if (methodHeader === undefined) return missingHeader('Mcp-Method', `the body names method ${method}`);
  return checkName(inbound) ?? VALID;
}

function checkName({ method, params, nameHeader }: Inbound): Rejection | undefined {
  const field = Object.hasOwn(named, method) ? named[method] : undefined;
  if (field === undefined) return undefined;
  const value = params?.[field];
  const carries = `the body carries params.${field}="${String(value)}"`;
  // A parameter that is not text is rejected later, when the parameters are validated.
  if (nameHeader === undefined)
    return typeof value === 'string' ? missingHeader('Mcp-Name', carries) : undefined;
  const decoded = nameHeader.startsWith(ENCODED) ? decodeHeader(nameHeader) : nameHeader;
  if (decoded === undefined)
    return headerMismatch(nameHeader, 'the Mcp-Name header carries an invalid Base64 sentinel value');
  if (typeof value !== 'string' || value === decoded) return undefined;
  return headerMismatch(nameHeader, `${carries} but the Mcp-Name header names "${decoded}"`);
}

function askClassifier(body: unknown, headers: StandardHeaders): Verdict | Rejection {
  const sdk = sdkIfLoaded();
  if (!sdk) return SDK_NOT_LOADED;
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
  if (isRequest && outcome.classification.revision === MODERN) {
    const key = JSON.stringify(meta);
    if (key.length < MAX_REMEMBERED) validEnvelopes.set(key, true);
  }
  return checkHeaders({ isRequest, method, params, meta, ...headers });
}

const BLANKS = /^[\t ]+|[\t ]+$/g;

/** A repeated header without a value leaves a blank at the end of the joined value. */
function stripBlanks(header: string | undefined): string | undefined {
  return header !== undefined && /^[\t ]|[\t ]$/.test(header) ? header.replace(BLANKS, '') : header;
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
