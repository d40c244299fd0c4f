import type { ToolContext } from 'toolfold';
import { ErrToolFailed } from 'toolfold/errors';
import { invalidOption, isJsonObject } from '@toolfold/schema/internal';
import type { RequestPlan, RequiredScheme, SecurityScheme } from '../request-plan.js';
import { isHeaderValue, toCookie } from './headers.js';
import type { FixedHeaders } from './headers.js';
import { encodeText } from './serialize.js';
import type { Pair } from './serialize.js';
import { encodeBase64 } from './files.js';
import { isSessionCredential } from './settings.js';
import type { ApiCredential, RequestSettings, SessionCredential } from './settings.js';

export interface SentCredentials extends FixedHeaders {
  readonly query: readonly Pair[];
  /** Every text that must not appear in an error. */
  readonly secrets: readonly string[];
  /** Names the security schemes that the request uses, for errors. */
  readonly schemes: readonly string[];
}

type OwnHeaders = Readonly<Record<string, string>>;

/**
 * Finds the credentials of a request: those of the first alternative of which all are known. Throws if none is complete, unless the
 * specification allows requests without credentials.
 */
export async function findCredentials(
  { security }: RequestPlan,
  settings: RequestSettings,
  context: ToolContext,
  ownHeaders: OwnHeaders,
): Promise<SentCredentials> {
  const missing: string[] = [];
  for (const alternative of security) {
    if (alternative.length === 0) continue;
    const found = await findAlternative(alternative, settings, context, ownHeaders);
    if (typeof found !== 'string') return found;
    missing.push(found);
  }
  const isFree = security.length === 0 || security.some((alternative) => alternative.length === 0);
  if (isFree) return { headers: {}, cookies: [], query: [], secrets: [], schemes: [] };
  const names = [...new Set(missing)];
  throw new ErrToolFailed(`The API needs credentials for ${names.map((name) => `"${name}"`).join(' or ')}.`, {
    hint: 'A person must supply them: the operator of the server in the option credentials, or the caller in its session context if the operator allows that.',
    details: { securitySchemes: names },
  });
}

/**
 * Returns the credentials of an alternative, or the name of the first scheme without one. A request can send a header only once, so of
 * several schemes that use the same header, the first with a credential counts.
 */
async function findAlternative(
  alternative: readonly RequiredScheme[],
  settings: RequestSettings,
  context: ToolContext,
  ownHeaders: OwnHeaders,
): Promise<SentCredentials | string> {
  // The operator may send a header itself.
  const written = new Set(Object.keys(ownHeaders).map((name) => name.toLowerCase()));
  const missing: SecurityScheme[] = [];
  const sent: SentCredentials[] = [];
  for (const { scheme } of alternative) {
    const header = headerOf(scheme);
    if (header !== undefined && written.has(header)) continue;
    // The function that sends the requests is responsible for client certificates.
    if (scheme.type === 'mutualTLS' && settings.fetch) continue;
    const credential = scheme.type === 'mutualTLS' ? undefined : await resolve(scheme, settings, context);
    if (credential === undefined) missing.push(scheme);
    else {
      sent.push(write(scheme, credential));
      if (header !== undefined) written.add(header);
    }
  }
  const unknown = missing.find((scheme) => !written.has(headerOf(scheme) ?? ''));
  if (unknown) return unknown.id;
  return {
    headers: Object.assign({}, ...sent.map(({ headers }) => headers)) as OwnHeaders,
    cookies: sent.flatMap(({ cookies }) => cookies),
    query: sent.flatMap(({ query }) => query),
    secrets: sent.flatMap(({ secrets }) => secrets),
    schemes: alternative.map(({ scheme }) => scheme.id),
  };
}

function headerOf({ type, in: place, name }: SecurityScheme): string | undefined {
  if (type === 'apiKey') return place === 'header' ? name?.toLowerCase() : undefined;
  return type === 'mutualTLS' ? undefined : 'authorization';
}

/**
 * Looks up the credential of a scheme. The specification chooses the names of schemes, so only the operator may choose which field of a
 * session goes to the API.
 */
