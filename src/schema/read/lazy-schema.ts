import { core } from 'zod';
import type { ZodType } from 'zod';
import type { ReadSchema } from './read-schema.js';
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
  readonly #read: () => ReadSchema;
  #known: ReadSchema | undefined;

  constructor({ hasNested }: PlainSchema, read: () => ReadSchema) {
    this.hasNested = hasNested;
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

  get #now(): ReadSchema {
    return (this.#known ??= this.#read());
  }
}

/** What is known of a plain schema before it is converted. */
interface PlainSchema {
  readonly hasNested: boolean;
}

const MAX_DEPTH = 8;
const MAX_FIELDS = 200;
const FIELD_NAME = /^[A-Za-z][\w-]{0,63}$/;

/**
 * Inspects a schema without converting it. Returns `undefined` unless it is a Zod 4 object of plain types, or a shape of them:
 * texts, numbers, flags, enums, literals, and objects and arrays of those, possibly optional, nullable or with a default.
 */
export function inspectPlain(source: unknown): PlainSchema | undefined {
  if (typeof source !== 'object' || source === null) return undefined;
  const budget: Budget = { fieldsLeft: MAX_FIELDS };
  if (isZod4(source)) {
    const { def } = source._zod;
    if (def.type !== 'object' || !isPlain(source, budget, 0)) return undefined;
    return nestedIn((def as core.$ZodObjectDef).shape);
  }
  // JSON Schemas, Zod 3 schemas and other libraries are not shapes of Zod 4 schemas.
  if ('~standard' in source || !Object.values(source).every(isZod4)) return undefined;
  return isPlainShape(source as Shape, budget, 0) ? nestedIn(source as Shape) : undefined;
}

type Shape = Readonly<Record<string, core.$ZodType>>;

interface Budget {
  fieldsLeft: number;
}

function isPlainShape(shape: Shape, budget: Budget, depth: number): boolean {
  for (const name in shape) {
    if (!FIELD_NAME.test(name) || budget.fieldsLeft-- === 0) return false;
    if (!isPlain(shape[name] as core.$ZodType, budget, depth + 1)) return false;
  }
  return true;
}

function isPlain(schema: core.$ZodType, budget: Budget, depth: number): boolean {
  const { def, toJSONSchema, parent } = schema._zod as core.$ZodTypeInternals & { readonly parent?: ZodType };
  if (depth > MAX_DEPTH || toJSONSchema) return false;
  if (!hasPlainMeta(schema) || (parent && !hasPlainMeta(parent))) return false;
  if (def.checks && !def.checks.every(isPlainCheck)) return false;
  const parts = def as unknown as Parts;
  switch (def.type) {
    case 'string':
      return parts.format === undefined || formats.has(parts.format);
    case 'number':
    case 'boolean':
      return parts.coerce !== true;
    case 'enum':
      return Object.values(parts.entries).every(isScalar);
    case 'literal':
      return parts.values.every(isScalar);
    case 'optional':
    case 'nullable':
      return isPlain(parts.innerType, budget, depth + 1);
    case 'default':
      return isScalar(parts.defaultValue) && isPlain(parts.innerType, budget, depth + 1);
    case 'array':
      return isPlain(parts.element, budget, depth + 1);
    case 'object':
      return parts.catchall === undefined && isPlainShape(parts.shape, budget, depth);
    default:
      return false;
  }
}

/** The parts of the definitions of plain types. */
interface Parts {
  readonly format?: string;
  readonly coerce?: boolean;
  readonly entries: Readonly<Record<string, unknown>>;
  readonly values: readonly unknown[];
  readonly innerType: core.$ZodType;
  readonly defaultValue: unknown;
  readonly element: core.$ZodType;
  readonly shape: Shape;
  readonly catchall?: core.$ZodType;
}

/** Formats of texts and numbers whose JSON Schema is known to be valid. */
const formats: ReadonlySet<string> = new Set([
  'email',
  'url',
  'uuid',
  'guid',
  'date',
  'time',
  'datetime',
  'ipv4',
  'ipv6',
  'safeint',
  'int32',
  'uint32',
  'float32',
  'float64',
]);
const sizeChecks: ReadonlySet<string> = new Set(['min_length', 'max_length', 'length_equals']);
const numberChecks: ReadonlySet<string> = new Set(['greater_than', 'less_than', 'multiple_of']);
const formatChecks: ReadonlySet<string> = new Set(['string_format', 'number_format']);

function isPlainCheck(check: core.$ZodCheck): boolean {
  const {
    check: name,
    value,
    format,
  } = check._zod.def as {
    readonly check: string;
    readonly value?: unknown;
    readonly format?: string;
  };
  if (sizeChecks.has(name)) return true;
  if (numberChecks.has(name)) return Number.isFinite(value);
  return formatChecks.has(name) && format !== undefined && formats.has(format);
}

/** Descriptions and titles are copied as they are. Other metadata may change how a schema is converted. */
function hasPlainMeta(schema: core.$ZodType): boolean {
  const meta: Readonly<Record<string, unknown>> | undefined = core.globalRegistry.get(schema);
  if (!meta) return true;
  for (const key in meta)
    if ((key !== 'description' && key !== 'title') || typeof meta[key] !== 'string') return false;
  return true;
}

function isScalar(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'boolean' || value === null || Number.isFinite(value);
}

function nestedIn(shape: Shape): PlainSchema {
  return { hasNested: Object.values(shape).some(isNested) };
}

function isNested(schema: core.$ZodType): boolean {
  const { type, innerType } = schema._zod.def as {
    readonly type: string;
    readonly innerType?: core.$ZodType;
  };
  return type === 'object' || type === 'array' || (innerType !== undefined && isNested(innerType));
}
