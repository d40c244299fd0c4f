import { encode } from '@toon-format/toon';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ErrInvalidModel, ErrOutputTooLarge } from '../errors.js';
import { DefaultValidator } from '../schema/default-validator.js';
import type { JsonSchema } from '../schema/json-schema.js';
import { assertBudget, describeCuts, fitResult, fitText, fitValue } from './output-budget.js';
import type { Cut, OutputBudget } from './output-budget.js';
import { error, success, toonSuccess, toStructuredResult } from './tool-result.js';
import type { CallToolResult, ContentBlock } from './tool-result.js';

const write = (value: unknown): string => JSON.stringify(value);
const bytesOf = (text: string): number => Buffer.byteLength(text);
const rows = (count: number) => Array.from({ length: count }, (_, id) => ({ id, name: `row ${id}` }));
const accepting = (schema: JsonSchema) => {
  const validate = new DefaultValidator().compile(schema);
  return (value: unknown): boolean => validate(value).ok;
};

/** What stands at a path. */
function at(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((inner, key) => (inner as Record<string | number, unknown>)[key], value);
}

/** Whether a value is another with lists, maps and texts cut to their beginning. */
function isBeginning(part: unknown, whole: unknown): boolean {
  if (typeof whole === 'string') return typeof part === 'string' && whole.startsWith(part);
  if (typeof whole !== 'object' || whole === null) return Object.is(part, whole);
  if (typeof part !== 'object' || part === null || Array.isArray(part) !== Array.isArray(whole)) return false;
  const keys = Object.keys(part);
  return (
    keys.every((key, index) => key === Object.keys(whole)[index]) &&
    keys.every((key) => isBeginning(at(part, [key]), at(whole, [key])))
  );
}

function expectTrueCounts(cuts: readonly Cut[], before: unknown, after: unknown): void {
  const count = (value: unknown): number =>
    typeof value === 'string' ? [...value].length : Object.keys(value as object).length;
  for (const { path, kept, of, unit } of cuts) {
    expect(typeof at(before, path)).toBe(unit === 'characters' ? 'string' : 'object');
    expect([kept, of]).toEqual([count(at(after, path)), count(at(before, path))]);
    expect(kept).toBeLessThan(of);
  }
}

describe('assertBudget', () => {
  it('takes whole numbers of bytes, tokens or both', () => {
    for (const budget of [{ bytes: 1 }, { tokens: 5000 }, { bytes: 1, tokens: 1, countTokens: () => 1 }]) {
      expect(() => assertBudget(budget, 'budget')).not.toThrow();
    }
  });

  it.each([
    [{ bytes: 0 }, 'budget.bytes'],
    [{ bytes: Number.NaN }, 'budget.bytes'],
    [{ tokens: 1.5 }, 'budget.tokens'],
    [{ tokens: Infinity }, 'budget.tokens'],
    [{ bytes: '10' }, 'budget.bytes'],
    [{ tokens: 10, countTokens: 4 }, 'budget.countTokens'],
    [{}, 'budget'],
  ])('refuses %j and names %s', (budget, field) => {
    const attempt = (): void => assertBudget(budget as OutputBudget, 'budget');
    expect(attempt).toThrow(ErrInvalidModel);
    expect(attempt).toThrow(field);
  });
});

