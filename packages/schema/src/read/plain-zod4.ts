import { globalRegistry, regexes, util } from 'zod/v4/core';
import type { $ZodType } from 'zod/v4/core';
import type { JsonSchemaObject } from '../values/json-schema.js';
import { deepFreeze } from '../values/json-value.js';
import { toUnicodePattern } from '../patterns/patterns.js';
import { isComputed, UTC } from './zod4.js';

export type Side = 'input' | 'output';

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
const MAX_DEPTH = 8;
const MAX_SUBSCHEMAS = 400;
/** Maximum number of characters in names, descriptions, choices and defaults. The limits of schemas allow far more. */
const MAX_CHARACTERS = 50_000;

/** Thrown for everything that Zod itself has to convert. One object, because most conversions of such schemas would create one. */
const notPlain = new Error('The schema is not plain.');

/**
 * Converts a Zod 4 object of ordinary types to the JSON Schema that Zod's own converter returns, deeply frozen. Zod needs five times
 * as long, which is most of the start of a server with many tools (docs/decisions/0015-speed.md). Returns `undefined` for all other
 * schemas: those with references, code of the author, or anything else that is not handled here.
 */
export function convertPlain(source: $ZodType, side: Side): JsonSchemaObject | undefined {
  if (source._zod.def.type !== 'object') return undefined;
  try {
    const schema = new PlainConversion(side).convert(source, 0);
    return Object.freeze({ $schema: DIALECT, ...schema });
  } catch (error) {
    if (error === notPlain) return undefined;
    throw error;
  }
}

type Json = Record<string, unknown>;

/** The definition of any type that is converted here. */
interface Definition extends Check {
  readonly type: string;
  readonly checks?: readonly { readonly _zod: { readonly def: Check } }[];
  readonly entries: Readonly<Record<string, unknown>>;
  readonly values: readonly unknown[];
  readonly innerType: $ZodType;
  readonly element: $ZodType;
  readonly options: readonly $ZodType[];
  readonly inclusive?: boolean;
  readonly shape: Readonly<Record<string, $ZodType>>;
  readonly catchall?: $ZodType;
  readonly keyType: $ZodType;
  readonly valueType: $ZodType;
  readonly mode?: string;
  readonly defaultValue: unknown;
}

interface Check {
  readonly check?: string;
  readonly format?: string;
  readonly pattern?: RegExp;
  readonly value?: unknown;
  readonly inclusive?: boolean;
  readonly minimum?: unknown;
  readonly maximum?: unknown;
  readonly length?: unknown;
}

/** Types that list the keywords of the type inside, unless they have their own. */
const wrappers = new Set(['optional', 'default', 'readonly']);

/** One conversion, and how much of its limits is left. */
class PlainConversion {
  readonly #side: Side;
  #subschemasLeft = MAX_SUBSCHEMAS;
  #charactersLeft = MAX_CHARACTERS;

  constructor(side: Side) {
    this.#side = side;
  }

