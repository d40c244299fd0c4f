import { followPointer, isJsonObject, mapIn, namesIn, typesOf } from '@toolfold/schema/internal';
import { numbersFor, stringsFor } from './scalars.js';
import type { Arbitrary, Fc } from './scalars.js';

type Schema = Readonly<Record<string, unknown>>;

interface Place {
  readonly fc: Fc;
  readonly root: Schema;
  readonly depth: number;
}

/** Omits optional parts below this depth, because schemas may be recursive. */
const MAX_DEPTH = 5;
const MAX_ITEMS = 4;

/** Generates values for a JSON Schema. Ignores keywords such as `not` and `if`; the caller discards values that do not match. */
export function arbitraryOf(fc: Fc, schema: unknown): Arbitrary {
  const root = isJsonObject(schema) ? schema : {};
  return from(root, { fc, root, depth: 0 });
}

function from(given: unknown, place: Place): Arbitrary {
  const { fc } = place;
  if (!isJsonObject(given)) return fc.jsonValue({ maxDepth: 1 });
  const schema = resolve(given, place);
  if ('const' in schema) return fc.constant(schema['const']);
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as unknown[]));
  const options = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(options) && options.length > 0) {
    const { anyOf: _, oneOf: __, ...rest } = schema;
    const inner = place.depth > MAX_DEPTH ? options.slice(-1) : options;
    const chosen = inner
      .filter(isJsonObject)
      .map((option) => from(merge(rest, resolve(option, place)), place));
    if (chosen.length > 0) return fc.oneof(...chosen);
  }
  const typed = ofTypes(schema, place);
  // Values from the author reach further than random ones: an example may be the id of an existing object.
  const written = writtenIn(schema);
  return written.length === 0
    ? typed
    : fc.oneof({ weight: 2, arbitrary: typed }, { weight: 1, arbitrary: fc.constantFrom(...written) });
}

function writtenIn(schema: Schema): readonly unknown[] {
  const examples = Array.isArray(schema['examples']) ? (schema['examples'] as unknown[]) : [];
  return 'default' in schema ? [...examples, schema['default']] : examples;
}

function ofTypes(schema: Schema, place: Place): Arbitrary {
  const { fc } = place;
  const types = inputTypes(schema);
  if (types.length === 0) return fc.jsonValue({ maxDepth: 1 });
  return fc.oneof(...types.map((type) => ofType(type, schema, place)));
}

/** Returns the types of a schema. Without `type`, returns those that its keywords apply to. */
export function inputTypes(schema: Schema): readonly string[] {
  const types = typesOf(schema);
  if (types) return types;
  if ('properties' in schema || 'required' in schema) return ['object'];
  if ('items' in schema || 'prefixItems' in schema) return ['array'];
  if ('pattern' in schema || 'minLength' in schema || 'maxLength' in schema || 'format' in schema)
    return ['string'];
  return 'minimum' in schema || 'maximum' in schema || 'multipleOf' in schema ? ['number'] : [];
}

function ofType(type: string, schema: Schema, place: Place): Arbitrary {
  const { fc } = place;
  if (type === 'string') return stringsFor(fc, schema);
  if (type === 'integer' || type === 'number') return numbersFor(fc, schema, type === 'integer');
  if (type === 'boolean') return fc.boolean();
  if (type === 'array') return arraysFor(schema, place);
  if (type === 'object') return objectsFor(schema, place);
  return fc.constant(null);
}

function arraysFor(schema: Schema, place: Place): Arbitrary {
  const { fc } = place;
  const below = { ...place, depth: place.depth + 1 };
  const minLength = countOf(schema['minItems'], 0);
  const room = place.depth >= MAX_DEPTH ? 0 : MAX_ITEMS;
  const maxLength = Math.max(minLength, Math.min(countOf(schema['maxItems'], Infinity), minLength + room));
  // Stop here, because items of a recursive schema would recurse without end.
  if (maxLength === 0) return fc.constant([]);
  const first = schema['prefixItems'] ?? (Array.isArray(schema['items']) ? schema['items'] : undefined);
  if (Array.isArray(first)) return fc.tuple(...first.map((item) => from(item, below)));
  const items = from(schema['items'], below);
  if (schema['uniqueItems'] === true)
    return fc.uniqueArray(items, { minLength, maxLength, selector: (item) => JSON.stringify(item) });
  return fc.array(items, { minLength, maxLength });
}

function objectsFor(schema: Schema, place: Place): Arbitrary {
  const { fc } = place;
  const below = { ...place, depth: place.depth + 1 };
  const properties = mapIn(schema['properties']);
  const required = namesIn(schema['required']);
  const isDeep = place.depth >= MAX_DEPTH;
  const fields = Object.entries(properties).filter(([name]) => !isDeep || required.includes(name));
  const undeclared = required.filter((name) => !Object.hasOwn(properties, name));
  const model = Object.fromEntries([
    ...fields.map(([name, field]) => [name, from(field, below)] as const),
    ...undeclared.map((name) => [name, from(schema['additionalProperties'], below)] as const),
  ]);
  const declared = fc.record(model, { requiredKeys: [...required], noNullPrototype: true });
  const { additionalProperties: others } = schema;
  // Most servers reject undeclared arguments, even if the schema allows them.
  const isOpen = fields.length === 0 && others !== false && !isDeep && place.depth > 0;
  if (!isOpen && !isJsonObject(others)) return declared;
  const more = fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), from(others, below), {
    minKeys: Math.max(0, countOf(schema['minProperties'], 0) - required.length),
    maxKeys: isDeep ? 0 : 3,
    noNullPrototype: true,
  });
  return fc.tuple(declared, more).map(([known, added]) => ({ ...added, ...(known as object) }));
}

/** Resolves `$ref` and merges the parts of `allOf`. */
function resolve(schema: Schema, { root }: Place): Schema {
  let current = schema;
  for (
    let step = 0;
    step < 20 && (typeof current['$ref'] === 'string' || Array.isArray(current['allOf']));
    step++
  ) {
    const { $ref, allOf, ...rest } = current;
    const target = typeof $ref === 'string' ? followPointer(root, $ref) : undefined;
    const parts = [
      ...(isJsonObject(target) ? [target] : []),
      ...(Array.isArray(allOf) ? allOf.filter(isJsonObject) : []),
    ];
    current = parts.reduce<Schema>(merge, rest);
  }
  return current;
}

function merge(one: Schema, other: Schema): Schema {
  const properties = {
    ...mapIn(one['properties']),
    ...mapIn(other['properties']),
  };
  const required = [...namesIn(one['required']), ...namesIn(other['required'])];
  return {
    ...one,
    ...other,
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required: [...new Set(required)] } : {}),
  };
}

function countOf(value: unknown, otherwise: number): number {
  return typeof value === 'number' && value >= 0 ? value : otherwise;
}
