import { describe, expect, it } from 'vitest';
import { peerAddress } from './client-identity.js';
import { networkOf } from './caller-key.js';

describe('networkOf', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:cb00:7107', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['1::', '1:0:0:0::/64'],
    ['not an address', 'not an address'],
    ['a:b', 'a:b'],
  ])('of %s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});

describe('peerAddress', () => {
  const from = (forwarded: string | undefined, trustedProxies: number): string | undefined =>
    peerAddress({ header: () => forwarded, address: '10.0.0.1' }, trustedProxies);

  it('is the socket address without trusted proxies, for any forwarded header', () => {
    expect(from('203.0.113.7', 0)).toBe('10.0.0.1');
  });

  it('is the address that the outermost trusted proxy reports', () => {
    expect(from('198.51.100.1, 203.0.113.7', 1)).toBe('203.0.113.7');
    expect(from('198.51.100.1, 203.0.113.7', 2)).toBe('198.51.100.1');
  });

  it('is the socket address if the header has fewer entries than there are proxies', () => {
    expect(from('198.51.100.1', 2)).toBe('10.0.0.1');
    expect(from(undefined, 1)).toBe('10.0.0.1');
  });

  it.each([
    ['203.0.113.7:4711', '203.0.113.7'],
    ['"[2001:db8::1]:4711"', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
  ])('parses %s, as some proxies write it', (forwarded, address) => {
    expect(from(forwarded, 1)).toBe(address);
  });

  it.each(['unknown', '_hidden', '', 'a:b', '::1/64', '1.2.3.4.5'])(
    'is the socket address if the proxy names no address: "%s"',
    (forwarded) => {
      expect(from(forwarded, 1)).toBe('10.0.0.1');
    },
  );
});
