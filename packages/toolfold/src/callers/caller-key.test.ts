import { describe, expect, it } from 'vitest';
import type { Caller } from './caller.js';
import { ErrInvalidModel } from '@toolfold/schema/errors';
import { callerKey, isAnonymous, NOBODY, readerKey, recordKey } from './caller-key.js';

type Auth = Caller['auth'];
const keyOf = (auth: Auth, address?: string): string => callerKey({ auth, address });
const recordOf = (auth: Auth, accessToken?: string): string => recordKey({ auth }, accessToken);

describe('callerKey', () => {
  it('gives a verified subject one key, for any token, client and scopes', () => {
    const before = { token: 't1', clientId: 'web', scopes: ['a'], extra: { iss: 'i', sub: 'ada' } };
    const after = { ...before, token: 't2', clientId: 'app', scopes: ['b'] };
    expect(keyOf(after, '10.0.0.2')).toBe(keyOf(before, '10.0.0.1'));
  });

  it('gives a client of an issuer one key without a subject, for any token', () => {
    const before = { token: 't1', clientId: 'web', extra: { iss: 'i', jti: '1' } };
    expect(keyOf({ ...before, token: 't2', extra: { iss: 'i', jti: '2' } }, '10.0.0.2')).toBe(keyOf(before));
    expect(keyOf({ token: 't', extra: { iss: 'i', client_id: 'web' } })).toBe(keyOf(before));
    expect(keyOf({ token: 't', client_id: 'web', extra: { iss: 'i' } })).toBe(keyOf(before));
  });

  it.each<[string, Auth, Auth]>([
    ['subject', { token: 't', extra: { sub: 'ada' } }, { token: 't', extra: { sub: 'bob' } }],
    ['issuer', { sub: 'ada', iss: 'x' }, { sub: 'ada', iss: 'y' }],
    ['having an issuer', { sub: 'ada', iss: 'x' }, { sub: 'ada' }],
    ['type of the subject', { sub: '7' }, { sub: 7 }],
    ['second subject', { sub: 'ada', extra: { sub: 'bob' } }, { sub: 'ada', extra: { sub: 'cy' } }],
    ['client, without a subject', { token: 't', clientId: 'c' }, { token: 't', clientId: 'd' }],
    ['issuer of the client', { clientId: 'c', iss: 'x' }, { clientId: 'c', extra: { iss: 'y' } }],
    ['being a subject or a client', { sub: 'ada' }, { clientId: 'ada' }],
  ])('distinguishes callers by %s', (_, one, other) => {
    expect(keyOf(one)).not.toBe(keyOf(other));
  });

  it('falls back to the address, using the first 64 bits of IPv6', () => {
    const anonymous: Auth[] = [
      undefined,
      {},
      { token: 't' },
      { clientId: '' },
      { sub: {} },
      { sub: 'a', iss: {} },
    ];
    for (const auth of anonymous) expect(keyOf(auth, '10.0.0.1')).toBe(callerKey({ address: '10.0.0.1' }));
    expect(keyOf(undefined, '::ffff:10.0.0.1')).toBe(keyOf(undefined, '10.0.0.1'));
    expect(keyOf(undefined, '2001:db8::1')).toBe(keyOf(undefined, '2001:db8::ffff:2'));
    expect(keyOf(undefined, '2001:db8::1')).not.toBe(keyOf(undefined, '2001:db8:0:1::1'));
    expect(keyOf(undefined, '10.0.0.1')).not.toBe(keyOf(undefined, '10.0.0.2'));
  });

  it('treats all callers without an address as one, for any session and client name', () => {
    const client = { name: 'x', version: '1' };
    for (const caller of [
      undefined,
      {},
      { sessionId: 'a' },
      { client },
      { auth: { token: 't' } },
      { address: '' },
    ])
      expect(callerKey(caller)).toBe(NOBODY);
  });

  it('tells keys of anonymous callers from keys of verified ones', () => {
    expect([NOBODY, keyOf(undefined, '10.0.0.1'), keyOf({ token: 't' }, '::1')].every(isAnonymous)).toBe(
      true,
    );
    expect([keyOf({ sub: 'nobody' }), keyOf({ clientId: 'address 1' })].some(isAnonymous)).toBe(false);
  });

  it('lets no caller forge the key of another', () => {
    const keys = [
      keyOf({ sub: 'x' }),
      keyOf({ clientId: 'x' }),
      keyOf({ sub: NOBODY }),
      keyOf(undefined, 'x'),
      keyOf(undefined, 'nobody'),
      callerKey(undefined),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });
});

describe('recordKey', () => {
  const refresh = (auth: NonNullable<Auth>, claims: Record<string, unknown>): Auth => ({
    ...auth,
    token: 'refreshed',
    scopes: ['other'],
    expiresAt: 2,
    extra: { ...auth.extra, ...claims },
  });

  it.each<[string, NonNullable<Auth>]>([
    ['a subject', { token: 't', clientId: 'c', scopes: [], extra: { iss: 'i', sub: 'ada', tid: 't1' } }],
    ['a client', { token: 't', clientId: 'c', scopes: [], extra: { iss: 'i', aud: ['x'], email: 'a@b' } }],
  ])('is the same for %s after a token refresh', (_, auth) => {
    const claims = { iat: 5, exp: 6, nbf: 5, jti: 'j', sid: 's', scope: 'other', nonce: 'n' };
    expect(recordOf(refresh(auth, claims), 'refreshed')).toBe(recordOf(auth, 't'));
  });

  it('is the same for a subject with any upstream access token', () => {
    expect(recordOf({ sub: 'ada' }, 'upstream 2')).toBe(recordOf({ sub: 'ada' }, 'upstream 1'));
  });

  it('is the same for an anonymous caller in another session, and different at another address', () => {
    const keyIn = (sessionId: string, address: string): string =>
      recordKey({ sessionId, address }, undefined);
    expect(keyIn('a', '10.0.0.1')).toBe(keyIn('b', '10.0.0.1'));
    expect(keyIn('a', '10.0.0.1')).not.toBe(keyIn('a', '10.0.0.2'));
  });

  it.each<[string, Auth, Auth]>([
    ['client of a subject', { sub: 'ada', clientId: 'c' }, { sub: 'ada', clientId: 'd' }],
    ['tenant of a subject', { sub: 'ada', extra: { org_id: 'a' } }, { sub: 'ada', extra: { org_id: 'b' } }],
    ['user of a client', { clientId: 'c', extra: { email: 'a' } }, { clientId: 'c', extra: { email: 'b' } }],
    ['token, without any identity', { token: 'x' }, { token: 'y' }],
    ['claim, without any identity', { user: 1 }, { user: 2 }],
    ['subject that is not a string', { sub: { id: 1 } }, { sub: { id: 2 } }],
  ])('distinguishes callers by %s', (_, one, other) => {
    expect(recordOf(one)).not.toBe(recordOf(other));
  });

  it('distinguishes callers without an identity by their access token', () => {
    expect(recordOf(undefined, 'x')).not.toBe(recordOf(undefined, 'y'));
    expect(recordOf(undefined, 'x')).not.toBe(recordOf({ token: 'x' }));
    expect(recordOf({ token: 't' }, 'x')).not.toBe(recordOf({ token: 't' }, 'y'));
    expect(recordKey({ address: '10.0.0.1' }, 'x')).toBe(recordKey({ address: '10.0.0.2' }, 'x'));
  });

  it('changes when the token in an auth object is replaced', () => {
    const auth = { token: 'ada' };
    const before = recordOf(auth);
    auth.token = 'bob';
    expect(recordOf(auth)).not.toBe(before);
  });

  it('throws if an auth object cannot be compared and has no subject', () => {
    const auth: Record<string, unknown> = { clientId: 'c' };
    auth['request'] = auth;
    expect(() => recordOf(auth)).toThrow(ErrInvalidModel);
    expect(recordOf({ ...auth, sub: 'ada' })).toBe(recordOf({ clientId: 'c', sub: 'ada' }));
    class Secret {
      readonly #name = 'ada';
      static nameOf = (secret: Secret): string => secret.#name;
    }
    expect(() => recordOf(new Secret() as object as NonNullable<Auth>)).toThrow(ErrInvalidModel);
  });
});

describe('readerKey', () => {
  const auth = { token: 't', clientId: 'c', scopes: ['a'], extra: { sub: 'ada', plan: 'free' } };
  const read = (given: Auth, accessToken?: string): string => readerKey({ auth: given }, accessToken);

  it('is the same after a token refresh that changes no claim', () => {
    const extra = { ...auth.extra, iat: 1, exp: 2, jti: 'x' };
    expect(read({ ...auth, token: 't2', extra }, 't2')).toBe(read(auth, 't'));
  });

  it.each<[string, Auth]>([
    ['scopes', { ...auth, scopes: ['a', 'b'] }],
    ['claims', { ...auth, extra: { ...auth.extra, plan: 'paid' } }],
    ['client', { ...auth, clientId: 'd' }],
  ])('distinguishes verified callers by their %s', (_, other) => {
    expect(read(other)).not.toBe(read(auth));
  });

  it('distinguishes access tokens that differ from the verified one', () => {
    expect(read(auth, 'upstream 1')).not.toBe(read(auth, 'upstream 2'));
    expect(read(auth, 'upstream 1')).not.toBe(read(auth, 't'));
    expect(read(undefined, 'x')).not.toBe(read(undefined, 'y'));
    expect(read({ token: 'x' })).not.toBe(read({ token: 'y' }));
  });

  it('distinguishes sessions of anonymous callers, because handlers can', () => {
    expect(readerKey({ sessionId: 'a' }, undefined)).not.toBe(readerKey({ sessionId: 'b' }, undefined));
    expect(readerKey({ sessionId: 'a', auth }, 't')).toBe(readerKey({ sessionId: 'b', auth }, 't'));
  });
});

describe('claims that are URLs, dates and similar objects', () => {
  const of = (resource: unknown): Auth => ({ token: 't', clientId: 'c', scopes: [], resource });
  const read = (auth: Auth): string => readerKey({ auth }, 't');

  it('are compared by their text, as the SDK passes them', () => {
    const address = 'https://api.example/mcp';
    expect(read(of(new URL(address)))).toBe(read(of(address)));
    expect(read(of(new URL(address)))).not.toBe(read(of(new URL(`${address}?tenant=2`))));
    expect(read(of([new URL(address)]))).not.toBe(read(of([new URL('https://other.example/')])));
    expect(read(of(new Date(5)))).not.toBe(read(of(new Date(6))));
    expect(readerKey({ auth: { user: new URL(address) } }, undefined)).not.toBe(
      readerKey({ auth: { user: new URL('https://other.example/') } }, undefined),
    );
    expect(recordKey({ auth: { sub: 'ada', tenant: new URL(address) } }, undefined)).not.toBe(
      recordKey({ auth: { sub: 'ada', tenant: new URL('https://other.example/') } }, undefined),
    );
  });

  it.each([
    ['an invalid date', new Date(NaN)],
    ['a Map', new Map([['tenant', 1]])],
    ['an object whose toJSON returns undefined', { toJSON: () => undefined }],
    ['an object whose toJSON returns an object', { toJSON: () => ({ hidden: true }) }],
  ])('are rejected if JSON has no text for them: %s', (_, value) => {
    expect(() => read(of(value))).toThrow(ErrInvalidModel);
  });
});
