import type { Caller } from '../../callers/caller.js';
import { callerKey, isAnonymous, NOBODY } from '../../callers/caller-key.js';
import { peerAddress } from '../../callers/peer-address.js';
import type { PeerTraits } from '../../callers/peer-address.js';

/** The caller of a request, as limits see it. */
export interface RequestCaller {
  /** Identifies the caller. All callers without identity and address share one key. */
  readonly key: string;
  /**
   * Whose share of the load the request counts in. Anonymous callers on this machine have none, because a single user and
   * a proxy that forwards for many users look the same; nor have callers of whom not even the address is known.
   */
  readonly share: string | undefined;
}

export type ReadCaller = (peer: PeerTraits, auth: Caller['auth']) => RequestCaller;

export function createCallerReader(trustedProxies = 0): ReadCaller {
  return (peer, auth) => {
    const address = peerAddress(peer, trustedProxies);
    const key = callerKey({ auth, address });
    const hasShare = !isAnonymous(key) || (key !== NOBODY && !isLoopback(address));
    return { key, share: hasShare ? key : undefined };
  };
}

function isLoopback(address = ''): boolean {
  return address.startsWith('127.') || address === '::1' || address.startsWith('::ffff:127.');
}
