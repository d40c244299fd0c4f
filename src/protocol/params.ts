import { isLoggingLevel } from './log-levels.js';
import { isJsonObject } from '../values/json-value.js';

type Params = Readonly<Record<string, unknown>>;
type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isMissing: Check = (value) => value === undefined;
const optional =
  (check: Check): Check =>
  (value) =>
    isMissing(value) || check(value);
const isTexts: Check = (value) => isJsonObject(value) && Object.values(value).every(isText);
const isRef: Check = (value) =>
  isJsonObject(value) &&
  ((value['type'] === 'ref/prompt' && isText(value['name'])) ||
    (value['type'] === 'ref/resource' && isText(value['uri'])));
const isArgument: Check = (value) => isJsonObject(value) && isText(value['name']) && isText(value['value']);
const isCompletionContext: Check = (value) => isJsonObject(value) && optional(isTexts)(value['arguments']);
/** What is kept for as long as a session must not be large. */
const isShort: Check = (value) => isText(value) && (value as string).length <= 1_000;
const isClient: Check = (value) => isJsonObject(value) && isShort(value['name']) && isShort(value['version']);
const isCapabilities: Check = (value) => isJsonObject(value) && JSON.stringify(value).length <= 16 * 1024;

const cursor = { cursor: optional(isText) };
/** What comes back with the answers to questions. */
const rounds = { inputResponses: optional(isJsonObject), requestState: optional(isText) };

/** What the parameters of each method must be. */
const forms: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  initialize: { protocolVersion: isText, capabilities: isCapabilities, clientInfo: isClient },
  ping: {},
  'logging/setLevel': { level: isLoggingLevel },
  'tools/list': cursor,
  'tools/call': { name: isText, arguments: optional(isJsonObject), ...rounds },
  'prompts/list': cursor,
  'prompts/get': { name: isText, arguments: optional(isTexts), ...rounds },
  'resources/list': cursor,
  'resources/templates/list': cursor,
  'resources/read': { uri: isText, ...rounds },
  'resources/subscribe': { uri: isText },
  'resources/unsubscribe': { uri: isText },
  'completion/complete': { ref: isRef, argument: isArgument, context: optional(isCompletionContext) },
  'tasks/get': { taskId: isText },
  'tasks/update': { taskId: isText, inputResponses: optional(isJsonObject) },
  'tasks/cancel': { taskId: isText },
};

/** The first parameter that is not what its method takes. */
export function findInvalidParam(method: string, params: Params): string | undefined {
  const form = Object.hasOwn(forms, method) ? forms[method] : undefined;
  if (form) for (const name in form) if (!form[name]?.(own(params, name))) return name;
  const meta = own(params, '_meta');
  if (meta === undefined) return undefined;
  if (!isJsonObject(meta)) return '_meta';
  const token = meta['progressToken'];
  return token === undefined || isText(token) || Number.isSafeInteger(token)
    ? undefined
    : '_meta.progressToken';
}

function own(params: Params, name: string): unknown {
  return Object.hasOwn(params, name) ? params[name] : undefined;
}
