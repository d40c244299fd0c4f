import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ErrInvalidOptions, ErrInvalidRequestState } from '@toolfold/schema/errors';
import { RequestState } from './input-rounds.js';
import { KEY, valuesOf, createStates, text, json } from '../../test/questions/input-rounds-state-setup.js';

const HOUR = 60 * 60_000;

describe('a request state', () => {
  it('returns any JSON that was sealed for the same subject', () => {
    fc.assert(
      fc.property(json, text, (value, subject) => {
        const { states } = createStates();
        const plain: unknown = JSON.parse(JSON.stringify(value));
        expect(states.open(states.seal(value, subject), subject)).toEqual(plain);
      }),
    );
  });

  it('returns prototype keys as plain keys, and changes no prototype', () => {
    const { states } = createStates();
    const value: unknown = JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"p":1}}}');
    const opened = states.open(states.seal(value, 's'), 's') as Record<string, unknown>;
    expect(Object.keys(opened)).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf(opened)).toBe(Object.prototype);
    expect('polluted' in {}).toBe(false);
  });

  it('is rejected with a change at any single position', () => {
    const { states } = createStates();
    const sealed = states.seal([{ who: { action: 'accept', content: { name: 'Ada' } } }], 'subject');
    for (let at = 0; at < sealed.length; at++) {
      const other = sealed[at] === 'A' ? 'B' : 'A';
      const changed = sealed.slice(0, at) + other + sealed.slice(at + 1);
      expect(() => states.open(changed, 'subject'), `at ${at}`).toThrow(ErrInvalidRequestState);
    }
  });

  it('is rejected when a replacement character becomes half of a pair, which UTF-8 encodes alike', () => {
    const { states } = createStates();
    const sealed = states.seal('\uFFFD', 'subject');
    expect(states.open(sealed, 'subject')).toBe('\uFFFD');
    expect(() => states.open(sealed.replace('\uFFFD', '\uD800'), 'subject')).toThrow(ErrInvalidRequestState);
  });

  it('is rejected for any other subject', () => {
    fc.assert(
      fc.property(json, text, text, (value, mine, other) => {
        fc.pre(mine !== other);
        const { states } = createStates();
        expect(() => states.open(states.seal(value, mine), other)).toThrow(ErrInvalidRequestState);
      }),
    );
  });

  it('is rejected when part of the subject is moved into the sealed value', () => {
    const { states } = createStates();
    const sealed = states.seal('v', 'ab');
    const [signature, payload] = [sealed.slice(0, 43), sealed.slice(43)];
    for (const [subject, moved] of [
      ['a', `b${payload}`],
      ['', `ab${payload}`],
      [`ab${payload[0] ?? ''}`, payload.slice(1)],
    ] as const)
      expect(() => states.open(signature + moved, subject)).toThrow(ErrInvalidRequestState);
  });

  it('is rejected by a process with another key, and accepted with the same key', () => {
    const { states } = createStates();
    const sealed = states.seal({ a: 1 }, 's');
    const same = createStates({ key: new TextEncoder().encode(KEY) });
    expect(same.states.open(sealed, 's')).toEqual({ a: 1 });
    const other = createStates({ key: `${'k'.repeat(31)}K` });
    expect(() => other.states.open(sealed, 's')).toThrow(ErrInvalidRequestState);
    expect(() => valuesOf(new RequestState()).open(valuesOf(new RequestState()).seal(1, 's'), 's')).toThrow(
      ErrInvalidRequestState,
    );
  });

  it('is valid until it expires, and not a millisecond longer', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: HOUR }), (ttlMs) => {
        const { states, advance } = createStates({ ttlMs });
        const sealed = states.seal('v', 's');
        advance(ttlMs - 1);
        expect(states.open(sealed, 's')).toBe('v');
        advance(1);
        expect(() => states.open(sealed, 's')).toThrow(ErrInvalidRequestState);
      }),
    );
  });

  it('is valid for an hour by default', () => {
    const { states, advance } = createStates();
    const sealed = states.seal('v', 's');
    advance(HOUR - 1);
    expect(states.open(sealed, 's')).toBe('v');
    advance(1);
    expect(() => states.open(sealed, 's')).toThrow(ErrInvalidRequestState);
  });

  it('is rejected if it was never sealed', () => {
    const { states } = createStates();
    const forged = [
      undefined,
      null,
      '',
      'x',
      5,
      {},
      [],
      'a'.repeat(43),
      'ä'.repeat(43),
      'x'.repeat(10_000_000),
    ];
    for (const each of forged) expect(() => states.open(each, 's')).toThrow(ErrInvalidRequestState);
  });

  it('is rejected without the reason, but with advice', () => {
    const { states, advance } = createStates();
    const sealed = states.seal('v', 's');
    const messages = new Set<string>();
    const note = (open: () => unknown): void => {
      try {
        open();
      } catch (error) {
        messages.add((error as Error).message);
      }
    };
    note(() => states.open(sealed, 'other'));
    note(() => states.open(`${sealed}x`, 's'));
    advance(HOUR);
    note(() => states.open(sealed, 's'));
    expect([...messages]).toEqual([expect.stringContaining('Send the request again without requestState')]);
  });

  it('is not sealed if it would be too large to open', () => {
    const { states } = createStates();
    expect(() => states.seal('x'.repeat(256 * 1024), 's')).toThrow(ErrInvalidRequestState);
    const large = 'x'.repeat(255 * 1024);
    expect(states.open(states.seal(large, 's'), 's')).toBe(large);
  });

  it('rejects a missing or short key', () => {
    for (const key of ['', 'short', 'k'.repeat(31), new Uint8Array(31), 5, {}])
      expect(() => new RequestState({ key: key as string })).toThrow(ErrInvalidOptions);
  });

  it('does not change when the bytes of the given key do', () => {
    const key = new TextEncoder().encode(KEY);
    const { states } = createStates({ key });
    const sealed = states.seal('v', 's');
    key.fill(0);
    expect(states.open(sealed, 's')).toBe('v');
  });
});
