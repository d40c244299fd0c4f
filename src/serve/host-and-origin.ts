import { LRUCache } from 'lru-cache';
import { REFUSED, refuse } from './edge.js';
import type { EdgeAnswer } from './edge.js';

/** What is wrong with where a request goes to and comes from. */
export type HostCheck = (host: string | undefined, origin: string | undefined) => EdgeAnswer | undefined;

const FINE = Symbol('fine');
const localhost = ['localhost', '127.0.0.1', '[::1]'];

export function createHostCheck(
  allowedHosts: readonly string[] = localhost,
  allowedOrigins: readonly string[] = localhost,
  isAllowedToo: (origin: string | undefined) => boolean = () => false,
): HostCheck {
  const hosts = new Set(allowedHosts);
  const origins = new Set(allowedOrigins);
  const judge: HostCheck = (host, origin) => {
    const hostname = host && hostnameOf(`http://${host}`);
    if (!hostname) return refuse(403, REFUSED, host ? 'Invalid Host header' : 'Missing Host header');
    if (!hosts.has(hostname)) return refuse(403, REFUSED, `Invalid Host: ${hostname}`);
    // Only browsers send one.
    if (!origin || isAllowedToo(origin)) return undefined;
    const from = hostnameOf(origin);
    if (!from) return refuse(403, REFUSED, 'Invalid Origin header');
    // Pages of an editor have a scheme of their own: `vscode-webview://*`.
    const { protocol } = new URL(origin);
    const isOwnScheme = !/^https?:$/.test(protocol) && origins.has(`${protocol}//*`);
    return isOwnScheme || origins.has(from) ? undefined : refuse(403, REFUSED, `Invalid Origin: ${from}`);
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

/** Without the port, as URLs have it; `undefined` where it is none. */
function hostnameOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}
