import { decodeFragment, followPointer, isJsonObject } from '@toolfold/schema/internal';
import type { JsonSchemaObject } from '@toolfold/schema';

/** Follows at most this many references to references. */
const MAX_HOPS = 16;
const MAX_NAME = 40;
const MAX_REFERENCE = 1_000;
/** Writes further named types as `unknown`. */
const MAX_TYPES = 300;

/** Collects the named types of a text with declarations. */
export interface TypeNames {
  readonly used: Set<string>;
  /** Keyed by schema, so that all references to a schema share one name. */
  readonly bySchema: Map<JsonSchemaObject, string>;
  /** The types to declare, in the order of their first use. */
  readonly pending: PendingType[];
  /** The share of the limits that each schema can use. */
  readonly share: number;
}

/** The remaining budget for one document, because documents from other servers can have any size. */
export interface Budget {
  schemasLeft: number;
  charactersLeft: number;
}

export interface SchemaDocument {
  readonly root: JsonSchemaObject;
  readonly budget: Budget;
}

interface PendingType {
  readonly name: string;
  readonly schema: JsonSchemaObject;
  readonly document: SchemaDocument;
}

export function createTypeNames(share: number): TypeNames {
  // Reserve `Promise`, because the declarations use it.
  return { used: new Set(['Promise']), bySchema: new Map(), pending: [], share };
}

/** A schema that a reference leads to, and the last name in the reference. */
interface Referenced {
  readonly schema: JsonSchemaObject;
  readonly name: string;
}

/** Finds the schema that a reference within the document leads to, through other references if need be. */
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

/** Returns the type name of a referenced schema. Its declaration is written later. */
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

/** Returns a name in upper camel case, such as `IssueComment` for `issue-comment`. */
function toTypeName(name: string): string {
  const words = name
    .slice(0, MAX_NAME)
    .split(/[^\p{ID_Continue}]+/u)
    .filter((word) => word !== '');
  const joined = words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join('');
  // Names in lower case could be types of TypeScript.
  return /^\p{Lu}/u.test(joined) ? joined : `Type${joined}`;
}
