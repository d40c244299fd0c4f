import { createHider } from 'toolfold/internal';
import type { ApiResponse } from './exchange.js';
import { textIn } from './read-response.js';

/** Shorter credentials occur in other texts by chance, and replacing them would change the answer. */
const SHORTEST = 8;

/**
 * Removes the credentials of a request from its response. Some APIs repeat them, for example in the address of the next page, but they
 * belong to the operator and not to the caller.
 */
export function hideSecrets(response: ApiResponse, secrets: readonly string[]): ApiResponse {
  const hidden = secrets.filter((secret) => secret.length >= SHORTEST);
  if (hidden.length === 0) return response;
  const hide = createHider(hidden, SHORTEST);
  const headers = new Headers([...response.headers].map(([name, value]) => [name, hide(value)]));
  const shown = { ...response, headers, statusText: hide(response.statusText) };
  const text = textIn(response);
  const clean = text && hide(text);
  if (clean === undefined || clean === text) return shown;
  const mediaType = (headers.get('content-type') ?? '').replace(/;.*$/s, '');
  if (mediaType !== '') headers.set('content-type', mediaType);
  return { ...shown, bytes: new TextEncoder().encode(clean) };
}
