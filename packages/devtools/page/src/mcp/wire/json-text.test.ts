import { describe, expect, it } from 'vitest';
import { compactJson, indentJson, isExactly } from './json-text.js';

describe('JSON as text', () => {
  it('is indented as JavaScript indents it', () => {
    const value = { a: [1, { b: 'x, {"y"} \\' }, []], c: {}, d: null, e: [true, 'é\n'] };
    expect(indentJson(JSON.stringify(value))).toBe(JSON.stringify(value, undefined, 2));
    expect(compactJson(JSON.stringify(value, undefined, 3))).toBe(JSON.stringify(value));
  });

  it('keeps the digits of numbers, the escapes of strings and keys that occur twice', () => {
    const text = String.raw`{"id":12345678901234567890,"price":1.10,"text":"\u00e9","id":1e400}`;
    expect(compactJson(indentJson(text))).toBe(text);
    expect(indentJson(text)).toContain('12345678901234567890');
  });

  it('is not the same as its value if the value has lost something', () => {
    const same = (text: string): boolean => isExactly(text, JSON.parse(text));
    expect(same('{ "id": 123, "a": ["é"] }')).toBe(true);
    expect(same('{"id":12345678901234567890}')).toBe(false);
    expect(same('{"id":1,"id":2}')).toBe(false);
  });

  it('may be deep or long', () => {
    const deep = '['.repeat(5_000) + ']'.repeat(5_000);
    expect(compactJson(indentJson(deep))).toBe(deep);
    const long = JSON.stringify({ text: '\\n'.repeat(1_000_000) });
    expect(compactJson(indentJson(long))).toBe(long);
  });
});
