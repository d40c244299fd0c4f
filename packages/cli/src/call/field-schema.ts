import {
  choicesOf,
  clip,
  followPointer,
  isJsonObject,
  mapIn,
  namesIn,
  nearestName,
  typeName,
  typesOf,
} from '@toolfold/schema/internal';
import type { JsonSchemaObject } from '@toolfold/schema';

/** A schema reduced to what the command line needs to convert and describe values. */
export interface FieldShape {
  /** Empty if any type is accepted. */
  readonly types: ReadonlySet<string>;
  readonly values: readonly unknown[] | undefined;
  readonly description: string | undefined;
  /** Lazy, because a schema may contain itself. */
  readonly properties: ReadonlyMap<string, () => FieldShape>;
  readonly required: readonly string[];
  /** Whether the schema allows fields that it does not name. */
  readonly isOpen: boolean;
  readonly others: () => FieldShape;
  readonly itemAt: (index: number) => FieldShape;
}

const anything: FieldShape = {
  types: new Set(),
  values: undefined,
  description: undefined,
  properties: new Map(),
  required: [],
  isOpen: true,
  others: () => anything,
  itemAt: () => anything,
};

const MAX_DEPTH = 4;

/** Shapes that were read already. Ends circular references. */
type Known = Map<object, FieldShape>;

export function readShape(
  schema: unknown,
  root: JsonSchemaObject,
  known: Known = new Map<object, FieldShape>(),
): FieldShape {
  if (!isJsonObject(schema)) return anything;
  const before = known.get(schema);
  if (before) return before;
  // While a circular reference is being read, it adds no information.
  known.set(schema, anything);
  const shape = readWhole(schema, root, known);
  known.set(schema, shape);
  return shape;
}

function readWhole(schema: Schema, root: JsonSchemaObject, known: Known): FieldShape {
  const { $ref } = schema;
  if (typeof $ref === 'string') {
    const target = readShape($ref.startsWith('#') ? followPointer(root, $ref) : undefined, root, known);
    const { description } = schema;
    return typeof description === 'string' ? { ...target, description } : target;
  }
  const read = (part: unknown): FieldShape => readShape(part, root, known);
  const own = readOwn(schema, root, known);
  const alternatives = [schema['anyOf'], schema['oneOf']].flatMap((list) =>
    Array.isArray(list) ? list : [],
  );
  const all = Array.isArray(schema['allOf']) ? schema['allOf'] : [];
  const whole = all.map(read).reduce((one, other) => both(one, other), own);
  if (alternatives.length === 0) return whole;
  return both(
    whole,
    alternatives.map(read).reduce((one, other) => either(one, other)),
  );
}

type Schema = Readonly<Record<string, unknown>>;

function readOwn(schema: Schema, root: JsonSchemaObject, known: Known): FieldShape {
  const { description, properties, required, additionalProperties, items, prefixItems } = schema;
  const values = choicesOf(schema);
  const fields = Object.entries(mapIn(properties));
  const guessed =
    fields.length > 0 ? ['object'] : items !== undefined ? ['array'] : (values ?? []).map(typeName);
  return {
    types: new Set(typesOf(schema) ?? guessed),
    values,
    description: typeof description === 'string' ? description : undefined,
    properties: new Map(fields.map(([name, field]) => [name, () => readShape(field, root, known)])),
    required: namesIn(required),
    isOpen: additionalProperties === undefined ? fields.length === 0 : additionalProperties !== false,
    others: () => readShape(additionalProperties, root, known),
    itemAt: (index) =>
      readShape(Array.isArray(prefixItems) ? (prefixItems[index] ?? items) : items, root, known),
  };
}

export function fieldOf(shape: FieldShape, name: string): FieldShape | undefined {
  const found = shape.properties.get(name);
  if (found) return found();
  return shape.isOpen ? shape.others() : undefined;
}

function both(one: FieldShape, other: FieldShape): FieldShape {
  return {
    types: one.types.size === 0 ? other.types : one.types,
    values: one.values ?? other.values,
    description: one.description ?? other.description,
    properties: merge(one, other, both),
    required: [...new Set([...one.required, ...other.required])],
    isOpen: one.properties.size + other.properties.size === 0 ? one.isOpen : one.isOpen && other.isOpen,
    others: one.types.has('object') ? one.others : other.others,
    itemAt: one.types.has('array') ? one.itemAt : other.itemAt,
  };
}

