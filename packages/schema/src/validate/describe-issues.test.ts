import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { z as z3 } from 'zod3';
import { readSchema } from '../read/read-schema.js';
import type { SchemaSource } from '../read/read-schema.js';
import { MAX_ISSUES } from './schema-validator.js';
import { validationFailed } from './describe-issues.js';

const sources: Record<string, SchemaSource> = {
  'Zod 4': z.object({ a: z.array(z.number()) }),
  'Zod 3': z3.object({ a: z3.array(z3.number()) }),
  Valibot: toStandardJsonSchema(v.object({ a: v.array(v.number()) })),
  ArkType: type({ a: 'number[]' }),
  'JSON Schema': { type: 'object', properties: { a: { type: 'array', items: { type: 'number' } } } },
};

const explain = async (source: SchemaSource, input: Record<string, unknown>) => {
  const result = await readSchema(source).validate(input);
  if (result.ok) throw new Error('fits');
  const { message, details } = validationFailed(result.issues, { input });
  return { found: result.issues, message, details };
};
const wrong = (count: number) => ({ a: Array.from({ length: count }, () => 'x') });

describe.each(Object.entries(sources))('the message about many issues, %s', (_name, source) => {
  it('names 20 and states the number of the others', async () => {
    const { message, details } = await explain(source, wrong(37));
    expect(message.match(/a\.\d+: /g)).toHaveLength(20);
    expect(message).toMatch(/; and 17 more$/);
    expect(details?.['issues']).toHaveLength(20);
    expect((await explain(source, wrong(20))).message).not.toContain('more');
  });

  it('does not grow with the input', async () => {
    const { message, found } = await explain(source, wrong(5_000));
    expect(found.length).toBeLessThanOrEqual(MAX_ISSUES);
    expect(message).toMatch(/; and (at least )?\d+ more$/);
    expect(message.length).toBeLessThan(5_000);
  });
});

describe('the message about an issue', () => {
  // The other libraries accept infinity as a number.
  it.each(['Zod 4', 'JSON Schema'])('says that the number 1e400 is too large, %s', async (name) => {
    const input = JSON.parse('{"a":[1e400]}') as Record<string, unknown>;
    const { message } = await explain(sources[name] as SchemaSource, input);
    expect(message).toMatch(/a\.0: .*beyond ±1\.8e308/);
    expect(message).not.toContain('null');
  });

  it('is truncated if a library or an author writes too much', () => {
    const issues = Array.from({ length: 20 }, (_, index) => ({
      path: ['a', index],
      message: 'x'.repeat(1e6),
    }));
    const { message, details } = validationFailed(issues);
    expect(message.length).toBeLessThan(5_000);
    expect(message).toMatch(/; and 13 more$/);
    expect(JSON.stringify(details).length).toBeLessThan(12_000);
  });

  it('shares the effort for suggestions among all unknown fields', () => {
    const fieldNames = Array.from({ length: 2_000 }, (_, index) => `some_rather_long_field_name_${index}`);
    const issues = Array.from({ length: 20 }, (_, index) => ({
      path: [`sme_rathre_long_feild_nmae_${index}`],
      message: 'is not a known field',
    }));
    const suggested = validationFailed(issues, { fieldNames }).message.match(/Did you mean/g) ?? [];
    expect(suggested.length).toBeGreaterThan(0);
    expect(suggested.length).toBeLessThan(20);
  });
});
