import { decode, encode } from '@toon-format/toon';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toIndentedJson, toJson, toToon } from './value-text.js';

/** As many lists as `count`, each nested `depth` levels deep. */
const nested = (count: number, depth: number): unknown[] =>
  Array.from({ length: count }, () => {
    let value: unknown[] = [];
    for (let level = 1; level < depth; level++) value = [value];
    return value;
  });
const chain = (depth: number): object => {
  let value = {};
  for (let level = 0; level < depth; level++) value = { inner: value };
  return value;
};

describe('toToon', () => {
  it('writes TOON for rows', () => {
    const rows = Array.from({ length: 500 }, (_, id) => ({ id, name: `row ${id}` }));
    expect(toToon(rows)).toBe(encode(rows));
  });

  it('writes JSON instead of 28 MB of indentation for 4,000 lists nested 80 deep', () => {
    const value = nested(4_000, 80);
    const start = performance.now();
    expect(toToon(value)).toBe(JSON.stringify(value));
    expect(performance.now() - start).toBeLessThan(1_000);
  });

  it('writes JSON if nesting makes TOON more than twice as long, even for small JSON', () => {
    const value = chain(300);
    expect(encode(value).length).toBeGreaterThan(20 * JSON.stringify(value).length);
    expect(toToon(value)).toBe(JSON.stringify(value));
  });

  it('is at most 4,096 characters or twice as long as JSON, and keeps the value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 20 }), (value) => {
        const text = toToon(value);
        const json = JSON.stringify(value);
        expect(text.length).toBeLessThanOrEqual(Math.max(4_096, 2 * json.length));
        if (text !== json) expect(JSON.stringify(decode(text))).toBe(JSON.stringify(JSON.parse(json)));
      }),
    );
  });
});

describe('toIndentedJson', () => {
  it('writes compact JSON instead of 52 MB of indentation for 4,000 lists nested 80 deep', () => {
    const value = nested(4_000, 80);
    expect(toIndentedJson(value)).toBe(JSON.stringify(value));
    expect(toIndentedJson(chain(900))).toBe(JSON.stringify(chain(900)));
  });

  it('indents every value whose indented form is at most eight times as long as its JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 30 }), (value) => {
        const [json, indented] = [toJson(value), JSON.stringify(value, null, 2)];
        const isShort = indented.length <= Math.max(4_096, 8 * json.length);
        expect(toIndentedJson(value)).toBe(isShort ? indented : json);
      }),
    );
  });
});