describe('fitValue', () => {
  it('returns what fits as it is', () => {
    const value = { items: rows(3) };
    const fitted = fitValue(value, { bytes: 1000 }, { write });
    expect(fitted.value).toBe(value);
    expect(fitted.cuts).toEqual([]);
  });

  it('keeps as many of the first items as fit, and states the counts', () => {
    const value = { total: 500, items: rows(500) };
    const { value: kept, cuts } = fitValue(value, { bytes: 2000 }, { write });
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
    const { value } = fitValue({ items: rows(900) }, { bytes: 5000 }, { write: writer });
    expect(bytesOf(writer(value))).toBeLessThanOrEqual(5000);
    expect(bytesOf(writer(value))).toBeGreaterThan(4500);
  });

  it('counts tokens: by its own estimate, or as it is told', () => {
    const value = { items: rows(900) };
    const estimated = fitValue(value, { tokens: 1000 }, { write }).value;
    expect(bytesOf(write(estimated))).toBeGreaterThan(2000);
    expect(bytesOf(write(estimated))).toBeLessThan(4000);
    const countTokens = (text: string): number => text.split(/\b/).length;
    const told = fitValue(value, { tokens: 1000, countTokens }, { write }).value;
    expect(countTokens(write(told))).toBeLessThanOrEqual(1000);
    expect(countTokens(write(told))).toBeGreaterThan(900);
  });

  it('estimates more tokens for Chinese than for English of the same length', () => {
    const fits = (text: string): number => fitText(text.repeat(1000), { tokens: 100 }).text.length;
    expect(fits('漢')).toBeLessThan(fits('a') / 3);
  });

  it('keeps both limits where there are two', () => {
    const { value } = fitValue(rows(900), { bytes: 5000, tokens: 200 }, { write });
    expect(bytesOf(write(value))).toBeLessThan(1000);
  });

  it('cuts the largest list and leaves small ones whole', () => {
    const value = { tags: ['a', 'b'], log: rows(1000), people: rows(10) };
    const { value: kept, cuts } = fitValue(value, { bytes: 3000 }, { write });
    expect(cuts.map(({ path }) => path)).toEqual([['log']]);
    expect(kept).toMatchObject({ tags: value.tags, people: value.people });
  });

  it('shares the room where several lists are large', () => {
    const { value } = fitValue({ a: rows(1000), b: rows(2000) }, { bytes: 4000 }, { write });
    const { a, b } = value as { a: unknown[]; b: unknown[] };
    expect(Math.abs(a.length - b.length)).toBeLessThan(5);
    expect(a.length).toBeGreaterThan(50);
  });

  it('cuts the outer list before those inside', () => {
    const value = { groups: Array.from({ length: 50 }, (_, id) => ({ id, rows: rows(5) })) };
    const { cuts } = fitValue(value, { bytes: 3000 }, { write });
    expect(cuts.map(({ path }) => path)).toEqual([['groups']]);
  });

  it('goes inside where the outer list has only one or a huge item', () => {
    const one = fitValue({ pages: [{ rows: rows(1000) }] }, { bytes: 3000 }, { write });
    expect(one.cuts.map(({ path }) => path)).toEqual([['pages', 0, 'rows']]);
    const second = fitValue([{ rows: [] }, { rows: rows(1000) }, { rows: [] }], { bytes: 3000 }, { write });
    expect(second.cuts.map(({ path }) => path)).toEqual([[], [1, 'rows']]);
    expect(bytesOf(write(second.value))).toBeGreaterThan(2700);
  });

  it('cuts long strings where no list can give way, and never short ones', () => {
    const value = { id: 'a'.repeat(40), body: 'word '.repeat(1000), tags: ['x'] };
    const { value: kept, cuts } = fitValue(value, { bytes: 1000 }, { write });
    expect(kept).toMatchObject({ id: value.id, tags: value.tags });
    expect(cuts).toMatchObject([{ path: ['body'], of: 5000, unit: 'characters' }]);
    expect(bytesOf(write(kept))).toBeGreaterThan(950);
    expect(() => fitValue({ id: 'a'.repeat(60) }, { bytes: 40 }, { write })).toThrow(ErrOutputTooLarge);
  });

  it('shortens maps last, and records never', () => {
    const map = Object.fromEntries(rows(500).map((row) => [`key${row.id}`, row]));
    const { value: kept, cuts } = fitValue({ map }, { bytes: 2000 }, { write });
    const keys = Object.keys((kept as { map: object }).map);
    expect(cuts).toEqual([{ path: ['map'], kept: keys.length, of: 500, unit: 'items' }]);
    expect(keys).toEqual(Object.keys(map).slice(0, keys.length));
    const record = Object.fromEntries(rows(10).map((row) => [`key${row.id}`, row]));
    expect(() => fitValue(record, { bytes: 200 }, { write })).toThrow(ErrOutputTooLarge);
  });

  describe('within a schema', () => {
    it('keeps the least number of items and cuts another list', () => {
      const accepts = accepting({
        properties: { fixed: { minItems: 200 }, rows: { minItems: 2 } },
        required: ['fixed', 'rows'],
      });
      const value = { fixed: rows(200), rows: rows(150) };
      const { value: kept, cuts } = fitValue(value, { bytes: 6500 }, { write, accepts });
      expect(accepts(kept)).toBe(true);
      expect(cuts.map(({ path }) => path)).toEqual([['rows']]);
      const few = fitValue(
        { fixed: [...rows(200), ...rows(900)], rows: [1, 2] },
        { bytes: 6500 },
        { write, accepts },
      );
      expect(few.cuts).toMatchObject([{ path: ['fixed'] }]);
      expect(few.cuts[0]!.kept).toBeGreaterThanOrEqual(200);
    });

    it('keeps the least number of items in every row', () => {
      const accepts = accepting({ minItems: 20, items: { properties: { points: { minItems: 3 } } } });
      const value = Array.from({ length: 20 }, () => ({ points: Array.from({ length: 100 }, (_, n) => n) }));
      const { value: kept } = fitValue(value, { bytes: 700 }, { write, accepts });
      expect(accepts(kept)).toBe(true);
      expect(kept).toHaveLength(20);
    });

    it('cuts no string that an enum, a pattern or a length forbids to cut', () => {
      const state = 's'.repeat(300);
      const code = `${'c'.repeat(300)}!`;
      const accepts = accepting({
        properties: { state: { enum: [state] }, code: { pattern: '!$' }, text: { minLength: 100 } },
        required: ['state', 'code', 'text'],
      });
      const value = { state, code, text: 't'.repeat(1000) };
      const { value: kept, cuts } = fitValue(value, { bytes: 900 }, { write, accepts });
      expect(kept).toMatchObject({ state, code });
      expect(cuts).toMatchObject([{ path: ['text'], of: 1000 }]);
      expect(() => fitValue(value, { bytes: 700 }, { write, accepts })).toThrow(ErrOutputTooLarge);
    });

    it('drops no required key of a map', () => {
      const map = Object.fromEntries(rows(100).map(({ id }) => [`k${id}`, id]));
      const accepts = accepting({ required: ['k30'] });
      const { value: kept } = fitValue(map, { bytes: 500 }, { write, accepts });
      expect(kept).toHaveProperty('k30');
      expect(() =>
        fitValue(map, { bytes: 500 }, { write, accepts: accepting({ required: ['k99'] }) }),
      ).toThrow(ErrOutputTooLarge);
    });

    it('finds lists that may only be cut one at a time', () => {
      const accepts = accepting({
        anyOf: [{ properties: { a: { minItems: 100 } } }, { properties: { b: { minItems: 100 } } }],
      });
      const { value: kept, cuts } = fitValue(
        { a: rows(100), b: rows(100) },
        { bytes: 3500 },
        { write, accepts },
      );
      expect(accepts(kept)).toBe(true);
      expect(cuts).toHaveLength(1);
    });

    it('gives up where nothing is taken', () => {
      expect(() => fitValue(rows(1000), { bytes: 500 }, { write, accepts: () => false })).toThrow(
        ErrOutputTooLarge,
      );
    });
  });

  it('says what to do where nothing fits', () => {
    const attempt = (): unknown => fitValue({ name: 'x', list: rows(9) }, { bytes: 10 }, { write });
    expect(attempt).toThrow(/above the output limit of 10 bytes.*Narrow the call.*raised/);
  });

  it('leaves keys such as __proto__ where they are', () => {
    const value: unknown = JSON.parse(
      `{"__proto__":{"admin":true},"constructor":1,"list":[${'1,'.repeat(200)}1]}`,
    );
    const { value: kept } = fitValue(value, { bytes: 200 }, { write });
    expect(write(kept)).toMatch(/^\{"__proto__":\{"admin":true\},"constructor":1,"list":\[1,/);
    expect(Object.getPrototypeOf(kept)).toBe(Object.prototype);
    expect((kept as { admin?: unknown }).admin).toBeUndefined();
  });

  it('gives plain JSON, whatever the value was made of', () => {
    const value = { when: new Date(0), none: undefined, list: Object.freeze(rows(100)) };
    const { value: kept } = fitValue(value, { bytes: 500 }, { write });
    expect(kept).toEqual(JSON.parse(write(kept)));
    expect(kept).toMatchObject({ when: '1970-01-01T00:00:00.000Z' });
  });

  it('does not overflow the stack', () => {
    const nest = (depth: number, core: unknown): unknown => {
      let value = core;
      for (let level = 0; level < depth; level++) value = level % 2 ? [value] : { value };
      return value;
    };
    expect(() => fitValue(nest(100_000, 1), { bytes: 500 }, { write })).toThrow(ErrOutputTooLarge);
    const deep = fitValue([1, nest(2000, rows(100))], { bytes: 500 }, { write });
    expect(bytesOf(write(deep.value))).toBeLessThanOrEqual(500);
  });

  it.each([
    ['many rows', { items: rows(120_000) }],
    ['pairs of numbers', { points: Array.from({ length: 400_000 }, (_, n) => [n, 1]) }],
    ['one text', { body: 'All work and no play. '.repeat(200_000) }],
    ['a map', Object.fromEntries(rows(100_000).map((row) => [`key${row.id}`, row]))],
  ])(
    'writes %s of some 4 MB a few dozen times at most, mostly in small',
    (_, value) => {
      let writes = 0;
      let written = 0;
      const counted = (part: unknown): string => {
        const text = write(part);
        writes++;
        written += text.length;
        return text;
      };
      const { value: kept } = fitValue(value, { bytes: 50_000 }, { write: counted });
      expect(bytesOf(write(kept))).toBeGreaterThan(30_000);
      expect(writes).toBeLessThan(40);
      expect(written).toBeLessThan(20_000_000);
    },
    30_000,
  );
});

describe('fitText', () => {
  it('returns what fits as it is', () => {
    expect(fitText('short', { bytes: 5 })).toEqual({ text: 'short', cuts: [] });
  });

  it('cuts at the end of a line where one is near', () => {
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

  it('refuses where not one character fits', () => {
    expect(() => fitText('漢字', { bytes: 2 })).toThrow(ErrOutputTooLarge);
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

describe('describeCuts', () => {
  const cut: Cut = { path: ['items'], kept: 20, of: 400, unit: 'items' };

  it('says what was cut and which fields narrow the call', () => {
    const names = ['projectId', 'limit', 'pageToken', 'createdSince', 'searchQuery', 'fields', 'accessToken'];
    expect(describeCuts([cut], names)).toBe(
      'Cut to fit the output limit: items (first 20 of 400 items). To see the rest, ' +
        'page with limit, pageToken; filter with createdSince, searchQuery; choose with fields.',
    );
  });

  it('says something useful where no field narrows', () => {
    expect(describeCuts([{ ...cut, path: [], kept: 0, of: 9, unit: 'characters' }], ['id'])).toBe(
      'Cut to fit the output limit: the result (none of 9 characters). To see the rest, ask for less at once.',
    );
    expect(describeCuts([], ['limit'])).toBe('');
  });

  it('stays one short line, whatever the keys are', () => {
    const path = ['rows', 3, `a\nb\u2028c ${'x'.repeat(500)}`];
    const text = describeCuts(
      Array.from({ length: 40 }, () => ({ ...cut, path })),
      ['limit'.repeat(300)],
    );
    expect(text).toContain('rows[3].a b c xxx');
    expect(text).toContain('and 37 more');
    expect(text).not.toMatch(/[\n\u2028]/);
    expect(text.length).toBeLessThan(500);
  });
});

describe('fitResult', () => {
  const sizeOf = ({ content, structuredContent }: CallToolResult): number =>
    Math.max(
      content.reduce((sum, block) => sum + bytesOf((block as { text?: string }).text ?? ''), 0),
      structuredContent === undefined ? 0 : bytesOf(write(structuredContent)),
    );
  const textOf = (block: ContentBlock | undefined): string => (block as { text: string }).text;
  const cutsOf = (result: CallToolResult): Cut[] => result._meta?.['toolfold/cut'] as Cut[];

  it('returns what fits as the same object', () => {
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

  it('knows the repetition in TOON where it is told how that is written', () => {
    const data = { items: rows(500) };
    const result = { ...toonSuccess(data), structuredContent: data };
    const fitted = fitResult(result, { bytes: 9000 }, { write: encode });
    expect(textOf(fitted.content[0])).toBe(encode(fitted.structuredContent));
    expect(sizeOf(fitted)).toBeLessThanOrEqual(9000);
    expect(sizeOf(fitted)).toBeGreaterThan(8500);
  });

  it('cuts TOON as data where it is told what it was written from', () => {
    const data = { items: rows(500) };
    const fitted = fitResult(toonSuccess(data), { bytes: 3000 }, { write: encode, data });
    const kept = cutsOf(fitted)[0]!.kept;
    expect(textOf(fitted.content[0])).toBe(encode({ items: rows(kept) }));
    expect(fitted).not.toHaveProperty('structuredContent');
    expect(sizeOf(fitted)).toBeLessThanOrEqual(3000);
    expect(sizeOf(fitted)).toBeGreaterThan(2800);
  });

  it('cuts structured content beside a text of its own, which stays', () => {
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

  it('leaves out what is binary and does not fit, and says so', () => {
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

  it('leaves out more where the note would not fit beside it', () => {
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

  it('cuts failures as text only, and drops their data where it does not fit', () => {
    const failed = { ...error(`[${'1,'.repeat(3000)}1]`), structuredContent: { items: rows(500) } };
    const fitted = fitResult(failed, { bytes: 1000 }, { accepts: () => false });
    expect(fitted.isError).toBe(true);
    expect(fitted).not.toHaveProperty('structuredContent');
    expect(textOf(fitted.content[0])).toMatch(/^\[(1,)+/);
    expect(sizeOf(fitted)).toBeLessThanOrEqual(1000);
    expect(cutsOf(fitted)).toMatchObject([{ path: ['structuredContent'] }, { unit: 'characters' }]);
  });

  it('says which fields help where nothing fits', () => {
    const attempt = (): unknown =>
      fitResult(success('x'.repeat(500)), { bytes: 10 }, { fieldNames: ['query'] });
    expect(attempt).toThrow(ErrOutputTooLarge);
    expect(attempt).toThrow('Narrow the call (filter with query), or have the limit raised.');
  });
});

describe('for any JSON and any budget', () => {
  const row = fc.record({
    id: fc.integer(),
    kind: fc.constantFrom('open', 'closed'),
    note: fc.string({ unit: 'grapheme', maxLength: 200 }),
    tags: fc.array(fc.string({ maxLength: 12 }), { maxLength: 12 }),
  });
  const record = fc.record({
    rows: fc.array(row, { minLength: 2, maxLength: 30 }),
    pair: fc.tuple(fc.integer(), fc.integer()),
    title: fc.string({ minLength: 5, maxLength: 300 }),
    byName: fc.dictionary(fc.string({ maxLength: 6 }), row, { maxKeys: 30 }),
    extra: fc.jsonValue(),
  });
  const rowSchema = {
    type: 'object',
    required: ['id', 'kind', 'note', 'tags'],
    properties: { kind: { enum: ['open', 'closed'] }, tags: { type: 'array', maxItems: 12 } },
    additionalProperties: true,
  };
  const schema = (minRows: number): JsonSchema => ({
    type: 'object',
    required: ['rows', 'pair', 'title', 'byName', 'extra'],
    properties: {
      rows: { type: 'array', minItems: minRows, items: rowSchema },
      pair: { type: 'array', minItems: 2, maxItems: 2 },
      title: { type: 'string', minLength: 5, maxLength: 300 },
      byName: { type: 'object', additionalProperties: rowSchema },
    },
  });
  const schemas = [accepting(schema(0)), accepting(schema(2))];
  const limit = fc.integer({ min: 1, max: 6000 });

  it('a value fits as it is, or is cut to its beginning within the schema, or is refused', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.tuple(record, fc.constantFrom(...schemas)),
          fc.tuple(
            fc.jsonValue(),
            fc.constant(() => true),
          ),
        ),
        limit,
        fc.constantFrom(0, 2),
        ([value, accepts], bytes, indent) => {
          const writer = (part: unknown): string => JSON.stringify(part, null, indent);
          const note = (cuts: readonly Cut[]): string => describeCuts(cuts, ['limit', 'query']);
          const before = write(value);
          let fitted;
          try {
            fitted = fitValue(value, { bytes }, { write: writer, accepts, note });
          } catch (thrown) {
            expect(thrown).toBeInstanceOf(ErrOutputTooLarge);
            expect(bytesOf(writer(value))).toBeGreaterThan(bytes);
            return;
          }
          expect(write(value)).toBe(before);
          if (bytesOf(writer(value)) <= bytes) {
            expect(fitted).toEqual({ value, cuts: [] });
            return;
          }
          const whole: unknown = JSON.parse(before);
          expect(bytesOf(writer(fitted.value)) + bytesOf(note(fitted.cuts))).toBeLessThanOrEqual(bytes);
          expect(JSON.parse(writer(fitted.value))).toEqual(fitted.value);
          expect(accepts(fitted.value)).toBe(true);
          expect(isBeginning(fitted.value, whole)).toBe(true);
          expect(fitted.cuts.length).toBeGreaterThan(0);
          expectTrueCounts(fitted.cuts, whole, fitted.value);
        },
      ),
      { numRuns: 300 },
    );
  }, 30_000);

  it('a result fits as it is, or its content and its data are cut alike, or it is refused', () => {
    fc.assert(
      fc.property(record, limit, fc.constantFrom(...schemas), (value, bytes, accepts) => {
        const result = toStructuredResult(value);
        let fitted;
        try {
          fitted = fitResult(result, { bytes }, { accepts, fieldNames: ['limit'] });
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(ErrOutputTooLarge);
          return;
        }
        const texts = fitted.content.map((block) => (block as { text: string }).text);
        expect(bytesOf(texts.join(''))).toBeLessThanOrEqual(bytes);
        expect(bytesOf(write(fitted.structuredContent))).toBeLessThanOrEqual(bytes);
        expect(JSON.parse(texts[0] as string)).toEqual(JSON.parse(write(fitted.structuredContent)));
        expect(accepts(fitted.structuredContent)).toBe(true);
        if (fitted === result) return;
        const cuts = fitted._meta?.['toolfold/cut'] as Cut[];
        expect(texts).toHaveLength(2);
        // No more than fifty are listed, but all are counted.
        if (cuts.length < 50) expect(texts[1]).toBe(describeCuts(cuts, ['limit']));
        expectTrueCounts(cuts, JSON.parse(write(value)), fitted.structuredContent);
      }),
      { numRuns: 200 },
    );
  }, 30_000);

  it('rows of like size fill most of the budget', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 200, max: 2000 }),
        fc.integer({ min: 600, max: 5000 }),
        (count, bytes) => {
          const { value } = fitValue({ items: rows(count) }, { bytes }, { write });
          const size = bytesOf(write(value));
          if (size < bytesOf(write({ items: rows(count) }))) expect(size / bytes).toBeGreaterThan(0.9);
        },
      ),
    );
  }, 30_000);
});
