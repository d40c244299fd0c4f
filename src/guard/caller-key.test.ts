import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Caller } from '../compile/tool-definition.js';
import { ErrInvalidModel } from '../errors.js';
import { callerKey, readerKey, recordKey } from './caller-key.js';

type Auth = Caller['auth'];
const keyOf = (auth: Auth, accessToken?: string) => callerKey({ auth }, accessToken);

describe('callerKey', () => {
  it('gives a verified subject one key, whatever token it comes with', () => {
    const before = {
      token: 't1',
      clientId: 'web',
      scopes: ['a'],
      expiresAt: 1,
      extra: { iss: 'i', sub: 'ada' },
    };
    const after = {
      ...before,
      token: 't2',
      scopes: ['b'],
      expiresAt: 2,
      extra: { ...before.extra, jti: 'x' },
    };
    expect(keyOf(after, 't2')).toBe(keyOf(before, 't1'));
    expect(keyOf(after, 't2')).toBe(keyOf(before));
  });

  it.each<[string, Auth, Auth]>([
    ['subject', { token: 't', extra: { sub: 'ada' } }, { token: 't', extra: { sub: 'bob' } }],
    ['issuer', { sub: 'ada', iss: 'x' }, { sub: 'ada', iss: 'y' }],
    ['having an issuer', { sub: 'ada', iss: 'x' }, { sub: 'ada' }],
    ['client', { sub: 'ada', clientId: 'x' }, { sub: 'ada', clientId: 'y' }],
    ['type of the subject', { sub: '7' }, { sub: 7 }],
    ['second subject', { sub: 'ada', extra: { sub: 'bob' } }, { sub: 'ada', extra: { sub: 'cy' } }],
    ['token, where there is no subject', { token: 'x', clientId: 'c' }, { token: 'y', clientId: 'c' }],
    ['token, where the subject is none', { token: 'x', sub: {} }, { token: 'y', sub: {} }],
    ['token, where the issuer is none', { token: 'x', sub: 'a', iss: {} }, { token: 'y', sub: 'a', iss: {} }],
    ['client of a token', { token: 'x', clientId: 'c' }, { token: 'x', clientId: 'd' }],
    ['client, where there is nothing else', { clientId: 'c' }, { clientId: 'd' }],
    ['field that is not known here', { clientId: 'c', user: 1 }, { clientId: 'c', user: 2 }],
  ])('tells callers apart by %s', (_, one, other) => {
    expect(keyOf(one)).not.toBe(keyOf(other));
  });

  it('counts an access token that is not the verified one', () => {
    const auth = { token: 't', extra: { sub: 'ada' } };
    expect(keyOf(auth, 'upstream 1')).not.toBe(keyOf(auth, 'upstream 2'));
    expect(keyOf(auth, 'upstream 1')).not.toBe(keyOf(auth, 't'));
    expect(keyOf({ sub: 'ada' }, 'upstream 1')).not.toBe(keyOf({ sub: 'ada' }, 'upstream 2'));
    expect(keyOf({ token: 't' }, 'u')).not.toBe(keyOf({ token: 't' }));
    expect(keyOf({ clientId: 'c' }, 'u')).not.toBe(keyOf({ clientId: 'c' }));
  });

  it('sees that the token in an auth object was replaced', () => {
    const auth = { token: 'ada' };
    const before = keyOf(auth);
    auth.token = 'bob';
    expect(keyOf(auth)).not.toBe(before);
  });

  it('tells the anonymous apart by session only', () => {
    expect(callerKey(undefined, undefined)).toBe(callerKey({}, ''));
    expect(callerKey({ client: { name: 'x', version: '1' } }, undefined)).toBe(callerKey({}, undefined));
    expect(callerKey({ sessionId: 'a' }, undefined)).not.toBe(callerKey({ sessionId: 'b' }, undefined));
    expect(callerKey({ sessionId: 'a' }, undefined)).not.toBe(callerKey({}, undefined));
  });

  it('does not take an unverified token, a session or inherited fields for a verified caller', () => {
    const keys = [
      keyOf({ sub: 'x' }),
      keyOf({ token: 'x' }),
      keyOf({ clientId: 'x' }),
      keyOf({}),
      keyOf(Object.create({ sub: 'x' }) as object as NonNullable<Auth>, 'x'),
      callerKey(undefined, 'x'),
      callerKey({ sessionId: 'x' }, undefined),
      callerKey(undefined, undefined),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('says what is missing when it can tell nothing about an auth object', () => {
    const auth: Record<string, unknown> = { clientId: 'c' };
    auth['request'] = auth;
    expect(() => keyOf(auth)).toThrow(ErrInvalidModel);
    expect(keyOf({ ...auth, token: 't' })).toBe(keyOf({ clientId: 'c', token: 't' }));
  });

  it('gives two callers one key only if all that it looks at is equal', () => {
    const text = fc.constantFrom(undefined, 'a', 'b', '1:a', '-', '--', '#1;', 'a1:b', 1);
    const facts = fc.record({
      sub: text,
      iss: text,
      innerSub: text,
      innerIss: text,
      client: text,
      token: text,
      other: text,
    });
    const toKey = ({
      sub,
      iss,
      innerSub,
      innerIss,
      client,
      token,
      other,
    }: Record<string, unknown>): string => {
      const auth = { sub, iss, clientId: client, token, extra: { sub: innerSub, iss: innerIss } };
      return keyOf(auth as Auth, other === undefined ? undefined : String(other));
    };
    /** What may differ: the token of a subject, the issuer of nobody, and an access token said twice. */
    const toIdentity = (f: Record<string, unknown>): string => {
      const other =
        f['other'] === undefined || String(f['other']) === f['token'] ? '' : `x${String(f['other'])}`;
      const pair = (sub: unknown, iss: unknown): unknown => (sub === undefined ? 0 : { sub, iss });
      const [outer, inner] = [pair(f['sub'], f['iss']), pair(f['innerSub'], f['innerIss'])];
      if (outer !== 0 || inner !== 0) return JSON.stringify([outer, inner, f['client'], other]);
      return JSON.stringify(f['token'] === undefined ? [f, other] : [f['token'], f['client'], other]);
    };
    fc.assert(
      fc.property(facts, facts, (one, other) => {
        expect(toKey(one) === toKey(other)).toBe(toIdentity(one) === toIdentity(other));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('claims that are addresses, dates and the like', () => {
  const of = (resource: unknown): Auth => ({ token: 't', clientId: 'c', scopes: [], resource });
  const read = (auth: Auth): string => readerKey({ auth }, 't');

  it('count as their text, as in the form that the SDK gives to who was verified', () => {
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
    ['no date', new Date(NaN)],
    ['something without a text', new Map([['tenant', 1]])],
    ['something that says nothing of itself', { toJSON: () => undefined }],
    ['something whose text is another object', { toJSON: () => ({ hidden: true }) }],
  ])('are refused where JSON has no text for them: %s', (_, value) => {
    expect(() => read(of(value))).toThrow(ErrInvalidModel);
  });
});
