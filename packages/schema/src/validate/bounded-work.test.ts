import { describe, expect, it } from 'vitest';
import { DefaultValidator, loadGenerator } from './default-validator.js';
import type { JsonSchema } from '../values/json-schema.js';

await loadGenerator();

const branches = (count: number): JsonSchema[] =>
  Array.from({ length: count }, (_, index) => ({
    type: 'object',
    properties: { [`f${index}`]: { type: 'string' } },
    required: [`f${index}`],
  }));

describe('the work limit of a value', () => {
  it('does not depend on how often the schema was used before', () => {
    const validate = new DefaultValidator().compile({ items: { anyOf: branches(20) } });
    const large = Array.from({ length: 50_000 }, () => ({ f19: 'x' }));
    const fitting = Array.from({ length: 1_000 }, () => ({ f19: 'x' }));
    const answers = () => [validate(large), validate(fitting).ok];
    const tooLong = { ok: false, issues: [{ path: [], message: 'takes too long to check' }] };
    expect(answers()).toEqual([tooLong, true]);
    for (let call = 0; call < 200; call++) validate([{ f0: 'x' }]);
    expect(answers()).toEqual([tooLong, true]);
  });

  it('is not reached if each of any number of JSON values is visited a few times', () => {
    const rows = Array.from({ length: 100_000 }, (_, id) => ({ id, name: 'x' }));
    const validate = new DefaultValidator().compile({
      items: { type: 'object', properties: { id: { type: 'integer' }, name: { type: 'string' } } },
    });
    expect(validate(rows).ok).toBe(true);
    rows[99_999] = { id: 1.5, name: 'x' };
    expect(validate(rows)).toEqual({
      ok: false,
      issues: [{ path: [99_999, 'id'], message: 'must be integer, not number' }],
    });
  });

  it('is not reached if a field with fixed values selects the branch', () => {
    const kinds = Array.from({ length: 50 }, (_, index) => ({
      properties: { kind: { const: `k${index}` }, size: { type: 'number' } },
      required: ['kind'],
    }));
    const value = (kind: string, size: unknown) => Array.from({ length: 10_000 }, () => ({ kind, size }));
    for (const keyword of ['anyOf', 'oneOf']) {
      const validate = new DefaultValidator().compile({ items: { [keyword]: kinds } });
      expect(validate(value('k49', 1)).ok).toBe(true);
      expect(validate(value('k49', 'large')).ok).toBe(false);
      expect(validate(value('k50', 1)).ok).toBe(false);
      expect(validate([...value('k1', 1), { size: 1 }]).ok).toBe(false);
      // For a value that is not an object, every branch is tried.
      expect(validate([5]).ok).toBe(keyword === 'anyOf');
    }
  });

  it('counts choices of several branches', () => {
    const overlapping = ['a', 'b', 'a'].map((kind) => ({
      properties: { kind: { enum: [kind, 'c'] } },
      required: ['kind'],
    }));
    const any = new DefaultValidator().compile({ anyOf: overlapping });
    const one = new DefaultValidator().compile({ oneOf: overlapping });
    const answers = (kind: unknown) => [any({ kind }).ok, one({ kind }).ok];
    expect(answers('a')).toEqual([true, false]);
    expect(answers('b')).toEqual([true, true]);
    expect(answers('c')).toEqual([true, false]);
    expect(answers('d')).toEqual([false, false]);
  });

  it('reports a number beyond the range of JavaScript as too large', () => {
    const validate = new DefaultValidator().compile({ properties: { n: { type: 'number' } } });
    expect(validate(JSON.parse('{"n":1e400}'))).toEqual({
      ok: false,
      issues: [{ path: ['n'], message: 'must be number, not a number beyond ±1.8e308' }],
    });
  });
});
