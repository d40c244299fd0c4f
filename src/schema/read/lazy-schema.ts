import { globalRegistry, regexes } from 'zod/v4/core';
import type { $ZodCheck, $ZodObjectDef, $ZodType } from 'zod/v4/core';
import type { ZodType } from 'zod';
import { isPromise } from '../../values/describe-value.js';
import { isJsonObject } from '../../values/json-value.js';
import type { ReadSchema, SchemaSource } from './read-schema.js';
import { isZod4 } from './zod4.js';

/**
 * A schema that is converted on first use, because a server with many tools would otherwise spend most of its start on tools that
 * are never called. Only for plain schemas, whose conversion cannot fail: all others are converted when they are registered, so
 * that a mistake in them is reported there.
 */
export class LazySchema implements ReadSchema {
  readonly vendor = 'zod';
  /** Whether a field may hold an object or an array. */
  readonly hasNested: boolean;
  /** Whether the arguments of some client may have another form, apart from OpenAI's strict mode, where all of them may. */
  readonly mayTranslate: boolean;
  readonly #shape: Shape;
  readonly #read: () => ReadSchema;
  #known: ReadSchema | undefined;

  constructor({ hasNested, mayTranslate, shape }: PlainSchema, read: () => ReadSchema) {
    this.hasNested = hasNested;
    this.mayTranslate = mayTranslate;
    this.#shape = shape;
    this.#read = read;
    Object.freeze(this);
  }

  get jsonSchema(): ReadSchema['jsonSchema'] {
    return this.#now.jsonSchema;
  }

  get fields(): ReadSchema['fields'] {
    return this.#now.fields;
  }

  get required(): ReadSchema['required'] {
    return this.#now.required;
  }

  get stripsUndeclared(): boolean {
    return this.#now.stripsUndeclared;
  }

  get validate(): ReadSchema['validate'] {
    return this.#now.validate;
  }

