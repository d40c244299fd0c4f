import { followPointer, isJsonObject } from '../schema/json-schema.js';
import type { JsonSchemaObject } from '../schema/json-schema.js';

/** What a field takes, as far as a command line needs to know. */
export interface FieldShape {
  /** The types that it may have; empty where anything goes. */
  readonly types: ReadonlySet<string>;
  /** The values that it may have, where they are listed. */
  readonly values: readonly unknown[] | undefined;
  readonly description: string | undefined;
  readonly properties: ReadonlyMap<string, FieldShape | (() => FieldShape)>;
  readonly required: readonly string[];
  /** Whether fields that are not named are meant to be there. */
  readonly isOpen: boolean;
  readonly itemAt: (index: number) => FieldShape;
}

const anything: FieldShape = {
  types: new Set(),
  values: undefined,
  description: undefined,
  properties: new Map(),
  required: [],
  isOpen: true,
  itemAt: () => anything,
};

const MAX_DEPTH = 16;

/** Reads a schema with its references and alternatives. */
export function readShape(schema: unknown, root: JsonSchemaObject, depth = 0): FieldShape {
  if (!isJsonObject(schema) || depth > MAX_DEPTH) return anything;
  const { $ref } = schema;
  if (typeof $ref === 'string') {
    const { $ref: _, ...beside } = schema;
    const target = readShape($ref.startsWith('#') ? followPointer(root, $ref) : undefined, root, depth + 1);
    const description = beside['description'];
    return typeof description === 'string' ? { ...target, description } : target;
  }
  const own = readOwn(schema, root, depth);
  const alternatives = [schema['anyOf'], schema['oneOf']].flatMap((list) =>
    Array.isArray(list) ? list : [],
  );
  const all = Array.isArray(schema['allOf']) ? schema['allOf'] : [];
  const whole = all.reduce<FieldShape>((shape, part) => both(shape, readShape(part, root, depth + 1)), own);
  if (alternatives.length === 0) return whole;
  return both(
    whole,
    alternatives.map((part) => readShape(part, root, depth + 1)).reduce((one, other) => either(one, other)),
  );
}

function readOwn(
  schema: Readonly<Record<string, unknown>>,
  root: JsonSchemaObject,
  depth: number,
): FieldShape {
  const { type, description, properties, required, additionalProperties, items, prefixItems } = schema;
  const values =
    'const' in schema ? [schema['const']] : Array.isArray(schema['enum']) ? schema['enum'] : undefined;
  const fields = isJsonObject(properties) ? Object.entries(properties) : [];
  const named = Array.isArray(type) ? type.map(String) : typeof type === 'string' ? [type] : undefined;
  const guessed =
    fields.length > 0 ? ['object'] : items !== undefined ? ['array'] : (values ?? []).map(typeOf);
  return {
    types: new Set(named ?? guessed),
    values,
    description: typeof description === 'string' ? description : undefined,
    properties: new Map(fields.map(([name, field]) => [name, () => readShape(field, root, depth + 1)])),
    required: Array.isArray(required) ? required.map(String) : [],
    isOpen: additionalProperties === undefined ? fields.length === 0 : additionalProperties !== false,
    itemAt: (index) =>
      readShape(Array.isArray(prefixItems) ? (prefixItems[index] ?? items) : items, root, depth + 1),
  };
}

function typeOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}

/** The shape of a field, or nothing where there is no such field. */
export function fieldOf(shape: FieldShape, name: string): FieldShape | undefined {
  const found = shape.properties.get(name);
  if (found) return typeof found === 'function' ? found() : found;
  return shape.isOpen ? anything : undefined;
}

function both(one: FieldShape, other: FieldShape): FieldShape {
  return {
    types: one.types.size === 0 ? other.types : one.types,
    values: one.values ?? other.values,
    description: one.description ?? other.description,
    properties: new Map([...other.properties, ...one.properties]),
    required: [...new Set([...one.required, ...other.required])],
    isOpen: one.properties.size + other.properties.size === 0 ? one.isOpen : one.isOpen && other.isOpen,
    itemAt: one.types.has('array') ? one.itemAt : other.itemAt,
  };
}

function either(one: FieldShape, other: FieldShape): FieldShape {
  const isAny = one.types.size === 0 || other.types.size === 0;
  return {
    types: isAny ? new Set() : new Set([...one.types, ...other.types]),
    // Values that are listed say nothing about the alternative that lists none.
    values: one.values && other.values ? [...one.values, ...other.values] : undefined,
    description: one.description ?? other.description,
    properties: new Map([...other.properties, ...one.properties]),
    required: one.required.filter((name) => other.required.includes(name)),
    isOpen: one.isOpen || other.isOpen,
    itemAt: one.types.has('array') ? one.itemAt : other.itemAt,
  };
}

/** `a number`, `text or null`, `one of a, b`. */
export function describeShape({ types, values, itemAt }: FieldShape): string {
  if (values && values.length <= 20) {
    const shown = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
    return shown.length === 1 ? String(shown[0]) : `one of ${shown.join(', ')}`;
  }
  if (types.size === 0) return 'anything';
  const words = [...types].map((type) => {
    if (type !== 'array') return nouns[type] ?? type;
    const item = describeShape(itemAt(0));
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
