export type SchemaObject = Readonly<Record<string, unknown>>;

export function isSchemaObject(value: unknown): value is SchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A schema behind its references. */
export interface Resolved {
  readonly schema: SchemaObject;
  /** The pointers of the schemas that were passed, the last one being that of `schema`. */
  readonly pointers: readonly string[];
  /** The name of the last definition, such as `Address` of `#/$defs/Address`. */
  readonly name?: string | undefined;
  /** Why it could not be resolved. */
  readonly problem?: string | undefined;
}

/** Follows `$ref` within the same document. Keywords beside a reference are kept, and win over those of its target. */
export function resolveSchema(value: unknown, pointer: string, root: unknown): Resolved {
  const pointers = [pointer];
  if (value === true || value === undefined) return { schema: {}, pointers };
  if (value === false) return { schema: { not: {} }, pointers };
  if (!isSchemaObject(value)) return { schema: {}, pointers, problem: 'This is not a schema.' };
  let schema = value;
  let name: string | undefined;
  const beside: SchemaObject[] = [];
  const seen = new Set<string>();
  while (typeof schema['$ref'] === 'string') {
    const { $ref: reference, ...others } = schema as { $ref: string } & SchemaObject;
    beside.push(others);
    if (seen.has(reference))
      return { schema: merge({}, beside), pointers, problem: 'The reference refers to itself.' };
    seen.add(reference);
    const target = reference.startsWith('#') ? findPointer(root, decode(reference.slice(1))) : undefined;
    if (!isSchemaObject(target))
      return { schema: merge({}, beside), pointers, problem: `The reference ${reference} leads nowhere.` };
    pointers.push(decode(reference.slice(1)));
    name = reference.split('/').at(-1);
    schema = target;
  }
  return { schema: merge(schema, beside), pointers, name };
}

function merge(schema: SchemaObject, beside: readonly SchemaObject[]): SchemaObject {
  return beside.length === 0 ? schema : Object.assign({}, schema, ...beside.toReversed());
}

function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

/** The value at a JSON pointer. */
export function findPointer(root: unknown, pointer: string): unknown {
  if (pointer === '') return root;
  if (!pointer.startsWith('/')) return undefined;
  let value = root;
  for (const part of pointer.slice(1).split('/')) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/** Appends keys to a JSON pointer. */
export function joinPointer(pointer: string, ...keys: readonly (string | number)[]): string {
  return keys.reduce<string>(
    (path, key) => `${path}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`,
    pointer,
  );
}
