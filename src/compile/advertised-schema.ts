import { ErrInvalidSchema } from '../errors.js';
import type { JsonSchema } from '../schema/json-schema.js';
import type { ReadSchema } from '../schema/read-schema.js';
import { isOpen } from './input-validator.js';
import { typesOf } from './value-types.js';

/**
 * Whether a schema in its own words accepts what the validator accepts cannot be decided for all schemas. What is
 * plain to see is refused: a field that is asked for though the validator does without it, that is not there, that
 * has no place for a type of value, or that does not take a value the other schema names.
 */
export function assertAccepts(advertised: ReadSchema, input: ReadSchema, place: string): void {
  const refuse = (problem: string): never => {
    throw new ErrInvalidSchema(`${place}: ${problem}.`, {
      hint: 'Let it accept what inputSchema accepts, or set metadata.allowNarrower.',
    });
  };
  const surplus = advertised.required.find((field) => !input.required.includes(field));
  if (surplus !== undefined) refuse(`it requires "${surplus}", which inputSchema does not`);
  for (const [name, { schema }] of input.fields ?? []) {
    const own = advertised.fields?.get(name);
    if (!own) {
      const { additionalProperties } = advertised.jsonSchema;
      if (advertised.fields && additionalProperties === false) refuse(`it has no place for "${name}"`);
      continue;
    }
    const types = typesOf(own.schema, advertised.jsonSchema);
    const missing = [...typesOf(schema, input.jsonSchema)].find((type) => !types.has(type));
    if (missing !== undefined) refuse(`"${name}" may be ${missing} in inputSchema, and not here`);
    const refused = namedValues(schema).find(
      (value) => accepts(advertised, name, value) === false && accepts(input, name, value) === true,
    );
    if (refused !== undefined)
      refuse(`"${name}" may be ${JSON.stringify(refused)} in inputSchema, and not here`);
  }
  if (isOpen(input) && advertised.jsonSchema['additionalProperties'] === false)
    refuse('it allows no further fields, which inputSchema does');
}

function namedValues(schema: JsonSchema): unknown[] {
  if (typeof schema === 'boolean') return [];
  const { enum: choices, examples, default: fallback } = schema;
  return [
    ...(Array.isArray(choices) ? choices : []),
    ...(Array.isArray(examples) ? examples : []),
    ...('const' in schema ? [schema['const']] : []),
    ...(fallback === undefined ? [] : [fallback]),
  ];
}

/** Whether a value of one field is found fault with; `undefined` where that takes time to tell. */
function accepts({ validate }: ReadSchema, name: string, value: unknown): boolean | undefined {
  const result = validate({ [name]: value });
  if (result instanceof Promise) {
    result.catch(() => undefined);
    return undefined;
  }
  return result.ok || !result.issues.some(({ path }) => path[0] === name);
}
