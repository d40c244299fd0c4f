import { assertOptions, callback, flag, isJsonObject, isPlain } from '@toolfold/schema/internal';
import type { Rules } from '@toolfold/schema/internal';
import { ErrInvalidOptions, ErrInvalidSessionContext, ErrInvalidModel } from '@toolfold/schema/errors';
import { isSecretField } from '../values/secret-names.js';
import { digest, encode } from '../values/digest.js';
import { getOrMake } from '../values/get-or-make.js';

/** A query parameter or header from which session context is read. */
export interface ContextSource {
  /** The name of the query parameter or header. */
  readonly name: string;
  /** The encoding of the JSON. */
  readonly encoding: 'base64' | 'json';
  /** The keys that a request may send. A request with any other key is rejected. */
  readonly allowedKeys: readonly string[];
}

/** Which session context requests may send, and how it is merged with the server's own. */
export interface SessionContextConfig<Request = unknown> {
  /** Whether requests may send session context. Default: true. */
  readonly enabled?: boolean;
  /** Reads context from the URL. Credentials there are rejected, because URLs end up in logs and histories. */
  readonly queryParam?: ContextSource;
  /** Reads context from a header, which may contain credentials. */
  readonly header?: ContextSource;
  /** Whether to accept credentials in the URL, although URLs end up in logs. Default: false. */
  readonly allowCredentials?: boolean;
  /** Keys that hold credentials. All other keys are judged by their names. */
  readonly credentialKeys?: readonly string[];
  /** `shallow` merges key by key; `deep` also merges nested objects. Default: `shallow`. */
  readonly merge?: 'shallow' | 'deep';
  /** Returns the final context. `base` already includes the values that were parsed from the request. */
  readonly contextResolver?: (request: Request, base: ContextValues, parsed: ContextValues) => ContextValues;
}

/** The session context of a request, parsed and checked. */
export interface ResolvedContext {
  /** The context that toolset loaders get, and that handlers get as `context.session`. */
  readonly context: ContextValues;
  /** A digest that is the same for equal contexts, regardless of the order of keys. */
  readonly hash: string;
  /**
   * The hash of the values that the request itself sent; absent if it sent none. A 2025 session only answers requests that send
   * the same values as the request that opened it.
   *
   * @internal
   */
  readonly sentHash?: string;
  /** The values under `credentialKeys`, which are redacted whatever their names. */
  readonly credentials?: readonly string[];
}

/** Reads the query parameters and headers of a request. */
export interface ContextRequest {
  /** Returns all values of a query parameter. */
  readonly query: (name: string) => readonly string[];
  /** Returns the value of a header, by its name in lower case. */
  readonly header: (name: string) => string | undefined;
}

const MAX_LENGTH = 16_384;
const MAX_DEPTH = 16;
const forbidden: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Reads session context from requests. A malformed context rejects the request; it never falls back to the server's own context.
 */
export class SessionContext<Request extends ContextRequest = ContextRequest> {
  readonly #config: SessionContextConfig<Request>;

  constructor(config: SessionContextConfig<Request>) {
    assertOptions('sessionContext', config, rules, { nameOf: (name) => `sessionContext.${name}` });
    this.#config = config;
  }

  /** Returns the context of a request: its own values override those of the server. Throws if they are malformed. */
  resolve(request: Request, base: ContextValues = {}): ResolvedContext {
    const { enabled = true, queryParam, header, merge = 'shallow', contextResolver } = this.#config;
    if (!enabled) return this.#toResolved(base);
    const fromQuery = queryParam && this.#readQuery(queryParam, request);
    const written = header && request.header(header.name.toLowerCase());
    const fromHeader =
      header && written !== undefined
        ? this.#parse(written, header, `The header "${header.name}"`)
        : undefined;
    const parsed = { ...fromQuery, ...fromHeader };
    const merged = merge === 'deep' ? mergeDeep(base, parsed) : { ...base, ...parsed };
    const context = contextResolver ? contextResolver(request, merged, parsed) : merged;
    assertNow(context);
    if (!isJsonObject(context)) throw new ErrInvalidOptions('contextResolver must return an object.');
    return this.#toResolved(context, parsed);
  }

