import type { Caller } from '../../callers/caller.js';
import type { CallToolResult } from '../../protocol/tool-result.js';
import { requiredScopesOf } from '../../engine/call-errors.js';
import { isScope } from './read-options.js';
import type { Rejection } from './authenticator.js';

interface Challenge {
  readonly error?: 'invalid_token' | 'insufficient_scope';
  readonly description?: string;
  readonly scopes?: readonly string[];
  readonly resourceMetadata?: string | undefined;
}

/** 401 without an error where nothing was presented, and with one where it is not good. */
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

/** 403: the token is good, and more is needed. All that is needed is named, so that one more round is enough. */
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
 * The rejection to answer with where a call failed for scopes alone and its caller can get others: one whose
 * authorization names the metadata that says where. For anybody else, an API key among them, the result stands.
 */
export function scopeChallenge(result: CallToolResult, auth: Caller['auth']): Rejection | undefined {
  const required = requiredScopesOf(result);
  const resourceMetadata = auth?.['resourceMetadataUrl'];
  if (!required || typeof resourceMetadata !== 'string') return undefined;
  // What OAuth cannot name, no authorization server can grant.
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

/** What may stand between quotes in a header. */
function quote(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '?').replaceAll(/["\\]/g, "'");
}
