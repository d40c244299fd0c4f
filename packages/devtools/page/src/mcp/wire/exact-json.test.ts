import { describe, expect, it } from 'vitest';
import { ExactNumber, writeJson } from '../../ui/json/exact-number.js';
import { readJson, withExactNumbers } from './exact-json.js';

describe('JSON with exact numbers', () => {
  it.each([
    '{"id":12345678901234567890}',
    '[-9007199254740993,0.12345678901234567891,1e400,1E-400]',
    '{"__proto__":{"a":12345678901234567890},"s":"12345678901234567890 \\" 12345678901234567890"}',
    `[${'9'.repeat(1_000)}]`,
    '12345678901234567890',
  ])('keeps the digits of %s', (text) => {
    expect(writeJson(readJson(text))).toBe(text);
    expect(writeJson(readJson(text), 2).replace(/\s+/g, '')).toBe(text.replace(/\s+/g, ''));
  });

  it('has plain numbers wherever JavaScript keeps the value', () => {
    expect(readJson('[1, 1.50, 1e3, 0.30000000000000004, 100000000000000000000, 1e21, -0]')).toEqual([
      1, 1.5, 1_000, 0.30000000000000004, 1e20, 1e21, -0,
    ]);
    expect(readJson('{"a":[9007199254740993]}')).toEqual({ a: [new ExactNumber('9007199254740993')] });
  });

  it('reads values of very many levels, without their digits', () => {
    const text = `${'['.repeat(50_000)}12345678901234567890${']'.repeat(50_000)}`;
    expect(Array.isArray(readJson(text))).toBe(true);
  });

  it('gives a value of another parser its digits back', () => {
    const text = '{"result":{"a":[12345678901234567890,1],"gone":1}}';
    const value = { a: [Number('12345678901234567890'), 1], more: 2 };
    const exact = withExactNumbers(value, text, (message) => (message as { result: unknown }).result);
    expect(writeJson(exact)).toBe('{"a":[12345678901234567890,1],"more":2}');
    expect(withExactNumbers({ a: 5 }, '{"a":12345678901234567890}', (message) => message)).toEqual({ a: 5 });
  });
});
