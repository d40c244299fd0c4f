import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Caller } from './caller.js';
import { callerKey } from './caller-key.js';
import { runs } from '../../../../test/runs.js';

type Auth = Caller['auth'];

describe('callerKey', () => {
  it('gives two callers the same key exactly if the rule treats them as one caller', () => {
    const text = fc.constantFrom(undefined, 'a', 'b', '1:a', '-', '--', '#1;', 'a1:b', 1, '', {});
    const facts = fc.record({
      sub: text,
      iss: text,
      innerSub: text,
      innerIss: text,
      client: text,
      token: text,
      sessionId: fc.constantFrom(undefined, 'a', 'b'),
      address: fc.constantFrom(
        undefined,
        '10.0.0.1',
        '10.0.0.2',
        '2001:db8::1',
        '2001:db8::2',
        '2001:db8:1::',
      ),
    });
    type Facts = typeof facts extends fc.Arbitrary<infer F> ? F : never;
    const toKey = ({ sub, iss, innerSub, innerIss, client, token, sessionId, address }: Facts): string => {
      const auth = { sub, iss, clientId: client, token, extra: { sub: innerSub, iss: innerIss } };
      return callerKey({ auth: auth as Auth, sessionId, address });
    };
    const isName = (value: unknown): boolean => value !== '' && ['string', 'number'].includes(typeof value);
    const isNone = (value: unknown): boolean => value === undefined || isName(value);
    /** A plain reference implementation of the rule. */
    const toIdentity = (f: Facts): string => {
      const subjects = [
        [f.sub, f.iss],
        [f.innerSub, f.innerIss],
      ].map(([sub, iss]) => (isName(sub) && isNone(iss) ? { sub, iss } : null));
      if (subjects.some((subject) => subject !== null)) return JSON.stringify(['subject', subjects]);
      const issuers = [f.iss, f.innerIss];
      if (isName(f.client) && issuers.every(isNone)) return JSON.stringify(['client', issuers, f.client]);
      if (f.address === undefined) return 'nobody';
      return f.address.includes(':') ? `network ${f.address.split('::')[0]}` : f.address;
    };
    fc.assert(
      fc.property(facts, facts, (one, other) => {
        expect(toKey(one) === toKey(other)).toBe(toIdentity(one) === toIdentity(other));
      }),
      { numRuns: runs(5_000) },
    );
  });
});
