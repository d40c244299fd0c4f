import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ErrInvalidOptions, ErrInvalidSessionContext } from '@toolfold/schema/errors';
import { hashOf, SessionContext } from './session-context.js';
import type { ContextRequest, SessionContextConfig } from './session-context.js';

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');
const request = (query?: string | readonly string[], header?: string): ContextRequest => ({
  query: (name) => (name === 'config' && query !== undefined ? [query].flat() : []),
  header: (name) => (name === 'x-config' ? header : undefined),
});
const source = (encoding: 'base64' | 'json', ...allowedKeys: string[]) => ({
  name: 'config',
  encoding,
  allowedKeys,
});
const resolve = (config: SessionContextConfig<ContextRequest>, asked: ContextRequest, base = {}) =>
  new SessionContext(config).resolve(asked, base).context;

describe('SessionContext', () => {
  it('[S003-28] reads the query parameter config', () => {
    expect(resolve({ queryParam: source('json', 'tenant') }, request('{"tenant":"a"}'))).toEqual({
      tenant: 'a',
    });
    expect(resolve({ queryParam: source('json', 'tenant') }, request(), { b: 1 })).toEqual({ b: 1 });
  });

  it('[S003-29] reads JSON in Base64 or base64url, padded or not', () => {
    const queryParam = source('base64', 'tenant');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (tenant) => {
        const written = base64({ tenant });
        const forms = [
          written,
          written.replaceAll('=', ''),
          Buffer.from(written, 'base64').toString('base64url'),
          written.replaceAll('+', ' '),
        ];
        for (const form of forms) expect(resolve({ queryParam }, request(form))).toEqual({ tenant });
      }),
    );
  });

  it('[S003-31] replaces key by key with merge shallow, and merges objects with merge deep', () => {
    const base = { a: { x: 1, y: 1 }, b: 1, list: [1, 2] };
    const asked = request(JSON.stringify({ a: { y: 2 }, list: [3] }));
    const queryParam = source('json', 'a', 'list');
    expect(resolve({ queryParam }, asked, base)).toEqual({ a: { y: 2 }, b: 1, list: [3] });
    expect(resolve({ queryParam, merge: 'shallow' }, asked, base)).toEqual({ a: { y: 2 }, b: 1, list: [3] });
    expect(resolve({ queryParam, merge: 'deep' }, asked, base)).toEqual({
      a: { x: 1, y: 2 },
      b: 1,
      list: [3],
    });
    expect(base).toEqual({ a: { x: 1, y: 1 }, b: 1, list: [1, 2] });
  });

  it.each([
    ['gives', async () => ({ tenant: 'ada' })],
    ['fails with', async () => Promise.reject(new Error('down'))],
    ['is like a promise of', () => ({ then: (take: (context: object) => void) => take({ tenant: 'ada' }) })],
  ])(
    'rejects a resolver that %s a context later, and leaves no unhandled rejection',
    async (_, contextResolver) => {
      const unhandled: unknown[] = [];
      const listener = (reason: unknown) => unhandled.push(reason);
      process.on('unhandledRejection', listener);
      expect(() =>
        resolve({ contextResolver: contextResolver as never }, request(), { tenant: 'none' }),
      ).toThrow('contextResolver must return an object, not a promise of one.');
      await new Promise((done) => setTimeout(done, 5));
      process.off('unhandledRejection', listener);
      expect(unhandled).toEqual([]);
    },
  );

  it('reads a header, which overrides the query', () => {
    const config = {
      queryParam: source('json', 'a', 'b'),
      header: { ...source('base64', 'a'), name: 'X-Config' },
    };
    expect(resolve(config, request('{"a":1,"b":1}', base64({ a: 2 })))).toEqual({ a: 2, b: 1 });
  });

  it('reads nothing if it is disabled', () => {
    expect(resolve({ enabled: false, queryParam: source('json') }, request('broken'), { a: 1 })).toEqual({
      a: 1,
    });
  });

  it('[S003-49] rejects keys that are not allowed, in the query and in the header', () => {
    const config = { queryParam: source('json', 'a'), header: { ...source('json', 'b'), name: 'x-config' } };
    for (const key of ['b', 'A', 'toString', 'a ', ''])
      expect(() => resolve(config, request(JSON.stringify({ a: 1, [key]: 1 })))).toThrow('Allowed: a.');
    expect(() => resolve(config, request(undefined, '{"a":1}'))).toThrow('Allowed: b.');
    expect(() => resolve({ queryParam: source('json') }, request('{"a":1}'))).toThrow('Allowed: nothing.');
  });

  it.each([
    ['nothing', ''],
    ['invalid JSON', '{'],
    ['a list', '[]'],
    ['null', 'null'],
    ['text', '"a"'],
    ['a number', '1'],
    ['__proto__', '{"__proto__":{"a":1}}'],
    ['__proto__ inside', '{"a":{"__proto__":{"b":1}}}'],
    ['__proto__ in a list', '{"a":[{"__proto__":{}}]}'],
    ['constructor', '{"a":{"constructor":{"prototype":{}}}}'],
    ['too many characters', JSON.stringify({ a: 'x'.repeat(20_000) })],
    ['too deep', `{"a":${'['.repeat(200)}${']'.repeat(200)}}`],
  ])('rejects %s, and never falls back to the base', (_, text) => {
    const config = { queryParam: source('json', 'a'), header: { ...source('json', 'a'), name: 'x-config' } };
    for (const merge of ['shallow', 'deep'] as const) {
      expect(() => resolve({ ...config, merge }, request(text), { a: 'base' })).toThrow(
        ErrInvalidSessionContext,
      );
      expect(() => resolve({ ...config, merge }, request(undefined, text), { a: 'base' })).toThrow(
        ErrInvalidSessionContext,
      );
      const encoded = { queryParam: source('base64', 'a'), merge };
      expect(() => resolve(encoded, request(Buffer.from(text).toString('base64')))).toThrow(
        ErrInvalidSessionContext,
      );
    }
    expect(({} as Record<string, unknown>)['b']).toBeUndefined();
  });

  it.each(['%%%', 'e30', 'a', 'e30=!', '/w=='])('reads %s only if it is Base64 of a JSON object', (text) => {
    const config = { queryParam: source('base64', 'a') };
    if (text === 'e30') expect(resolve(config, request(text))).toEqual({});
    else expect(() => resolve(config, request(text))).toThrow('is not JSON in Base64');
  });

  it('rejects a repeated parameter', () => {
    expect(() => resolve({ queryParam: source('json', 'a') }, request(['{"a":1}', '{"a":2}']))).toThrow(
      'occurs 2 times',
    );
  });

  it('rejects credentials in the query at any depth unless they are allowed, and accepts them in a header', () => {
    const keys = ['accessToken', 'api_key', 'auth', 'more', 'word'];
    const config = {
      queryParam: source('json', ...keys),
      header: { ...source('json', ...keys), name: 'x-config' },
      credentialKeys: ['word'],
    };
    for (const value of [
      { accessToken: 'x' },
      { api_key: 'x' },
      { auth: 'x' },
      { more: { password: 'x' } },
      { more: [{ client_secret: 'x' }] },
      { word: 'x' },
    ]) {
      const text = JSON.stringify(value);
      expect(() => resolve(config, request(text))).toThrow('credentials must not be sent in a URL');
      expect(resolve({ ...config, allowCredentials: true }, request(text))).toEqual(value);
      expect(resolve(config, request(undefined, text))).toEqual(value);
    }
  });

  it('rejects a credential that is empty or not a string', () => {
    const config = {
      header: { ...source('json', 'word'), name: 'x-config' },
      credentialKeys: ['word'],
    };
    for (const word of ['', ' ', null, 0, false, {}, ['x']])
      expect(() => resolve(config, request(undefined, JSON.stringify({ word })))).toThrow(
        'text that is not empty',
      );
    expect(resolve(config, request(undefined, '{}'))).toEqual({});
  });

  it('explains errors without repeating the values', () => {
    const failure = (() => {
      try {
        return resolve({ queryParam: source('json', 'accessToken') }, request('{"accessToken":"sesame"}'));
      } catch (thrown) {
        return thrown as Error;
      }
    })();
    expect(failure).toBeInstanceOf(ErrInvalidSessionContext);
    expect(String(failure)).not.toContain('sesame');
  });

  it('lets the contextResolver of the operator override the result', () => {
    const asked = request('{"a":2}');
    const seen: unknown[] = [];
    const config: SessionContextConfig<ContextRequest> = {
      queryParam: source('json', 'a'),
      contextResolver: (...args) => {
        seen.push(args);
        return { ...args[1], c: 3 };
      },
    };
    expect(resolve(config, asked, { a: 1, b: 1 })).toEqual({ a: 2, b: 1, c: 3 });
    expect(seen).toEqual([[asked, { a: 2, b: 1 }, { a: 2 }]]);
    expect(() => resolve({ contextResolver: () => undefined as never }, asked)).toThrow(ErrInvalidOptions);
  });

  it.each([
    ['nothing', undefined],
    ['a misspelled option', { queryparam: source('json') }],
    ['text for a flag', { enabled: 'false' }],
    ['text for allowCredentials', { allowCredentials: 'false' }],
    ['a source without a name', { queryParam: { encoding: 'json', allowedKeys: [] } }],
    ['a source without keys', { queryParam: { name: 'config', encoding: 'json' } }],
    ['an unknown encoding', { header: { name: 'x', encoding: 'hex', allowedKeys: [] } }],
    ['a key of a prototype', { queryParam: source('json', '__proto__') }],
    ['an unknown merge', { merge: 'none' }],
    ['credentials that are not a list', { credentialKeys: 'word' }],
  ])('rejects the configuration: %s', (_, config) => {
    expect(() => new SessionContext(config as never)).toThrow(ErrInvalidOptions);
  });
});

