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
 * Throws unless the advertised schema certainly accepts every value that the validator accepts. If in doubt it throws,
 * because the author can widen the schema or set `allowNarrower`. Schemas that only the author's own `SchemaValidator` can
 * read are not compared.
 */
export function assertAccepts(advertised: ReadSchema, input: ReadSchema, place: string): void {
  const problem = findProblem(advertised, input);
  if (problem === undefined) return;
  throw new ErrInvalidSchema(`${place}: ${problem}, but inputSchema accepts more.`, {
    hint: 'Widen it until it accepts everything that inputSchema accepts, or set metadata.allowNarrower.',
  });
}

function findProblem(advertised: ReadSchema, input: ReadSchema): string | undefined {
  if (canonicalJson(advertised.jsonSchema) === canonicalJson(input.jsonSchema)) return undefined;
  const [outer, inner] = [normalize(advertised.jsonSchema), normalize(input.jsonSchema)];
  if (!outer || !inner) return undefined;
  const facts: JsonSchema[] = [inner.root, { type: 'object' }];
  // Undeclared fields never reach the validator.
  if (!isOpen(input)) {
    const known = Array.from(input.fields ?? [], ([name]): [string, JsonSchema] => [name, true]);
    facts.push({ properties: Object.fromEntries(known), additionalProperties: false });
  }
  return new SchemaComparison(outer, inner).findNarrower(outer.root, facts);
}

/** Sorts the keys first, so that equal schemas with keys in another order number their references equally. */
function normalize(schema: JsonSchemaObject): NormalSchema | undefined {
  try {
    const sorted = JSON.parse(canonicalJson(schema)) as JsonSchemaObject;
    return normalizeSchema(sorted, { limits: defaultSchemaLimits, formats: true });
  } catch (error) {
    // The author's own validator may understand a schema that is not supported here.
    if (error instanceof ToolfoldError) return undefined;
    throw error;
  }
}
