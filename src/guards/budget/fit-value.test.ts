import { encode } from '@toon-format/toon';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DefaultValidator } from '../../schema/validate/default-validator.js';
import type { JsonSchema } from '../../values/json-schema.js';
import { PlainText } from './measure.js';
import { findCuts } from './describe-cuts.js';
import type { Cut } from './describe-cuts.js';
import { fitValue } from './fit-value.js';
import type { OutputBudget } from './output-budget.js';
import { usageOf, roomOf } from './output-budget.js';

const write = (value: unknown): string => JSON.stringify(value);
const bytesOf = (text: string): number => Buffer.byteLength(text);
const rows = (count: number) => Array.from({ length: count }, (_, id) => ({ id, name: `row ${id}` }));
const accepting = (schema: JsonSchema) => {
  const validate = new DefaultValidator().compile(schema);
  return (value: unknown): boolean => validate(value).ok;
};
const NOTHING = 'nothing fits';

function fit(
  whole: unknown,
  budget: OutputBudget,
  accepts?: (value: unknown) => boolean,
  writer = write,
): { value: unknown; cuts: Cut[] } {
  const usage = (part: unknown): number => usageOf(budget, [writer(part)]);
  const kept = fitValue(whole, { room: roomOf(budget), usage, ...(accepts ? { accepts } : {}) });
  if (!kept) throw new Error(NOTHING);
  return { value: kept.value, cuts: findCuts(whole, kept.value) };
}

function fitText(text: string, budget: OutputBudget): { text: string; cuts: Cut[] } {
  const whole = new PlainText(text);
  const kept = fitValue(whole, { room: roomOf(budget), usage: (part) => usageOf(budget, [part.text]) });
  if (!kept) throw new Error(NOTHING);
  return { text: kept.value.text, cuts: findCuts(whole, kept.value) };
}

