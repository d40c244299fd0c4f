import type { Caller } from '../compile/tool-definition.js';
import { ErrInvalidModel } from '../errors.js';

type Auth = NonNullable<Caller['auth']>;
type Claim = string | number | undefined;

/** Neither issuer nor subject. */
const NO_SUBJECT = '--';

/**
 * A text that tells callers apart, for caches, limits and idempotency. Its first word says what the parts after it
 * were taken from, and each part has its length in front, so that no caller can choose values which make another's
 * key. Nothing is remembered: looking an `auth` up takes longer than writing its key.
 *
 * A verified subject stands for the caller, whatever token it comes with. Without one the verified token does,
 * and without that all that was verified. An access token that is not the verified one is always part of the
 * key: what a handler fetches with it may differ. The key holds tokens, so it is as confidential as they are.
 */
export function callerKey(caller: Caller | undefined, accessToken: string | undefined): string {
  const auth = caller?.auth;
  const sessionId = caller?.sessionId;
  if (auth) return authKey(auth, accessToken, sessionId);
  if (accessToken) return `bearer ${part(accessToken)}`;
  return sessionId === undefined ? 'nobody' : `session ${part(sessionId)}`;
}

function authKey(auth: Auth, accessToken: string | undefined, sessionId: string | undefined): string {
  const token = claim(own(auth, 'token'));
  const other = part(accessToken === token || accessToken === '' ? undefined : accessToken);
  const client = part(claim(own(auth, 'clientId')));
  // Both places may name a subject; where both do, both count.
  const outer = subject(auth);
  const inner = subject(own(auth, 'extra'));
  if (outer !== undefined || inner !== undefined) {
    return `subject ${outer ?? NO_SUBJECT}${inner ?? NO_SUBJECT}${client}${other}`;
  }
  if (token !== undefined) return `token ${part(token)}${client}${other}`;
  return `auth ${part(encodeRest(auth))}${part(sessionId)}${other}`;
}

/** Issuer and subject, where both are such that two callers cannot look alike. */
function subject(claims: unknown): string | undefined {
  const sub = claim(own(claims, 'sub'));
  if (sub === undefined) return undefined;
  const given = own(claims, 'iss');
  const iss = claim(given);
  return iss === undefined && given !== undefined ? undefined : `${part(iss)}${part(sub)}`;
}

/** A client's id alone may stand for many people whom some other field tells apart, so every field counts. */
function encodeRest(auth: Auth): string {
  const { expiresAt: _, ...rest } = auth;
  try {
    return JSON.stringify(rest);
  } catch (cause) {
    throw new ErrInvalidModel('caller.auth names neither a subject nor a token, and is not JSON.', {
      hint: 'Give it a sub or a token.',
      cause,
    });
  }
}

function part(value: Claim): string {
  if (value === undefined) return '-';
  return typeof value === 'number' ? `#${value};` : `${value.length}:${value}`;
}

function claim(value: unknown): Claim {
  if (typeof value === 'string') return value === '' ? undefined : value;
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** Own fields only: what every object inherits names nobody. */
function own(of: unknown, field: string): unknown {
  if (typeof of !== 'object' || of === null || !Object.hasOwn(of, field)) return undefined;
  return (of as Record<string, unknown>)[field];
}
