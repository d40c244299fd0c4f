import { encode } from '@toon-format/toon';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ErrOutputTooLarge } from '../../errors.js';
import { DefaultValidator } from '../../schema/validate/default-validator.js';
import type { JsonSchema } from '../../values/json-schema.js';
import { describeCuts } from './describe-cuts.js';
import type { Cut } from './describe-cuts.js';
import { fitResult } from './fit-result.js';
import { error, success, toonSuccess, toStructuredResult } from '../../protocol/tool-result.js';
import type { CallToolResult, ContentBlock } from '../../protocol/tool-result.js';
import { runs } from '../../../test/runs.js';

const write = (value: unknown): string => JSON.stringify(value);
const bytesOf = (text: string): number => Buffer.byteLength(text);
const rows = (count: number) => Array.from({ length: count }, (_, id) => ({ id, name: `row ${id}` }));
const accepting = (schema: JsonSchema) => {
  const validate = new DefaultValidator().compile(schema);
  return (value: unknown): boolean => validate(value).ok;
};
const textOf = (block: ContentBlock | undefined): string => (block as { text: string }).text;
const cutsOf = (result: CallToolResult): Cut[] => result._meta?.['toolfold/cut'] as Cut[];

/** Reads the value at a path. */
function at(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((inner, key) => (inner as Record<string | number, unknown>)[key], value);
}

/** Whether one value is the other with its lists, maps and texts cut to their beginning. */
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

  it('a text fits, or is cut as the data that it was written from, or is rejected', () => {
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
          const before = write(value);
          const result: CallToolResult = { content: [{ type: 'text', text: writer(value) }] };
          const fieldNames = ['limit', 'query'];
          let fitted;
          try {
            fitted = fitResult(result, { bytes }, { data: value, accepts, fieldNames });
          } catch (thrown) {
            expect(thrown).toBeInstanceOf(ErrOutputTooLarge);
            expect(bytesOf(writer(value))).toBeGreaterThan(bytes);
            return;
          }
          expect(write(value)).toBe(before);
          expect(fitted === result).toBe(bytesOf(writer(value)) <= bytes);
          if (fitted === result) return;
          const texts = fitted.content.map(textOf);
          expect(bytesOf(texts.join(''))).toBeLessThanOrEqual(bytes);
          const whole: unknown = JSON.parse(before);
          if (typeof whole !== 'object') return;
          const kept: unknown = JSON.parse(texts[0] as string);
          expect(writer(kept)).toBe(texts[0]);
          expect(accepts(kept)).toBe(true);
          expect(isBeginning(kept, whole)).toBe(true);
          expect(cutsOf(fitted).length).toBeGreaterThan(0);
          expectTrueCounts(cutsOf(fitted), whole, kept);
        },
      ),
      { numRuns: runs(300) },
    );
  }, 30_000);

  it('a result fits, or its content and its data are cut alike, or it is rejected', () => {
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
        const texts = fitted.content.map(textOf);
        expect(bytesOf(texts.join(''))).toBeLessThanOrEqual(bytes);
        expect(bytesOf(write(fitted.structuredContent))).toBeLessThanOrEqual(bytes);
        expect(JSON.parse(texts[0] as string)).toEqual(JSON.parse(write(fitted.structuredContent)));
        expect(accepts(fitted.structuredContent)).toBe(true);
        if (fitted === result) return;
        const cuts = cutsOf(fitted);
        expect(texts).toHaveLength(2);
        // At most 50 cuts are listed, but all are counted.
        if (cuts.length < 50) expect(texts[1]).toBe(describeCuts(cuts, ['limit']));
        expectTrueCounts(cuts, JSON.parse(write(value)), fitted.structuredContent);
      }),
      { numRuns: runs(200) },
    );
  }, 30_000);
});
