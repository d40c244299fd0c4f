import type { ToolContext } from 'toolfold';
import { callback, count, isFunction, isPlain, positiveMs } from '@toolfold/schema/internal';
import type { Rule, Rules } from '@toolfold/schema/internal';
import type { SecurityScheme } from '../request-plan.js';

/** A credential for one security scheme: a token or an API key, or the user and password of the scheme `basic`. */
export type ApiCredential = string | { readonly username: string; readonly password: string };

/** The result of a credential function; `undefined` if this caller has no credential. */
type Resolved = ApiCredential | undefined | Promise<ApiCredential | undefined>;

/** Takes the credential from the session context of the caller, so that each caller uses its own. */
export interface SessionCredential {
  /** The field of the session context that holds the credential. */
  readonly session: string;
}

/** Credentials by the name of their security scheme, or one function for all schemes. */
export type ApiCredentials =
  | Readonly<
      Record<string, ApiCredential | SessionCredential | ((context: ToolContext) => Resolved) | undefined>
    >
  | ((scheme: SecurityScheme, context: ToolContext) => Resolved);

/** Headers of every request: fixed ones, or a function that returns those of one call. */
export type ApiHeaders =
  | Readonly<Record<string, string>>
  | ((context: ToolContext) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);

/** Configures how requests to an API are sent: credentials, headers, time and sizes. */
export interface SendOptions {
  /**
   * The credentials of the API by the name of their security scheme: text, `{ username, password }`, `{ session }` with the field of
   * the caller's session context that holds the credential, or a function of the context of the call. Or one function of the scheme
   * and the context. Default: none.
   */
  readonly credentials?: ApiCredentials;
  /** Headers that every request has: an object, or a function of the context of the call. Default: none. */
  readonly headers?: ApiHeaders;
  /** Milliseconds until the whole response must have arrived. Default: 30,000. */
  readonly timeoutMs?: number;
  /** Maximum size of a response after decompression, in bytes. Default: 5 MiB. */
  readonly maxResponseBytes?: number;
  /** Maximum size of the body of a request, in bytes. Default: 10 MiB. */
  readonly maxRequestBytes?: number;
  /** Sends the requests. Default: the global `fetch`. */
  readonly fetch?: typeof fetch;
}

export interface RequestSettings {
  readonly credentials: ApiCredentials;
  readonly headers: ApiHeaders;
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  readonly maxRequestBytes: number;
  /** `undefined` means the global `fetch`, which is looked up for each request, because tests and instrumentation replace it. */
  readonly fetch: typeof fetch | undefined;
  /** Whether the operator chose the base address. An address that only the specification names may not lead into a private network. */
  readonly isBaseTrusted: boolean;
}

export const isSessionCredential = (value: unknown): value is SessionCredential =>
  isPlain(value) && typeof value['session'] === 'string' && value['session'] !== '';

const isCredential = (value: unknown): boolean =>
  value === undefined ||
  typeof value === 'string' ||
  isFunction(value) ||
  isSessionCredential(value) ||
  (isPlain(value) && typeof value['username'] === 'string' && typeof value['password'] === 'string');

const isTexts = (value: unknown): boolean =>
  isPlain(value) && Object.values(value).every((each) => typeof each === 'string');

const credentials: Rule = [
  (value) => isFunction(value) || (isPlain(value) && Object.values(value).every(isCredential)),
  'an object of text, { username, password }, { session } or functions by the name of the security scheme, or one function',
];

const headers: Rule = [
  (value) => isFunction(value) || isTexts(value),
  'an object of text, or a function that returns one',
];

export const sendRules: Rules<keyof SendOptions> = {
  credentials,
  headers,
  timeoutMs: positiveMs,
  maxResponseBytes: count,
  maxRequestBytes: count,
  fetch: callback,
};

const MIB = 1024 * 1024;

export function readRequestSettings(
  options: SendOptions,
  { isBaseTrusted }: { readonly isBaseTrusted: boolean },
): RequestSettings {
  return Object.freeze({
    credentials: options.credentials ?? {},
    headers: options.headers ?? {},
    timeoutMs: options.timeoutMs ?? 30_000,
    maxResponseBytes: options.maxResponseBytes ?? 5 * MIB,
    maxRequestBytes: options.maxRequestBytes ?? 10 * MIB,
    fetch: options.fetch,
    isBaseTrusted,
  });
}
