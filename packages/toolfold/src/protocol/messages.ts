import { isJsonObject, typeName } from '@toolfold/schema/internal';
import { isLoggingLevel } from './mcp-types.js';

export type Id = string | number;

/** A JSON-RPC message that a client sends. */
export type Message =
  | { readonly kind: 'request'; readonly id: Id; readonly method: string; readonly params: Params }
  | { readonly kind: 'notification'; readonly method: string; readonly params: Params }
  | { readonly kind: 'response'; readonly id: unknown; readonly result?: unknown; readonly error?: unknown };

type Params = Readonly<Record<string, unknown>>;

/** The last protocol version in which a client may send several messages in one array. */
export const LAST_WITH_BATCHES = '2025-03-26';
export const MAX_BATCH = 100;
const members: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params', 'result', 'error']);

/** Reads all messages of a body. Returns `undefined` if one of them is invalid. */
export function readMessages(body: unknown): readonly Message[] | undefined {
  if (!Array.isArray(body)) {
    const message = readMessage(body);
    return message && [message];
  }
  if (body.length === 0 || body.length > MAX_BATCH) return undefined;
  const messages = body.map(readMessage);
  return messages.every((message) => message !== undefined) ? messages : undefined;
}

function readMessage(value: unknown): Message | undefined {
  if (!isJsonObject(value) || value['jsonrpc'] !== '2.0') return undefined;
  // The schemas of MCP allow no further members in a message.
  for (const key in value) if (!members.has(key)) return undefined;
  const { id, method, params, result, error } = value;
  if (typeof method === 'string') {
    if (params !== undefined && !isJsonObject(params)) return undefined;
    if (!Object.hasOwn(value, 'id')) return { kind: 'notification', method, params: params ?? {} };
    return isId(id) ? { kind: 'request', id, method, params: params ?? {} } : undefined;
  }
  if (method !== undefined) return undefined;
  if (isJsonObject(result) && isId(id)) return { kind: 'response', id, result };
  return isJsonObject(error) && typeof error['message'] === 'string' && Number.isInteger(error['code'])
    ? { kind: 'response', id, error }
    : undefined;
}

/** Whether a value can be a request id. Unsafe integers are rejected, because they would come back changed. */
export function isId(id: unknown): id is Id {
  return typeof id === 'string' || Number.isSafeInteger(id);
}

/** Finds the id of a message in unparsed JSON text, if it is the first or the last member, where most programs write it. */
export function idInText(text: string): Id | undefined {
  const [, first, last] =
    /^\s*\{(?:"jsonrpc":"2\.0",)?"id":(\d+|"[^"\\]*"),|[{,]"id":(\d+|"[^"\\]*")\}\s*$/.exec(text) ?? [];
  const written = first ?? last;
  if (written === undefined) return undefined;
  const id = written.startsWith('"') ? written.slice(1, -1) : Number(written);
  return isId(id) ? id : undefined;
}

type Check = (value: unknown) => boolean;

interface Param {
  readonly name: string;
  readonly check: Check;
  readonly isOptional: boolean;
}

const isText: Check = (value) => typeof value === 'string';
const isTexts: Check = (value) => isJsonObject(value) && Object.values(value).every(isText);
const isRef: Check = (value) =>
  isJsonObject(value) &&
  ((value['type'] === 'ref/prompt' && isText(value['name'])) ||
    (value['type'] === 'ref/resource' && isText(value['uri'])));
const isArgument: Check = (value) => isJsonObject(value) && isText(value['name']) && isText(value['value']);
const isCompletionContext: Check = (value) =>
  isJsonObject(value) && (value['arguments'] === undefined || isTexts(value['arguments']));
/** At most 1,000 characters, because a session keeps the client's name and version. */
const isShort: Check = (value) => isText(value) && (value as string).length <= 1_000;
const isClient: Check = (value) => isJsonObject(value) && isShort(value['name']) && isShort(value['version']);
const isCapabilities: Check = (value) => isJsonObject(value) && JSON.stringify(value).length <= 16 * 1024;

