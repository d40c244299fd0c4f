/** Checks that an answer of Toolfold equals that of the SDK, or differs as intended. */
import { isDeepStrictEqual } from 'node:util';
import { comparable, errorOf, outline } from './answer.js';
import type { Answer } from './answer.js';
import { bytesOf, headerOf, isOf2025 } from './http-case.js';
import type { HttpCase, HttpRequest, Json } from './http-case.js';
import type { IntendedDifference } from './intended-differences.js';
import type { JudgeName } from './judges.js';

/** `bytes` is the text of an error that rejects a 2026 request. */
export type Aspect = 'status' | 'headers' | 'body' | 'bytes';

/** One request and its two answers. */
export interface Pair {
  readonly judge: JudgeName;
  readonly request: HttpRequest;
  /** The earlier requests of the case. */
  readonly before: readonly HttpRequest[];
  readonly theirs: Answer;
  readonly ours: Answer;
}

export function compare(
  pair: Pair,
  intended: readonly IntendedDifference[],
  hits: Set<IntendedDifference>,
): string[] {
  const differences = differencesOf(pair);
  const complaints = faultsOf(pair);
  for (const entry of intended) {
    if (!entry.applies(pair)) continue;
    const complaint = entry.expect?.(pair);
    if (complaint !== undefined) complaints.push(`${entry.name}: ${complaint}`);
    for (const aspect of entry.covers) if (differences.delete(aspect)) hits.add(entry);
  }
  return [...complaints, ...differences.values()];
}

function differencesOf({ judge, request, theirs, ours }: Pair): Map<Aspect, string> {
  const found = new Map<Aspect, string>();
  const note = (aspect: Aspect, theirSide: unknown, ourSide: unknown): void => {
    if (!isDeepStrictEqual(theirSide, ourSide))
      found.set(aspect, `${aspect}: they say ${show(theirSide)}, we say ${show(ourSide)}`);
  };
  note('status', theirs.status, ours.status);
  note('headers', headersOf(theirs, request), headersOf(ours, request));
  // An answer to HEAD has no body.
  if (request.method === 'HEAD') return found;
  const reduce = judge === 'sdk' ? outline : comparable;
  if (theirs.isWhole && ours.isWhole && !(theirs.messages && ours.messages))
    note('body', theirs.text, ours.text);
  else note('body', theirs.messages?.map(reduce), ours.messages?.map(reduce));
  if (judge === 'composed' && !isOf2025(request) && isRejection(errorOf(theirs)))
    note('bytes', theirs.text, ours.text);
  return found;
}

/** Rejections by HTTP and of invalid JSON may have another text. */
function isRejection(error: Json | undefined): boolean {
  return error !== undefined && error['code'] !== -32_000 && error['code'] !== -32_700;
}

/** A 2025 server chooses between JSON and a stream for each answer. */
function headersOf({ headers, status }: Answer, request: HttpRequest): Readonly<Record<string, string>> {
  const isFree = status === 200 && request.method === 'POST' && headerOf(request, 'mcp-method') === undefined;
  if (!isFree) return headers;
  const { 'content-type': type, 'cache-control': _cache, 'x-accel-buffering': _buffering, ...rest } = headers;
  const isEither = type === 'application/json' || type === 'text/event-stream';
  return { ...rest, ...(type === undefined ? {} : { 'content-type': isEither ? 'either' : type }) };
}

/** Faults of an answer, independent of other servers. */
export function faultsOf({ request, ours }: Pick<Pair, 'request' | 'ours'>): string[] {
  const faults: string[] = [];
  const error = errorOf(ours);
  if (ours.status >= 500) faults.push(`status ${ours.status}`);
  if (leaks(error ? JSON.stringify(error) : ours.messages ? '' : ours.text))
    faults.push(`tells of the server's insides: ${ours.text.slice(0, 300)}`);
  if (ours.status === 202 && ours.text !== '') faults.push('202 with a body');
  if (ours.status === 405 && ours.headers['allow'] !== 'POST')
    faults.push(`405 with Allow: ${ours.headers['allow']}`);
  if (ours.headers['access-control-allow-origin'] !== undefined) faults.push('CORS is open');
  const isRejected = ours.status >= 400 && request.method !== 'HEAD';
  // Invalid HTTP needs no answer in JSON.
  const isForParser = ours.text === '' && isBelowHttp(ours.status, request);
  if (isRejected && !isForParser) {
    if (ours.headers['content-type'] !== 'application/json')
      faults.push(`an error as ${ours.headers['content-type']}`);
    // Other paths are not MCP.
    const isMcp = !request.target || ours.status !== 404;
    if (isMcp && (!error || !Number.isInteger(error['code']) || typeof error['message'] !== 'string'))
      faults.push(`an error that is not JSON-RPC: ${ours.text.slice(0, 200)}`);
  }
  return faults;
}

/** Whether Node's parser rejects the request before a handler sees it. */
function isBelowHttp(status: number, request: HttpRequest): boolean {
  const isOdd =
    !/^[A-Z]+$/.test(request.method) || request.headers.some(([name, value]) => isOddHeader(name, value));
  return isOdd && [400, 408, 413, 417, 431].includes(status);
}

function isOddHeader(name: string, value: string): boolean {
  return (
    // oxlint-disable-next-line no-control-regex
    !/^[!#$%&'*+.^_`|~0-9a-z-]+$/i.test(name) ||
    // oxlint-disable-next-line no-control-regex
    /[\x00-\x08\x0a-\x1f\x7f]/.test(value) ||
    /^(content-length|transfer-encoding|expect|host)$/i.test(name) ||
    value.length > 8_000
  );
}

const insides = /\n\s+at |node:internal|node_modules|\/[\w.-]+\.[cm]?[jt]s\b|ECONNREFUSED/;

export function leaks(text: string): boolean {
  return insides.test(text);
}

export function show(value: unknown): string {
  return (JSON.stringify(value) ?? String(value)).slice(0, 600);
}

/** A case as somebody who looks for the fault wants to see it. */
export function describeCase({ title, requests }: HttpCase): string {
  const lines = requests.map((request) => {
    const headers = request.headers.map(([name, value]) => `${name}: ${value}`).join('\n    ');
    const body = bytesOf(request);
    return `  ${request.method} ${request.target ?? '/mcp'}\n    ${headers}\n    ${show(body.toString('utf8'))}`;
  });
  return `${title}\n${lines.join('\n')}`;
}
