import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { ErrInvalidOptions } from 'toolfold/errors';

const MIN_BYTES = 32;
const NONCE = 12;
const TAG = 16;
/** Caches the digests of up to 20,000 texts, of up to 256 characters each. */
const MAX_REMEMBERED_LENGTH = 256;
const MAX_REMEMBERED = 20_000;
const ALGORITHM = 'aes-256-gcm';

/**
 * Encrypts and authenticates the values in Redis. A value is sealed for its place, so that an attacker who can write to Redis cannot move
 * it to another place. Equal values of one place have equal seals, because scripts compare them.
 */
export class RedisSeal {
  /** Signs the state that clients carry from one request to the next. */
  readonly requestStateKey: Uint8Array;
  readonly #names: Uint8Array;
  readonly #nonces: Uint8Array;
  readonly #values: Uint8Array;
  /** Caches names, because a message from another process is compared with every session of this one. */
  readonly #remembered = new LRUCache<string, string>({ maxSize: MAX_REMEMBERED, sizeCalculation: () => 1 });

  constructor(secret: string | Uint8Array) {
    const bytes = typeof secret === 'string' ? new TextEncoder().encode(secret) : secret;
    if (!(bytes instanceof Uint8Array) || bytes.byteLength < MIN_BYTES) {
      throw new ErrInvalidOptions(`redis: secret must have at least ${MIN_BYTES} bytes.`, {
        hint: 'Generate it at random, keep it outside of Redis, and use the same one on all nodes of a server.',
      });
    }
    const derive = (use: string): Uint8Array =>
      new Uint8Array(hkdfSync('sha256', bytes, '', `toolfold ${use}`, 32));
    this.requestStateKey = derive('request state');
    this.#names = derive('names');
    this.#nonces = derive('nonces');
    this.#values = derive('values');
  }

  /** Returns the Redis key of a text, as an HMAC. The text is hashed as UTF-16, because UTF-8 would encode all lone surrogates alike. */
  name(text: string): string {
    const remembered = this.#remembered.get(text);
    if (remembered !== undefined) return remembered;
    const name = createHmac('sha256', this.#names).update(text, 'utf16le').digest('base64url');
    if (text.length <= MAX_REMEMBERED_LENGTH) this.#remembered.set(text, name);
    return name;
  }

  seal(place: string, text: string): string {
    const nonce = createHmac('sha256', this.#nonces).update(`${place}\0${text}`).digest().subarray(0, NONCE);
    const cipher = createCipheriv(ALGORITHM, this.#values, nonce);
    cipher.setAAD(Buffer.from(place));
    const sealed = [cipher.update(text, 'utf8'), cipher.final()];
    return Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]).toString('base64url');
  }

  /** Returns `undefined` if the value was not sealed for this place. */
  open(place: string, sealed: string): string | undefined {
    const bytes = Buffer.from(sealed, 'base64url');
    if (bytes.length < NONCE + TAG) return undefined;
    try {
      const decipher = createDecipheriv(ALGORITHM, this.#values, bytes.subarray(0, NONCE));
      decipher.setAAD(Buffer.from(place));
      decipher.setAuthTag(bytes.subarray(NONCE, NONCE + TAG));
      return Buffer.concat([decipher.update(bytes.subarray(NONCE + TAG)), decipher.final()]).toString('utf8');
    } catch {
      return undefined;
    }
  }
}

/** Names keys in Redis. The distinguishing part may be the id of a session or name a caller, so it is a digest that needs the secret. */
export class RedisKeys {
  readonly #prefix: string;
  readonly #seal: RedisSeal;

  constructor(prefix: string, seal: RedisSeal) {
    this.#prefix = prefix;
    this.#seal = seal;
  }

  /** Returns the key of something that exists once, or the prefix of the keys of one kind. */
  of(kind: string): string {
    return `${this.#prefix}:${kind}`;
  }

  for(kind: string, name: string): string {
    return `${this.#prefix}:${kind}:${this.#seal.name(name)}`;
  }
}
