import type { ReadHeader } from './authenticator.js';

/** Longer ones do not get through Node's default limit for headers. */
const MAX_LENGTH = 16_384;

/** The form that RFC 6750 gives to a token. Two headers come joined with a comma, which it does not have. */
const form = /^bearer +([\w\-.~+/]+=*) *$/i;

/**
 * The token of an `Authorization` header: `undefined` where there is none or it is for another scheme, an empty text
 * where it is malformed.
 */
export function readBearerToken(header: ReadHeader): string | undefined {
  const value = header('authorization');
  if (value === undefined || value === '') return undefined;
  if (value.length > MAX_LENGTH) return '';
  const token = form.exec(value)?.[1];
  if (token !== undefined) return token;
  return /^bearer\b/i.test(value) || value.includes(',') ? '' : undefined;
}

export function isBearerToken(value: unknown): value is string {
  return typeof value === 'string' && value.length < MAX_LENGTH && form.test(`Bearer ${value}`);
}
