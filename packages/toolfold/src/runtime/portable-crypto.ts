// The functions of `node:crypto` that Toolfold calls, for runtimes without it. WebCrypto has digests too, but only asynchronous ones.
import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

type Encoding = 'base64url' | 'hex';

interface Hasher {
  update(data: string | Uint8Array): Hasher;
  digest(): Uint8Array;
  digest(encoding: Encoding): string;
}

const algorithms = { sha256 };

export function createHash(algorithm: 'sha256'): Hasher {
  return hasherOf(algorithms[algorithm].create());
}

export function createHmac(algorithm: 'sha256', key: Uint8Array): Hasher {
  return hasherOf(hmac.create(algorithms[algorithm], key));
}

/** Takes the same time for all inputs of one length, so that timing does not reveal a secret. */
export function timingSafeEqual(first: Uint8Array, second: Uint8Array): boolean {
  if (first.length !== second.length) throw new RangeError('Input buffers must have the same byte length');
  let difference = 0;
  for (const [index, byte] of first.entries()) difference |= byte ^ (second[index] ?? 0);
  return difference === 0;
}

function hasherOf(hashing: { update(bytes: Uint8Array): unknown; digest(): Uint8Array }): Hasher {
  function digest(): Uint8Array;
  function digest(encoding: Encoding): string;
  function digest(encoding?: Encoding): Uint8Array | string {
    const bytes = hashing.digest();
    if (encoding === undefined) return bytes;
    if (encoding === 'hex') return bytesToHex(bytes);
    return btoa(String.fromCharCode(...bytes))
      .replaceAll('+', '-')
      .replaceAll('/', '_')
      .replaceAll('=', '');
  }
  const hasher: Hasher = {
    update: (data) => {
      hashing.update(typeof data === 'string' ? new TextEncoder().encode(data) : data);
      return hasher;
    },
    digest,
  };
  return hasher;
}
