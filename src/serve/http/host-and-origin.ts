import { LRUCache } from 'lru-cache';
import { invalidOption } from '../../values/assert-option.js';
import { reject } from './edge.js';
import { REJECTED } from '../../protocol/rpc-codes.js';
import type { WholeAnswer } from './edge.js';

/** What is wrong with where a request goes to and comes from. */
export type HostCheck = (host: string | undefined, origin: string | undefined) => WholeAnswer | undefined;

const FINE = Symbol('fine');
const localhost = ['localhost', '127.0.0.1', '[::1]'];

export function createHostCheck(
  allowedHosts: readonly string[] = localhost,
  allowedOrigins: readonly string[] = localhost,
  isAllowedToo: (origin: string | undefined) => boolean = () => false,
): HostCheck {
  const hosts = readNames('allowedHosts', allowedHosts);
  const origins = readNames('allowedOrigins', allowedOrigins);
  const judge: HostCheck = (host, origin) => {
    const hostname = host && AUTHORITY.test(host) ? hostnameOf(`http://${host}`) : undefined;
    if (!hostname) return reject(403, REJECTED, host ? 'Invalid Host header' : 'Missing Host header');
    if (!hosts.has(hostname)) return reject(403, REJECTED, `Invalid Host: ${hostname}`);
    // Only browsers send one.
    if (!origin || isAllowedToo(origin)) return undefined;
    const from = hostnameOf(origin);
    const [, scheme = '', authority = ''] = ORIGIN.exec(origin) ?? [];
    if (!from || !scheme) return reject(403, REJECTED, 'Invalid Origin header');
    // Pages of an editor have a scheme of their own, and are allowed by it: `vscode-webview://*`.
    const isAllowed = /^https?$/i.test(scheme)
      ? AUTHORITY.test(authority) && origins.has(from)
      : origins.has(`${scheme.toLowerCase()}://*`);
    return isAllowed ? undefined : reject(403, REJECTED, `Invalid Origin: ${scheme}://${from}`);
  };
  // The same few come with every request.
  const known = new LRUCache<string, WholeAnswer | typeof FINE>({ max: 100 });
  let lastHost: string | undefined;
  let lastOrigin: string | undefined;
  return (host, origin) => {
    if (host !== undefined && host === lastHost && origin === lastOrigin) return undefined;
    // Whatever a client sends: a header that is absent is not one that says so.
    const key = JSON.stringify([host, origin]);
    let outcome = known.get(key);
    if (outcome === undefined) known.set(key, (outcome = judge(host, origin) ?? FINE));
    if (outcome !== FINE) return outcome;
    lastHost = host;
    lastOrigin = origin;
    return undefined;
  };
}

/** A host and a port. URLs can hold more there, such as users, paths and escapes, which would hide what is asked for. */
const AUTHORITY = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;
const ORIGIN = /^([a-z][a-z\d+.-]*):\/\/([^/?#]*)$/i;

/** Without the port, as URLs have it; `undefined` where it is none. */
function hostnameOf(url: string): string | undefined {
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}

/** A name that no request can have would lock everybody out. */
function readNames(option: string, names: readonly string[]): ReadonlySet<string> {
  for (const name of names) {
    if (/^[a-z][a-z\d+.-]*:\/\/\*$/.test(name)) continue;
    if (hostnameOf(`http://${name}`) !== name)
      throw invalidOption(`${option}: "${name}"`, 'a name without scheme, port and path, in lower case');
  }
  return new Set(names);
}