  /** The name and the description of each field, as in `fields`, but without converting the schema. */
  describeFields(): { readonly name: string; readonly description: string | undefined }[] {
    return Object.entries(this.#shape).map(([name, field]) => ({ name, description: descriptionOf(field) }));
  }

  get #now(): ReadSchema {
    return (this.#known ??= this.#read());
  }
}

/** A plain schema, and facts about it that are known without its conversion. */
interface PlainSchema {
  readonly source: SchemaSource;
  readonly hasNested: boolean;
  readonly mayTranslate: boolean;
  readonly shape: Shape;
}

const MAX_DEPTH = 8;
const MAX_FIELDS = 200;
/** Maximum number of characters in descriptions and choices. The limits of schemas allow far more. */
const MAX_CHARACTERS = 50_000;
const FIELD_NAME = /^[A-Za-z][\w-]{0,63}$/;

/**
 * Inspects a schema without converting it. Returns `undefined` unless it is a Zod 4 object of plain types, or a shape of them:
 * texts, numbers, flags, enums, literals, and objects and arrays of those, possibly optional or nullable. A default makes a schema
 * not plain, because it may be a function.
 */
export function inspectPlain(given: unknown): PlainSchema | undefined {
  if (!isJsonObject(given)) return undefined;
  const budget: Budget = { fieldsLeft: MAX_FIELDS, charactersLeft: MAX_CHARACTERS, mayTranslate: false };
  if (isZod4(given)) {
    const { def } = given._zod;
    if (def.type !== 'object' || !isPlain(given, budget, 0)) return undefined;
    const { shape } = def as $ZodObjectDef;
    return { source: given, shape, hasNested: holdsNested(shape), mayTranslate: budget.mayTranslate };
  }
  // JSON Schemas, Zod 3 schemas and schemas of other libraries are no shapes of Zod 4 schemas.
  if ('~standard' in given || isPromise(given) || !Object.values(given).every(isZod4)) return undefined;
  // The author may change the shape later.
  const shape = { ...given } as Record<string, ZodType>;
  if (!isPlainShape(shape, budget, 0)) return undefined;
  return { source: shape, shape, hasNested: holdsNested(shape), mayTranslate: budget.mayTranslate };
}

type Shape = Readonly<Record<string, $ZodType>>;

interface Budget {
  fieldsLeft: number;
  charactersLeft: number;
  mayTranslate: boolean;
}

function isPlainShape(shape: Shape, budget: Budget, depth: number): boolean {
  for (const name in shape) {
    if (!FIELD_NAME.test(name) || budget.fieldsLeft-- === 0) return false;
    if (!isPlain(shape[name] as $ZodType, budget, depth + 1)) return false;
  }
  return true;
}

function isPlain(schema: $ZodType, budget: Budget, depth: number): boolean {
  const { def, toJSONSchema } = schema._zod;
  if (depth > MAX_DEPTH || toJSONSchema || !hasPlainMeta(schema, budget)) return false;
  if (def.checks && !def.checks.every(isPlainCheck)) return false;
  const parts = def as unknown as Parts;
  switch (def.type) {
    case 'string':
      return parts.format === undefined || isPlainFormat(parts);
    case 'number':
    case 'boolean':
      return parts.coerce !== true;
    case 'enum':
      return arePlainChoices(Object.values(parts.entries), budget);
    case 'literal':
      return arePlainChoices(parts.values, budget);
    case 'optional':
      return isPlain(parts.innerType, budget, depth + 1);
    case 'nullable':
      // Profiles write some unions as text.
      if (parts.innerType._zod.def.type !== 'string') budget.mayTranslate = true;
      return isPlain(parts.innerType, budget, depth + 1);
    case 'array':
      return isPlain(parts.element, budget, depth + 1);
    case 'object':
      // Profiles write some objects without fields as text.
      if (depth > 0 && Object.keys(parts.shape).length === 0) budget.mayTranslate = true;
      return parts.catchall === undefined && isPlainShape(parts.shape, budget, depth);
    default:
      return false;
  }
}

/** The parts of the definitions of plain types. */
interface Parts extends Format {
  readonly coerce?: boolean;
  readonly entries: Readonly<Record<string, unknown>>;
  readonly values: readonly unknown[];
  readonly innerType: $ZodType;
  readonly element: $ZodType;
  readonly shape: Shape;
  readonly catchall?: $ZodType;
}

interface Format {
  readonly format?: string;
  readonly pattern?: RegExp;
}

/** The formats whose JSON Schema is known to be valid, with the pattern that Zod gives them. */
const formats: ReadonlyMap<string, RegExp | undefined> = new Map([
  ['email', regexes.email],
  ['url', undefined],
  ['uuid', regexes.uuid()],
  ['guid', regexes.guid],
  ['date', regexes.date],
  ['datetime', regexes.datetime({})],
  ['ipv4', regexes.ipv4],
  ['ipv6', regexes.ipv6],
  ['safeint', undefined],
  ['int32', undefined],
  ['uint32', undefined],
  ['float32', undefined],
  ['float64', undefined],
]);

/** An author may replace the pattern of a format by any other. */
function isPlainFormat({ format = '', pattern }: Format): boolean {
  return formats.has(format) && (pattern === undefined || pattern.source === formats.get(format)?.source);
}

interface CheckParts extends Format {
  readonly check: string;
  readonly value?: unknown;
  readonly minimum?: unknown;
  readonly maximum?: unknown;
  readonly length?: unknown;
}

function isPlainCheck(check: $ZodCheck): boolean {
  const parts = check._zod.def as CheckParts;
  switch (parts.check) {
    case 'min_length':
      return isSize(parts.minimum);
    case 'max_length':
      return isSize(parts.maximum);
    case 'length_equals':
      return isSize(parts.length);
    case 'greater_than':
    case 'less_than':
      return Number.isFinite(parts.value);
    case 'multiple_of':
      return Number.isFinite(parts.value) && Number(parts.value) > 0;
    case 'string_format':
    case 'number_format':
      return isPlainFormat(parts);
    default:
      return false;
  }
}

function isSize(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/**
 * Descriptions and titles are copied as they are. Other metadata may change the conversion. A schema that was refined several times
 * has a chain of parents, each with its own metadata.
 */
function hasPlainMeta(schema: $ZodType, budget: Budget): boolean {
  for (let link: $ZodType | undefined = schema; link; link = link._zod.parent) {
    const meta: Readonly<Record<string, unknown>> | undefined = globalRegistry.get(link);
    for (const key in meta) {
      const text = meta[key];
      if ((key !== 'description' && key !== 'title') || typeof text !== 'string') return false;
      if ((budget.charactersLeft -= text.length) < 0) return false;
    }
  }
  return true;
}

/** An optional field is described by the type inside, unless it has its own description. */
function descriptionOf(schema: $ZodType): string | undefined {
  const own = globalRegistry.get(schema)?.description;
  const { type, innerType } = schema._zod.def as unknown as Partial<Parts> & { readonly type: string };
  if (own !== undefined || !innerType || type === 'nullable') return own;
  return descriptionOf(innerType);
}

function arePlainChoices(values: readonly unknown[], budget: Budget): boolean {
  for (const value of values) {
    const isScalar = typeof value === 'boolean' || value === null || Number.isFinite(value);
    if (!isScalar && typeof value !== 'string') return false;
    if (typeof value !== typeof values[0]) budget.mayTranslate = true;
    if ((budget.charactersLeft -= String(value).length + 4) < 0) return false;
  }
  return values.length > 0;
}

function holdsNested(shape: Shape): boolean {
  return Object.values(shape).some(isNested);
}

function isNested(schema: $ZodType): boolean {
  const { type, innerType } = schema._zod.def as {
    readonly type: string;
    readonly innerType?: $ZodType;
  };
  return type === 'object' || type === 'array' || (innerType !== undefined && isNested(innerType));
}
