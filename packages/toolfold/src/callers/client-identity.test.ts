import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientIdOf } from './client-identity.js';
import type { PeerTraits } from './client-identity.js';

const traits = (headers: Record<string, string>, address?: string): PeerTraits => ({
  header: (name) => (Object.hasOwn(headers, name) ? headers[name] : undefined),
  address,
});
const browser = { 'user-agent': 'agent/1', accept: 'application/json' };

describe('the id of a client', () => {
  it('is the one that the client sends', () => {
    expect(clientIdOf(traits({ ...browser, 'mcp-client-id': ' mine ' }, '10.0.0.1'))).toBe('mine');
  });

  it('differs for different clients, even with very long names', () => {
    const long = 'x'.repeat(300);
    const ids = ['a', 'b'].map((end) => clientIdOf(traits({ 'mcp-client-id': long + end })));
    expect(new Set(ids).size).toBe(2);
    expect(Math.max(...ids.map(({ length }) => length))).toBeLessThanOrEqual(256);
  });

  it('never equals an id generated for another client, with any header', () => {
    const auto = clientIdOf(traits(browser, '10.0.0.1'));
    const long = clientIdOf(traits({ 'mcp-client-id': 'x'.repeat(300) }));
    const sent = [auto, long, `named-${auto}`, `named-${long}`, `${'named-'.repeat(39)}${auto}`];
    const ids = sent.map((name) => clientIdOf(traits({ ...browser, 'mcp-client-id': name }, '10.0.0.2')));
    expect(ids.slice(0, 2)).toEqual([`named-${auto}`, `named-${long}`]);
    expect(new Set([auto, long, ...ids]).size).toBe(7);
    expect(Math.max(...ids.map(({ length }) => length))).toBeLessThanOrEqual(256);
  });

  it('is kept as sent if it only resembles a generated id', () => {
    for (const name of ['auto-pilot', 'long-john', 'named-x', 'auto-0123456789ABCDEF'])
      expect(clientIdOf(traits({ 'mcp-client-id': name }))).toBe(name);
  });

  it('[S003-46] is otherwise generated from address, user agent and accept header', () => {
    const hash = createHash('sha256').update('10.0.0.1|agent/1|application/json').digest('hex');
    expect(clientIdOf(traits(browser, '10.0.0.1'))).toBe(`auto-${hash.slice(0, 16)}`);
    expect(clientIdOf(traits({ ...browser, 'mcp-client-id': ' ' }, '10.0.0.1'))).toBe(
      `auto-${hash.slice(0, 16)}`,
    );
    const none = createHash('sha256').update('||').digest('hex');
    expect(clientIdOf(traits({}))).toBe(`auto-${none.slice(0, 16)}`);
  });

  it('[S003-52] is stable, and changes with each of the three traits', () => {
    const text = fc.string({ maxLength: 20 }).filter((part) => !part.includes('|'));
    fc.assert(
      fc.property(text, text, text, fc.nat(2), (address, agent, accept, which) => {
        const make = (parts: readonly string[]) =>
          clientIdOf(traits({ 'user-agent': parts[1] ?? '', accept: parts[2] ?? '' }, parts[0]));
        const parts = [address, agent, accept];
        expect(make(parts)).toBe(make([...parts]));
        expect(make(parts.with(which, `${parts[which]}!`))).not.toBe(make(parts));
      }),
    );
  });

  it('uses only the X-Forwarded-For entries of trusted proxies', () => {
    const from = (forwarded: string, trustedProxies?: number) =>
      clientIdOf(traits({ 'x-forwarded-for': forwarded }, 'proxy'), trustedProxies);
    const seen = (address: string) => clientIdOf(traits({}, address));
    expect(from('1.1.1.1')).toBe(seen('proxy'));
    expect(from('1.1.1.1', 1)).toBe(seen('1.1.1.1'));
    expect(from('forged, 1.1.1.1', 1)).toBe(seen('1.1.1.1'));
    expect(from('forged, 1.1.1.1 , 2.2.2.2', 2)).toBe(seen('1.1.1.1'));
    expect(from('forged', 2)).toBe(seen('proxy'));
    expect(from('', 1)).toBe(seen('proxy'));
    // Two clients behind one proxy have different ids.
    expect(from('1.1.1.1', 1)).not.toBe(from('1.1.1.2', 1));
  });
});
