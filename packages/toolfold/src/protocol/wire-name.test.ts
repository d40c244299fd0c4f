import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toWireName } from './wire-name.js';

const everywhere = /^[a-zA-Z0-9_-]{1,64}$/;

describe('a wire name', () => {
  it('joins its parts with an underscore', () => {
    expect(toWireName('platform')).toBe('platform');
    expect(toWireName('platform', 'users', 'create')).toBe('platform_users_create');
    expect(toWireName('git-hub', 'list_2')).toBe('git-hub_list_2');
  });

  it('has only characters that every client accepts', () => {
    expect(toWireName('acme.users', 'näme it')).toBe('acme_users_n_me_it');
    expect(toWireName('🚀')).toMatch(everywhere);
  });

  it('has at most 64 characters, and keeps shorter names unchanged', () => {
    expect(toWireName('a'.repeat(64))).toBe('a'.repeat(64));
    const long = toWireName('platform', 'a'.repeat(60));
    expect(long).toHaveLength(64);
    expect(long).toMatch(/^platform_a+_[0-9a-f]{8}$/);
  });

  it('never changes, because clients and configurations store it', () => {
    expect(toWireName('platform', 'users', 'create'.repeat(10))).toBe(
      'platform_users_createcreatecreatecreatecreatecreatecrea_50353d96',
    );
  });

  it('differs for long names that differ at any position', () => {
    const start = 'a'.repeat(70);
    const names = [
      toWireName(start, 'x'),
      toWireName(start, 'y'),
      toWireName(`${start}_x`),
      toWireName('b', start),
    ];
    expect(new Set(names).size).toBe(names.length);
  });

  it('is valid for any names', () => {
    const part = fc.oneof(
      fc.string({ minLength: 1, maxLength: 100 }),
      fc.string({ minLength: 1, maxLength: 100, unit: 'binary' }),
    );
    const parts = fc.array(part, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(parts, (names) => {
        expect(toWireName(...names)).toMatch(everywhere);
        expect(toWireName(...names)).toBe(toWireName(...names));
      }),
    );
    const long = fc.string({ minLength: 65, maxLength: 200 });
    fc.assert(
      fc.property(long, long, (one, other) => {
        expect(toWireName(one) === toWireName(other)).toBe(one === other);
      }),
    );
  });
});
