import { describe, expect, it } from 'vitest';
import { collectCredentials, SentData } from './collect-credentials.js';
import { createRedactor, redactorOf } from './redactor.js';

const MARK = '[redacted]';
const collect = (...roots: unknown[]): string[] => collectCredentials(...roots) ?? [];

describe('collectCredentials', () => {
  it('finds every text under a secret name, once', () => {
    const found = collect(
      {
        accessToken: 'access-1',
        caller: { auth: { token: 'token-2', scopes: ['users:write'], extra: { refresh_token: 'token-3' } } },
        app: { config: { db: new Map([['password', 'word-4']]) }, clients: [{ apiKey: 'access-1' }] },
      },
      { credentials: { user: 'user-5', list: ['item-6'] }, pin: 'no', secret: 1234567, max_tokens: 'many' },
      { headers: [{ name: 'X-Api-Key', value: 'pair-7' }], auth: 'auth-8' },
    );
    expect(found.toSorted()).toEqual(
      [
        'access-1',
        'token-2',
        'token-3',
        'word-4',
        'user-5',
        'item-6',
        '1234567',
        'pair-7',
        'auth-8',
      ].toSorted(),
    );
  });

  it('finds the secret part of headers, cookies and connection strings', () => {
    expect(collect({ authorization: 'Bearer abcdef' })).toEqual(['Bearer abcdef', 'abcdef']);
    expect(collect({ authorization: `Basic ${btoa('bob:hunter2')}` })).toContain('hunter2');
    expect(collect({ cookie: 'theme=dark; sid=0123456789' })).toEqual([
      'theme=dark; sid=0123456789',
      '0123456789',
    ]);
    expect(collect({ connectionString: 'postgres://bob:hunter2@db/x' })).toContain('hunter2');
  });

  it('skips short texts and common words', () => {
    expect(collect({ token: 'yes', password: '', secret: null, cookie: 'true', jwt: MARK })).toEqual([]);
    expect(collect()).toEqual([]);
    expect(collect(undefined, null, 'text under no name', 5)).toEqual([]);
  });

  it('reads well-known paths and accessors with secret names, and no other accessors', () => {
    class Context {
      get accessToken(): string {
        return 'from-class';
      }
      get caller(): unknown {
        return { auth: { token: 'from-caller' } };
      }
    }
    const app = {
      get database(): never {
        throw new Error('must not be opened');
      },
      get token(): string {
        return 'from-accessor';
      },
      get password(): never {
        throw new Error('locked');
      },
    };
    expect(collect(new Context(), { app }).toSorted()).toEqual(
      ['from-accessor', 'from-caller', 'from-class'].toSorted(),
    );
  });

  it('reads headers, parameters and forms by name', () => {
    const headers = new Headers({ authorization: 'Bearer from-header', accept: 'text/plain' });
    const query = new URLSearchParams('access_token=from-query&page=second');
    const form = new FormData();
    form.set('password', 'from-form');
    form.set('user', 'somebody');
    class Bag {
      *entries(): Iterable<unknown> {
        yield ['api_key', 'from-bag'];
        yield ['color', 'purple'];
        yield 'nothing';
      }
      [Symbol.iterator](): Iterator<unknown> {
        return this.entries()[Symbol.iterator]();
      }
    }
    expect(collect({ request: { headers, query, form, bag: new Bag() } }).toSorted()).toEqual(
      ['Bearer from-header', 'from-header', 'from-query', 'from-form', 'from-bag'].toSorted(),
    );
    expect(collect(headers)).toContain('from-header');
  });

  it('stops at endless pairs, and at pairs whose iterator fails', () => {
    const endless = {
      *entries(): Iterable<unknown> {
        for (let index = 0; ; index++) yield ['a', index === 0 ? { token: 'from-endless' } : index];
      },
      [Symbol.iterator]: () => [][Symbol.iterator](),
    };
    const broken = {
      secret: 'from-field',
      *entries(): Iterable<unknown> {
        yield ['token', 'from-broken'];
        throw new Error('closed');
      },
      [Symbol.iterator]: () => [][Symbol.iterator](),
    };
    const strange = { token: 'from-strange', entries: () => 5, [Symbol.iterator]: () => 5 };
    expect(collect({ endless, broken, strange }).toSorted()).toEqual(
      ['from-broken', 'from-endless', 'from-field', 'from-strange'].toSorted(),
    );
  });

  it('reads accessors with secret names from the classes of an instance, and no other accessors', () => {
    class Base {
      get apiKey(): string {
        return 'from-base';
      }
    }
    class Client extends Base {
      readonly #secret = 'from-private';
      get clientSecret(): string {
        return this.#secret;
      }
      get password(): never {
        throw new Error('locked');
      }
      get connection(): never {
        throw new Error('must not be opened');
      }
      refreshToken(): never {
        throw new Error('must not be called');
      }
    }
    const plain = Object.create({
      get token() {
        return 'from-prototype';
      },
    }) as object;
    expect(collect({ app: { client: new Client(), plain } }).toSorted()).toEqual(
      ['from-base', 'from-private', 'from-prototype'].toSorted(),
    );
    class Third extends Client {}
    class Fourth extends Third {}
    expect(collect({ client: new Third() })).toContain('from-base');
    expect(collect({ client: new Fourth() })).toEqual(['from-private']);
  });

  it('stops at cycles, hostile objects and large ones, and reads the nearest first', () => {
    const cycle: Record<string, unknown> = { password: { a: 'inner-1' } };
    cycle['self'] = cycle;
    (cycle['password'] as Record<string, unknown>)['up'] = cycle;
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(collect(cycle, proxy, { proxy })).toContain('inner-1');
    const many = Array.from({ length: 100_000 }, (_, index) => ({ token: `token-${index}` }));
    const found = collect({ many, password: 'near-by' });
    expect(found[0]).toBe('near-by');
    expect(found).toHaveLength(100);
  });

  it('finds every credential that a client sent, behind many values and at any depth', () => {
    let deep: unknown = { password: 'deep-down' };
    for (let level = 0; level < 500; level++) deep = [deep];
    const items = Array.from({ length: 19_000 }, (_, id) => ({ id }));
    const fields = Object.fromEntries(items.map(({ id }) => [`field${id}`, id]));
    const sent = {
      deep,
      items: [...items, { token: 'last-item' }],
      fields: { ...fields, secret: 'last-field' },
    };
    expect(collect(new SentData(sent)).toSorted()).toEqual(['deep-down', 'last-field', 'last-item']);
  });

  it.each(['customer field', 'passwordAndTokenCount count'])(
    'finds a credential among 20,000 names like "%s"',
    (name) => {
      const names = Array.from({ length: 20_000 }, (_, index) => [name.replace(' ', ` ${index} `), index]);
      expect(collect(new SentData({ ...Object.fromEntries(names), password: 'last-one' }))).toEqual([
        'last-one',
      ]);
    },
  );

  it('returns undefined if a client sent more than it can collect', () => {
    const tokens = Array.from({ length: 501 }, (_, index) => ({ token: `token-${index}` }));
    expect(collectCredentials(new SentData(tokens.slice(1)))).toHaveLength(500);
    expect(collectCredentials(new SentData(tokens))).toBeUndefined();
    expect(collectCredentials(new SentData({ secret: 's'.repeat(70_000) }))).toBeUndefined();
    expect(collectCredentials(new SentData(Array.from({ length: 100_001 }, () => 1)))).toBeUndefined();
    expect(redactorOf([{ accessToken: 'abcdef' }, new SentData(tokens)]).text('token-7 failed')).toMatch(
      /^\[redacted: the request contains too many/,
    );
  });

  it('gives a redactor every credential it needs', () => {
    const context = { accessToken: 'opaque-value', app: { stripe: { apiKey: 'another one' } } };
    const redactor = createRedactor(collect(context));
    expect(redactor.text('401 for opaque-value, then another+one')).toBe(`401 for ${MARK}, then ${MARK}`);
  });
});
