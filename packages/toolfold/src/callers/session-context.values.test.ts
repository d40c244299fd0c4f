import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashOf, freezeContext, SessionContext } from './session-context.js';

const isFrozen = (value: unknown): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (Object.isFrozen(value) && Object.values(value).every(isFrozen));

describe('a frozen context', () => {
  it('is an equal copy with the same hash, and leaves the original unchanged', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (context) => {
        const frozen = freezeContext(context);
        expect(frozen).toEqual(context);
        expect(isFrozen(frozen)).toBe(true);
        expect(hashOf(frozen)).toBe(hashOf(context));
        expect(Object.isFrozen(context)).toBe(false);
        expect(freezeContext(frozen)).toBe(frozen);
      }),
    );
  });

  it('is a new copy if the original object has changed', () => {
    const context: Record<string, unknown> = { tenant: 'ada' };
    const first = freezeContext(context);
    context['tenant'] = 'bob';
    expect([first, freezeContext(context)]).toEqual([{ tenant: 'ada' }, { tenant: 'bob' }]);
  });

  it('keeps service clients unchanged, whether they are class instances or plain objects', () => {
    const counter = {
      calls: 0,
      call(): number {
        return ++this.calls;
      },
    };
    const context = { counter, list: [new Map()], call: () => 1 };
    const frozen = freezeContext(context) as typeof context;
    expect(frozen.counter).toBe(counter);
    expect(frozen.counter.call()).toBe(1);
    expect(frozen.list[0]).toBe(context.list[0]);
    expect(hashOf(frozen)).toBe(hashOf(context));
  });

  it('keeps a key named __proto__ a key', () => {
    const frozen = freezeContext(JSON.parse('{"__proto__":{"admin":true}}') as Record<string, unknown>);
    expect(Object.keys(frozen)).toEqual(['__proto__']);
    expect(frozen['admin']).toBeUndefined();
  });
});

describe('a resolved session context', () => {
  const header = { name: 'x-config', encoding: 'json', allowedKeys: ['acme', 'tenant'] } as const;
  const request = { query: () => [], header: () => '{"acme":"mine","tenant":"t"}' };
  const base = { acme: 'the-servers', region: { name: 'eu' } };

  it('is deeply frozen, including the values of the server', () => {
    for (const enabled of [true, false]) {
      const { context } = new SessionContext({ header, enabled }).resolve(request, base);
      expect(isFrozen(context)).toBe(true);
    }
    expect(Object.isFrozen(base.region)).toBe(false);
  });

  it('lists its credential values, even if a resolver removes them', () => {
    const of = (config: object) =>
      new SessionContext({ header, credentialKeys: ['acme'], ...config }).resolve(request, base).credentials;
    expect(of({})).toEqual(['mine']);
    expect(of({ enabled: false })).toEqual(['the-servers']);
    expect(of({ contextResolver: () => ({ client: 1 }) })).toEqual(['mine']);
    expect(of({ credentialKeys: [] })).toBeUndefined();
  });
});
