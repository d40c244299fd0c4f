import { invalidOption, isPlain } from '@toolfold/schema/internal';
import type { RequestPlan } from '../request-plan.js';
import { encodeText, invalidArgument, writeHeaderValue, writePairs } from './serialize.js';
import type { Pair } from './serialize.js';
import { givenParameters } from './url.js';

/** Headers that belong to the connection, or that `fetch` writes itself. No argument and no option may set them. */
const connectionHeaders: ReadonlySet<string> = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** OpenAPI ignores parameters with these names. */
const ignoredHeaders: ReadonlySet<string> = new Set(['accept', 'authorization', 'content-type']);

/** Whether the request itself sets a header, so that an operation must not offer it as an argument. */
export function isOwnHeader(name: string): boolean {
  const lower = name.toLowerCase();
  return connectionHeaders.has(lower) || ignoredHeaders.has(lower) || lower === 'cookie';
}

const HEADER_NAME = /^[!#$%&'*+\-.^_`|~\w]+$/;

/** Whether a text can be sent as the value of a header: Latin-1 without control characters, except tabs. */
export function isHeaderValue(value: string): boolean {
  // oxlint-disable-next-line no-control-regex -- headers must not contain these
  return !/[^\t\x20-\x7E\x80-\xFF]/.test(value);
}

/** Throws unless the operator's headers can be sent. The message names no value, because a value may be a credential. */
export function assertOwnHeaders(headers: unknown): asserts headers is Readonly<Record<string, string>> {
  if (!isPlain(headers)) throw invalidOption('fromOpenAPI: the result of headers()', 'an object of text');
  for (const [name, value] of Object.entries(headers)) {
    if (!HEADER_NAME.test(name) || connectionHeaders.has(name.toLowerCase()))
      throw invalidOption('fromOpenAPI: headers', 'headers that a request can have', `Got "${name}".`);
    if (typeof value !== 'string' || !isHeaderValue(value))
      throw invalidOption(`fromOpenAPI: the header "${name}"`, 'Latin-1 text without line breaks');
  }
}

/** Headers and cookies that are not arguments: credentials, and headers of the operator. */
export interface FixedHeaders {
  readonly headers: Readonly<Record<string, string>>;
  /** Cookies with encoded values. */
  readonly cookies: readonly Pair[];
}

/** Builds the headers of a request. Fixed headers override arguments. */
export function buildHeaders(
  plan: RequestPlan,
  input: Readonly<Record<string, unknown>>,
  { headers: fixed, cookies: fixedCookies }: FixedHeaders,
): Headers {
  const headers = new Headers({ accept: plan.accept });
  for (const [parameter, value] of givenParameters(plan, 'header', input)) {
    const { name, field } = parameter;
    const lower = name.toLowerCase();
    if (ignoredHeaders.has(lower)) continue;
    if (!HEADER_NAME.test(name) || connectionHeaders.has(lower) || lower === 'cookie')
      throw invalidArgument(field, `the header "${name}" cannot be set by an argument`);
    const text = writeHeaderValue(parameter, value);
    if (!isHeaderValue(text))
      throw invalidArgument(
        field,
        'must be Latin-1 text without line breaks, because it is sent as a header',
      );
    headers.set(name, text);
  }
  for (const [name, value] of Object.entries(fixed)) headers.set(name, value);
  const cookies = givenParameters(plan, 'cookie', input)
    .flatMap(([parameter, value]) => writePairs({ ...parameter, allowReserved: false }, value))
    .filter(([name]) => !fixedCookies.some(([taken]) => taken === name));
  const all = [...cookies, ...fixedCookies].map((pair) => pair.join('='));
  const given = headers.get('cookie');
  if (all.length > 0) headers.set('cookie', [...(given === null ? [] : [given]), ...all].join('; '));
  return headers;
}

export const toCookie = (name: string, value: string): Pair => [encodeText(name), encodeText(value)];
