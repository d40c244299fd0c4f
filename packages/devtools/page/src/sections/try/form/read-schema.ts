import { mergeAll } from './merge-schemas.js';
import type { ArrayField, Field, FieldBase, Json, RawField, UnionField } from './field.js';
import { isRecord } from './json.js';
import type { JsonObject } from './json.js';
import { labelOption } from './option-label.js';

/** Rules that the form leaves to the server. A pattern may take exponential time, so it is never run here. */
const uncheckedKeywords: Readonly<Record<string, string>> = {
  not: 'excluded values',
  if: 'conditions',
  dependentRequired: 'fields that depend on others',
  dependentSchemas: 'fields that depend on others',
  dependencies: 'fields that depend on others',
  contains: 'items that must occur',
  patternProperties: 'names by pattern',
  propertyNames: 'names of entries',
  unevaluatedProperties: 'further entries',
  unevaluatedItems: 'further items',
  pattern: 'the pattern',
};

/** Turns the schemas of one document into fields. Fields of recursive schemas are made when they are shown. */
class SchemaReader {
  readonly #root: JsonObject;
  readonly #fields = new WeakMap<object, Field>();

  constructor(root: JsonObject) {
    this.#root = root;
  }

  read(schema: unknown): Field {
    if (schema === true || schema === undefined) return anything();
    if (!isRecord(schema))
      return { ...anything(), isAnything: false, isForbidden: true, reason: 'No value is allowed here.' };
    const known = this.#fields.get(schema);
    if (known) return known;
    const field = this.#create(schema);
    this.#fields.set(schema, field);
    return field;
  }