const required = (name: string, check: Check): Param => ({ name, check, isOptional: false });
const optional = (name: string, check: Check): Param => ({ name, check, isOptional: true });

const cursor = [optional('cursor', isText)];
const taskId = required('taskId', isText);
const answers = optional('inputResponses', isJsonObject);
/** Sent with the answers to questions of an earlier round. */
const rounds = [answers, optional('requestState', isText)];

const forms: ReadonlyMap<string, readonly Param[]> = new Map([
  [
    'initialize',
    [
      required('protocolVersion', isText),
      required('capabilities', isCapabilities),
      required('clientInfo', isClient),
    ],
  ],
  ['logging/setLevel', [required('level', isLoggingLevel)]],
  ['tools/list', cursor],
  ['tools/call', [required('name', isText), optional('arguments', isJsonObject), ...rounds]],
  ['prompts/list', cursor],
  ['prompts/get', [required('name', isText), optional('arguments', isTexts), ...rounds]],
  ['resources/list', cursor],
  ['resources/templates/list', cursor],
  ['resources/read', [required('uri', isText), ...rounds]],
  ['resources/subscribe', [required('uri', isText)]],
  ['resources/unsubscribe', [required('uri', isText)]],
  [
    'completion/complete',
    [required('ref', isRef), required('argument', isArgument), optional('context', isCompletionContext)],
  ],
  ['tasks/get', [taskId]],
  ['tasks/update', [taskId, answers]],
  ['tasks/cancel', [taskId]],
]);

/** Returns the name of the first parameter that is missing or invalid; `undefined` if there is none. */
export function findInvalidParam(method: string, params: Params): string | undefined {
  for (const { name, check, isOptional } of forms.get(method) ?? []) {
    const value = Object.hasOwn(params, name) ? params[name] : undefined;
    if (value === undefined ? !isOptional : !check(value)) return name;
  }
  if (!Object.hasOwn(params, '_meta') || params['_meta'] === undefined) return undefined;
  const meta = params['_meta'];
  if (!isJsonObject(meta)) return '_meta';
  const token = meta['progressToken'];
  return token === undefined || isText(token) || Number.isSafeInteger(token)
    ? undefined
    : '_meta.progressToken';
}

/** A parameter of the wrong type, in the form in which Zod, and therefore the SDK, reports it. */
interface TypeIssue {
  readonly expected: string;
  readonly code: 'invalid_type';
  readonly path: readonly string[];
  readonly message: string;
}

/** The methods whose parameters all have a plain type: text, an object, or an object of texts. */
const describable: ReadonlySet<string> = new Set([
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'tools/call',
  'prompts/get',
  'resources/read',
]);

/** Lists the parameters of the wrong type. Returns nothing for mistakes that only the SDK can describe. */
export function findTypeIssues(method: string, params: Params): TypeIssue[] {
  // The SDK checks answers to questions before all other parameters, so leave these requests to it.
  if (params['inputResponses'] !== undefined || params['requestState'] !== undefined) return [];
  const form = describable.has(method) ? (forms.get(method) ?? []) : [];
  return form.flatMap(({ name, check, isOptional }) => {
    const value = params[name];
    if (value === undefined && isOptional) return [];
    if (check === isText) return typeof value === 'string' ? [] : [toIssue('string', value, name)];
    if (!isJsonObject(value)) return [toIssue('record', value, name)];
    if (check !== isTexts) return [];
    return Object.entries(value).flatMap(([key, text]) =>
      typeof text === 'string' ? [] : [toIssue('string', text, name, key)],
    );
  });
}

function toIssue(expected: string, value: unknown, ...path: readonly string[]): TypeIssue {
  return {
    expected,
    code: 'invalid_type',
    path: ['params', ...path],
    message: `Invalid input: expected ${expected}, received ${typeName(value)}`,
  };
}