async function resolve(
  scheme: SecurityScheme,
  { credentials }: RequestSettings,
  context: ToolContext,
): Promise<ApiCredential | undefined> {
  const { id } = scheme;
  if (typeof credentials === 'function') return checked(id, await credentials(scheme, context));
  const entry = Object.hasOwn(credentials, id) ? credentials[id] : undefined;
  if (isSessionCredential(entry)) return fromSession(entry, context);
  return checked(id, typeof entry === 'function' ? await entry(context) : entry);
}

/** Never uses the token with which the caller authenticated to this server, because it was not issued for the API. */
function fromSession(
  { session: field }: SessionCredential,
  { session, caller }: ToolContext,
): ApiCredential | undefined {
  const value = Object.hasOwn(session, field) ? session[field] : undefined;
  return isCredential(value) && value !== caller.auth?.token ? value : undefined;
}

function checked(id: string, value: unknown): ApiCredential | undefined {
  if (value === undefined || value === '') return undefined;
  if (isCredential(value)) return value;
  throw invalidOption(`fromOpenAPI: the credential "${id}"`, 'text or { username, password }');
}

function isCredential(value: unknown): value is ApiCredential {
  if (typeof value === 'string') return value !== '';
  return (
    isJsonObject(value) && typeof value['username'] === 'string' && typeof value['password'] === 'string'
  );
}

function write(scheme: SecurityScheme, credential: ApiCredential): SentCredentials {
  const { id, type, in: place, name = '' } = scheme;
  const empty = { headers: {}, cookies: [], query: [], schemes: [id] };
  if (type === 'apiKey') {
    const key = textOf(id, credential);
    const secrets = [key];
    if (place === 'query') return { ...empty, query: [[encodeText(name), encodeText(key)]], secrets };
    if (place === 'cookie') return { ...empty, cookies: [toCookie(name, key)], secrets };
    return { ...empty, headers: { [name.toLowerCase()]: sendable(id, key) }, secrets };
  }
  const { value, secrets } = authorizationOf(scheme, credential);
  return { ...empty, headers: { authorization: sendable(id, value) }, secrets };
}

interface Authorization {
  readonly value: string;
  readonly secrets: readonly string[];
}

function authorizationOf({ id, type, scheme }: SecurityScheme, credential: ApiCredential): Authorization {
  const kind = type === 'http' ? (scheme ?? 'bearer') : 'bearer';
  if (kind === 'basic') return basicOf(id, credential);
  const text = textOf(id, credential);
  const prefix = kind === 'bearer' ? 'Bearer' : kind;
  // Many people store the token with the prefix that the header needs.
  const token = text.toLowerCase().startsWith(`${kind} `) ? text.slice(kind.length + 1).trim() : text;
  return { value: `${prefix} ${token}`, secrets: [token] };
}

function basicOf(id: string, credential: ApiCredential): Authorization {
  const written = typeof credential === 'string' ? credential : undefined;
  const at = written?.indexOf(':') ?? -1;
  if (written !== undefined && at < 0)
    throw invalidOption(
      `fromOpenAPI: the credential "${id}"`,
      '{ username, password } or "username:password"',
    );
  const { username, password } =
    typeof credential === 'string'
      ? { username: credential.slice(0, at), password: credential.slice(at + 1) }
      : credential;
  if (username.includes(':'))
    throw invalidOption(`fromOpenAPI: the credential "${id}"`, 'a username without ":"');
  const encoded = encodeBase64(new TextEncoder().encode(`${username}:${password}`));
  // Some APIs take their key as the user name, without a password.
  return { value: `Basic ${encoded}`, secrets: [encoded, password === '' ? username : password] };
}

function textOf(id: string, credential: ApiCredential): string {
  if (typeof credential === 'string') return credential;
  throw invalidOption(`fromOpenAPI: the credential "${id}"`, 'text');
}

function sendable(id: string, value: string): string {
  if (isHeaderValue(value)) return value;
  throw invalidOption(`fromOpenAPI: the credential "${id}"`, 'Latin-1 text without line breaks');
}
