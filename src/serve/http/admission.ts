import type { AuthInfo } from '@modelcontextprotocol/server';
import { REJECTED } from '../../protocol/rpc-codes.js';
import type { ToolsetConfig } from '../../toolsets/toolset-config.js';
import { invalidOption } from '../../values/options.js';
import { isJsonObject } from '../../values/json-value.js';
import { writeMetadata } from '../auth/authenticator.js';
import type { Authentication, Authenticator, ReadHeader, Rejection } from '../auth/authenticator.js';
import { createCors } from './hosts-and-origins.js';
import type { Cors, CorsOptions } from './hosts-and-origins.js';
import { pathOf } from './read-request.js';
import type { WholeAnswer } from './request-response.js';

export interface AdmissionOptions {
  /** Authenticates callers. Default: none, so that anybody may call. */
  readonly auth?: Authenticator | undefined;
  /** Lets web pages of other origins call. Default: none may. */
  readonly cors?: CorsOptions | undefined;
}

/** The part of a request that is known before its body is read. */
interface RequestHead {
  readonly method: string;
  readonly target: string;
  readonly header: ReadHeader;
  /** The authorization that middleware in front of the handler has verified. The authenticator is then not asked. */
  readonly auth?: object | undefined;
}

/** Either the response to a request, or the verified authorization with which the request continues. */
export type Admitted =
  | { readonly answer: WholeAnswer & { readonly body: string } }
  | { readonly answer?: undefined; readonly auth?: AuthInfo | undefined };

/** Decides before the body is read: answers CORS preflights and metadata requests, and authenticates all others. */
export interface Admission {
  readonly cors: Cors | undefined;
  /** Whether the path is answered here and not by MCP. */
  serves(path: string): boolean;
  admit(head: RequestHead): Admitted | Promise<Admitted>;
}

export function createAdmission({
  auth,
  cors: corsOptions,
  toolsets,
  onError = () => {},
}: AdmissionOptions & {
  readonly toolsets?: Pick<ToolsetConfig, 'sessionContext'> | undefined;
  readonly onError?: ((error: unknown) => void) | undefined;
}): Admission {
  if (auth !== undefined) assertAuthenticator(auth);
  const cors =
    corsOptions === undefined
      ? undefined
      : createCors(corsOptions, [...headersOf(auth), ...contextHeaders(toolsets)]);
  const metadata = auth?.metadata && writeMetadata('auth.metadata', auth.metadata);

  /** An authenticator that neither names nor rejects a caller admits nobody. */
  const settle = (outcome: Authentication): Admitted => {
    const isRejected = 'rejection' in outcome && outcome.rejection !== undefined;
    if (!isRejected && 'auth' in outcome && isJsonObject(outcome.auth)) return { auth: outcome.auth };
    if (!isRejected) throw new TypeError('auth.authenticate() returned neither auth nor rejection.');
    if (outcome.rejection.cause !== undefined) onError(outcome.rejection.cause);
    return { answer: toAnswer(outcome.rejection) };
  };

  return {
    cors,
    serves: (path) => metadata?.paths.has(path) === true,
    admit: (head) => {
      if (head.method === 'OPTIONS') return { answer: answerOptions(head, cors) };
      if (metadata?.paths.has(pathOf(head.target)))
        return { answer: answerMetadata(head.method, metadata.text) };
      if (!auth || head.auth) return { auth: head.auth as AuthInfo | undefined };
      const outcome = auth.authenticate(head.header);
      return outcome instanceof Promise ? outcome.then(settle) : settle(outcome);
    },
  };
}

/** A rejection as a JSON-RPC error. */
export function toAnswer(
  { status, message, headers }: Rejection,
  id: string | number | null = null,
): WholeAnswer & { readonly body: string } {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', error: { code: REJECTED, message }, id }),
  };
}

function answerOptions({ header }: RequestHead, cors: Cors | undefined): WholeAnswer & { body: string } {
  const origin = header('origin');
  const isPreflight = header('access-control-request-method') !== undefined;
  if (cors && origin !== undefined && isPreflight && cors.allows(origin))
    return { status: 204, headers: cors.preflight(origin, header), body: '' };
  return methodNotAllowed('GET, POST, DELETE');
}

function answerMetadata(method: string, text: string): WholeAnswer & { body: string } {
  if (method !== 'GET' && method !== 'HEAD') return methodNotAllowed('GET, HEAD');
  return {
    status: 200,
    headers: { 'content-type': 'application/json', 'cache-control': 'public, max-age=300' },
    body: text,
  };
}

function methodNotAllowed(allow: string): WholeAnswer & { body: string } {
  return toAnswer({ status: 405, message: 'Method not allowed.', headers: { allow } });
}

function headersOf(auth: Authenticator | undefined): readonly string[] {
  return auth ? (auth.headers ?? ['authorization']) : [];
}

function contextHeaders({ sessionContext }: Pick<ToolsetConfig, 'sessionContext'> = {}): readonly string[] {
  const { enabled = true, header } = sessionContext ?? {};
  return enabled && header ? [header.name] : [];
}

function assertAuthenticator(auth: unknown): void {
  if (!isJsonObject(auth) || typeof auth['authenticate'] !== 'function')
    throw invalidOption('auth', 'oauth(…), apiKeys(…) or an object with authenticate()');
  const { headers } = auth;
  if (headers !== undefined && !(Array.isArray(headers) && headers.every(isHeaderName)))
    throw invalidOption('auth.headers', 'a list of names of headers');
}

function isHeaderName(name: unknown): boolean {
  return typeof name === 'string' && /^[\w-]+$/.test(name);
}
