import { isObject } from '@toolfold/schema/internal';
import { decodeBase64 } from './credential-forms.js';
import { isCredential } from './find-literals.js';
import { isSecretField, isSecretName, isSecretPair } from '../../values/secret-names.js';

/** Limits for reading one root: a context, the arguments or a caller. */
interface Limits {
  readonly credentials: number;
  /** Total number of characters of all credentials. */
  readonly characters: number;
  readonly reads: number;
  readonly children: number;
  readonly depth: number;
}

/** Objects of the server may lead anywhere, for example into a database client, so only the nearest fields are read. */
const SERVER_LIMITS: Limits = {
  credentials: 100,
  characters: Infinity,
  reads: 20_000,
  children: 1_000,
  depth: 8,
};
/** A request that exceeds these limits is not searched in part: `collectCredentials` returns `undefined`. */
const CLIENT_LIMITS: Limits = {
  credentials: 500,
  characters: 64 * 1024,
  reads: 100_000,
  children: Number.MAX_SAFE_INTEGER,
  depth: Infinity,
};

/** Accessors are searched for only in this many classes of a prototype chain. */
const MAX_CLASSES = 3;

/** Marks a root as data of the client, in which every credential must be found. */
export class SentData {
  readonly value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }
}

/**
 * Collects the credentials in the given contexts, arguments and callers: every text under a secret name, nearest first.
 * Each root has its own limits, so that client data cannot crowd out the credentials of the server. Returns `undefined`
 * if a client sent too much to collect every credential; then no text of the call is safe to show.
 */
export function collectCredentials(...roots: readonly unknown[]): string[] | undefined {
  const all = new Set<string>();
  for (const root of roots) {
    const found = isSentData(root)
      ? collectFrom(root.value, CLIENT_LIMITS)
      : collectFrom(root, SERVER_LIMITS);
    if (!found) return undefined;
    for (const credential of found) all.add(credential);
  }
  return [...all];
}

function isSentData(root: unknown): root is SentData {
  try {
    return root instanceof SentData;
  } catch {
    // A revoked proxy throws when its prototype is read.
    return false;
  }
}

/** These paths are read even if a class defines them as accessors. */
const wellKnown = [['accessToken'], ['caller', 'auth', 'token'], ['auth', 'token'], ['token']];

function collectFrom(root: unknown, limits: Limits): Iterable<string> | undefined {
  if (!isObject(root)) return [];
  const found = new Set<string>();
  let characters = 0;
  const seen = new Map<object, boolean>();
  const queue: { value: unknown; depth: number; isSecret: boolean }[] = [];
  for (const path of wellKnown) {
    const value = readPath(root, path);
    if (value !== undefined) queue.push({ value, depth: 0, isSecret: true });
  }
  queue.push({ value: root, depth: 0, isSecret: false });
  let reads = 0;
  for (let head = 0; head < queue.length; head++) {
    const { value, depth, isSecret } = queue[head] as (typeof queue)[number];
    if (!isObject(value)) {
      if (!isSecret) continue;
      for (const credential of credentialsIn(value)) {
        if (found.has(credential)) continue;
        characters += credential.length;
        if (found.size >= limits.credentials || characters > limits.characters)
          return limits === CLIENT_LIMITS ? undefined : found;
        found.add(credential);
      }
      continue;
    }
    if (depth >= limits.depth || seen.get(value) === true || seen.get(value) === isSecret) continue;
    seen.set(value, isSecret);
    for (const [name, child] of childrenOf(value, limits.children)) {
      if (++reads > limits.reads) {
        if (limits === CLIENT_LIMITS) return undefined;
        break;
      }
      const isChildSecret =
        isSecret || isSecretField(name, child) || (name === 'value' && isSecretPair(value));
      if (isChildSecret || isObject(child))
        queue.push({ value: child, depth: depth + 1, isSecret: isChildSecret });
    }
  }
  return found;
}