  convert(schema: $ZodType, depth: number): Json {
    const { toJSONSchema, parent } = schema._zod;
    if (toJSONSchema || depth > MAX_DEPTH || this.#subschemasLeft-- === 0) throw notPlain;
    let hasMetadata = globalRegistry.has(schema);
    // Zod moves a schema with an id to `$defs`. Refined schemas inherit all other metadata from their parents.
    for (let link = parent; link; link = link._zod.parent) {
      if (!globalRegistry.has(link)) continue;
      hasMetadata = true;
      if (globalRegistry.get(link)?.id !== undefined) throw notPlain;
    }
    const def = schema._zod.def as unknown as Definition;
    const own = this.#keywordsOf(def, depth);
    if (hasMetadata) this.#addMetadata(own, schema);
    if (wrappers.has(def.type)) {
      // The keywords of a wrapper come first, and replace those of the type inside.
      const inner = this.convert(def.innerType, depth + 1);
      for (const key of Object.keys(inner)) if (!(key in own)) own[key] = inner[key];
    }
    compactTypes(own);
    return Object.freeze(own);
  }

  #keywordsOf(def: Definition, depth: number): Json {
    const below = (inner: $ZodType): Json => this.convert(inner, depth + 1);
    switch (def.type) {
      case 'string':
        return convertString(def);
      case 'number':
        return convertNumber(def);
      case 'enum': {
        assertUnchecked(def);
        const texts = Object.values(def.entries);
        for (const text of texts) this.#spend(typeof text === 'string' ? text : undefined);
        if (texts.length === 0) throw notPlain;
        return { type: 'string', enum: Object.freeze(texts) };
      }
      case 'literal':
        assertUnchecked(def);
        return this.#convertLiteral(def.values);
      case 'array': {
        const { minimum, maximum } = sizesOf(def, 'Items');
        return { ...minimum, ...maximum, type: 'array', items: below(def.element) };
      }
      case 'object':
        assertUnchecked(def);
        return this.#convertObject(def, depth);
      default:
        assertUnchecked(def);
    }
    switch (def.type) {
      case 'boolean':
      case 'null':
        return { type: def.type };
      case 'any':
      case 'unknown':
      case 'optional':
        return {};
      case 'readonly':
        return { readOnly: true };
      case 'default':
        return { default: this.#convertDefault(def) };
      case 'nullable':
        return { anyOf: Object.freeze([below(def.innerType), Object.freeze({ type: 'null' })]) };
      case 'union':
        return { [def.inclusive === false ? 'oneOf' : 'anyOf']: Object.freeze(def.options.map(below)) };
      case 'record': {
        const names = below(def.keyType);
        if (def.mode === 'loose' || names['type'] !== 'string' || 'enum' in names || 'const' in names)
          throw notPlain;
        return { type: 'object', propertyNames: names, additionalProperties: below(def.valueType) };
      }
      default:
        throw notPlain;
    }
  }

  #convertObject({ shape, catchall }: Definition, depth: number): Json {
    if (Object.getOwnPropertySymbols(shape).length > 0 || Object.hasOwn(shape, '__proto__')) throw notPlain;
    const properties: Json = {};
    const required: string[] = [];
    const presence = this.#side === 'input' ? 'optin' : 'optout';
    for (const name of Object.keys(shape)) {
      const field = shape[name] as $ZodType;
      this.#spend(name);
      properties[name] = this.convert(field, depth + 1);
      // Zod computes the presence of an optional field when it is read, and stores it in two slow steps.
      if (field._zod.def.type !== 'optional' && field._zod[presence] === undefined) required.push(name);
    }
    const object: Json = { type: 'object', properties: Object.freeze(properties) };
    // The copy has room for these names only, the other list for a dozen more.
    if (required.length > 0) object['required'] = Object.freeze([...required]);
    if (catchall)
      object['additionalProperties'] =
        catchall._zod.def.type === 'never' ? false : this.convert(catchall, depth + 1);
    else if (this.#side === 'output') object['additionalProperties'] = false;
    return object;
  }

  #convertLiteral(values: readonly unknown[]): Json {
    const types = new Set(values.map((value) => (value === null ? 'null' : typeof value)));
    const [type = ''] = types;
    for (const value of values) {
      const isScalar = value === null || typeof value === 'boolean' || Number.isFinite(value);
      this.#spend(isScalar ? String(value) : value);
    }
    if (values.length === 1) return { type, const: values[0] };
    if (values.length === 0) throw notPlain;
    return { ...(types.size === 1 ? { type } : {}), enum: Object.freeze([...values]) };
  }

  #convertDefault(def: Definition): unknown {
    try {
      const text: unknown = JSON.stringify(def.defaultValue);
      if (isComputed(def)) throw notPlain;
      this.#spend(text);
      return deepFreeze(JSON.parse(text as string));
    } catch {
      // Zod reports the error of the author's function with its field.
      throw notPlain;
    }
  }

  #addMetadata(own: Json, schema: $ZodType): void {
    const metadata: Readonly<Record<string, unknown>> | undefined = globalRegistry.get(schema);
    for (const key in metadata) {
      const text = metadata[key];
      if (key !== 'description' && key !== 'title') throw notPlain;
      this.#spend(text);
      own[key] = text;
    }
  }

  /** Counts a text towards the limit. Rejects everything that is no text. */
  #spend(text: unknown): void {
    if (typeof text !== 'string' || (this.#charactersLeft -= text.length + 1) < 0) throw notPlain;
  }
}

/** The type and its checks. A format that is a type of its own, such as `z.email()`, is its first check. */
function checksOf(def: Definition): readonly Check[] {
  const checks = (def.checks ?? []).map(({ _zod }) => _zod.def);
  return def.check === undefined ? checks : [def, ...checks];
}

const isUnchecked = ({ check, checks }: Definition): boolean => check === undefined && !checks?.length;

function assertUnchecked({ checks }: Definition): void {
  if (checks && checks.length > 0) throw notPlain;
}

/** The narrowest sizes of a text or an array. All other checks are passed on. */
function sizesOf(def: Definition, unit: 'Length' | 'Items', onOther: (check: Check) => void = reject) {
  let [low, high] = [-1, Infinity];
  for (const check of checksOf(def)) {
    const { minimum, maximum, length } = check;
    if (check.check === 'min_length') low = Math.max(low, sizeOf(minimum));
    else if (check.check === 'max_length') high = Math.min(high, sizeOf(maximum));
    else if (check.check === 'length_equals') {
      low = Math.max(low, sizeOf(length));
      high = Math.min(high, sizeOf(length));
    } else onOther(check);
  }
  return {
    minimum: low >= 0 ? { [`min${unit}`]: low } : {},
    maximum: high < Infinity ? { [`max${unit}`]: high } : {},
  };
}

