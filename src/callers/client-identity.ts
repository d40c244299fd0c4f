import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { ErrInvalidModel } from '../errors.js';
import { peerAddress } from './peer-address.js';
import type { PeerTraits } from './peer-address.js';

/** What a request shows of the client that sent it. */
export type ClientTraits = PeerTraits;

export interface ClientIdentityOptions {
  /** How many proxies in front add themselves to `X-Forwarded-For`. What more it says is the client's own word. */
  readonly trustedProxies?: number | undefined;
}

const MAX_ID = 256;
const MAX_NAMES = 10_000;
const MAX_SEEN = 1_024;
/** What is made here, and what a name that looks so is made into. */
const DERIVED = /^(?:named-)*(?:auto-[0-9a-f]{16}|long-[0-9a-f]{64})$/;

/**
 * A name for a client, for fairness and logs. It is never a proof of who that is: a client can send any.
 */
export function clientIdOf(client: ClientTraits, { trustedProxies = 0 }: ClientIdentityOptions = {}): string {
  assertProxies(trustedProxies);
  const { header } = client;
  const named = namedClientId(header);
  if (named !== undefined) return named;
  const traits = `${peerAddress(client, trustedProxies) ?? ''}|${header('user-agent') ?? ''}|${header('accept') ?? ''}`;
  return `auto-${sha256(traits).slice(0, 16)}`;
}

/** The name that a client gives itself with `mcp-client-id`, if it does. */
export function namedClientId(header: ClientTraits['header']): string | undefined {
  const named = header('mcp-client-id')?.trim();
  return named ? toNamedId(named) : undefined;
}

/** No client gets the name of one that gave none by sending it. Of two long names neither may become the other. */
function toNamedId(named: string): string {
  const id = DERIVED.test(named) ? `named-${named}` : named;
  return id.length <= MAX_ID ? id : `long-${sha256(id)}`;
}

/** The same for one request after the other: a digest takes longer than most calls, and clients come again. */
export function createClientNamer({
  trustedProxies = 0,
}: ClientIdentityOptions): (traits: ClientTraits) => string {
  assertProxies(trustedProxies);
  const names = new LRUCache<string, string>({ max: MAX_NAMES });
  return (traits) => {
    const { header, address = '' } = traits;
    const sent = ['mcp-client-id', 'x-forwarded-for', 'user-agent', 'accept'].map(
      (name) => header(name) ?? '',
    );
    // No header holds the end of a line.
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
    throw new ErrInvalidModel('trustedProxies must be a whole number of at least 0.');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
