import { LRUCache } from 'lru-cache';
import type { Caller } from './caller.js';
import { ErrInvalidModel } from '../errors.js';
import { networkOf } from './peer-address.js';
import { RecentDigests } from '../values/digest.js';

type Auth = NonNullable<Caller['auth']>;
type Claim = string | number | undefined;

/** The key of callers of whom nothing is known, not even an address. */
export const NOBODY = 'nobody';
/** How the keys of callers begin of whom only the address is known. */
export const ADDRESS = 'address ';
/** Neither issuer nor subject. */
const NO_SUBJECT = '--';

/** Makes a key of what is known of a caller. */
export type CallerRule = (caller: Caller | undefined, accessToken: string | undefined) => string;

/**
 * The identity of a caller, for limits and shares: the verified subject with its issuer, otherwise the client of an issuer,
 * otherwise the peer address, otherwise nobody. Tokens, sessions and names that clients choose never count, because a
 * caller can get new ones at will.
 *
 * The first word of a key says what the rest was taken from, and each part has its length in front, so that no caller
 * can choose values which make the key of another.
 */
export function callerKey(caller: Caller | undefined): string {
  const auth = caller?.auth;
  return (auth && identityOf(auth)) ?? addressKey(caller?.address);
}

/** Whether nothing was verified of the caller with this key. */
export function isAnonymous(key: string): boolean {
  return key === NOBODY || key.startsWith(ADDRESS);
}

/**
 * Who may see the stored answer of a call with an idempotency key, which callers choose: the caller with its client and
 * tenant.
 *
 * Only a subject is one person. Without one, other verified claims may name the person, so all of them count except those
 * that change from token to token. Without any verified identity, the token itself counts: one caller's answer must
 * never go to another.
 */
export function recordKey(caller: Caller | undefined, accessToken: string | undefined): string {
  const auth = caller?.auth;
  const identity = auth && identityOf(auth);
  const isRelevant = identity?.startsWith(SUBJECT) === true ? isTenant : isLasting;
  const key = identity ? `${identity}${clientPart(auth)}` : unverifiedKey(caller, accessToken);
  return join(key, claimsOf(auth, isRelevant));
}

/**
 * The owner of something with an id that nobody can guess: a session, a task, a question in rounds. The address does not
 * count, because an anonymous client may change networks and the id is a secret of its own.
 */
export function holderKey(caller: Caller | undefined, accessToken: string | undefined): string {
  return recordKey({ auth: caller?.auth }, accessToken);
}

