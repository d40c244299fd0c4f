import type { Caller } from '../../callers/caller.js';
import type { CallToolResult } from '../../protocol/tool-result.js';
import { requiredScopesOf } from '../../engine/call-errors.js';
import { isScope } from './scopes.js';
import type { Rejection } from './authenticator.js';

/** Creates a 401 response. Its challenge names the error `invalid_token` only if the client sent a token. */
export function rejectToken(
  message: string,
  isPresent: boolean,
  scopes: readonly string[],
  resourceMetadata: string,
): Rejection {
  const why = isPresent ? { error: 'invalid_token', error_description: message } : {};
  return {
    status: 401,
    message,
    headers: writeChallenge({ ...why, scope: scopes.join(' '), resource_metadata: resourceMetadata }),
  };
}

/** Creates the 403 response to a valid token without the required scopes. It names all of them, so that the client asks once. */
export function rejectScopes(scopes: readonly string[], resourceMetadata: string): Rejection {
  const scope = scopes.join(' ');
  const message = `This needs the scope ${scope}.`;
  const headers = writeChallenge({
    error: 'insufficient_scope',
    error_description: message,
    scope,
    resource_metadata: resourceMetadata,
  });
  return { status: 403, message, headers };
}

/**
 * Creates the 403 response to a call that failed only because of missing scopes, if its caller can request more: the caller's
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

/** Leaves out fields without a value. */
function writeChallenge(fields: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const written = Object.entries(fields).flatMap(([name, value]) =>
    value ? `${name}="${quote(value)}"` : [],
  );
  return { 'www-authenticate': `Bearer ${written.join(', ')}` };
}

/** Replaces the characters that a quoted text in a header cannot hold. */
function quote(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '?').replaceAll(/["\\]/g, "'");
}
