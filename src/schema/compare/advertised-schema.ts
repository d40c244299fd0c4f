import { ErrInvalidSchema, ToolfoldError } from '../../errors.js';
import { defaultSchemaLimits } from '../../values/json-schema.js';
import type { JsonSchema, JsonSchemaObject } from '../../values/json-schema.js';
import { canonicalJson } from '../../values/json-value.js';
import { normalizeSchema } from '../check/normal-schema.js';
import type { NormalSchema } from '../check/normal-schema.js';
import type { ReadSchema } from '../read/read-schema.js';
import { isOpen } from '../validate/input-validator.js';
import { SchemaComparison } from './schema-comparison.js';

/**
 * Throws unless it is plain that a schema in an author's own words accepts whatever the validator accepts. In doubt
 * it throws: the author can widen the schema, or say that it need not. A schema that only the author's own
 * `SchemaValidator` can read is not compared.
 */
export function assertAccepts(advertised: ReadSchema, input: ReadSchema, place: string): void {
  const problem = findProblem(advertised, input);
  if (problem === undefined) return;
  throw new ErrInvalidSchema(`${place}: ${problem}, and inputSchema is not so narrow.`, {
    hint: 'Let it accept what inputSchema accepts, or set metadata.allowNarrower.',
  });
}

function findProblem(advertised: ReadSchema, input: ReadSchema): string | undefined {
  if (canonicalJson(advertised.jsonSchema) === canonicalJson(input.jsonSchema)) return undefined;
  const [outer, inner] = [normalize(advertised.jsonSchema), normalize(input.jsonSchema)];
  if (!outer || !inner) return undefined;
  const facts: JsonSchema[] = [inner.root, { type: 'object' }];
  // Fields that are not declared do not reach the validator.
  if (!isOpen(input)) {
    const known = Array.from(input.fields ?? [], ([name]): [string, JsonSchema] => [name, true]);
    facts.push({ properties: Object.fromEntries(known), additionalProperties: false });
  }
  return new SchemaComparison(outer, inner).findNarrower(outer.root, facts);
}

/** Sorted, so that references are numbered alike in schemas that say the same in another order. */
function normalize(schema: JsonSchemaObject): NormalSchema | undefined {
  try {
    const sorted = JSON.parse(canonicalJson(schema)) as JsonSchemaObject;
    return normalizeSchema(sorted, { limits: defaultSchemaLimits, formats: true });
  } catch (error) {
    // A validator that was handed in may understand what is strange here.
    if (error instanceof ToolfoldError) return undefined;
    throw error;
  }
}
