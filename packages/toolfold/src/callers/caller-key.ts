import { LRUCache } from 'lru-cache';
import type { Caller } from './caller.js';
import { ErrInvalidModel } from '@toolfold/schema/errors';
import { groupsOf } from './client-identity.js';
import { RecentDigests } from '../values/digest.js';
import { getOrMake } from '../values/get-or-make.js';

type Auth = NonNullable<Caller['auth']>;
type Claim = string | number | undefined;

/** The key of callers without a verified identity and without an address. */
export const NOBODY = 'nobody';
/** Prefix of the keys of callers that are known only by their address. */
export const ADDRESS = 'address ';
/** Placeholder for a token that has neither an issuer nor a subject. */
const NO_SUBJECT = '--';

export type CallerRule = (caller: Caller | undefined, accessToken: string | undefined) => string;

/**
 * The identity of a caller, for limits and shares: the verified subject and its issuer, otherwise the client of an issuer,
 * otherwise the network address, otherwise `NOBODY`. Tokens, sessions and names that clients choose do not count, because a
 * caller can get new ones at will.
 *
 * The first word of a key names its source, and each part is preceded by its length, so no caller can choose values that produce
 * the key of another caller.
 */
export function callerKey(caller: Caller | undefined): string {
  const auth = caller?.auth;
  return (auth && identityOf(auth)) ?? addressKey(caller?.address);
}

export function isAnonymous(key: string): boolean {
  return key === NOBODY || key.startsWith(ADDRESS);
}

/**
 * The owner of a stored answer of a call with an idempotency key: the caller with its client and tenant. Callers choose these
 * keys, so two callers may send the same one.
 *
 * Only a subject identifies one person. Without a subject, other verified claims may identify the person, so all claims count
 * except those that change from token to token. Without any verified identity the token itself counts, because one caller must
 * never get the answer of another.
 */
export function recordKey(caller: Caller | undefined, accessToken: string | undefined): string {
  const auth = caller?.auth;
  const identity = auth && identityOf(auth);
  const isRelevant = identity?.startsWith(SUBJECT) === true ? (name: string) => TENANT.test(name) : isLasting;
  const key = identity ? `${identity}${clientPart(auth)}` : unverifiedKey(caller, accessToken);
  return join(key, claimsOf(auth, isRelevant));
}

/**
 * The owner of a session, a task or a question in rounds. Their ids cannot be guessed, so the address does not count: an
 * anonymous client may change networks.
 */
export function holderKey(caller: Caller | undefined, accessToken: string | undefined): string {
  return recordKey({ auth: caller?.auth }, accessToken);
}

/**
 * The owner of cached values. Verified claims and the access token are part of the key, because both may decide which data a
 * caller sees.
 */
export function readerKey(caller: Caller | undefined, accessToken: string | undefined): string {
  const auth = caller?.auth;
  const claims = claimsOf(auth, (name) => !passingClaims.has(name));
  const identity = auth && identityOf(auth);
  if (identity) return join(`${identity}${clientPart(auth)}${otherToken(auth, accessToken)}`, claims);
  // Handlers may distinguish callers without an identity by their session.
  const session = caller?.sessionId === undefined ? '' : ` session ${digest(caller.sessionId)}`;
  return join(`${unverifiedKey(caller, accessToken)}${session}`, claims);
}

/** Matches claims by which services distinguish the tenants of one subject, such as `orgId` or `https://acme.example/org_id`. */
const TENANT =
  /(?:^|[/:.])[_-]*(?:(?:account|org|organization|tenant|workspace)(?:[_-]*id)?|t[_-]*id)[_-]*$/i;

/** Claims that differ from token to token, and two fields of the SDK's `AuthInfo` that are read separately. */
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

/** Claims that describe permissions or the sign-in, not the person. They may change when a token is refreshed. */
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

/**
 * Lists the relevant fields of an object, including accessors of its class. Iterables such as maps hide their entries, so they are
 * rejected.
 */
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

