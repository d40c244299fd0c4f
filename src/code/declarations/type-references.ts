import { decodeFragment, followPointer } from '../../values/json-schema.js';
import type { JsonSchemaObject } from '../../values/json-schema.js';
import { isJsonObject } from '../../values/json-value.js';

/** Maximum number of references that lead to each other. */
const MAX_HOPS = 16;
const MAX_NAME = 40;
const MAX_REFERENCE = 1_000;
/** Maximum number of named types in a text. Further ones are `unknown`. */
const MAX_TYPES = 300;

/** The named types of a text with declarations. */
export interface TypeNames {
  readonly used: Set<string>;
  /** The names of schemas to which a reference leads. */
  readonly bySchema: Map<JsonSchemaObject, string>;
  /** The types to declare, in the order of their first use. */
  readonly pending: PendingType[];
  /** The part of its limits that each schema can use. */
  readonly share: number;
}

/** How much of a document may still be read and written. The document may come from another server, so its size is bounded. */
export interface Budget {
  schemasLeft: number;
  charactersLeft: number;
}

/** A document with schemas that refer to each other. */
export interface SchemaDocument {
  readonly root: JsonSchemaObject;
  readonly budget: Budget;
}

/** A named type, and the document of its schema. */
interface PendingType {
  readonly name: string;
  readonly schema: JsonSchemaObject;
  readonly document: SchemaDocument;
}

export function createTypeNames(share: number): TypeNames {
  // The declarations use this name.
  return { used: new Set(['Promise']), bySchema: new Map(), pending: [], share };
}

/** A schema to which a reference leads, and the last name in the reference. */
interface Referenced {
  readonly schema: JsonSchemaObject;
  readonly name: string;
}

/** Finds the schema to which a reference within the same document leads. A reference to another reference leads to its schema. */
export function findReferenced(reference: unknown, root: JsonSchemaObject): Referenced | undefined {
  let next = reference;
  for (let hop = 0; hop < MAX_HOPS; hop++) {
    if (typeof next !== 'string' || next.length > MAX_REFERENCE || !/^#(?:\/|$)/.test(next)) return undefined;
    const schema = followPointer(root, next);
    if (!isJsonObject(schema)) return undefined;
    const keys = Object.keys(schema);
    if (keys.some((key) => key !== '$ref'))
      return { schema: schema as JsonSchemaObject, name: next === '#' ? 'Input' : lastNameOf(next) };
    next = schema['$ref'];
  }
  return undefined;
}

function lastNameOf(reference: string): string {
  const path = decodeFragment(reference) ?? reference;
  return path.slice(path.lastIndexOf('/') + 1).replace(/~[01]/g, ' ');
}

/** Returns the name of the type of a referenced schema, which is declared later. */
export function nameType({ schema, name }: Referenced, document: SchemaDocument, names: TypeNames): string {
  const known = names.bySchema.get(schema);
  if (known !== undefined) return known;
  if (names.pending.length >= MAX_TYPES) return 'unknown';
  const wanted = toTypeName(name);
  let free = wanted;
  for (let number = 2; names.used.has(free); number++) free = `${wanted}${number}`;
  names.used.add(free);
  names.bySchema.set(schema, free);
  names.pending.push({ name: free, schema, document });
  return free;
}

/** A name in upper camel case, such as `IssueComment` for `issue-comment`. */
function toTypeName(name: string): string {
  const words = name
    .slice(0, MAX_NAME)
    .split(/[^\p{ID_Continue}]+/u)
    .filter((word) => word !== '');
  const joined = words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join('');
  // Names in lower case could be types of TypeScript.
  return /^\p{Lu}/u.test(joined) ? joined : `Type${joined}`;
}
