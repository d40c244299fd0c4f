/** Answers in a comparable form. */
import type { RawResponse } from '../raw-responses.js';
import type { Json } from './http-case.js';
import { VERSION } from './http-case.js';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON-RPC messages in order; `undefined` if the body is something else. */
  readonly messages: readonly unknown[] | undefined;
  readonly text: string;
  readonly isWhole: boolean;
}

/** Headers that affect clients and proxies. */
const headersThatMatter = [
  'allow',
  'access-control-allow-origin',
  'cache-control',
  'content-type',
  'mcp-session-id',
  'retry-after',
  'www-authenticate',
  'x-accel-buffering',
];

export function toAnswer({ status, headers, body, isWhole }: RawResponse): Answer {
  const kept: Record<string, string> = {};
  for (const name of headersThatMatter) {
    const value = headers[name];
    if (value !== undefined) kept[name] = value;
  }
  if (kept['content-type'] !== undefined) kept['content-type'] = essenceOf(kept['content-type']);
  if (kept['mcp-session-id'] !== undefined) kept['mcp-session-id'] = 'one';
  // The allowed methods depend on whether there are sessions.
  if (kept['allow']?.includes('POST')) kept['allow'] = 'POST';
  const text = body.toString('utf8');
  return { status, headers: kept, messages: messagesIn(kept['content-type'], text), text, isWhole };
}

function essenceOf(type: string): string {
  return (type.split(';', 1)[0] ?? '').trim().toLowerCase();
}

function messagesIn(type: string | undefined, text: string): readonly unknown[] | undefined {
  if (text === '') return [];
  try {
    if (type === 'application/json') return [JSON.parse(text)];
    if (type === 'text/event-stream') return eventsIn(text).map((data) => JSON.parse(data) as unknown);
  } catch {
    return undefined;
  }
  return undefined;
}

/** The data of events, without comments and events without data. */
export function eventsIn(text: string): string[] {
  return text
    .split(/\r?\n\r?\n/)
    .map((block) =>
      block
        .split(/\r?\n/)
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).replace(/^ /, ''))
        .join('\n'),
    )
    .filter((data) => data !== '');
}

/** Codes whose `data` the specification describes. */
const codesWithData = new Set([-32_021, -32_022]);

/**
 * Removes the parts that the specification leaves to the server: the text of an error, unspecified `data`, whether
 * an error without an id has `null` or no id, the ttl of a list, and the form of a state.
 */
export function comparable(message: unknown): unknown {
  if (!isObject(message)) return message;
  if (Array.isArray(message)) return message.map(comparable);
  const { error, result, id } = message;
  if (isObject(error)) {
    const data = codesWithData.has(Number(error['code'])) ? { data: withoutVersions(error['data']) } : {};
    return { jsonrpc: message['jsonrpc'], id: id ?? null, error: { code: codeOf(error['code']), ...data } };
  }
  if (!isObject(result)) return message;
  const { ttlMs, cacheScope, supportedVersions, requestState, ...rest } = result;
  const hints = {
    ...(requestState === undefined
      ? {}
      : { requestState: typeof requestState === 'string' ? 'a state' : requestState }),
    ...(ttlMs === undefined ? {} : { ttlMs: isTtl(ttlMs) ? 'for some time' : ttlMs }),
    ...(cacheScope === undefined
      ? {}
      : { cacheScope: cacheScope === 'public' || cacheScope === 'private' ? 'somebody' : cacheScope }),
    ...(supportedVersions === undefined ? {} : { supportedVersions: versionsIn(supportedVersions) }),
  };
  return { ...message, result: { ...rest, ...hints } };
}

/** The specification defines no code for HTTP rejections; the SDK uses some that new servers should avoid. */
function codeOf(code: unknown): unknown {
  const isOfNobody = typeof code === 'number' && code <= -32_000 && code > -32_020;
  return isOfNobody || code === -32_600 ? 'refused' : code;
}

function isTtl(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

function withoutVersions(data: unknown): unknown {
  return isObject(data) && 'supported' in data ? { ...data, supported: versionsIn(data['supported']) } : data;
}

/** Servers may support different sets of versions. */
function versionsIn(versions: unknown): unknown {
  return Array.isArray(versions) && versions.includes(VERSION) ? [VERSION, '…'] : versions;
}

/** The part of a message that different servers with the same tools have in common. */
export function outline(message: unknown): unknown {
  const same = comparable(message);
  if (!isObject(same) || !isObject(same['result'])) return same;
  const { result, ...rest } = same;
  const names = (list: unknown): unknown =>
    Array.isArray(list) ? list.map((item) => (isObject(item) ? item['name'] : item)) : list;
  const fields: Json = { ...(result as Json) };
  delete fields['_meta'];
  for (const list of ['tools', 'prompts', 'resources', 'resourceTemplates'])
    if (list in fields) fields[list] = names(fields[list]);
  if ('capabilities' in fields) fields['capabilities'] = Object.keys(fields['capabilities'] ?? {}).toSorted();
  if (isObject(fields['inputRequests'])) {
    delete fields['content'];
    fields['inputRequests'] = Object.entries(fields['inputRequests']).map(([key, asked]) => [
      key,
      isObject(asked) ? asked['method'] : asked,
    ]);
  }
  // Errors of a tool are free text.
  if (fields['isError'] === true) delete fields['content'];
  if (isObject(fields['completion'])) fields['completion'] = fields['completion']['values'];
  return { ...rest, result: fields };
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null;
}

export function errorOf({ messages }: Answer): Json | undefined {
  const last = messages?.at(-1);
  return isObject(last) && isObject(last['error']) ? last['error'] : undefined;
}

export function resultOf({ messages }: Answer): Json | undefined {
  const last = messages?.at(-1);
  return isObject(last) && isObject(last['result']) ? last['result'] : undefined;
}
