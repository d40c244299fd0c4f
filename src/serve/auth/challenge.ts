import type { Caller } from '../../callers/caller.js';
import type { CallToolResult } from '../../protocol/tool-result.js';
import { requiredScopesOf } from '../../engine/call-errors.js';
import { isScope } from './scopes.js';
import type { Rejection } from './authenticator.js';

interface Challenge {
  readonly error?: 'invalid_token' | 'insufficient_scope';
  readonly description?: string;
  readonly scopes?: readonly string[];
  readonly resourceMetadata?: string | undefined;
}

/** A 401 response. Its challenge names the error `invalid_token` only if the client sent a token. */
export function rejectToken(
  message: string,
  { isPresent, ...challenge }: Omit<Challenge, 'error' | 'description'> & { readonly isPresent: boolean },
): Rejection {
  const why = isPresent ? ({ error: 'invalid_token', description: message } as const) : {};
  return {
    status: 401,
    message,
    headers: { 'www-authenticate': writeChallenge({ ...challenge, ...why }) },
  };
}

/** A 403 response to a valid token without the required scopes. It names all of them, so that the client asks once. */
export function rejectScopes(scopes: readonly string[], resourceMetadata: string | undefined): Rejection {
  const message = `This needs the scope ${scopes.join(' ')}.`;
  const challenge = writeChallenge({
    error: 'insufficient_scope',
    description: message,
    scopes,
    resourceMetadata,
  });
  return { status: 403, message, headers: { 'www-authenticate': challenge } };
}

/**
 * The 403 response to a call that failed only because of missing scopes, if its caller can request more: the caller's
 * authorization names the server's metadata. Other callers, such as those with an API key, get the result.
 */
export function scopeChallenge(result: CallToolResult, auth: Caller['auth']): Rejection | undefined {
  const required = requiredScopesOf(result);
  const resourceMetadata = auth?.['resourceMetadataUrl'];
  if (!required || typeof resourceMetadata !== 'string') return undefined;
  // An authorization server cannot grant a scope that OAuth cannot express.
  return required.length > 0 && required.every(isScope)
    ? rejectScopes(required, resourceMetadata)
    : undefined;
}

function writeChallenge({ error, description, scopes = [], resourceMetadata }: Challenge): string {
  const fields: [name: string, value: string | undefined][] = [
    ['error', error],
    ['error_description', description],
    ['scope', scopes.length === 0 ? undefined : scopes.join(' ')],
    ['resource_metadata', resourceMetadata],
  ];
  const written = fields.flatMap(([name, value]) => (value === undefined ? [] : `${name}="${quote(value)}"`));
  return ['Bearer', written.join(', ')].join(' ').trimEnd();
}

/** Replaces the characters that a quoted text in a header cannot hold. */
function quote(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '?').replaceAll(/["\\]/g, "'");
}
