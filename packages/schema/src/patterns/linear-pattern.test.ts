import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DefaultValidator, loadGenerator } from '../validate/default-validator.js';
import { toLinearPattern, UnsupportedPattern } from './linear-pattern.js';
import { loadLinearPatterns, patternProblem } from './patterns.js';
import { PatternTooSlow, renewPatternSteps } from './pattern.js';

beforeAll(() => loadLinearPatterns());
beforeEach(() => renewPatternSteps());

describe('a linear pattern', () => {
  it.each(['\\B', '\\B|(?<!)', 'b|\\B'])(
    'does not match between the halves of a surrogate pair: %s',
    (source) => {
      expect(toLinearPattern(source).test('a😀a')).toBe(false);
    },
  );

  it.each([
    ['^(a+)+$', 'a'],
    ['^(a|a)*$', 'a'],
    ['^(a|aa)+$', 'a'],
    ['(a*)*b', 'a'],
    ['^(([a-z])+.)+[A-Z]([a-z])+$', 'a'],
    ['(x+x+)+y', 'x'],
    ['^(?:.*,){20}$', 'a,'],
    ['\\s+$', ' '],
    ['^(?=(a+)+$)', 'a'],
    ['^(?!(a+)+$)b', 'a'],
    ['(?<=(a|a)*b)c', 'a'],
    ['a{0,50}'.repeat(20) + 'b', 'a'],
  ])('does not backtrack: %s', (source, part) => {
    const hostile = `${part.repeat(3_000)}!`;
    const begun = performance.now();
    try {
      expect(toLinearPattern(source).test(hostile)).toBe(false);
    } catch (error) {
      // Also bounded: the value is rejected because it takes too long.
      expect(error).toBeInstanceOf(PatternTooSlow);
    }
    expect(performance.now() - begun).toBeLessThan(2_000);
  });

  it('is a plain RegExp if that is linear too', () => {
    for (const source of [
      '^[a-z]+$',
      '^\\d{4}-\\d{2}-\\d{2}$',
      'ee',
      '^.{1,5000}$',
      '^[\\s\\S]*$',
      '^(?:yes|no)$',
    ])
      expect([source, toLinearPattern(source).size]).toEqual([source, 1]);
    for (const source of ['a+$', '^a*a*$', '^(a+)+$', '^a*a{1000}$', '^(?:a|a){20}$', '(?=a)'])
      expect(toLinearPattern(source).size, source).toBeGreaterThan(1);
  });

  it.each([
    ['(a)\\1', 'has a backreference'],
    ['(?<n>a)\\k<n>', 'has a backreference'],
    ['(?:(?:a{1,1000}){1,1000}){1,1000}', 'more than 20000 parts'],
    [`${'('.repeat(200)}${')'.repeat(200)}`, 'more than 100 nested groups'],
    ['a'.repeat(20_000), 'more than 10000 characters'],
  ])('is rejected: %.40s', (source, reason) => {
    expect(() => toLinearPattern(source)).toThrow(UnsupportedPattern);
    expect(() => toLinearPattern(source)).toThrow(reason);
  });
});

describe('a schema with patterns', () => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'string', pattern: '^(a+)+$' } },
    patternProperties: { '^(x+x+)+y$': { type: 'number' } },
    additionalProperties: { not: { type: 'string', pattern: '^(b|b)*$' } },
  };

  it.each(['interpreted', 'generated'] as const)('is checked promptly, %s', async (engine) => {
    await loadGenerator();
    const check = new DefaultValidator({ engine }).compile(schema);
    const begun = performance.now();
    expect(check({ a: 'aaa', xxxy: 1, c: 'c' }).ok).toBe(true);
    expect(check({ a: `${'a'.repeat(5_000)}!` }).ok).toBe(false);
    expect(check({ [`${'x'.repeat(5_000)}!`]: 5 }).ok).toBe(true);
    expect(check({ c: `${'b'.repeat(5_000)}!` }).ok).toBe(true);
    expect(check({ c: 'b'.repeat(5_000) }).ok).toBe(false);
    expect(performance.now() - begun).toBeLessThan(3_000);
  });

  it.each(['interpreted', 'generated'] as const)(
    'rejects values that take too long, also below "not", %s',
    async (engine) => {
      await loadGenerator();
      const slow = { not: { type: 'string', pattern: `^(?:${'(?:a?){50}'.repeat(10)})*b$` } };
      const check = new DefaultValidator({ engine }).compile(slow);
      expect(check('a'.repeat(100_000))).toEqual({
        ok: false,
        issues: [{ path: [], message: 'takes too long to check' }],
      });
      expect(check('c')).toMatchObject({ ok: true });
    },
  );

  it('reports which patterns cannot be matched in linear time', () => {
    expect(patternProblem(schema)).toBeUndefined();
    expect(patternProblem({ items: [{ pattern: '(a)\\1' }] })).toBe(
      'its pattern "(a)\\\\1" has a backreference',
    );
    expect(patternProblem({ patternProperties: { '(a)\\1': true } })).toContain('has a backreference');
    expect(patternProblem({ properties: { pattern: { type: 'string' } } })).toBeUndefined();
  });
});
