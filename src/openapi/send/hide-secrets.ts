import type { ApiResponse } from './exchange.js';
import { textIn } from './read-response.js';
import { encodeText } from './serialize.js';

/** Shorter credentials occur in other texts by chance, and replacing them would change the answer. */
const SHORTEST = 8;
const MARK = '[redacted]';

/**
 * The response without the credentials of its request. Some APIs repeat them, for example in the address of the next page, and they
 * belong to the operator and not to the caller.
 */
export function hideSecrets(response: ApiResponse, secrets: readonly string[]): ApiResponse {
  const hidden = secrets.filter((secret) => secret.length >= SHORTEST);
  const text = hidden.length === 0 ? undefined : textIn(response);
  if (text === undefined) return response;
  const forms = [...new Set(hidden.flatMap(formsOf))].filter((form) => text.includes(form));
  if (forms.length === 0) return response;
  // The longest first, because one form can contain another.
  const clean = forms
    .toSorted((left, right) => right.length - left.length)
    .reduce((rest, form) => rest.replaceAll(form, MARK), text);
  const headers = new Headers(response.headers);
  const mediaType = (headers.get('content-type') ?? '').replace(/;.*$/s, '');
  if (mediaType !== '') headers.set('content-type', mediaType);
  return { ...response, headers, bytes: new TextEncoder().encode(clean) };
}

/** A credential as it is, in an address, and in JSON. */
function formsOf(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const encoded = [encodeText(secret), new URLSearchParams([['', secret]]).toString().slice(1)];
  return [secret, json, json.replaceAll('/', '\\/'), ...encoded];
}
