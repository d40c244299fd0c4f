import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { anyFields, compileWithAjv, schemaPair, toolSchema } from '../../test/schema-pairs.js';
import { enough, runs } from '../../../../test/runs.js';
import type { JsonSchema } from '../values/json-schema.js';
import { loadLinearPatterns } from '../patterns/patterns.js';
import { compareSchemas } from './compare-schemas.js';
import type { Inclusion } from './compare-schemas.js';

beforeAll(() => loadLinearPatterns());

interface Judge {
  readonly schema: JsonSchema;
  readonly accepts: (value: unknown) => boolean;
}

/** Compiles a schema with Ajv; `undefined` if Ajv rejects it. */
function judgeOf(schema: JsonSchema): Judge | undefined {
  const accepts = compileWithAjv(schema);
  return accepts && { schema, accepts };
}

/** The relation in one word. */
function relate(before: unknown, after: unknown): string {
  const { keeps, addsNothing } = compareSchemas(before, after);
  if (keeps.holds === undefined || addsNothing.holds === undefined) return 'undecided';
  if (keeps.holds) return addsNothing.holds ? 'same' : 'widened';
  return addsNothing.holds ? 'narrowed' : 'both';
}

describe('the comparison of generated schemas', () => {
  it('reports no inclusion that Ajv can refute, and only witnesses that Ajv confirms', () => {
    const seen = { proven: 0, refuted: 0, undecided: 0, checked: 0 };
    const judge = (inclusion: Inclusion, inner: Judge, outer: Judge, values: readonly unknown[]): void => {
      const counterexample = values.find((value) => inner.accepts(value) && !outer.accepts(value));
      if (inclusion.holds === undefined) seen.undecided++;
      else if (inclusion.holds) {
        seen.proven++;
        expect(counterexample, JSON.stringify([inner.schema, outer.schema])).toBeUndefined();
        seen.checked += values.filter(inner.accepts).length;
      } else {
        seen.refuted++;
        const text = JSON.stringify([inner.schema, outer.schema, inclusion]);
        expect(inner.accepts(inclusion.witness), text).toBe(true);
        expect(outer.accepts(inclusion.witness), text).toBe(false);
      }
    };
    fc.assert(
      fc.property(
        schemaPair,
        fc.array(anyFields, { minLength: 40, maxLength: 40 }),
        ([before, after], values) => {
          const { keeps, addsNothing } = compareSchemas(before, after);
          const [old, now] = [judgeOf(before), judgeOf(after)];
          if (old && now) {
            judge(keeps, old, now, values);
            judge(addsNothing, now, old, values);
          }
          const mirrored = compareSchemas(after, before);
          expect(mirrored.keeps.holds).toBe(addsNothing.holds);
          expect(mirrored.addsNothing.holds).toBe(keeps.holds);
        },
      ),
      { numRuns: runs(1_000) },
    );
    expect(seen.proven).toBeGreaterThan(enough(400));
    expect(seen.refuted).toBeGreaterThan(enough(400));
    expect(seen.checked).toBeGreaterThan(enough(400));
    expect(seen.undecided).toBeLessThan((seen.proven + seen.refuted) / 4);
  });

  it('finds every schema equal to itself, to a copy with other texts, and to one with its keys reversed', () => {
    const reverse = (node: unknown): unknown => {
      if (Array.isArray(node)) return node.map(reverse);
      if (typeof node !== 'object' || node === null) return node;
      return Object.fromEntries(
        Object.entries(node)
          .toReversed()
          .map(([key, value]) => [key, reverse(value)]),
      );
    };
    fc.assert(
      fc.property(toolSchema, (schema) => {
        expect(relate(schema, structuredClone(schema))).toBe('same');
        if (!compileWithAjv(schema)) return;
        expect(relate(schema, reverse({ ...schema, title: 't', description: 'd' }))).toMatch(
          /same|undecided/,
        );
      }),
      { numRuns: runs(1_000) },
    );
  });
});
