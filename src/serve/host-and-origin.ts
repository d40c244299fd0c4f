import {
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server';
import { LRUCache } from 'lru-cache';
import { REFUSED, refuse } from './edge.js';
import type { EdgeAnswer } from './edge.js';

/** What is wrong with where a request goes to and comes from. */
export type HostCheck = (host: string | undefined, origin: string | undefined) => EdgeAnswer | undefined;

const FINE = Symbol('fine');

export function createHostCheck(
  allowedHosts: readonly string[] = localhostAllowedHostnames(),
  allowedOrigins: readonly string[] = localhostAllowedOrigins(),
  isAllowedToo: (origin: string | undefined) => boolean = () => false,
): HostCheck {
  const hosts = [...allowedHosts];
  const origins = [...allowedOrigins];
  const judge: HostCheck = (host, origin) => {
    const checkedHost = validateHostHeader(host, hosts);
    if (!checkedHost.ok) return refuse(403, REFUSED, checkedHost.message);
    if (isAllowedToo(origin)) return undefined;
    const checkedOrigin = validateOriginHeader(origin, origins);
    return checkedOrigin.ok ? undefined : refuse(403, REFUSED, checkedOrigin.message);
  };
  // The same few come with every request.
  const known = new LRUCache<string, EdgeAnswer | typeof FINE>({ max: 100 });
  let lastHost: string | undefined;
  let lastOrigin: string | undefined;
  return (host, origin) => {
    if (host !== undefined && host === lastHost && origin === lastOrigin) return undefined;
    const key = `${host} ${origin}`;
    let outcome = known.get(key);
    if (outcome === undefined) known.set(key, (outcome = judge(host, origin) ?? FINE));
    if (outcome !== FINE) return outcome;
    lastHost = host;
    lastOrigin = origin;
    return undefined;
  };
}
