import type { ReadHeader } from './authenticator.js';

/** Node's default limit for headers rejects longer tokens. */
const MAX_LENGTH = 16_384;

/** A bearer token (RFC 6750). It has no comma, so two joined headers do not match. */
const form = /^bearer +([\w\-.~+/]+=*) *$/i;

/**
 * Reads the token of the `Authorization` header. Returns `undefined` if the header is absent or has another scheme, and an
 * empty text if the header is malformed.
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