function readPath(root: unknown, path: readonly string[]): unknown {
  try {
    let value = root;
    for (const name of path) {
      if (!isObject(value)) return undefined;
      value = (value as Readonly<Record<string, unknown>>)[name];
    }
    return value;
  } catch {
    return undefined;
  }
}

type Child = readonly [name: string, child: unknown];

function childrenOf(object: object, max: number): Child[] {
  try {
    if (ArrayBuffer.isView(object)) return [];
    if (object instanceof Map)
      return Array.from(object, ([key, child]) => [isObject(key) ? '' : String(key), child]);
    if (object instanceof Set) return Array.from(object, (child) => ['', child]);
    if (Array.isArray(object)) return object.slice(0, max).map((child) => ['', child]);
    const fields = ownFields(object, max);
    addClassFields(fields, object, max);
    addPairs(fields, object, max);
    return fields;
  } catch {
    // An object that cannot be read cannot be copied into a text either.
    return [];
  }
}

/** Lists the own fields. Accessors run code, so only those with a secret name are read. */
function ownFields(object: object, max: number): Child[] {
  const names = Object.keys(object);
  if (names.length > max) names.length = max;
  return names.map((name) => {
    const field = Object.getOwnPropertyDescriptor(object, name);
    if (field && 'value' in field) return [name, field.value];
    return [name, isSecretName(name) ? readPath(object, [name]) : undefined];
  });
}

/** Fields of web standard requests that contain client data. */
const containers: ReadonlySet<string> = new Set(['headers', 'cookies', 'searchParams']);

/** Adds the accessors of an instance that its classes define and that have a secret name or one of `containers`. */
function addClassFields(fields: Child[], object: object, max: number): void {
  let prototype: unknown = Object.getPrototypeOf(object);
  for (let level = 0; level < MAX_CLASSES; level++) {
    if (!isObject(prototype) || prototype === Object.prototype) break;
    for (const name of Object.getOwnPropertyNames(prototype).slice(0, max)) {
      if (!isSecretName(name) && !containers.has(name)) continue;
      if (!Object.getOwnPropertyDescriptor(prototype, name)?.get) continue;
      fields.push([name, readPath(object, [name])]);
    }
    prototype = Object.getPrototypeOf(prototype);
  }
}

/** Adds the names and values of `Headers`, `URLSearchParams`, `FormData` and similar collections. */
function addPairs(fields: Child[], object: object, max: number): void {
  const { entries, [Symbol.iterator]: iterate } = object as Partial<URLSearchParams>;
  if (typeof entries !== 'function' || typeof iterate !== 'function') return;
  let left = Math.min(max, CLIENT_LIMITS.reads);
  try {
    for (const pair of entries.call(object) as Iterable<unknown>) {
      if (left-- <= 0) break;
      if (Array.isArray(pair) && typeof pair[0] === 'string') fields.push([pair[0], pair[1]]);
    }
  } catch {
    // The object is not such a collection, or its iterator failed: keep the pairs read so far.
  }
}

function credentialsIn(value: unknown): readonly string[] {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'bigint') return [];
  const text = String(value);
  return [text, ...partsOf(text)].filter(isCredential);
}

/** Extracts the secret parts of a header, a cookie or a connection string. */
function partsOf(text: string): string[] {
  const parts: string[] = [];
  const scheme = /^\s*([A-Za-z][\w-]{1,30})[ \t]+(\S+)\s*$/.exec(text);
  if (scheme?.[2] !== undefined) {
    parts.push(scheme[2]);
    if (scheme[1]?.toLowerCase() === 'basic') parts.push(decodeBase64(scheme[2]).replace(/^[^:]*:/, ''));
  }
  if (/^[^\s=;]{1,128}=/.test(text)) {
    // Short cookies are settings such as `theme=dark`.
    for (const cookie of text.split(';').slice(0, 50)) {
      const content = cookie.slice(cookie.indexOf('=') + 1).trim();
      if (content.length >= 8) parts.push(content);
    }
  }
  const password = /:\/\/[^\s/?#:@]*:([^\s/?#]*)@/.exec(text)?.[1];
  if (password !== undefined) parts.push(password);
  return parts;
}