/** The owner of cached values. Verified claims and any access token are part of it, because both may decide what a caller sees. */
export function readerKey(caller: Caller | undefined, accessToken: string | undefined): string {
  const auth = caller?.auth;
  const claims = claimsOf(auth, (name) => !passingClaims.has(name));
  const identity = auth && identityOf(auth);
  if (identity) return join(`${identity}${clientPart(auth)}${otherToken(auth, accessToken)}`, claims);
  // Without an identity, handlers may tell callers apart by session.
  const session = caller?.sessionId === undefined ? '' : ` session ${digest(caller.sessionId)}`;
  return join(`${unverifiedKey(caller, accessToken)}${session}`, claims);
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

/** Claims that differ from token to token, and two fields of the SDK's form that are looked at on their own. */
const passingClaims: ReadonlySet<string> = new Set([
  'aio',
  'at_hash',
  'auth_time',
  'exp',
  'expiresAt',
  'extra',
  'iat',
  'jti',
  'nbf',
  'nonce',
  'rh',
  'session_state',
  'sid',
  'token',
  'uti',
]);

/** Claims that say what a caller may do and how it signed in, not who it is. A refreshed token may have other ones. */
const grants: ReadonlySet<string> = new Set([
  'acr',
  'amr',
  'cnf',
  'entitlements',
  'groups',
  'permissions',
  'roles',
  'scope',
  'scopes',
  'scp',
]);

function isLasting(name: string): boolean {
  return !passingClaims.has(name) && !grants.has(name);
}

function claimsOf(
  auth: Auth | undefined,
  isRelevant: (name: string) => boolean,
): [name: string, value: unknown][] {
  if (!auth) return [];
  return [...entriesOf(auth, isRelevant), ...entriesOf(read(auth, 'extra'), isRelevant)]
    .map(([name, value]): [string, unknown] => [name, Array.isArray(value) ? value.toSorted() : value])
    .toSorted(([left], [right]) => (left < right ? -1 : 1));
}

/** The fields of an object that matter, also those that a class gives through accessors. Other objects hide what they hold. */
function entriesOf(
  object: unknown,
  isRelevant: (name: string) => boolean = () => true,
): [name: string, value: unknown][] {
  if (typeof object !== 'object' || object === null) return [];
  if (Symbol.iterator in object) throw notPlain();
  const names = Object.keys(object).filter(isRelevant);
  let prototype: unknown = Object.getPrototypeOf(object);
  while (typeof prototype === 'object' && prototype !== null && prototype !== Object.prototype) {
    for (const [name, { get }] of Object.entries(Object.getOwnPropertyDescriptors(prototype)))
      if (get && isRelevant(name) && !names.includes(name)) names.push(name);
    prototype = Object.getPrototypeOf(prototype);
  }
  return names.map((name) => [name, read(object, name)]);
}

function join(key: string, claims: readonly [string, unknown][]): string {
  return claims.length === 0 ? key : `${key} ${digest(encodePlain(claims))}`;
}

const tenantNames = new LRUCache<string, boolean>({ max: 1_000 });

/** `https://acme.example/org_id` and `orgId` are both `orgid`. Few names come, again and again. */
function isTenant(name: string): boolean {
  let isOne = tenantNames.get(name);
  if (isOne === undefined) {
    const last = name.toLowerCase().split(/[/:.]/).at(-1) ?? '';
    tenantNames.set(name, (isOne = tenantClaims.has(last.replace(/[_-]/g, ''))));
  }
  return isOne;
}

const SUBJECT = 'subject ';

/** The subject or, without one, the client, each with its issuer. */
function identityOf(auth: Auth): string | undefined {
  const extra = read(auth, 'extra');
  // Either place may name a subject. If both do, both count.
  const outer = subject(auth);
  const inner = subject(extra);
  if (outer !== undefined || inner !== undefined)
    return `${SUBJECT}${outer ?? NO_SUBJECT}${inner ?? NO_SUBJECT}`;
  const client = clientOf(auth);
  if (client === undefined) return undefined;
  const issuers = [read(auth, 'iss'), read(extra, 'iss')];
  if (issuers.some((issuer) => issuer !== undefined && claim(issuer) === undefined)) return undefined;
  return `client ${issuers.map((issuer) => part(claim(issuer))).join('')}${part(client)}`;
}

function clientOf(auth: Auth): Claim {
  return (
    claim(read(auth, 'clientId')) ??
    claim(read(auth, 'client_id')) ??
    claim(read(read(auth, 'extra'), 'client_id'))
  );
}

function clientPart(auth: Auth | undefined): string {
  return part(auth && clientOf(auth));
}

function addressKey(address: string | undefined): string {
  return address ? `${ADDRESS}${networkOf(address)}` : NOBODY;
}

/** Tells apart callers without a verified identity, by the tokens that they hold or else by their addresses. */
function unverifiedKey(caller: Caller | undefined, accessToken: string | undefined): string {
  const auth = caller?.auth;
  const token = auth && claim(read(auth, 'token'));
  if (token !== undefined) return `token ${digest(String(token))}${otherToken(auth, accessToken)}`;
  if (accessToken) return `bearer ${digest(accessToken)}`;
  if (auth && entriesOf(auth).length === 0 && Object.getPrototypeOf(auth) !== Object.prototype)
    throw notPlain();
  return addressKey(caller?.address);
}

/** An access token that is not the verified one. A handler may get other data with it. */
function otherToken(auth: Auth | undefined, accessToken: string | undefined): string {
  const isVerified = !accessToken || accessToken === claim(read(auth, 'token'));
  return part(isVerified ? undefined : digest(accessToken));
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
      hint: 'Give it a sub, and claims that are JSON.',
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
