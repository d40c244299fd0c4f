import type { AuthInfo } from '@modelcontextprotocol/server';
import { isJsonObject } from '../../values/json-value.js';
import type { ToolsetConfig } from '../../toolsets/toolset-config.js';
import { invalidOption } from '../../values/options.js';
import type { Authentication, Authenticator, ReadHeader, Rejection } from '../auth/authenticator.js';
import { createCors } from './hosts-and-origins.js';
import type { CorsOptions } from './hosts-and-origins.js';
import { writeMetadata } from '../auth/authenticator.js';

/** Who may call, and from where. */
export interface GateOptions {
  /** Who may call; anybody by default. */
  readonly auth?: Authenticator | undefined;
  /** Whose web pages may call from elsewhere; nobody's by default. */
  readonly cors?: CorsOptions | undefined;
}

/** What is known of a request before its body is read. */
export interface RequestHead {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly header: ReadHeader;
}

/** An answer that is ready. */
export interface GateAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Either the request is answered, or it may go on, in somebody's name where that is known. */
export type Admission =
  | { readonly answer: GateAnswer }
  | { readonly answer?: undefined; readonly auth?: AuthInfo | undefined };

/** Stands before everything that reads a body: CORS, the metadata of the server, authentication. */
export interface Gate {
  /** Whether web pages of this origin may call. */
  allowsOrigin(origin: string | undefined): boolean;
  /** Whether the path is answered here, beside that of MCP. */
  serves(path: string): boolean;
  /** What goes with every answer, rejections included. */
  headersFor(origin: string | undefined): Readonly<Record<string, string>> | undefined;
  /** `given` is what somebody in front has verified; then nobody is asked again. */
  admit(head: RequestHead, given?: AuthInfo): Admission | Promise<Admission>;
}

export function createGate({
  auth,
  cors: corsOptions,
  toolsets,
  onError = () => {},
}: GateOptions & {
  readonly toolsets?: Pick<ToolsetConfig, 'sessionContext'> | undefined;
  readonly onError?: ((error: unknown) => void) | undefined;
}): Gate {
  if (auth !== undefined) assertAuthenticator(auth);
  const cors =
    corsOptions === undefined
      ? undefined
      : createCors(corsOptions, [...headersOf(auth), ...contextHeaders(toolsets)]);
  const metadata = auth?.metadata && writeMetadata('auth.metadata', auth.metadata);

  /** Whoever is neither named nor rejected is not let in. */
  const settle = (outcome: Authentication): Admission => {
    const isRejected = 'rejection' in outcome && outcome.rejection !== undefined;
    if (!isRejected && 'auth' in outcome && isJsonObject(outcome.auth)) return { auth: outcome.auth };
    if (!isRejected) throw new TypeError('auth.authenticate() gave neither auth nor rejection.');
    if (outcome.rejection.cause !== undefined) onError(outcome.rejection.cause);
    return { answer: toAnswer(outcome.rejection) };
  };

  const answerOptions = ({ header }: RequestHead): GateAnswer => {
    const origin = header('origin');
    const isPreflight = header('access-control-request-method') !== undefined;
    if (cors && origin !== undefined && isPreflight && cors.allows(origin))
      return { status: 204, headers: cors.preflight(origin, header), body: '' };
    return toAnswer({
      status: 405,
      message: 'Method not allowed.',
      headers: { allow: 'GET, POST, DELETE' },
    });
  };

  return {
    allowsOrigin: (origin) => cors?.allows(origin) === true,
    serves: (path) => metadata?.paths.has(path) === true,
    headersFor: (origin) => cors?.headersFor(origin),
    admit: (head, given) => {
      if (head.method === 'OPTIONS') return { answer: answerOptions(head) };
      if (metadata?.paths.has(head.path)) return { answer: answerMetadata(head.method, metadata.text) };
      if (!auth || given) return { auth: given };
      const outcome = auth.authenticate(head.header);
      return outcome instanceof Promise ? outcome.then(settle) : settle(outcome);
    },
  };
}

/** A rejection as an error of JSON-RPC. */
export function toAnswer(
  { status, message, headers }: Rejection,
  id: string | number | null = null,
): GateAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message }, id }),
  };
}

function answerMetadata(method: string, text: string): GateAnswer {
  if (method !== 'GET' && method !== 'HEAD')
    return toAnswer({ status: 405, message: 'Method not allowed.', headers: { allow: 'GET, HEAD' } });
  return {
    status: 200,
    headers: { 'content-type': 'application/json', 'cache-control': 'public, max-age=300' },
    body: text,
  };
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
