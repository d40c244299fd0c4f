import type { ToolContext } from '../../define/tool-definition.js';
import { callback, count, isFunction, positiveMs } from '../../values/options.js';
import type { Rule, Rules } from '../../values/options.js';
import { isJsonObject } from '../../values/json-value.js';
import type { SecurityScheme } from '../request-plan.js';

/** A credential for one security scheme: a token or an API key, or the user and password of the scheme `basic`. */
export type ApiCredential = string | { readonly username: string; readonly password: string };

/** A credential, or nothing if there is none for this caller. */
type Resolved = ApiCredential | undefined | Promise<ApiCredential | undefined>;

/** The field of the caller's session context that holds its own credential. */
export interface SessionCredential {
  /** The name of the field. */
  readonly session: string;
}

/** Credentials by the name of their security scheme, or one function for all schemes. */
export type ApiCredentials =
  | Readonly<
      Record<string, ApiCredential | SessionCredential | ((context: ToolContext) => Resolved) | undefined>
    >
  | ((scheme: SecurityScheme, context: ToolContext) => Resolved);

/** Headers of every request. */
export type ApiHeaders =
  | Readonly<Record<string, string>>
  | ((context: ToolContext) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>);

/** How requests to an API are sent. */
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

/** The options with every default filled in. */
export interface RequestSettings {
  readonly credentials: ApiCredentials;
  readonly headers: ApiHeaders;
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  readonly maxRequestBytes: number;
  /** `undefined` for the global `fetch`, which is looked up for each request, because tests and instrumentation replace it. */
  readonly fetch: typeof fetch | undefined;
  /**
   * Whether the operator chose the base address. An address that only the specification names may not lead into a private
   * network.
   */
  readonly isBaseTrusted: boolean;
}

export const isSessionCredential = (value: unknown): value is SessionCredential =>
  isJsonObject(value) && typeof value['session'] === 'string' && value['session'] !== '';

const isCredential = (value: unknown): boolean =>
  value === undefined ||
  typeof value === 'string' ||
  isFunction(value) ||
  isSessionCredential(value) ||
  (isJsonObject(value) && typeof value['username'] === 'string' && typeof value['password'] === 'string');

const isTexts = (value: unknown): boolean =>
  isJsonObject(value) && Object.values(value).every((each) => typeof each === 'string');

const credentials: Rule = [
  (value) => isFunction(value) || (isJsonObject(value) && Object.values(value).every(isCredential)),
  'an object of text, { username, password }, { session } or functions by the name of the security scheme, or one function',
];

const headers: Rule = [
  (value) => isFunction(value) || isTexts(value),
  'an object of text, or a function that returns one',
];

/** The rules of the options, for `assertOptions` of the function that takes them. */
export const sendRules: Rules<keyof SendOptions> = {
  credentials,
  headers,
  timeoutMs: positiveMs,
  maxResponseBytes: count,
  maxRequestBytes: count,
  fetch: callback,
};

const MIB = 1024 * 1024;

/** Fills in the defaults of options that `sendRules` have checked. */
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
