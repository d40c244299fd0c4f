import { encode } from '@toon-format/toon';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { ErrOutputTooLarge } from '@toolfold/schema/errors';
import { findCuts } from './describe-cuts.js';
import type { Cut } from './describe-cuts.js';
import { fitResult, fitValue } from './fit-result.js';
import { error, success, toonSuccess, toStructuredResult } from '../../protocol/tool-result.js';
import type { CallToolResult, ContentBlock } from '../../protocol/tool-result.js';
import { PlainText } from './shrink-value.js';
import type { OutputBudget } from './output-budget.js';
import { usageOf, roomOf } from './output-budget.js';
import {
  write,
  bytesOf,
  accepting,
  textOf,
  cutsOf,
  isBeginning,
} from '../../../test/guards/fit-result-setup.js';

const rows = (count: number) => Array.from({ length: count }, (_, id) => ({ id, name: `row ${id}` }));
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
  ])('measures the text that is written as %s', (_, writer) => {
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

  it('divides the budget between several large lists', () => {
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
      const reject = (): boolean => ++asked < 0;
      expect(() => fit({ rows: rows(1000), text: 't'.repeat(1000) }, { bytes: 500 }, reject)).toThrow(
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

describe('fitResult', () => {
  const sizeOf = ({ content, structuredContent }: CallToolResult): number =>
    Math.max(
      content.reduce((sum, block) => sum + bytesOf((block as { text?: string }).text ?? ''), 0),
      structuredContent === undefined ? 0 : bytesOf(write(structuredContent)),
    );

  it('returns a result that fits as the same object', () => {
    const result = toStructuredResult({ items: rows(3) });
    expect(fitResult(result, { bytes: 200 })).toBe(result);
  });

  it('cuts structured content and the text that repeats it alike, within the schema', () => {
    const accepts = accepting({ required: ['items'], properties: { items: { minItems: 5 } } });
    const result = { ...toStructuredResult({ items: rows(500) }), _meta: { trace: 7 } };
    const fitted = fitResult(result, { bytes: 1000 }, { accepts, fieldNames: ['limit'] });
    const { items } = fitted.structuredContent as { items: unknown[] };
    expect(JSON.parse(textOf(fitted.content[0]))).toEqual(fitted.structuredContent);
    expect(accepts(fitted.structuredContent)).toBe(true);
    expect(sizeOf(fitted)).toBeLessThanOrEqual(1000);
    expect(sizeOf(fitted)).toBeGreaterThan(900);
    expect(fitted._meta).toEqual({
      trace: 7,
      'toolfold/cut': [{ path: ['items'], kept: items.length, of: 500, unit: 'items' }],
    });
    expect(textOf(fitted.content[1])).toBe(
      `Cut to fit the output limit: items (first ${items.length} of 500 items). To see the rest, page with limit.`,
    );
    expect(result.content).toHaveLength(1);
  });

  it('recognises a TOON text that repeats the structured content', () => {
    const data = { items: rows(500) };
    const result = { ...toonSuccess(data), structuredContent: data };
    const fitted = fitResult(result, { bytes: 9000 }, { write: encode });
    expect(textOf(fitted.content[0])).toBe(encode(fitted.structuredContent));
    expect(sizeOf(fitted)).toBeLessThanOrEqual(9000);
    expect(sizeOf(fitted)).toBeGreaterThan(8500);
  });

  it('cuts TOON as data if the data it was written from is known', () => {
    const data = { items: rows(500) };
    const fitted = fitResult(toonSuccess(data), { bytes: 3000 }, { write: encode, data });
    const kept = cutsOf(fitted)[0]!.kept;
    expect(textOf(fitted.content[0])).toBe(encode({ items: rows(kept) }));
    expect(fitted).not.toHaveProperty('structuredContent');
    expect(sizeOf(fitted)).toBeLessThanOrEqual(3000);
    expect(sizeOf(fitted)).toBeGreaterThan(2800);
  });

  it('cuts structured content and keeps an independent text', () => {
    const result: CallToolResult = { ...success('500 rows.'), structuredContent: { items: rows(500) } };
    const fitted = fitResult(result, { bytes: 1000 });
    expect(fitted.content[0]).toBe(result.content[0]);
    expect(bytesOf(write(fitted.structuredContent))).toBeLessThanOrEqual(1000);
    expect(cutsOf(fitted)).toMatchObject([{ path: ['items'] }]);
    expect(fitted.content).toHaveLength(2);
  });

  it.each([0, 2, '\t'])('keeps JSON text valid and as it was written (indent %j)', (indent) => {
    const whole = { items: rows(500) };
    const fitted = fitResult(success(JSON.stringify(whole, null, indent)), { bytes: 1000 });
    const text = textOf(fitted.content[0]);
    const kept: unknown = JSON.parse(text);
    expect(text).toBe(JSON.stringify(kept, null, indent));
    expect(isBeginning(kept, whole)).toBe(true);
    expect(cutsOf(fitted)).toMatchObject([{ path: ['items'], of: 500 }]);
  });

  it('keeps numbers in JSON text that JavaScript would round', () => {
    const item =
      '{"id":12345678901234567890,"rate":0.12345678901234567890,"text":"a \\"1234567890123456789\\""}';
    const fitted = fitResult(success(`[${Array.from({ length: 50 }, () => item).join(',')}]`), {
      bytes: 1000,
    });
    expect(textOf(fitted.content[0]).startsWith(`[${item},${item}`)).toBe(true);
  });

  it('cuts text, and the texts of resources, as text', () => {
    const log = 'a line of the log\n'.repeat(200);
    const result: CallToolResult = {
      content: [
        { type: 'text', text: 'Here it is.' },
        { type: 'resource', resource: { uri: 'file:///log', text: log } },
      ],
    };
    const fitted = fitResult(result, { bytes: 1000 });
    expect(fitted.content[0]).toBe(result.content[0]);
    const { resource } = fitted.content[1] as { resource: { uri: string; text: string } };
    expect(resource.uri).toBe('file:///log');
    expect(resource.text).toMatch(/^(a line of the log\n){30,}a line of the log$/);
    expect(cutsOf(fitted)).toEqual([
      { path: ['content', 1], kept: resource.text.length, of: log.length, unit: 'characters' },
    ]);
  });

  it('replaces binary blocks that do not fit with a note', () => {
    const image: ContentBlock = { type: 'image', data: 'A'.repeat(4000), mimeType: 'image/png' };
    const small: ContentBlock = { type: 'audio', data: 'A'.repeat(100), mimeType: 'audio/wav' };
    const blob: ContentBlock = { type: 'resource', resource: { uri: 'a:b', blob: 'A'.repeat(8000) } };
    const text: ContentBlock = { type: 'text', text: 'The plan.' };
    const fitted = fitResult({ content: [text, image, small, blob] }, { bytes: 1000 });
    expect(fitted.content.slice(0, 4)).toEqual([
      text,
      { type: 'text', text: '[image (image/png) of 3000 bytes left out: above the output limit]' },
      small,
      { type: 'text', text: '[blob of 6000 bytes left out: above the output limit]' },
    ]);
    expect(cutsOf(fitted).map(({ path }) => path)).toEqual([
      ['content', 1],
      ['content', 3],
    ]);
  });

  it('drops more blocks if the note does not fit beside them', () => {
    const image: ContentBlock = { type: 'image', data: 'A'.repeat(950), mimeType: 'image/png' };
    const fitted = fitResult({ content: [image, image] }, { bytes: 1000 });
    expect(fitted.content.map(({ type }) => type)).toEqual(['text', 'text', 'text']);
  });

  it('does not count the base64 of an image as tokens of text', () => {
    const result: CallToolResult = {
      content: [{ type: 'image', data: 'A'.repeat(500_000), mimeType: 'image/png' }],
    };
    expect(fitResult(result, { tokens: 2000 })).toBe(result);
  });

  it('shortens a long list of blocks', () => {
    const content = rows(300).map(({ name }): ContentBlock => ({ type: 'text', text: `This is ${name}.` }));
    const fitted = fitResult({ content }, { bytes: 1000 });
    const kept = fitted.content.length - 1;
    expect(kept).toBeGreaterThan(30);
    expect(fitted.content.slice(0, kept)).toEqual(content.slice(0, kept));
    expect(cutsOf(fitted)).toMatchObject([{ path: ['content'], kept, of: 300 }]);
  });

  it('cuts errors as text only, and drops their data if it does not fit', () => {
    const failed = { ...error(`[${'1,'.repeat(3000)}1]`), structuredContent: { items: rows(500) } };
    const fitted = fitResult(failed, { bytes: 1000 }, { accepts: () => false });
    expect(fitted.isError).toBe(true);
    expect(fitted).not.toHaveProperty('structuredContent');
    expect(textOf(fitted.content[0])).toMatch(/^\[(1,)+/);
    expect(sizeOf(fitted)).toBeLessThanOrEqual(1000);
    expect(cutsOf(fitted)).toMatchObject([{ path: ['structuredContent'] }, { unit: 'characters' }]);
  });

  it('returns plain JSON for values with toJSON', () => {
    const value = { when: new Date(0), none: undefined, list: Object.freeze(rows(100)) };
    const { structuredContent: kept } = fitResult(toStructuredResult(value), { bytes: 500 });
    expect(kept).toEqual(JSON.parse(write(kept)));
    expect(kept).toMatchObject({ when: '1970-01-01T00:00:00.000Z' });
  });

  it('does not overflow the stack', () => {
    const nest = (depth: number, core: unknown): unknown => {
      let value = core;
      for (let level = 0; level < depth; level++) value = level % 2 ? [value] : { value };
      return value;
    };
    const resultOf = (structuredContent: unknown): CallToolResult => ({ content: [], structuredContent });
    expect(() => fitResult(resultOf(nest(100_000, 1)), { bytes: 500 })).toThrow(ErrOutputTooLarge);
    const deep = fitResult(resultOf([1, nest(2000, rows(100))]), { bytes: 500 });
    expect(sizeOf(deep)).toBeLessThanOrEqual(500);
  });

  it('throws with advice if nothing fits', () => {
    const attempt = (): unknown => fitResult(toStructuredResult({ list: rows(9) }), { bytes: 10 });
    expect(attempt).toThrow(/above the output limit of 10 bytes.*Narrow the call.*raised/);
  });

  it('names the fields that narrow the call if nothing fits', () => {
    const attempt = (): unknown =>
      fitResult(success('x'.repeat(500)), { bytes: 10 }, { fieldNames: ['query'] });
    expect(attempt).toThrow(ErrOutputTooLarge);
    expect(attempt).toThrow('Narrow the call (filter with query), or have the limit raised.');
  });
});

it('does not parse text of another server that has more than 200,000 values', () => {
  const parse = vi.spyOn(JSON, 'parse');
  const text = `${'['.repeat(300_000)}${']'.repeat(300_000)}`;
  const fitted = fitResult({ content: [{ type: 'text', text }] }, { bytes: 10_000 });
  expect(parse.mock.calls.filter(([parsed]) => parsed.length > 100_000)).toEqual([]);
  parse.mockRestore();
  expect(fitted.content.map((block) => (block.type === 'text' ? block.text : ''))[0]).toMatch(/^\[{1000}/);
});
