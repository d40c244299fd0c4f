import { isJsonObject, mapIn, namesIn } from '@toolfold/schema/internal';
import { inputTypes } from './arbitrary.js';

type Fields = Readonly<Record<string, unknown>>;
type Schema = Readonly<Record<string, unknown>>;

interface Mutation {
  /** Describes the mistake, such as `limit is missing`. */
  readonly what: string;
  readonly apply: (input: Fields) => Fields;
}

const UNKNOWN_FIELD = 'no_such_field';

/** Lists changes that each break one rule of a schema. The caller discards inputs that remain valid. */
export function mutationsOf(
  schema: Schema,
  { isFilled }: { readonly isFilled: boolean },
): readonly Mutation[] {
  const properties = mapIn(schema['properties']);
  const required = namesIn(schema['required']);
  // A server that fills in missing arguments accepts their absence.
  const missing = isFilled ? [] : required.map(without);
  const wrong = Object.entries(properties).flatMap(([name, field]) =>
    isJsonObject(field) ? wrongValues(field).map((value) => set(name, value)) : [],
  );
  const unknown = schema['additionalProperties'] === false ? [set(UNKNOWN_FIELD, 'x')] : [];
  return [...missing, ...wrong, ...unknown];
}

function without(name: string): Mutation {
  return {
    what: `${name} is missing`,
    apply: (input) => Object.fromEntries(Object.entries(input).filter(([key]) => key !== name)),
  };
}

function set(name: string, value: unknown): Mutation {
  return { what: `${name} is ${JSON.stringify(value)}`, apply: (input) => ({ ...input, [name]: value }) };
}

/** Lists values that a field probably rejects: of another type, not in its enum, or out of range. */
function wrongValues(field: Schema): readonly unknown[] {
  const types = new Set(inputTypes(field));
  const { minimum, maximum, minLength, maxLength, minItems } = field;
  return [
    // Avoid text that looks like a number, JSON or a boolean, because servers may convert it.
    ...(types.has('string') ? [] : ['not a valid value']),
    ...(types.has('number') || types.has('integer') ? [] : [987_654]),
    ...(types.has('object') ? [] : [{ wrong: 'type' }]),
    ...(Array.isArray(field['enum']) ? ['not one of the choices'] : []),
    ...(typeof minimum === 'number' ? [minimum - 1] : []),
    ...(typeof maximum === 'number' ? [maximum + 1] : []),
    ...(types.has('integer') && !types.has('number') ? [0.5] : []),
    ...(typeof minLength === 'number' && minLength > 0 ? [''] : []),
    ...(typeof maxLength === 'number' && maxLength < 10_000 ? ['x'.repeat(maxLength + 1)] : []),
    ...(typeof minItems === 'number' && minItems > 0 ? [[]] : []),
  ];
}
