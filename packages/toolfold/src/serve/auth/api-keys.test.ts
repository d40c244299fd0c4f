import { describe, expect, it } from 'vitest';
import { callerKey } from '../../callers/caller-key.js';
import { ErrInvalidOptions } from '@toolfold/schema/errors';
import { apiKeys } from './api-keys.js';
import type { Authentication, Authenticator } from './authenticator.js';

const key = (letter: string) => `key-${letter.repeat(40)}`;
const keys = [
  { key: key('a'), clientId: 'ada', scopes: ['read'] },
  { key: key('b'), clientId: 'bob', scopes: ['read', 'write'], extra: { org_id: 'acme' } },
  { key: key('c'), clientId: 'ada', scopes: ['read'] },
];
const ask = (guard: Authenticator, headers: Record<string, string>): Authentication => {
  const outcome = guard.authenticate((name) => headers[name]);
  if (outcome instanceof Promise) throw new Error('has to wait');
  return outcome;
};
const authOf = (outcome: Authentication) => ('auth' in outcome ? outcome.auth : undefined);
const rejectionOf = (outcome: Authentication) => ('rejection' in outcome ? outcome.rejection : undefined);

describe('an API key', () => {
  const guard = apiKeys({ keys });

  it.each([
    [{ 'x-api-key': key('b') }],
    [{ authorization: `Bearer ${key('b')}` }],
    [{ authorization: `bearer ${key('b')}` }],
  ])('identifies its caller in %j', (headers) => {
    expect(ask(guard, headers)).toEqual({
      auth: {
        token: key('b'),
        clientId: 'bob',
        scopes: ['read', 'write'],
        extra: { sub: 'bob', org_id: 'acme' },
      },
    });
  });

  it.each<[Record<string, string>, string]>([
    [{}, 'An API key is needed.'],
    [{ authorization: 'Basic YTpi' }, 'An API key is needed.'],
    [{ 'x-api-key': '' }, 'The API key is not known.'],
    [{ authorization: 'Bearer' }, 'The API key is not known.'],
    [{ 'x-api-key': key('d') }, 'The API key is not known.'],
    [{ 'x-api-key': key('a').slice(0, -1) }, 'The API key is not known.'],
    [{ 'x-api-key': `${key('a')}a` }, 'The API key is not known.'],
    [{ 'x-api-key': key('a').toUpperCase() }, 'The API key is not known.'],
    [{ 'x-api-key': `${key('a')}, ${key('b')}` }, 'The API key is not known.'],
    [{ authorization: `Bearer ${key('a')}, Bearer ${key('b')}` }, 'The API key is not known.'],
    [{ 'x-api-key': key('a'), authorization: `Bearer ${key('a')}` }, 'More than one API key was given.'],
    [{ 'x-api-key': '__proto__' }, 'The API key is not known.'],
  ])('is not found in %j', (headers, message) => {
    expect(ask(guard, headers)).toEqual({
      rejection: { status: 401, message, headers: { 'www-authenticate': 'Bearer' } },
    });
  });

  it('can be limited to one header', () => {
    const own = apiKeys({ keys, header: 'X-Acme-Key' });
    expect(own.headers).toEqual(['x-acme-key']);
    expect(authOf(ask(own, { 'x-acme-key': key('a') }))?.clientId).toBe('ada');
    expect(rejectionOf(ask(own, { 'x-api-key': key('a') }))?.headers).toEqual({
      'www-authenticate': 'ApiKey',
    });
    const bearer = apiKeys({ keys, header: 'authorization' });
    expect(authOf(ask(bearer, { authorization: `Bearer ${key('a')}` }))?.clientId).toBe('ada');
  });

  it('can replace another key of the same caller', () => {
    const callerOf = (letter: string) =>
      callerKey({ auth: { ...authOf(ask(guard, { 'x-api-key': key(letter) })) } });
    expect(callerOf('a')).toBe(callerOf('c'));
    expect(callerOf('a')).not.toBe(callerOf('b'));
  });

  it('has scopes that one request cannot change for the next', () => {
    const auth = authOf(ask(guard, { 'x-api-key': key('a') }));
    expect(() => auth?.scopes.push('admin')).toThrow(TypeError);
    expect(() => Object.assign(auth?.extra ?? {}, { sub: 'root' })).toThrow(TypeError);
  });
});

describe('options', () => {
  const [good] = keys;
  it.each<[unknown, string]>([
    [undefined, 'apiKeys()'],
    [{}, 'apiKeys({ keys })'],
    [{ keys: [] }, 'apiKeys({ keys })'],
    [{ keys: { a: good } }, 'apiKeys({ keys })'],
    [{ keys: [good, { ...good, key: 'too-short' }] }, 'apiKeys({ keys })[1].key'],
    [{ keys: [{ ...good, key: `${key('a')} ${key('b')}` }] }, 'apiKeys({ keys })[0].key'],
    [{ keys: [{ ...good, key: `é${key('a')}` }] }, 'apiKeys({ keys })[0].key'],
    [{ keys: [{ ...good, key: undefined }] }, 'apiKeys({ keys })[0].key'],
    [{ keys: [{ ...good, clientId: '' }] }, 'apiKeys({ keys })[0].clientId'],
    [{ keys: [{ ...good, scopes: 'read' }] }, 'apiKeys({ keys })[0].scopes'],
    [{ keys: [{ ...good, extra: 'x' }] }, 'apiKeys({ keys })[0].extra'],
    [{ keys: [{ ...good, scope: ['read'] }] }, 'Did you mean "scopes"?'],
    [{ keys: [good, keys[1], good] }, 'apiKeys({ keys })[2] has the key of apiKeys({ keys })[0]'],
    [{ keys, header: 'x api key' }, 'apiKeys({ header })'],
    [{ keys, headers: ['x-api-key'] }, 'Did you mean "header"?'],
  ])('%j are rejected at creation', (wrong, message) => {
    const make = () => apiKeys(wrong as never);
    expect(make).toThrow(ErrInvalidOptions);
    expect(make).toThrow(message);
  });

  it('do not appear in messages', () => {
    const secret = `${key('s')} with a blank`;
    let message = '';
    try {
      apiKeys({ keys: [{ key: secret, clientId: 'ada' }] });
    } catch (error) {
      ({ message } = error as Error);
    }
    expect(message).toContain('apiKeys({ keys })[0].key');
    expect(message).not.toContain('sss');
  });
});
