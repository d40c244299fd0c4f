import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../../../../../test/runs.js';
import { writeJson } from '../../ui/json/exact-number.js';
import { readJson } from './exact-json.js';
import { compactJson } from './json-text.js';

describe('JSON with exact numbers', () => {
  it('is every JSON value, and nothing else', () => {
    fc.assert(
      fc.property(fc.json(), fc.bigInt(), (text, id) => {
        const whole = `{"a":${text}, "b": ${id}}`;
        const { a, b } = readJson(whole) as Record<string, unknown>;
        expect(a).toEqual(JSON.parse(text));
        expect(BigInt(writeJson(b))).toBe(id);
        expect(writeJson(readJson(whole))).toBe(
          compactJson(`{"a":${JSON.stringify(JSON.parse(text))},"b":${id}}`),
        );
      }),
      { numRuns: runs(500) },
    );
    for (const text of ['{', '12345678901234567890x', '[012345678901234567890]', ''])
      expect(() => readJson(text)).toThrow(SyntaxError);
  });
});