describe('fitValue', () => {
  it('returns a value that fits unchanged', () => {
    const value = { items: rows(3) };
    const fitted = fit(value, { bytes: 1000 });
    expect(fitted.value).toBe(value);
    expect(fitted.cuts).toEqual([]);
  });

  it('keeps as many of the first items as fit, and states the counts', () => {
    const value = { total: 500, items: rows(500) };
    const { value: kept, cuts } = fit(value, { bytes: 2000 });
    const { items } = kept as typeof value;
    expect(bytesOf(write(kept))).toBeLessThanOrEqual(2000);
    expect(bytesOf(write(kept))).toBeGreaterThan(1900);
    expect(items).toEqual(value.items.slice(0, items.length));
    expect(cuts).toEqual([{ path: ['items'], kept: items.length, of: 500, unit: 'items' }]);
    expect(value.items).toHaveLength(500);
  });

  it.each([
    ['pretty JSON', (value: unknown): string => JSON.stringify(value, null, 2)],
    ['TOON', (value: unknown): string => encode(value)],
  ])('counts what is written as %s', (_, writer) => {
    const { value } = fit({ items: rows(900) }, { bytes: 5000 }, undefined, writer);
    expect(bytesOf(writer(value))).toBeLessThanOrEqual(5000);
    expect(bytesOf(writer(value))).toBeGreaterThan(4500);
  });

  it('counts tokens with its estimate or with countTokens', () => {
    const value = { items: rows(900) };
    const estimated = fit(value, { tokens: 1000 }).value;
    expect(bytesOf(write(estimated))).toBeGreaterThan(2000);
    expect(bytesOf(write(estimated))).toBeLessThan(4000);
    const countTokens = (text: string): number => text.split(/\b/).length;
    const told = fit(value, { tokens: 1000, countTokens }).value;
    expect(countTokens(write(told))).toBeLessThanOrEqual(1000);
    expect(countTokens(write(told))).toBeGreaterThan(900);
  });

  it('keeps both limits if both are set', () => {
    const { value } = fit(rows(900), { bytes: 5000, tokens: 200 });
    expect(bytesOf(write(value))).toBeLessThan(1000);
  });

  it('cuts the largest list and leaves small ones whole', () => {
    const value = { tags: ['a', 'b'], log: rows(1000), people: rows(10) };
    const { value: kept, cuts } = fit(value, { bytes: 3000 });
    expect(cuts.map(({ path }) => path)).toEqual([['log']]);
    expect(kept).toMatchObject({ tags: value.tags, people: value.people });
  });

  it('shares the room where several lists are large', () => {
    const { value } = fit({ a: rows(1000), b: rows(2000) }, { bytes: 4000 });
    const { a, b } = value as { a: unknown[]; b: unknown[] };
    expect(Math.abs(a.length - b.length)).toBeLessThan(5);
    expect(a.length).toBeGreaterThan(50);
  });

  it('cuts the outer list before those inside', () => {
    const value = { groups: Array.from({ length: 50 }, (_, id) => ({ id, rows: rows(5) })) };
    const { cuts } = fit(value, { bytes: 3000 });
    expect(cuts.map(({ path }) => path)).toEqual([['groups']]);
  });

  it('cuts inside an item if the list has one item or a huge one', () => {
    const one = fit({ pages: [{ rows: rows(1000) }] }, { bytes: 3000 });
    expect(one.cuts.map(({ path }) => path)).toEqual([['pages', 0, 'rows']]);
    const second = fit([{ rows: [] }, { rows: rows(1000) }, { rows: [] }], { bytes: 3000 });
    expect(second.cuts.map(({ path }) => path)).toEqual([[], [1, 'rows']]);
    expect(bytesOf(write(second.value))).toBeGreaterThan(2700);
  });

  it('cuts long strings if no list can be cut, and never short ones', () => {
    const value = { id: 'a'.repeat(40), body: 'word '.repeat(1000), tags: ['x'] };
    const { value: kept, cuts } = fit(value, { bytes: 1000 });
    expect(kept).toMatchObject({ id: value.id, tags: value.tags });
    expect(cuts).toMatchObject([{ path: ['body'], of: 5000, unit: 'characters' }]);
    expect(bytesOf(write(kept))).toBeGreaterThan(950);
    expect(() => fit({ id: 'a'.repeat(60) }, { bytes: 40 })).toThrow(NOTHING);
  });

  it('shortens maps last, and records never', () => {
    const map = Object.fromEntries(rows(500).map((row) => [`key${row.id}`, row]));
    const { value: kept, cuts } = fit({ map }, { bytes: 2000 });
    const keys = Object.keys((kept as { map: object }).map);
    expect(cuts).toEqual([{ path: ['map'], kept: keys.length, of: 500, unit: 'items' }]);
    expect(keys).toEqual(Object.keys(map).slice(0, keys.length));
    const record = Object.fromEntries(rows(10).map((row) => [`key${row.id}`, row]));
    expect(() => fit(record, { bytes: 200 })).toThrow(NOTHING);
  });

  describe('within a schema', () => {
    it('returns a cut that the schema accepts', () => {
      const accepts = accepting({ properties: { rows: { minItems: 2 } }, required: ['rows'] });
      const { value: kept, cuts } = fit({ rows: rows(150) }, { bytes: 1_000 }, accepts);
      expect(accepts(kept)).toBe(true);
      expect(cuts).toMatchObject([{ path: ['rows'], of: 150 }]);
    });

    it('drops no required key of a map', () => {
      const map = Object.fromEntries(rows(100).map(({ id }) => [`k${id}`, id]));
      const { value: kept } = fit(map, { bytes: 500 }, accepting({ required: ['k30'] }));
      expect(kept).toHaveProperty('k30');
      expect(() => fit(map, { bytes: 500 }, accepting({ required: ['k99'] }))).toThrow(NOTHING);
    });

    it('asks the schema about at most four cuts, and fails if it accepts none', () => {
      let asked = 0;
      const refuse = (): boolean => ++asked < 0;
      expect(() => fit({ rows: rows(1000), text: 't'.repeat(1000) }, { bytes: 500 }, refuse)).toThrow(
        NOTHING,
      );
      expect(asked).toBeLessThanOrEqual(4);
    });
  });

  it('neither measures nor writes data far beyond the budget', () => {
    // Reading any of these items fails the test.
    const items = Array.from({ length: 5_000 }, (_, id) =>
      id < 2_000 ? { id } : new Proxy({}, { ownKeys: () => expect.unreachable() }),
    );
    const usage = (part: { items: unknown[] }): number =>
      part.items === items ? 50 : usageOf({ bytes: 1_000 }, [write(part)]);
    const kept = fitValue({ items }, { room: 1_000, usage });
    expect(bytesOf(write(kept?.value))).toBeGreaterThan(800);
  });

  it('fills most of the budget with rows of similar size', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 200, max: 2000 }),
        fc.integer({ min: 600, max: 5000 }),
        (count, bytes) => {
          const { value } = fit({ items: rows(count) }, { bytes });
          const size = bytesOf(write(value));
          if (size < bytesOf(write({ items: rows(count) }))) expect(size / bytes).toBeGreaterThan(0.9);
        },
      ),
    );
  }, 30_000);

  it('keeps keys such as __proto__', () => {
    const value: unknown = JSON.parse(
      `{"__proto__":{"admin":true},"constructor":1,"list":[${'1,'.repeat(200)}1]}`,
    );
    const { value: kept } = fit(value, { bytes: 200 });
    expect(write(kept)).toMatch(/^\{"__proto__":\{"admin":true\},"constructor":1,"list":\[1,/);
    expect(Object.getPrototypeOf(kept)).toBe(Object.prototype);
    expect((kept as { admin?: unknown }).admin).toBeUndefined();
  });

  it.each([
    ['many rows', { items: rows(120_000) }],
    ['pairs of numbers', { points: Array.from({ length: 400_000 }, (_, n) => [n, 1]) }],
    ['one text', { body: 'All work and no play. '.repeat(200_000) }],
    ['a map', Object.fromEntries(rows(100_000).map((row) => [`key${row.id}`, row]))],
  ])(
    'writes %s of about 4 MB fewer than 40 times, and mostly in small parts',
    (_, value) => {
      let writes = 0;
      let written = 0;
      const counted = (part: unknown): string => {
        const text = write(part);
        writes++;
        written += text.length;
        return text;
      };
      const { value: kept } = fit(value, { bytes: 50_000 }, undefined, counted);
      expect(bytesOf(write(kept))).toBeGreaterThan(30_000);
      expect(writes).toBeLessThan(40);
      // The whole value is written once, to learn that it is too large.
      expect(written).toBeLessThan(write(value).length + 2_000_000);
    },
    30_000,
  );
});