  #toResolved(given: ContextValues, parsed: ContextValues = {}): ResolvedContext {
    const context = freezeContext(given);
    const keys = this.#config.credentialKeys ?? [];
    const values = [context, parsed].flatMap((from) => keys.map((key) => from[key]));
    const credentials = [...new Set(values.filter((value) => typeof value === 'string'))];
    return {
      context,
      hash: hashOf(context),
      ...(Object.keys(parsed).length > 0 ? { sentHash: hashOf(parsed) } : {}),
      ...(credentials.length > 0 ? { credentials } : {}),
    };
  }

  #readQuery(source: ContextSource, request: Request): ContextValues | undefined {
    const values = request.query(source.name);
    const [value] = values;
    if (value === undefined) return undefined;
    const place = `The query parameter "${source.name}"`;
    if (values.length > 1) throw malformed(`${place} occurs ${values.length} times`);
    const parsed = this.#parse(value, source, place);
    const secret = this.#config.allowCredentials === true ? undefined : this.#findCredential(parsed);
    if (secret === undefined) return parsed;
    throw new ErrInvalidSessionContext(
      `${place} contains "${secret}", and credentials must not be sent in a URL.`,
      {
        hint: 'Send it in a header.',
      },
    );
  }

  /** Rejects credentials that are empty or not text, because the server's own credential would then be used. */
  #parse(text: string, source: ContextSource, place: string): ContextValues {
    const parsed = parse(text, source, place);
    for (const key of this.#config.credentialKeys ?? []) {
      const value = Object.hasOwn(parsed, key) ? parsed[key] : 'none';
      if (typeof value !== 'string' || value.trim() === '')
        throw malformed(`${place} contains "${key}", which must be text that is not empty`);
    }
    return parsed;
  }

  #findCredential(value: unknown): string | undefined {
    if (typeof value !== 'object' || value === null) return undefined;
    for (const [key, entry] of Object.entries(value)) {
      if (isSecretField(key, entry) || this.#config.credentialKeys?.includes(key)) return key.slice(0, 80);
      const inside = this.#findCredential(entry);
      if (inside !== undefined) return inside;
    }
    return undefined;
  }
}

function parse(text: string, { encoding, allowedKeys }: ContextSource, place: string): ContextValues {
  if (text.length > MAX_LENGTH) throw malformed(`${place} is longer than ${MAX_LENGTH} characters`);
  let value: unknown;
  try {
    value = JSON.parse(encoding === 'base64' ? decode(text) : text);
  } catch {
    throw malformed(`${place} is not ${encoding === 'base64' ? 'JSON in Base64' : 'JSON'}`);
  }
  if (!isJsonObject(value)) throw malformed(`${place} is not an object`);
  assertPlain(value, place, MAX_DEPTH);
  const unknown = Object.keys(value).find((key) => !allowedKeys.includes(key));
  if (unknown !== undefined) {
    throw new ErrInvalidSessionContext(`${place} contains "${unknown.slice(0, 80)}", which is not allowed.`, {
      hint: `Allowed: ${allowedKeys.join(', ') || 'nothing'}.`,
    });
  }
  return value;
}

/** Decodes Base64 in the standard or the URL alphabet, padded or not. */
function decode(text: string): string {
  const usual = text.replaceAll('-', '+').replaceAll('_', '/').replaceAll(' ', '+');
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(usual)) throw new SyntaxError('not Base64');
  const bytes = Uint8Array.from(atob(usual.replace(/=+$/, '')), (character) => character.codePointAt(0) ?? 0);
  return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}

function assertPlain(value: unknown, place: string, depth: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth === 0) throw malformed(`${place} is nested too deep`);
  for (const key of Object.keys(value)) {
    if (forbidden.has(key)) throw malformed(`${place} contains "${key}"`);
    assertPlain((value as Record<string, unknown>)[key], place, depth - 1);
  }
}

