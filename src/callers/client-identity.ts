import { createHash } from '#crypto';
import { LRUCache } from 'lru-cache';
import { ErrInvalidOptions } from '../errors.js';

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
  // A limit by size, because with `max` the cache would allocate memory for all entries at once.
  const names = new LRUCache<string, string>({ maxSize: MAX_NAMES, sizeCalculation: () => 1 });
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