  #lazy(schema: unknown): () => Field {
    return () => this.read(schema);
  }

  #create(given: JsonObject): Field {
    const merged = mergeAll(given, this.#root);
    if (!merged.ok) return { ...anything(), isAnything: false, reason: merged.problem };
    const { schema, isNullable } = withoutNull(merged.schema);
    const base: FieldBase = {
      title: textOf(schema['title']),
      description: textOf(schema['description']),
      default: schema['default'] as Json | undefined,
      examples: Array.isArray(schema['examples']) ? (schema['examples'] as Json[]) : [],
      isDeprecated: schema['deprecated'] === true,
      isNullable,
      unchecked: Object.keys(uncheckedKeywords)
        .filter((keyword) => keyword in schema)
        .map((keyword) => uncheckedKeywords[keyword] ?? keyword),
    };
    if ('const' in schema) return { ...base, kind: 'const', value: schema['const'] as Json };
    if (Array.isArray(schema['enum'])) return toChoice(base, schema['enum'] as Json[], schema);
    const alternatives = schema['oneOf'] ?? schema['anyOf'];
    if (Array.isArray(alternatives)) return this.#readUnion(base, schema, alternatives);
    return this.#readType(base, schema);
  }

  #readUnion(base: FieldBase, schema: JsonObject, alternatives: readonly unknown[]): Field {
    const isExclusive = schema['oneOf'] !== undefined;
    if (isExclusive && schema['anyOf'] !== undefined)
      return {
        ...base,
        kind: 'raw',
        isAnything: false,
        reason: 'The schema combines alternatives in two ways.',
      };
    // Annotations belong to the union. The other keywords apply to each alternative.
    const {
      oneOf: _,
      anyOf: __,
      title: ___,
      description: ____,
      default: _____,
      examples: ______,
      ...shared
    } = schema;
    const consts = alternatives.filter(isConst);
    if (consts.length === alternatives.length && consts.length > 0)
      return {
        ...base,
        kind: 'choice',
        options: consts
          .filter((option) => fits(option['const'] as Json, schema['type']))
          .map((option) => ({
            value: option['const'] as Json,
            label: textOf(option['title']) ?? labelOf(option['const'] as Json),
          })),
      };
    const options = alternatives.map((option) => combine(shared, option));
    const [only] = options;
    if (options.length === 1 && isRecord(only)) {
      const field = this.read(only);
      return {
        ...field,
        title: base.title ?? field.title,
        description: base.description ?? field.description,
        isNullable: base.isNullable || field.isNullable,
      };
    }
    return {
      ...base,
      kind: 'union',
      isExclusive,
      options: options.map((option, index) => ({
        label: labelOption(option, index, this.#root),
        field: this.#lazy(option),
      })),
    } satisfies UnionField;
  }

  #readType(base: FieldBase, schema: JsonObject): Field {
    const type = typeOf(schema);
    if (Array.isArray(type)) return this.#readTypes(base, schema, type);
    if (type === 'string') return toText(base, schema);
    if (type === 'number' || type === 'integer')
      return {
        ...base,
        kind: 'number',
        isInteger: type === 'integer',
        minimum: numberOf(schema['minimum']),
        maximum: numberOf(schema['maximum']),
        exclusiveMinimum: numberOf(schema['exclusiveMinimum']),
        exclusiveMaximum: numberOf(schema['exclusiveMaximum']),
        multipleOf: numberOf(schema['multipleOf']),
      };
    if (type === 'boolean') return { ...base, kind: 'boolean' };
    if (type === 'null') return { ...base, kind: 'const', value: null, isNullable: false };
    if (type === 'object') return this.#readObject(base, schema);
    if (type === 'array') return this.#readArray(base, schema);
    return { ...base, kind: 'raw', isAnything: Object.keys(schema).every((key) => annotations.has(key)) };
  }

  /** Converts a list of types to a union. */
  #readTypes(base: FieldBase, schema: JsonObject, types: readonly unknown[]): UnionField {
    const { title: _, description: __, default: ___, examples: ____, ...rest } = schema;
    return {
      ...base,
      kind: 'union',
      isExclusive: false,
      options: types.map((type) => ({ label: String(type), field: this.#lazy({ ...rest, type }) })),
    };
  }

  #readObject(base: FieldBase, schema: JsonObject): Field {
    const properties = isRecord(schema['properties']) ? schema['properties'] : {};
    const required = Array.isArray(schema['required']) ? schema['required'].map(String) : [];
    const additional = schema['additionalProperties'];
    const names = [
      ...Object.keys(properties),
      // An undeclared required field has the schema of additional entries.
      ...required.filter((name) => !Object.hasOwn(properties, name)),
    ];
    if (names.length > MAX_DRAWN) return tooMany(base, names.length, 'fields');
    return {
      ...base,
      kind: 'object',
      properties: [...new Set(names)].map((name) => ({
        name,
        isRequired: required.includes(name),
        field: this.#lazy(Object.hasOwn(properties, name) ? properties[name] : (additional ?? true)),
      })),
      additional: additional === false ? false : this.#lazy(additional ?? true),
      isRecord: additional !== false && (additional !== undefined || names.length === 0),
      minProperties: numberOf(schema['minProperties']),
      maxProperties: numberOf(schema['maxProperties']),
    };
  }

  #readArray(base: FieldBase, schema: JsonObject): ArrayField {
    const { prefixItems, items, additionalItems } = schema;
    const first = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
    const rest = Array.isArray(items) ? additionalItems : items;
    return {
      ...base,
      kind: 'array',
      first: first.map((item: unknown) => this.#lazy(item)),
      rest: rest === false ? false : this.#lazy(rest ?? true),
      minItems: numberOf(schema['minItems']),
      maxItems: numberOf(schema['maxItems']),
      isUnique: schema['uniqueItems'] === true,
    };
  }
}

const annotations = new Set([
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  '$comment',
  '$schema',
]);

/** Converts a whole schema to a field. */
export function readSchema(schema: JsonObject): Field {
  return new SchemaReader(schema).read(schema);
}

function anything(): RawField {
  return {
    kind: 'raw',
    isAnything: true,
    examples: [],
    isDeprecated: false,
    isNullable: false,
    unchecked: [],
  };
}

/** Merges an alternative with the keywords beside the union. */
function combine(shared: JsonObject, option: unknown): unknown {
  if (Object.keys(shared).every((key) => key.startsWith('$') || key === 'definitions')) return option;
  if (option === true) return shared;
  if (!isRecord(option)) return option;
  return { ...('title' in option ? { title: option['title'] } : {}), allOf: [shared, option] };
}

