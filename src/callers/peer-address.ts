/** The headers and the socket address of a request. */
export interface PeerTraits {
  readonly header: (name: string) => string | undefined;
  /** The address of the socket's other end. */
  readonly address?: string | undefined;
}

const IPV4 = /^(\d{1,3}(?:\.\d{1,3}){3})(?::\d{1,5})?$/;
const BRACKETED = /^\[([^\]]+)\](?::\d{1,5})?$/;

/**
 * The address of the client: the socket's address or, behind `trustedProxies` proxies, the address that the outermost proxy has
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

/** The eight groups of an IPv6 address, or `undefined`. The URL parser validates and normalizes the address. */
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