function mergeDeep(base: ContextValues, over: ContextValues): ContextValues {
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const under = merged[key];
    merged[key] = isJsonObject(under) && isJsonObject(value) ? mergeDeep(under, value) : value;
  }
  return merged;
}

/** Throws for a promise, which has no keys and would look like an empty context. */
function assertNow(context: unknown): void {
  const then: unknown = isJsonObject(context) ? context['then'] : undefined;
  if (typeof then !== 'function') return;
  // Ignore a rejection of the promise, because an unhandled one would end the process.
  Promise.resolve(context).catch(() => undefined);
  throw new ErrInvalidOptions('contextResolver must return an object, not a promise of one.', {
    hint: 'Load the data before the call, or in the handler.',
  });
}

function malformed(what: string): ErrInvalidSessionContext {
  return new ErrInvalidSessionContext(`${what}.`, {
    hint: 'Nothing was done. Correct it and send the request again.',
  });
}

const isNames = (value: unknown): boolean =>
  Array.isArray(value) && value.every((key) => typeof key === 'string' && !forbidden.has(key));
const isSource = (value: unknown): boolean =>
  isPlain(value) &&
  typeof value['name'] === 'string' &&
  value['name'] !== '' &&
  (value['encoding'] === 'base64' || value['encoding'] === 'json') &&
  isNames(value['allowedKeys']);
const SOURCE = "{ name, encoding: 'base64' | 'json', allowedKeys }";

const rules: Rules<keyof SessionContextConfig> = {
  enabled: flag,
  queryParam: [isSource, SOURCE],
  header: [isSource, SOURCE],
  allowCredentials: flag,
  credentialKeys: [isNames, 'a list of keys'],
  merge: [(value) => value === 'shallow' || value === 'deep', '"shallow" or "deep"'],
  contextResolver: callback,
};

/** The session context: values about a caller, under the keys that the operator allows. */
export type ContextValues = Readonly<Record<string, unknown>>;

/** Frozen copies made by this file. They need no second copy. */
const copies = new WeakSet<object>();

/**
 * Copies and freezes a context deeply, because all callers share the server's part of it. Values that are not plain data, such as a
 * database client, are neither copied nor frozen.
 */
export function freezeContext(context: ContextValues): ContextValues {
  return copies.has(context) ? context : freezeRecord(context);
}

function freezeRecord(record: ContextValues): ContextValues {
  return keep(Object.fromEntries(Object.entries(record).map(([key, value]) => [key, freeze(value)])));
}

function freeze(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || copies.has(value)) return value;
  if (Array.isArray(value)) return keep(Array.from(value, freeze));
  return isData(value) ? freezeRecord(value) : value;
}

function keep<T extends object>(copy: T): T {
  copies.add(copy);
  return Object.freeze(copy);
}

/** Whether an object is plain data. Objects with methods are not, because they may change themselves. */
function isData(value: object): value is ContextValues {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return Object.values(value).every((entry) => typeof entry !== 'function');
}

/**
 * Returns the same hash for equal contexts, regardless of the order of keys. Plain data is compared by its content, any other
 * object, such as a client or a date, by its identity.
 */
export function hashOf(context: ContextValues): string {
  return digest(encode(context, identityOf));
}

const identities = new WeakMap<object, string>();
let count = 0;
/** Distinguishes processes that share a store, because object 1 of one process is not object 1 of another. */
let ownName: string | undefined;

function identityOf(value: unknown): string {
  if (typeof value === 'symbol') throw new ErrInvalidModel('A context cannot hold a symbol.');
  ownName ??= crypto.randomUUID();
  return getOrMake(identities, value as object, () => `#${ownName} ${(count += 1)}`);
}

/** Returns the credential of a session if it has one, otherwise that of the server. */
export function accessTokenOf({ context }: ResolvedContext): string | undefined {
  const { accessToken } = context;
  return typeof accessToken === 'string' && accessToken !== '' ? accessToken : undefined;
}