describe('the hash of a context', () => {
  const shuffled = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shuffled);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value)
        .toReversed()
        .map(([key, entry]) => [key, shuffled(entry)]),
    );
  };

  it('does not depend on the order of keys at any depth', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (context) => {
        expect(hashOf(shuffled(context) as Record<string, unknown>)).toBe(hashOf(context));
      }),
    );
  });

  it('differs for different contexts', () => {
    const values = [
      1, '1', 1n, '1n', true, 'true', null, 'null', Number.NaN, Infinity, [], {}, [[]], [{}], ['a,b'], ['a', 'b'],
      { a: 1, b: 2 }, { a: { b: 2 } }, { 'a":1,"b': 2 }, new Date(1), new Date(2), new Map([['a', 1]]), new Map(),
      () => 1, () => 2, '#1', '', ' ', '\uD800', '\uDC00',
    ]; // prettier-ignore
    expect(new Set(values.map((value) => hashOf({ value }))).size).toBe(values.length);
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (left, right) => {
        const isEqual = JSON.stringify(shuffled(left)) === JSON.stringify(shuffled(right));
        if (hashOf({ left }) === hashOf({ left: right })) expect(left).toEqual(right);
        else expect(isEqual).toBe(false);
      }),
    );
    const client = new Map();
    expect(hashOf({ client })).toBe(hashOf({ client }));
  });
});
