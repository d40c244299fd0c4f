import { invalidOption } from '../../values/options.js';

const localNames = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether a URL uses https, or http on localhost. */
export function isSecure({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && localNames.has(hostname));
}

/** Reads an https URL, or http on localhost, without query, fragment and credentials. */
export function readAddress(place: string, value: unknown): URL {
  const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined;
  if (!url || !isSecure(url)) throw invalidOption(place, 'an https address, or one of http on localhost');
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '')
    throw invalidOption(place, 'an address without query, fragment and credentials');
  return url;
}

/** Whether a value is a scope token of RFC 6749, which has no blanks and quotes and so fits into headers and lists. */
export function isScope(value: unknown): value is string {
  return typeof value === 'string' && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(value);
}

export function readScopes(place: string, value: unknown): readonly string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value) || !value.every(isScope))
    throw invalidOption(place, 'a list of scopes, each without blanks and quotes');
  return Object.freeze([...value]);
}
