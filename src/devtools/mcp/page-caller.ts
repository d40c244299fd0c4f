import type { AuthInfo } from '../../web.js';
import { isJsonObject } from '../../values/json-value.js';

/** Characters of the header. Node rejects requests whose headers have more than 16 kB together. */
const MAX_HEADER = 12_000;
/** Scopes of one caller. */
export const MAX_SCOPES = 1_000;
const MAX_TEXT = 500;

export const CALLER_HEADER = 'x-toolfold-caller';

/**
 * Reads the header in which the page says as whom it calls: a `PageCaller` as JSON in base64url. A caller without scopes gets all of
 * them. Returns the mistake of an invalid header.
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
  // Without a token, nothing in the results is taken for one and redacted.
  const auth: AuthInfo = { token: '', clientId, scopes: [...scopes], ...(extra ? { extra } : {}) };
  return { auth: markAsPage(auth) };
}

const ofPage = new WeakSet<object>();

/** Marks a caller as the page. Clients cannot do that, whatever they send. */
export function markAsPage<T extends object>(auth: T): T {
  ofPage.add(auth);
  return auth;
}

/** Whether a call came through the endpoint of the page. */
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
