import { digest } from '../values/digest.js';

/** The parts of a request that identify its client. */
export interface PeerTraits {
  readonly header: (name: string) => string | undefined;
  /** The address of the socket's other end. */
  readonly address?: string | undefined;
}

const IPV4 = /^(\d{1,3}(?:\.\d{1,3}){3})(?::\d{1,5})?$/;
const BRACKETED = /^\[([^\]]+)\](?::\d{1,5})?$/;

/**
 * Returns the address of the client: the socket's address or, behind `trustedProxies` proxies, the address that the outermost proxy has
 * seen. Entries of `X-Forwarded-For` further left are not trusted, because the client can write them.
 */
export function peerAddress({ header, address }: PeerTraits, trustedProxies: number): string | undefined {
  if (trustedProxies === 0) return address;
  // With fewer entries than proxies, a proxy was bypassed, and the client may have written the whole header.
  const hop = header('x-forwarded-for')?.split(',').at(-trustedProxies);
  return (hop === undefined ? undefined : readAddress(hop)) ?? address;
}

/** Reads an IP address that a proxy may have written in quotes, in brackets or with a port. */
function readAddress(written: string): string | undefined {
  const text = written.trim().replace(/^"(.*)"$/, '$1');
  const [, ipv4] = IPV4.exec(text) ?? [];
  if (ipv4 !== undefined) return ipv4;
  const ipv6 = BRACKETED.exec(text)?.[1] ?? text;
  return groupsOf(ipv6) ? ipv6 : undefined;
}

/** Returns the eight groups of an IPv6 address, or `undefined` if it is none. The URL parser validates and normalizes it. */
export function groupsOf(address: string): readonly number[] | undefined {
  const [bare = ''] = address.split('%', 1);
  const url = `http://[${bare}]`;
  if (!bare.includes(':') || !/^[0-9a-f:.]+$/i.test(bare) || !URL.canParse(url)) return undefined;
  const [before = '', after] = new URL(url).hostname.slice(1, -1).split('::');
  const [first, last] = [readGroups(before), readGroups(after)];
  return [...first, ...Array<number>(8 - first.length - last.length).fill(0), ...last];
}

function readGroups(text: string | undefined): number[] {
  return text ? text.split(':').map((group) => Number.parseInt(group, 16)) : [];
}

const MAX_ID = 256;
/** Matches the ids that this file derives, and ids of this form that it has prefixed. */
const DERIVED = /^(?:named-)*(?:auto-[0-9a-f]{16}|long-[0-9a-f]{64})$/;

/** Returns an id of a client for fair shares and logs. It proves nothing, because a client can send any id. */
export function clientIdOf(client: PeerTraits, trustedProxies = 0): string {
  const { header } = client;
  const named = namedClientId(header);
  if (named !== undefined) return named;
  const traits = `${peerAddress(client, trustedProxies) ?? ''}|${header('user-agent') ?? ''}|${header('accept') ?? ''}`;
  return `auto-${digest(traits, 'hex').slice(0, 16)}`;
}

/** Returns the id that a client sends as `mcp-client-id`, if any. */
export function namedClientId(header: PeerTraits['header']): string | undefined {
  const named = header('mcp-client-id')?.trim();
  if (!named) return undefined;
  // An id that looks like a derived one gets a prefix, so that a client cannot take the derived id of another client.
  const id = DERIVED.test(named) ? `named-${named}` : named;
  return id.length <= MAX_ID ? id : `long-${digest(id, 'hex')}`;
}
