import { compareSchemas, readSchema } from '@toolfold/schema';
import * as z from 'zod';

const before = readSchema(z.object({ city: z.string(), days: z.int().max(14).optional() }));
const after = readSchema({
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer', maximum: 7 } },
  required: ['city'],
});
const result = await after.validate({ city: 'Oslo', days: 'two' });
if (!result.ok) console.log(result.issues[0]);
console.log(compareSchemas(before.jsonSchema, after.jsonSchema).keeps);