type Join = (one: FieldShape, other: FieldShape) => FieldShape;

function merge(one: FieldShape, other: FieldShape, join: Join): FieldShape['properties'] {
  const merged = new Map([...other.properties, ...one.properties]);
  for (const [name, read] of one.properties) {
    const second = other.properties.get(name);
    if (second && second !== read) merged.set(name, () => join(read(), second()));
  }
  return merged;
}

function either(one: FieldShape, other: FieldShape): FieldShape {
  const isAny = one.types.size === 0 || other.types.size === 0;
  return {
    types: isAny ? new Set() : new Set([...one.types, ...other.types]),
    // If one alternative lists no values, any value may be valid.
    values: one.values && other.values ? [...one.values, ...other.values] : undefined,
    description: one.description ?? other.description,
    properties: merge(one, other, either),
    required: one.required.filter((name) => other.required.includes(name)),
    isOpen: one.isOpen || other.isOpen,
    others: one.types.has('object') && one.isOpen ? one.others : other.others,
    itemAt: one.types.has('array') ? one.itemAt : other.itemAt,
  };
}

/** Describes a shape in words: `a number`, `text or null`, `one of a, b`. */
export function describeShape({ types, values, itemAt }: FieldShape, depth = 0): string {
  if (values && values.length <= 20) {
    const shown = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
    return shown.length === 1 ? String(shown[0]) : `one of ${shown.join(', ')}`;
  }
  if (types.size === 0) return 'anything';
  const words = [...types].map((type) => {
    if (type !== 'array') return nouns[type] ?? type;
    const item = depth < MAX_DEPTH ? describeShape(itemAt(0), depth + 1) : 'anything';
    return item === 'anything' ? 'a list' : `a list, each ${item}`;
  });
  return words.join(' or ');
}

const nouns: Readonly<Record<string, string>> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
};

type Converted = { readonly value: unknown } | { readonly problem: string };

/** Converts the text of a field to the narrowest accepted type that fits. */
export function convertText(text: string, shape: FieldShape): Converted {
  const { types, values } = shape;
  if (values) {
    const found = values.find(
      (value) => (typeof value === 'string' ? value : JSON.stringify(value)) === text,
    );
    if (found !== undefined) return { value: found };
    const nearest = nearestName(
      text,
      values.filter((value) => typeof value === 'string'),
    );
    return {
      problem: `must be ${describeShape(shape)}${nearest === undefined ? '' : `. Did you mean "${nearest}"?`}`,
    };
  }
  if (types.size === 0) return { value: text };
  if (types.has('null') && text === 'null') return { value: null };
  if (types.has('boolean') && (text === 'true' || text === 'false')) return { value: text === 'true' };
  if (types.has('integer') || types.has('number')) {
    const value = toNumber(text, types);
    if (value !== undefined) return { value };
  }
  if (types.has('array') && text.trimStart().startsWith('[')) {
    const value = parseJson(text);
    if (Array.isArray(value)) return { value };
  }
  if (types.has('object') && text.trimStart().startsWith('{')) {
    const value = parseJson(text);
    if (isJsonObject(value)) return { value };
  }
  if (types.has('string')) return { value: text };
  const isLarge = (types.has('number') || types.has('integer')) && /^[+-]?\d+$/.test(text.trim());
  const hint = isLarge ? ', which is too large to be represented exactly' : '';
  return { problem: `must be ${describeShape(shape)}, not "${clip(text, 60)}"${hint}` };
}

const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** Returns a number only if it is exact. If the field also accepts text, `007` and `1.10` stay text. */
function toNumber(text: string, types: ReadonlySet<string>): number | undefined {
  const written = text.trim();
  if (!decimal.test(written)) return undefined;
  const value = Number(written);
  const isWhole = Number.isInteger(value);
  if (isWhole ? !Number.isSafeInteger(value) && !/[.e]/i.test(written) : !types.has('number'))
    return undefined;
  if (!Number.isFinite(value) || (!types.has('number') && !Number.isSafeInteger(value))) return undefined;
  return types.has('string') && String(value) !== text ? undefined : value;
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
