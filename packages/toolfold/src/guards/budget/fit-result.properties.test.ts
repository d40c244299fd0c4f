import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ErrOutputTooLarge } from '@toolfold/schema/errors';
import type { JsonSchema } from '@toolfold/schema';
import { describeCuts } from './describe-cuts.js';
import type { Cut } from './describe-cuts.js';
import { fitResult } from './fit-result.js';
import { toStructuredResult } from '../../protocol/tool-result.js';
import type { CallToolResult } from '../../protocol/tool-result.js';
import { runs } from '../../../../../test/runs.js';
import {
  write,
  bytesOf,
  accepting,
  textOf,
  cutsOf,
  at,
  isBeginning,
} from '../../../test/guards/fit-result-setup.js';

function expectTrueCounts(cuts: readonly Cut[], before: unknown, after: unknown): void {
  const count = (value: unknown): number =>
    typeof value === 'string' ? [...value].length : Object.keys(value as object).length;
  for (const { path, kept, of, unit } of cuts) {
    expect(typeof at(before, path)).toBe(unit === 'characters' ? 'string' : 'object');
    expect([kept, of]).toEqual([count(at(after, path)), count(at(before, path))]);
    expect(kept).toBeLessThan(of);
  }
}

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
