import { valueAt } from '@toolfold/schema/internal';
import { decodePart } from '../well-formed.js';

export type SchemaObject = Readonly<Record<string, unknown>>;

export function isSchemaObject(value: unknown): value is SchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A schema after following its references. */
export interface Resolved {
  readonly schema: SchemaObject;
  /** The pointers of all schemas on the way. The last one is that of `schema`. */
  readonly pointers: readonly string[];
  /** The name of the last definition, such as `Address` of `#/$defs/Address`. */
  readonly name?: string | undefined;
  /** Reason why the reference could not be resolved. */
  readonly problem?: string | undefined;
}

/** Returns the value that a reference within the document leads to; `undefined` if there is none. */
export function followReference(reference: string, root: unknown): unknown {
  return reference.startsWith('#') ? valueAt(root, decodePart(reference.slice(1))) : undefined;
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
    const target = followReference(reference, root);
    if (!isSchemaObject(target))
      return { schema: merge({}, beside), pointers, problem: `The reference ${reference} leads nowhere.` };
    pointers.push(decodePart(reference.slice(1)));
    name = reference.split('/').at(-1);
    schema = target;
  }
  return { schema: merge(schema, beside), pointers, name };
}

function merge(schema: SchemaObject, beside: readonly SchemaObject[]): SchemaObject {
  return beside.length === 0 ? schema : Object.assign({}, schema, ...beside.toReversed());
}