describe('fitValue of a plain text', () => {
  it('returns a value that fits unchanged', () => {
    expect(fitText('short', { bytes: 5 })).toEqual({ text: 'short', cuts: [] });
  });

  it('cuts at the end of a nearby line', () => {
    const { text, cuts } = fitText('a line of text\n'.repeat(100), { bytes: 200 });
    expect(text).toBe('a line of text\n'.repeat(13).trimEnd());
    expect(cuts).toEqual([{ path: [], kept: 194, of: 1500, unit: 'characters' }]);
  });

  it.each(['😀', '👩‍👩‍👧', 'é', '🇩🇪'])('never cuts inside %s', (character) => {
    const whole = `${character} `.repeat(200);
    const edges = new Set(Array.from(new Intl.Segmenter().segment(whole), ({ index }) => index));
    for (let bytes = 100; bytes < 130; bytes++) {
      const { text } = fitText(whole, { bytes });
      expect(edges).toContain(text.length);
      expect(bytesOf(text)).toBeLessThanOrEqual(bytes);
      expect(bytesOf(text)).toBeGreaterThan(60);
    }
  });

  it('fails if not even one character fits', () => {
    expect(() => fitText('漢字', { bytes: 2 })).toThrow(NOTHING);
  });

  it('estimates more tokens for Chinese than for English of the same length', () => {
    const fits = (text: string): number => fitText(text.repeat(1000), { tokens: 100 }).text.length;
    expect(fits('漢')).toBeLessThan(fits('a') / 3);
  });

  it('fits any text into any budget', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 200 }),
        fc.integer({ min: 4, max: 200 }),
        fc.boolean(),
        (whole, limit, asBytes) => {
          const countTokens = (text: string): number => [...text].length;
          const budget = asBytes ? { bytes: limit } : { tokens: limit, countTokens };
          const { text, cuts } = fitText(whole, budget);
          expect(asBytes ? bytesOf(text) : countTokens(text)).toBeLessThanOrEqual(limit);
          expect(whole.startsWith(text)).toBe(true);
          expect(encodeURIComponent.bind(null, text)).not.toThrow();
          expect(cuts).toEqual(
            text === whole
              ? []
              : [{ path: [], kept: [...text].length, of: [...whole].length, unit: 'characters' }],
          );
        },
      ),
      { numRuns: 50 },
    );
  }, 30_000);
});
