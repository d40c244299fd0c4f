import type { Caller } from '../compile/tool-definition.js';
import { ErrInvalidModel } from '../errors.js';
import { RecentDigests } from './recent-digests.js';

type Auth = NonNullable<Caller['auth']>;
type Claim = string | number | undefined;

/** The key of callers of whom nothing is known. */
export const NOBODY = 'nobody';
/** Neither issuer nor subject. */
const NO_SUBJECT = '--';

/**
 * A text that tells callers apart, for limits. Its first word says what the parts after it were taken from, and each
 * part has its length in front, so that no caller can choose values which make another's key.
 *
 * A verified subject stands for the caller, whatever token it comes with. Without one the verified token does,
 * and without that all that was verified. An access token that is not the verified one is always part of the
 * key: what a handler fetches with it may differ. Tokens are in it as digests.
 */
export function callerKey(caller: Caller | undefined, accessToken: string | undefined): string {
  const auth = caller?.auth;
  const sessionId = caller?.sessionId;
  if (auth) return authKey(auth, accessToken, sessionId);
  if (accessToken) return `bearer ${digest(accessToken)}`;
  return sessionId === undefined ? NOBODY : `session ${digest(sessionId)}`;
}

/**
 * The same for what was done: a subject may act for several tenants. Scopes and the like do not count, for a repeat
 * may come with another token.
 */
export function recordKey(caller: Caller | undefined, accessToken: string | undefined): string {
  const claims = claimsOf(caller?.auth).filter(([name]) => isTenant(name));
  return join(callerKey(caller, accessToken), claims);
}

/** The same for what was read: whatever was verified may decide what a caller gets to see. */
export function readerKey(caller: Caller | undefined, accessToken: string | undefined): string {
  const claims = claimsOf(caller?.auth).filter(([name]) => !passingClaims.has(name));
  return join(callerKey(caller, accessToken), claims);
}

/** By these names services tell the tenants of one subject apart. */
const tenantClaims: ReadonlySet<string> = new Set([
  'account',
  'accountid',
  'org',
  'orgid',
  'organization',
  'organizationid',
  'tenant',
  'tenantid',
  'tid',
  'workspace',
  'workspaceid',
]);

/** Claims that differ from token to token, or are in the key already. */
const passingClaims: ReadonlySet<string> = new Set([
  'at_hash',
  'auth_time',
  'clientId',
  'exp',
  'expiresAt',
  'extra',
  'iat',
  'iss',
  'jti',
  'nbf',
  'nonce',
  'sub',
  'token',
]);

function claimsOf(auth: Auth | undefined): [name: string, value: unknown][] {
  if (!auth) return [];
  return [...entriesOf(auth), ...entriesOf(read(auth, 'extra'))]
    .map(([name, value]): [string, unknown] => [name, Array.isArray(value) ? value.toSorted() : value])
    .toSorted(([left], [right]) => (left < right ? -1 : 1));
}

/** Fields, and what a class gives through accessors. Of anything else nobody knows what it holds. */
function entriesOf(object: unknown): [name: string, value: unknown][] {
  if (typeof object !== 'object' || object === null) return [];
  if (Symbol.iterator in object) throw notPlain();
  const names = new Set(Object.keys(object));
  let prototype: unknown = Object.getPrototypeOf(object);
  while (typeof prototype === 'object' && prototype !== null && prototype !== Object.prototype) {
    for (const [name, { get }] of Object.entries(Object.getOwnPropertyDescriptors(prototype)))
      if (get) names.add(name);
    prototype = Object.getPrototypeOf(prototype);
  }
  return [...names].map((name) => [name, read(object, name)]);
}

function join(key: string, claims: readonly [string, unknown][]): string {
  return claims.length === 0 ? key : `${key} ${digest(encodePlain(claims))}`;
}

/** `https://acme.example/org_id` and `orgId` are both `orgid`. */
function isTenant(name: string): boolean {
  const last = name.toLowerCase().split(/[/:.]/).at(-1) ?? '';
  return tenantClaims.has(last.replace(/[_-]/g, ''));
}

function authKey(auth: Auth, accessToken: string | undefined, sessionId: string | undefined): string {
  const token = claim(read(auth, 'token'));
  const other = part(accessToken === token || !accessToken ? undefined : digest(accessToken));
  const client = part(claim(read(auth, 'clientId')));
  // Both places may name a subject; where both do, both count.
  const outer = subject(auth);
  const inner = subject(read(auth, 'extra'));
  if (outer !== undefined || inner !== undefined) {
    return `subject ${outer ?? NO_SUBJECT}${inner ?? NO_SUBJECT}${client}${other}`;
  }
  if (token !== undefined) return `token ${digest(String(token))}${client}${other}`;
  const rest = entriesOf(auth).filter(([name]) => name !== 'expiresAt');
  if (rest.length === 0 && Object.getPrototypeOf(auth) !== Object.prototype) throw notPlain();
  return `auth ${part(digest(encodePlain(rest)))}${part(sessionId)}${other}`;
}

/** Issuer and subject, where both are such that two callers cannot look alike. */
function subject(claims: unknown): string | undefined {
  const sub = claim(read(claims, 'sub'));
  if (sub === undefined) return undefined;
  const given = read(claims, 'iss');
  const iss = claim(given);
  return iss === undefined && given !== undefined ? undefined : `${part(iss)}${part(sub)}`;
}

/** What JSON would leave out might be all that tells two callers apart. */
function encodePlain(value: unknown): string {
  if (!isPlain(value)) throw notPlain();
  return JSON.stringify(value);
}

function notPlain(): ErrInvalidModel {
  return new ErrInvalidModel(
    'caller.auth holds something that is not plain data, so that callers look alike.',
    {
      hint: 'Give it a sub or a token, and claims that are JSON.',
    },
  );
}

function isPlain(value: unknown, depth = 0): boolean {
  if (value === undefined || value === null || ['string', 'boolean', 'number'].includes(typeof value))
    return true;
  if (typeof value !== 'object' || depth > 16) return false;
  if (isText(value)) return true;
  if (Array.isArray(value)) return value.every((item) => isPlain(item, depth + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  const isObject = prototype === Object.prototype || prototype === null;
  return isObject && Object.values(value).every((entry) => isPlain(entry, depth + 1));
}

/** An address, a date or the like, which JSON has as text: that says all of it. */
function isText(value: object): boolean {
  return 'toJSON' in value && typeof value.toJSON === 'function' && typeof value.toJSON('') === 'string';
}

function part(value: Claim): string {
  if (value === undefined) return '-';
  return typeof value === 'number' ? `#${value};` : `${value.length}:${value}`;
}

function claim(value: unknown): Claim {
  if (typeof value === 'string') return value === '' ? undefined : value;
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** Also what a class gives through an accessor. None of the names asked for is on every object. */
function read(of: unknown, field: string): unknown {
  return typeof of === 'object' && of !== null ? (of as Record<string, unknown>)[field] : undefined;
}

/** A digest takes longer than the rest of a key, and callers come again. */
const digests = new RecentDigests();

function digest(text: string): string {
  return digests.of(text);
}
