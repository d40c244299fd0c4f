import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { ErrInvalidOptions } from '../errors.js';
import { peerAddress } from './peer-address.js';
import type { PeerTraits } from './peer-address.js';

interface ClientIdentityOptions {
  /**
   * The number of trusted proxies that append to `X-Forwarded-For`. Earlier entries are not trusted, because the client can write
   * them.
   */
  readonly trustedProxies?: number | undefined;
}

const MAX_ID = 256;
const MAX_NAMES = 10_000;
const MAX_SEEN = 1_024;
/** Ids that this file derives, also after it prefixed a client's own name of this form. */
const DERIVED = /^(?:named-)*(?:auto-[0-9a-f]{16}|long-[0-9a-f]{64})$/;

/** An id of a client for fair shares and logs. It proves nothing, because a client can send any id. */
export function clientIdOf(client: PeerTraits, { trustedProxies = 0 }: ClientIdentityOptions = {}): string {
  assertProxies(trustedProxies);
  const { header } = client;
  const named = namedClientId(header);
  if (named !== undefined) return named;
  const traits = `${peerAddress(client, trustedProxies) ?? ''}|${header('user-agent') ?? ''}|${header('accept') ?? ''}`;
  return `auto-${sha256(traits).slice(0, 16)}`;
}

/** The id that a client sends as `mcp-client-id`, if any. */
export function namedClientId(header: PeerTraits['header']): string | undefined {
  const named = header('mcp-client-id')?.trim();
  return named ? toNamedId(named) : undefined;
}

/**
 * Prefixes an id that looks like a derived one, so a client cannot take the derived id of another client, and hashes long ids.
 */
function toNamedId(named: string): string {
  const id = DERIVED.test(named) ? `named-${named}` : named;
  return id.length <= MAX_ID ? id : `long-${sha256(id)}`;
}

/** Creates a cached `clientIdOf`, because a digest costs more than most calls and clients send many requests. */
export function createClientNamer({
  trustedProxies = 0,
}: ClientIdentityOptions): (traits: PeerTraits) => string {
  assertProxies(trustedProxies);
  const names = new LRUCache<string, string>({ max: MAX_NAMES });
  return (traits) => {
    const { header, address = '' } = traits;
    const sent = ['mcp-client-id', 'x-forwarded-for', 'user-agent', 'accept'].map(
      (name) => header(name) ?? '',
    );
    // Header values cannot contain line breaks, so a line break separates them safely.
    const seen = `${address}\n${sent.join('\n')}`;
    let name = names.get(seen);
    if (name === undefined) {
      name = clientIdOf(traits, { trustedProxies });
      if (seen.length <= MAX_SEEN) names.set(seen, name);
    }
    return name;
  };
}

function assertProxies(trustedProxies: number): void {
  if (!Number.isSafeInteger(trustedProxies) || trustedProxies < 0)
    throw new ErrInvalidOptions('trustedProxies must be a whole number of at least 0.');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
