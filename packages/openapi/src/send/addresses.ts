import { resolveHost } from '#dns';
import { ErrInvalidOptions, ErrToolFailed } from 'toolfold/errors';

/** Names that by convention belong to a private network. */
const privateNames = /(?:^|\.)(?:localhost|local|localdomain|internal|intranet|lan|home|corp|home\.arpa)$/;

/**
 * Whether the host of a URL is a private name or address. The URL parser has already normalised it: decimal, octal and hexadecimal IPv4
 * addresses have four decimal parts, and IPv6 addresses are in brackets.
 */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/\.+$/, '');
  if (host.startsWith('[')) return isPrivateIPv6(host.slice(1, -1));
  if (/^\d+\.\d+\.\d+\.\d+$/.test(host)) return isPrivateIPv4(host);
  // A name without a dot is only known in the local network.
  return !host.includes('.') || privateNames.test(host);
}

/** Whether an IP address, as name servers return it, is not public. */
export function isPrivateAddress(address: string): boolean {
  return address.includes(':') ? isPrivateIPv6(address) : isPrivateIPv4(address);
}

/** The IPv4 blocks that are not globally reachable, as first address and length of the prefix. */
const privateBlocks: readonly (readonly [first: string, bits: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  // These are multicast, reserved and broadcast addresses.
  ['224.0.0.0', 3],
];

const toNumber = (address: string): number =>
  address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);

function isPrivateIPv4(address: string): boolean {
  const value = toNumber(address);
  return privateBlocks.some(([first, bits]) => {
    const size = 2 ** (32 - bits);
    return Math.floor(value / size) === Math.floor(toNumber(first) / size);
  });
}

/** Only 2000::/3 is public. An address that embeds an IPv4 address is as private as that address. */
function isPrivateIPv6(address: string): boolean {
  const groups = groupsOf(address);
  if (!groups) return true;
  const [first = 0, second = 0, third = 0] = groups;
  const last = toIPv4(groups[6], groups[7]);
  const isZero = (from: number, to: number): boolean => groups.slice(from, to).every((group) => group === 0);
  // The next lines cover mapped, translated (NAT64) and compatible addresses.
  if (isZero(0, 5) && groups[5] === 0xff_ff) return isPrivateIPv4(last);
  if (first === 0x64 && second === 0xff_9b && isZero(2, 6)) return isPrivateIPv4(last);
  // A 6to4 address contains the address of its router.
  if (first === 0x20_02) return isPrivateIPv4(toIPv4(second, third));
  // These are Teredo, benchmarking, ORCHID and documentation addresses.
  if (first === 0x20_01 && (second < 0x2_00 || second === 0xd_b8)) return true;
  if (first === 0x3f_ff && second < 0x10_00) return true;
  return first < 0x20_00 || first > 0x3f_ff;
}

const toIPv4 = (high = 0, low = 0): string => [high >> 8, high & 255, low >> 8, low & 255].join('.');

const readGroups = (text: string): number[] =>
  text === '' ? [] : text.split(':').map((part) => parseInt(part, 16));

/** Returns the eight groups of an IPv6 address, or `undefined` if it is malformed. */
function groupsOf(address: string): number[] | undefined {
  const plain = address
    .replace(/%.*$/, '')
    .replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, a: string, b: string, c: string, d: string) =>
      [Number(a) * 256 + Number(b), Number(c) * 256 + Number(d)].map((group) => group.toString(16)).join(':'),
    );
  const [head = '', tail] = plain.split('::');
  const before = readGroups(head);
  const after = tail === undefined ? [] : readGroups(tail);
  const zeros = tail === undefined ? 0 : 8 - before.length - after.length;
  const groups = [...before, ...Array.from({ length: Math.max(0, zeros) }, () => 0), ...after];
  return groups.length === 8 && groups.every((group) => group >= 0 && group <= 0xff_ff) ? groups : undefined;
}

/** Throws unless requests can be sent to a base address. */
export function assertBaseUrl(baseUrl: URL, isTrusted: boolean): void {
  const { protocol, username, password, search, hash } = baseUrl;
  const place = isTrusted ? 'The base address' : 'The base address in the specification';
  if (protocol !== 'https:' && protocol !== 'http:')
    throw new ErrInvalidOptions(`${place} must be one of https or http.`, {
      hint: 'Set the option baseUrl.',
    });
  if (username !== '' || password !== '')
    throw new ErrInvalidOptions(`${place} must not contain credentials.`, {
      hint: 'Put them into the option credentials.',
    });
  if (search !== '' || hash !== '')
    throw new ErrInvalidOptions(`${place} must not have a query or a fragment.`);
  if (!isTrusted && isPrivateHost(baseUrl.hostname))
    throw new ErrInvalidOptions(`${place} is in a private network: ${baseUrl.host}.`, {
      hint: 'If you trust it, set the option baseUrl.',
    });
}

/**
 * Throws if the name of a host has a private address. `fetch` resolves the name again, so this check stops names that always lead into a
 * private network, but not a name server that changes its answer in between. On runtimes that cannot resolve names, every name passes.
 */
export async function assertPublicHost({ hostname }: URL): Promise<void> {
  if (hostname.startsWith('[') || /^[\d.]+$/.test(hostname)) return;
  const addresses = await resolveHost(hostname);
  if (!addresses.some(isPrivateAddress)) return;
  throw new ErrToolFailed(`The name ${hostname} leads to an address in a private network.`, {
    hint: 'The operator of the server can allow it with the option baseUrl.',
  });
}
