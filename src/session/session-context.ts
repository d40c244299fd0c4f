import { ErrInvalidModel, ErrInvalidSessionContext } from '../errors.js';
import { digest } from '../guard/fingerprint.js';
import { isSecretName } from '../guard/secret-names.js';
import { isJsonObject } from '../schema/json-schema.js';
import { canonicalJson } from '../schema/json-value.js';

export type ContextValues = Readonly<Record<string, unknown>>;

/** Where a request may say something about its caller. */
export interface ContextSource {
  readonly name: string;
  /** How the JSON is written. */
  readonly encoding: 'base64' | 'json';
  /** What may be said. Anything else is refused. */
  readonly allowedKeys: readonly string[];
}

/** What a request may say about its caller, and how that goes together with what the server says. */
export interface SessionContextConfig<Request = unknown> {
  /** Default: true. */
  readonly enabled?: boolean;
  /** In the URL. Addresses end up in logs and histories: credentials are refused there. */
  readonly queryParam?: ContextSource;
  /** In a header, which is where credentials belong. */
  readonly header?: ContextSource;
  /** Lets credentials come in the URL all the same. */
  readonly allowCredentials?: boolean;
  /** `shallow`: key by key. `deep`: objects are merged too. Default: shallow. */
  readonly merge?: 'shallow' | 'deep';
  /** Has the last word on what the context is. */
  readonly contextResolver?: (request: Request, base: ContextValues, parsed: ContextValues) => ContextValues;
}

/** What a request says of itself, read and checked. */
export interface ResolvedContext {
  readonly context: ContextValues;
  /** Equal for equal contexts, whatever the order of keys; different for others. */
  readonly hash: string;
}

/** What is read of a request. */
export interface ContextRequest {
  readonly query: (name: string) => readonly string[];
  readonly header: (name: string) => string | undefined;
}

const MAX_LENGTH = 16_384;
const MAX_DEPTH = 16;
const forbidden: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Reads what requests say about their callers. A malformed one is refused, never served with the server's own. */
export class SessionContext<Request extends ContextRequest = ContextRequest> {
  readonly #config: SessionContextConfig<Request>;

  constructor(config: SessionContextConfig<Request>) {
    assertConfig(config);
    this.#config = config;
  }

  resolve(request: Request, base: ContextValues = {}): ResolvedContext {
    const { enabled = true, queryParam, header, merge = 'shallow', contextResolver } = this.#config;
    if (!enabled) return { context: base, hash: hashOf(base) };
    const fromQuery = queryParam && this.#readQuery(queryParam, request);
    const written = header && request.header(header.name.toLowerCase());
    const fromHeader =
      header && written !== undefined ? parse(written, header, `The header "${header.name}"`) : undefined;
    const parsed = { ...fromQuery, ...fromHeader };
    const merged = merge === 'deep' ? mergeDeep(base, parsed) : { ...base, ...parsed };
    const context = contextResolver ? contextResolver(request, merged, parsed) : merged;
    if (!isJsonObject(context)) throw new ErrInvalidModel('contextResolver must return an object.');
    return { context, hash: hashOf(context) };
  }

  #readQuery(source: ContextSource, request: Request): ContextValues | undefined {
    const values = request.query(source.name);
    const [value] = values;
    if (value === undefined) return undefined;
    const place = `The query parameter "${source.name}"`;
    if (values.length > 1) throw malformed(`${place} comes ${values.length} times`);
    const parsed = parse(value, source, place);
    const secret =
      this.#config.allowCredentials === true ? undefined : Object.keys(parsed).find(isSecretName);
    if (secret === undefined) return parsed;
    throw new ErrInvalidSessionContext(
      `${place} holds "${secret}", and credentials do not belong in an address.`,
      {
        hint: 'Send it in a header.',
      },
    );
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
    throw new ErrInvalidSessionContext(`${place} holds "${unknown.slice(0, 80)}", which is not allowed.`, {
      hint: `Allowed: ${allowedKeys.join(', ') || 'nothing'}.`,
    });
  }
  return value;
}

/** With the alphabet of URLs or the usual one, padded or not. */
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
    if (forbidden.has(key)) throw malformed(`${place} holds "${key}"`);
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

export function hashOf(context: ContextValues): string {
  return digest(canonicalJson(context));
}

function malformed(what: string): ErrInvalidSessionContext {
  return new ErrInvalidSessionContext(`${what}.`, {
    hint: 'Nothing was done. Correct it and send the request again.',
  });
}

function assertConfig(config: SessionContextConfig<never>): void {
  for (const [name, source] of Object.entries({ queryParam: config.queryParam, header: config.header })) {
    if (source === undefined) continue;
    const isRight =
      isJsonObject(source) &&
      typeof source['name'] === 'string' &&
      source['name'] !== '' &&
      (source['encoding'] === 'base64' || source['encoding'] === 'json') &&
      Array.isArray(source['allowedKeys']) &&
      source['allowedKeys'].every((key) => typeof key === 'string' && !forbidden.has(key));
    if (!isRight)
      throw new ErrInvalidModel(
        `sessionContext.${name} must be { name, encoding: 'base64' | 'json', allowedKeys }.`,
      );
  }
  if (config.merge !== undefined && config.merge !== 'shallow' && config.merge !== 'deep')
    throw new ErrInvalidModel('sessionContext.merge must be "shallow" or "deep".');
}
