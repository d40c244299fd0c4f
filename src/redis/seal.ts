import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { ErrInvalidOptions } from '../errors.js';

const MIN_BYTES = 32;
const NONCE = 12;
const TAG = 16;
/** Names of texts that are no longer than this are remembered, and so many of them. */
const MAX_KNOWN = 256;
const MAX_NAMES = 20_000;
const ALGORITHM = 'aes-256-gcm';

/**
 * Keeps what is in Redis from whoever can read it, and from whoever can write to it. A value is sealed for its place, so
 * that nobody can put one in the place of another. Equal values of one place look alike, for they are compared there.
 */
export class RedisSeal {
  /** For what clients carry from one process to another. */
  readonly requestStateKey: Uint8Array;
  readonly #names: Uint8Array;
  readonly #nonces: Uint8Array;
  readonly #values: Uint8Array;
  /** What others say is about a session is compared with all that are here. */
  readonly #known = new LRUCache<string, string>({ maxSize: MAX_NAMES, sizeCalculation: () => 1 });

  constructor(secret: string | Uint8Array) {
    const bytes = typeof secret === 'string' ? new TextEncoder().encode(secret) : secret;
    if (!(bytes instanceof Uint8Array) || bytes.byteLength < MIN_BYTES) {
      throw new ErrInvalidOptions(`redis: secret must have at least ${MIN_BYTES} bytes.`, {
        hint: 'Make it at random, keep it outside of Redis, and give all nodes of a server the same one.',
      });
    }
    const derive = (use: string): Uint8Array =>
      new Uint8Array(hkdfSync('sha256', bytes, '', `toolfold ${use}`, 32));
    this.requestStateKey = derive('request state');
    this.#names = derive('names');
    this.#nonces = derive('nonces');
    this.#values = derive('values');
  }

  /** A name that says nothing. Of all characters as they are: in UTF-8 those that stand for none would look alike. */
  name(text: string): string {
    if (text.length > MAX_KNOWN) return this.#nameAnew(text);
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const name = this.#nameAnew(text);
    this.#known.set(text, name);
    return name;
  }

  #nameAnew(text: string): string {
    return createHmac('sha256', this.#names).update(text, 'utf16le').digest('base64url');
  }

  seal(place: string, text: string): string {
    const nonce = createHmac('sha256', this.#nonces).update(`${place}\0${text}`).digest().subarray(0, NONCE);
    const cipher = createCipheriv(ALGORITHM, this.#values, nonce);
    cipher.setAAD(Buffer.from(place));
    const sealed = [cipher.update(text, 'utf8'), cipher.final()];
    return Buffer.concat([nonce, cipher.getAuthTag(), ...sealed]).toString('base64url');
  }

  /** `undefined` where it was not sealed for this place. */
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
