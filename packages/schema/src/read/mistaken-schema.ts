import { ErrInvalidSchema } from '../errors.js';
import { describeValue, isPromise } from '../values/describe-value.js';
import { isJsonObject } from '../values/json-value.js';

/** The ways in which authors mistakenly write types where a schema belongs, with what they mean in Zod and in JSON Schema. */
const types: ReadonlyMap<unknown, readonly [zod: string, json: string]> = new Map<unknown, [string, string]>([
  ['string', ['z.string()', 'string']],
  ['number', ['z.number()', 'number']],
  ['integer', ['z.int()', 'integer']],
  ['boolean', ['z.boolean()', 'boolean']],
  ['array', ['z.array(…)', 'array']],
  ['object', ['z.object({ … })', 'object']],
  [String, ['z.string()', 'string']],
  [Number, ['z.number()', 'number']],
  [Boolean, ['z.boolean()', 'boolean']],
  [Array, ['z.array(…)', 'array']],
  [Object, ['z.object({ … })', 'object']],
]);

/** Throws for values that are not a schema of any kind. */
export function assertSchemaLike(source: unknown): asserts source is Record<string, unknown> {
  if (typeof source === 'function')
    throw notASchema(source, `Call it, and pass what it returns: ${source.name || 'create'}().`);
  if (isPromise(source)) throw notASchema(source, 'Write await in front of it.');
  if (!isJsonObject(source))
    throw notASchema(
      source,
      'Pass a Zod schema, a Standard Schema with JSON Schema, a raw shape of Zod schemas, or JSON Schema.',
    );
}

/** Throws for an object that names types as neither Zod nor JSON Schema does, such as `{ a: 'string' }`. */
export function assertNamesNoTypes(source: Readonly<Record<string, unknown>>): void {
  if (structural.some((keyword) => Object.hasOwn(source, keyword))) return;
  for (const [field, value] of Object.entries(source)) {
    const type = texts.has(field) ? undefined : typeOf(value);
    if (type) throw mistakenShape(field, value, type);
  }
}

/** An object with one of these keywords is JSON Schema. */
const structural = [
  'type',
  'properties',
  '$ref',
  '$schema',
  '$defs',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'enum',
  'const',
];

/** Keywords of JSON Schema that may be text such as "string". */
const texts: ReadonlySet<string> = new Set(['title', 'description', '$comment', 'default', 'format', '$id']);

/** Recognizes the type that a value names: `'string'`, `String` or `{ type: 'string' }`. */
function typeOf(value: unknown): readonly [zod: string, json: string] | undefined {
  return types.get(isJsonObject(value) ? value['type'] : value);
}

function notASchema(source: unknown, hint: string): ErrInvalidSchema {
  return new ErrInvalidSchema(`${capitalize(describeValue(source))} is not a schema.`, { hint });
}

function mistakenShape(
  field: string,
  value: unknown,
  [zod, json]: readonly [zod: string, json: string],
): ErrInvalidSchema {
  return new ErrInvalidSchema(`The field "${field}" is ${describeValue(value)}, which is not a schema.`, {
    hint:
      `Write { ${field}: ${zod} }, or in JSON Schema ` +
      `{ type: 'object', properties: { ${field}: { type: '${json}' } } }.`,
    details: { field },
  });
}

/** Returns the error for a raw shape with a value that is no Zod schema, or one of another Zod version. */
export function mixedShape(field: string, value: unknown): ErrInvalidSchema {
  const type = typeOf(value);
  const given = value === 'a schema of Zod 3' ? value : describeValue(value);
  return new ErrInvalidSchema(
    `The raw shape mixes Zod schemas with something else at "${field}", which is ${given}.`,
    {
      hint: type ? `Write ${field}: ${type[0]}.` : 'Use schemas of the same Zod version for all fields.',
      details: { field },
    },
  );
}

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