function reject(): never {
  throw notPlain;
}

function sizeOf(size: unknown): number {
  if (!Number.isSafeInteger(size) || Number(size) < 0) throw notPlain;
  return Number(size);
}

/** The formats of texts as JSON Schema writes them, and the pattern that Zod gives each. */
const formats: ReadonlyMap<
  string,
  { readonly format: string; readonly pattern?: RegExp; readonly isTold?: true; readonly untold?: string }
> = new Map([
  // The names of these say what their patterns say, so that models need only the name.
  ['email', { format: 'email', pattern: regexes.email, isTold: true }],
  ['uuid', { format: 'uuid', pattern: regexes.uuid(), isTold: true }],
  ['date', { format: 'date', pattern: regexes.date, isTold: true }],
  ['ipv4', { format: 'ipv4', pattern: regexes.ipv4, isTold: true }],
  ['ipv6', { format: 'ipv6', pattern: regexes.ipv6, isTold: true }],
  ['url', { format: 'uri' }],
  ['guid', { format: 'uuid', pattern: regexes.guid }],
  ['datetime', { format: 'date-time', pattern: regexes.datetime({}), untold: UTC }],
]);

function convertString(def: Definition): Json {
  if (isUnchecked(def)) return { type: 'string' };
  let format: string | undefined;
  let pattern: string | undefined;
  const { minimum, maximum } = sizesOf(def, 'Length', (check) => {
    // Trimming and the like do not change what a client may send.
    if (check.check === 'overwrite') return;
    if (check.check !== 'string_format' || format !== undefined || pattern !== undefined) throw notPlain;
    const { source, flags } = check.pattern ?? {};
    if (check.format === 'regex') {
      // JSON Schema has no flags, and rejects some patterns of JavaScript.
      if (source === undefined || flags !== '' || toUnicodePattern(source) === undefined) throw notPlain;
      pattern = source;
      return;
    }
    const known = formats.get(check.format ?? '');
    // An author may replace the pattern of a format.
    if (!known || (source !== undefined && source !== known.pattern?.source)) throw notPlain;
    ({ format } = known);
    if (!known.isTold) pattern = known.untold ?? source;
  });
  return {
    type: 'string',
    ...minimum,
    ...maximum,
    ...(format === undefined ? {} : { format }),
    ...(pattern === undefined ? {} : { pattern }),
  };
}

function convertNumber(def: Definition): Json {
  if (isUnchecked(def)) return { type: 'number' };
  let isInteger = false;
  let [low, high, above, below] = [-Infinity, Infinity, -Infinity, Infinity];
  let multipleOf: number | undefined;
  for (const { check, format = '', value, inclusive } of checksOf(def)) {
    const number = Number.isFinite(value) ? Number(value) : undefined;
    if (check === 'number_format') {
      const range = (util.NUMBER_FORMAT_RANGES as Readonly<Record<string, readonly [number, number]>>)[
        format
      ];
      if (!range) throw notPlain;
      low = Math.max(low, range[0]);
      high = Math.min(high, range[1]);
      isInteger ||= format.includes('int');
    } else if (number === undefined) throw notPlain;
    else if (check === 'greater_than' && inclusive) low = Math.max(low, number);
    else if (check === 'greater_than') above = Math.max(above, number);
    else if (check === 'less_than' && inclusive) high = Math.min(high, number);
    else if (check === 'less_than') below = Math.min(below, number);
    else if (check === 'multiple_of' && multipleOf === undefined && number > 0) multipleOf = number;
    else throw notPlain;
  }
  const json: Json = { type: isInteger ? 'integer' : 'number' };
  // The range of safe integers tells a model nothing.
  if (above > -Infinity && above >= low) json['exclusiveMinimum'] = above;
  else if (low > (isInteger ? Number.MIN_SAFE_INTEGER : -Infinity)) json['minimum'] = low;
  if (below < Infinity && below <= high) json['exclusiveMaximum'] = below;
  else if (high < (isInteger ? Number.MAX_SAFE_INTEGER : Infinity)) json['maximum'] = high;
  if (multipleOf !== undefined) json['multipleOf'] = multipleOf;
  return json;
}

/** Writes alternatives that are nothing but types as a list of types. */
function compactTypes(schema: Json): void {
  const { anyOf } = schema as { readonly anyOf?: readonly Json[] };
  if (!anyOf || schema['type'] !== undefined) return;
  if (!anyOf.every((branch) => 'type' in branch && Object.keys(branch).length === 1)) return;
  const types = [...new Set(anyOf.flatMap((branch) => branch['type'] as string | readonly string[]))];
  delete schema['anyOf'];
  schema['type'] = types.length === 1 ? types[0] : Object.freeze(types);
}