/** Whether an alternative is one fixed value, which is how choices with titles are written. */
function isConst(option: unknown): option is JsonObject {
  return (
    isRecord(option) &&
    'const' in option &&
    Object.keys(option).every((key) => key === 'const' || key === 'type' || annotations.has(key))
  );
}

/** Separates `null` from the other values that a schema accepts. */
function withoutNull(schema: JsonObject): { readonly schema: JsonObject; readonly isNullable: boolean } {
  const { type, enum: values, anyOf, oneOf } = schema;
  if (Array.isArray(type) && type.includes('null') && type.length > 1) {
    const types = type.filter((each) => each !== 'null');
    const others = Array.isArray(values) ? { enum: values.filter((value) => value !== null) } : {};
    const isNullable = !Array.isArray(values) || values.includes(null);
    return { schema: { ...schema, type: types.length === 1 ? types[0] : types, ...others }, isNullable };
  }
  for (const [key, options] of [
    ['anyOf', anyOf],
    ['oneOf', oneOf],
  ] as const) {
    if (!Array.isArray(options) || options.length < 2 || options.filter(isNull).length !== 1) continue;
    // With `oneOf`, null must match exactly one alternative, which only the server can check.
    if (type === undefined)
      return { schema: { ...schema, [key]: options.filter((each) => !isNull(each)) }, isNullable: true };
  }
  return { schema, isNullable: false };
}

function isNull(schema: unknown): boolean {
  return isRecord(schema) && (schema['type'] === 'null' || schema['const'] === null);
}

/** Maximum number of fields or values that a form shows, because browsers freeze with more. */
const MAX_DRAWN = 500;

function tooMany(base: FieldBase, count: number, what: string): Field {
  const reason = `The schema has ${count.toLocaleString('en')} ${what}, which are too many for a form.`;
  return { ...base, kind: 'raw', isAnything: false, reason };
}

function toChoice(base: FieldBase, values: readonly Json[], schema: JsonObject): Field {
  const names = Array.isArray(schema['enumNames']) ? schema['enumNames'] : [];
  const fitting = values.filter((value) => fits(value, schema['type']));
  if (fitting.length > MAX_DRAWN) return tooMany(base, fitting.length, 'values');
  return {
    ...base,
    kind: 'choice',
    options: fitting.map((value, index) => ({
      value,
      label: textOf(names[index]) ?? labelOf(value),
    })),
  };
}

function fits(value: Json, type: unknown): boolean {
  if (type === undefined) return true;
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  const own = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  return types.includes(own) || (types.includes('integer') && Number.isInteger(value));
}

export function labelOf(value: Json): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}

const base64Formats = new Set(['byte', 'binary']);
const longFormats = new Set(['markdown', 'multiline', 'textarea', 'html', 'code']);
/** A text gets several lines if its `maxLength` is greater. */
const LONG = 200;

function toText(base: FieldBase, schema: JsonObject): Field {
  const format = textOf(schema['format']);
  const limits = { minLength: numberOf(schema['minLength']), maxLength: numberOf(schema['maxLength']) };
  if (schema['contentEncoding'] === 'base64' || base64Formats.has(format ?? ''))
    return { ...base, kind: 'file', mediaType: textOf(schema['contentMediaType']), ...limits };
  const { maxLength } = limits;
  return {
    ...base,
    kind: 'text',
    format,
    isMultiline:
      longFormats.has(format ?? '') ||
      (format === undefined && maxLength !== undefined && maxLength > LONG) ||
      'contentMediaType' in schema,
    isSecret: format === 'password' || schema['writeOnly'] === true,
    ...limits,
    pattern: textOf(schema['pattern']),
  };
}

/** Returns the type of a schema. Infers it from other keywords if `type` is missing. */
function typeOf(schema: JsonObject): unknown {
  const { type } = schema;
  if (Array.isArray(type) && type.length === 1) return type[0];
  if (type !== undefined) return type;
  if ('properties' in schema) return 'object';
  if ('items' in schema || 'prefixItems' in schema) return 'array';
  return undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