const SUBJECT = 'subject ';

/** Writes the subject with its issuer or, without a subject, the client with its issuer. */
function identityOf(auth: Auth): string | undefined {
  const extra = read(auth, 'extra');
  // Both `auth` and `auth.extra` may name a subject. If both do, both count.
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
  if (!address) return NOBODY;
  // Only IPv6 addresses name a network and a machine in it.
  return `${ADDRESS}${address.includes(':') ? networkOf(address) : address}`;
}

/** Cached, because parsing an IPv6 address takes microseconds and every request needs its network several times. */
const networks = new LRUCache<string, string>({ max: 1_000 });

/**
 * Returns the part of an address that identifies one household or machine: a whole IPv4 address, or the first 64 bits of an IPv6
 * address. An IPv4 address in IPv6 form counts as IPv4.
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address;
  return getOrMake(networks, address, () => readNetwork(address));
}

function readNetwork(address: string): string {
  const groups = groupsOf(address);
  if (!groups) return address;
  const isMapped = groups[5] === 0xff_ff && groups.slice(0, 5).every((group) => group === 0);
  if (isMapped)
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 0xff])
      .join('.');
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** Derives a key for a caller without a verified identity: from its token, otherwise from its address. */
function unverifiedKey(caller: Caller | undefined, accessToken: string | undefined): string {
  const auth = caller?.auth;
  const token = auth && claim(read(auth, 'token'));
  if (token !== undefined) return `token ${digest(String(token))}${otherToken(auth, accessToken)}`;
  if (accessToken) return `bearer ${digest(accessToken)}`;
  if (auth && entriesOf(auth).length === 0 && Object.getPrototypeOf(auth) !== Object.prototype)
    throw notPlain();
  return addressKey(caller?.address);
}

/** Includes the access token if it is not the verified one, because a handler may read other data with it. */
function otherToken(auth: Auth | undefined, accessToken: string | undefined): string {
  const isVerified = !accessToken || accessToken === claim(read(auth, 'token'));
  return part(isVerified ? undefined : digest(accessToken));
}

/** Writes issuer and subject. Returns `undefined` if either has a type that two callers could share. */
function subject(claims: unknown): string | undefined {
  const sub = claim(read(claims, 'sub'));
  if (sub === undefined) return undefined;
  const given = read(claims, 'iss');
  const iss = claim(given);
  return iss === undefined && given !== undefined ? undefined : `${part(iss)}${part(sub)}`;
}

/** Throws for data that is not plain, because a value that JSON drops may be the only difference between two callers. */
function encodePlain(value: unknown): string {
  if (!isJsonLike(value)) throw notPlain();
  return JSON.stringify(value);
}

function notPlain(): ErrInvalidModel {
  return new ErrInvalidModel(
    'caller.auth contains a value that is not JSON, so callers cannot be told apart.',
    {
      hint: 'Add a "sub" claim, and use only JSON values as claims.',
    },
  );
}

function isJsonLike(value: unknown, depth = 0): boolean {
  if (value === undefined || value === null || ['string', 'boolean', 'number'].includes(typeof value))
    return true;
  if (typeof value !== 'object' || depth > 16) return false;
  if (isText(value)) return true;
  if (Array.isArray(value)) return value.every((item) => isJsonLike(item, depth + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  const isObject = prototype === Object.prototype || prototype === null;
  return isObject && Object.values(value).every((entry) => isJsonLike(entry, depth + 1));
}

/** Whether JSON writes an object, such as a date or a URL, as text that identifies it completely. */
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

/** Reads a field or accessor. None of the fields read here is defined on `Object.prototype`. */
function read(of: unknown, field: string): unknown {
  return typeof of === 'object' && of !== null ? (of as Record<string, unknown>)[field] : undefined;
}

const digests = new RecentDigests();

function digest(text: string): string {
  return digests.of(text);
}
