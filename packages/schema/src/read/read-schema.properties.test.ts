import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { readSchema } from './read-schema.js';
import { runs } from '../../../../test/runs.js';
import { json } from '../../test/read-schema-setup.js';

describe('any object schema', () => {
  const field = fc.constantFrom(
    z.string(),
    z.number().int(),
    z.boolean().optional(),
    z.enum(['a', 'b']).default('a'),
    z.array(z.string()).nullable(),
    z.object({ x: z.number() }).optional(),
    z.union([z.string(), z.number()]),
  );
  const value = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(fc.string()),
    fc.constantFrom('a', 'b'),
  );

  it('has a JSON Schema that accepts every value the library accepts', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('a', 'b', 'constructor', 'toString'), field, { minKeys: 1 }),
        fc.dictionary(fc.constantFrom('a', 'b', 'constructor', 'toString'), value),
        (shape, data) => {
          const schema = readSchema(z.object(shape));
          const result = schema.validate(data);
          const described = readSchema(json(schema)).validate(data);
          if ('ok' in result && result.ok) expect(described).toMatchObject({ ok: true });
        },
      ),
      { numRuns: runs(300) },
    );
  });
});
