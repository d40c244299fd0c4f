import type { JsonSchema, JsonSchemaObject } from '../values/json-schema.js';
import { defaultSchemaLimits, isSchema, schemasIn } from '../values/json-schema.js';
import { isJsonObject, canonicalJson } from '../values/json-value.js';
import { mapIn, typesOf } from '../visit/own-facts.js';
import { surveySchema } from '../check/survey-schema.js';
import type { SchemaSurvey } from '../check/survey-schema.js';

/** A field of an object schema. */
export interface SchemaField {
  /** The name of the property. */
  readonly name: string;
  /** The schema of the field. Its references are relative to the whole schema. */
  readonly schema: JsonSchema;
  /** Whether the field must be given. */
  readonly required: boolean;
}

type SchemaFields = ReadonlyMap<string, SchemaField>;

/**
 * The fields of an object schema in order of declaration, including those of references and compositions. A field of a union is
 * required if every branch requires it. `undefined` if the schema does not describe objects.
 */
export function schemaFields(
  schema: JsonSchema,
  survey: SchemaSurvey = surveySchema(schema, defaultSchemaLimits),
): SchemaFields | undefined {
  return collect(schema, survey, new Set());
}

/** The names of the fields that must be given. */
export function requiredFields(fields: SchemaFields | undefined): string[] {
  return [...(fields?.values() ?? [])].filter((field) => field.required).map((field) => field.name);
}

/** A field that only some branches declare is `partial`: the other branches accept any value for it. */
type Fields = Map<string, SchemaField & { readonly partial?: boolean }>;

function collect(
  schema: JsonSchema,
  survey: SchemaSurvey,
  above: ReadonlySet<JsonSchema>,
): Fields | undefined {
  if (typeof schema === 'boolean' || above.has(schema)) return undefined;
  if (!composing.some((keyword) => keyword in schema)) return ownFields(schema);
  const inside = new Set([...above, schema]);
  const targets = (survey.places.get(schema)?.references ?? []).map(({ target }) =>
    collect(target, survey, inside),
  );
  // Draft-07 ignores keywords beside a reference.
  const parts =
    targets.length > 0 && survey.dialect === 'draft-07' ? targets : [ownFields(schema), ...targets];
  if (parts !== targets) {
    for (const part of schemasIn(schema['allOf'])) parts.push(collect(part, survey, inside));
    for (const keyword of ['anyOf', 'oneOf']) {
      const branches = schemasIn(schema[keyword]);
      if (branches.length > 0) parts.push(unite(branches.map((branch) => collect(branch, survey, inside))));
    }
    for (const part of conditionalParts(schema)) {
      const fields = collect(part, survey, inside);
      // A condition may hold or not, so its fields are united like those of one branch of two.
      if (fields) parts.push(unite([fields, new Map()]));
    }
  }
  const known = parts.filter((part) => part !== undefined);
  return known.length === 0 ? undefined : known.reduce(intersect);
}

/** Keywords that add fields of other schemas. */
const composing = [
  '$ref',
  '$dynamicRef',
  'allOf',
  'anyOf',
  'oneOf',
  'then',
  'else',
  'dependentSchemas',
  'dependencies',
];

/** Whether the fields of a schema are its properties, so that their names need not be collected. */
export function hasOnlyProperties(schema: JsonSchemaObject): boolean {
  const { type, properties, required } = schema;
  if (type !== 'object' || !isJsonObject(properties) || composing.some((keyword) => keyword in schema))
    return false;
  return !Array.isArray(required) || required.every((name: string) => Object.hasOwn(properties, name));
}

function ownFields(schema: JsonSchemaObject): Fields | undefined {
  const isObject = typesOf(schema)?.includes('object') === true;
  if (!isObject && !isJsonObject(schema['properties']) && !Array.isArray(schema['required']))
    return undefined;
  const fields: Fields = new Map();
  const required = Array.isArray(schema['required']) ? (schema['required'] as string[]) : [];
  for (const [name, property] of Object.entries(mapIn(schema['properties']))) {
    fields.set(name, { name, schema: property as JsonSchema, required: required.includes(name) });
  }
  for (const name of required)
    if (!fields.has(name)) fields.set(name, { name, schema: true, required: true });
  return fields;
}

/** Returns the fields of `allOf`. A field is required if either side requires it, and its value must match both. */
function intersect(left: Fields, right: Fields): Fields {
  const fields: Fields = new Map(left);
  for (const [name, field] of right) {
    const other = fields.get(name);
    if (!other) fields.set(name, field);
    else {
      const required = other.required || field.required;
      const binding = [other, field].filter(({ partial }) => !partial);
      fields.set(name, {
        ...join('allOf', binding.length > 0 ? binding : [other, field], required),
        partial: binding.length === 0,
      });
    }
  }
  return fields;
}

/** Returns the fields of `anyOf` or `oneOf`. A branch that describes no object adds no fields and requires none. */
function unite(branches: readonly (Fields | undefined)[]): Fields | undefined {
  if (branches.every((branch) => branch === undefined)) return undefined;
  const fields: Fields = new Map();
  for (const name of new Set(branches.flatMap((branch) => [...(branch?.keys() ?? [])]))) {
    const variants = branches.map((branch) => branch?.get(name)).filter((field) => field !== undefined);
    const inAll = variants.length === branches.length;
    const required = inAll && variants.every((field) => field.required);
    const partial = !inAll || variants.some((field) => field.partial);
    fields.set(name, { ...join('anyOf', variants, required), partial });
  }
  return fields;
}

function join(keyword: 'allOf' | 'anyOf', fields: readonly SchemaField[], required: boolean): SchemaField {
  // In `allOf`, a schema that accepts everything has no effect.
  const telling = keyword === 'allOf' ? fields.filter(({ schema }) => schema !== true) : fields;
  const different = new Map(telling.map(({ schema }) => [canonicalJson(schema), schema]));
  const [schema = true, ...others] = different.values();
  const name = fields[0]?.name ?? '';
  return { name, required, schema: others.length === 0 ? schema : { [keyword]: [schema, ...others] } };
}

/** Returns the schemas that apply under a condition: `then`, `else` and those of `dependentSchemas` or `dependencies`. */
function conditionalParts(schema: JsonSchemaObject): JsonSchema[] {
  const dependent = ['dependentSchemas', 'dependencies'].flatMap((keyword) =>
    isJsonObject(schema[keyword]) ? Object.values(schema[keyword]) : [],
  );
  return [schema['then'], schema['else'], ...dependent].filter(isSchema);
}
