/** What an answer says, in a form in which two of them can be compared. */
import type { RawResponse } from '../raw-responses.js';
import type { Json } from './http-case.js';
import { VERSION } from './http-case.js';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The messages of JSON-RPC, in order; `undefined` where the body is something else. */
  readonly messages: readonly unknown[] | undefined;
  readonly text: string;
  readonly isWhole: boolean;
}

/** Headers whose value decides what a client or a proxy does. */
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
  // Which methods there are depends on whether there are sessions.
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

/** The data of events; comments and events without data say nothing to a client. */
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
 * What the specification leaves to a server is taken out: the words of an error, `data` where no form of it is given,
 * whether an error without an id says `null` or nothing, for how long a list is good, and what a state looks like.
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

/** The specification gives no code for what HTTP refuses; the SDK takes some that new servers should not. */
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

/** A server may serve more versions than another. */
function versionsIn(versions: unknown): unknown {
  return Array.isArray(versions) && versions.includes(VERSION) ? [VERSION, '…'] : versions;
}

/** What servers of different make have in common when they offer the same. */
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
  // What went wrong in a tool is said in words.
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
