import fc from 'fast-check';
import { expect, it } from 'vitest';
import * as z from 'zod';
import type { ZodType } from 'zod';
import { ToolRegistry } from '../index.js';
import { profileNames } from '../profiles/profile.js';
import { loweringOf } from './wire-tools.js';

const scalar: fc.Arbitrary<ZodType> = fc.constantFrom<ZodType>(
  z.string(),
  z.string().min(1).max(9),
  z.email(),
  z.int().positive(),
  z.number().gt(0).lt(9).multipleOf(0.5),
  z.boolean(),
  z.enum(['a', 'b', '']),
  z.literal(5),
  z.literal([1, 'a', null, true]),
  z.literal(null),
);
const field = fc.letrec<{ any: ZodType }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3 },
    scalar,
    tie('any').map((inner) => inner.nullable()),
    tie('any').map((inner) => inner.optional()),
    tie('any').map((inner) => z.array(inner)),
    fc
      .dictionary(fc.constantFrom('a', 'b-c', 'd_9'), tie('any'), { maxKeys: 2 })
      .map((shape) => z.object(shape)),
  ),
})).any;
const shapes = fc.dictionary(fc.constantFrom('x', 'y-z', 'constructor', 'w_1'), field, { maxKeys: 4 });

it('translates the arguments of a plain tool only if its call is forwarded, in every profile', () => {
  fc.assert(
    fc.property(shapes, fc.constantFrom(...profileNames), (shape, profile) => {
      const registry = new ToolRegistry().register({
        name: 'plain',
        description: 'Plain',
        inputSchema: z.object(shape),
        handler: () => 'done',
      });
      const tool = registry.view({ profile }).tools.get('plain');
      if (!tool?.isPlain || tool.forward) return;
      expect(loweringOf(tool.tool, profile).decode).toBeUndefined();
    }),
    { numRuns: 400 },
  );
});
