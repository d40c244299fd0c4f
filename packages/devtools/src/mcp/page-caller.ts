import type { AuthInfo } from 'toolfold/web';
import { isJsonObject } from '@toolfold/schema/internal';

/** Maximum length of the header. Node rejects more than 16 kB of headers. */
const MAX_HEADER = 12_000;
/** Maximum number of scopes of a caller. */
export const MAX_SCOPES = 1_000;
const MAX_TEXT = 500;

export const CALLER_HEADER = 'x-toolfold-caller';

/**
 * Reads the header with the page's caller: a `PageCaller` as JSON in base64url. Without `scopes`, the caller gets all of them.
 * Returns the problem of an invalid header.
 */
export function readPageCaller(
  header: string | undefined,
  allScopes: readonly string[],
): { readonly auth: AuthInfo } | { readonly mistake: string } {
  const given = header === undefined || header === '' ? {} : decode(header);
  if (!isJsonObject(given)) return mistake('a JSON object in base64url of at most 12,000 characters');
  const { clientId = 'page', scopes = allScopes, extra, ...others } = given;
  const [other] = Object.keys(others);
  if (other !== undefined) return mistake('an object with clientId, scopes and extra');
  if (!isShortText(clientId)) return mistake('given a clientId of 1 to 500 characters');
  if (!Array.isArray(scopes) || scopes.length > MAX_SCOPES || !scopes.every(isShortText))
    return mistake('given a list of at most 1,000 scopes');
  if (extra !== undefined && !isJsonObject(extra)) return mistake('given an object as extra');
  // An empty token, so that no text in results is redacted as a token.
  const auth: AuthInfo = { token: '', clientId, scopes: [...scopes], ...(extra ? { extra } : {}) };
  return { auth: markAsPage(auth) };
}

const ofPage = new WeakSet<object>();

/** Marks a caller as the page. Clients cannot forge the mark. */
export function markAsPage<T extends object>(auth: T): T {
  ofPage.add(auth);
  return auth;
}

/** Whether the call came through the page's endpoint. */
export function isPage(auth: object | undefined): boolean {
  return auth !== undefined && ofPage.has(auth);
}

function mistake(expected: string): { readonly mistake: string } {
  return { mistake: `The header ${CALLER_HEADER} must be ${expected}.` };
}

function decode(header: string): unknown {
  if (header.length > MAX_HEADER || !/^[\w-]+$/.test(header)) return undefined;
  try {
    return JSON.parse(Buffer.from(header, 'base64url').toString('utf8')) as unknown;
  } catch {
    return undefined;
  }
}

function isShortText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= MAX_TEXT;
}
