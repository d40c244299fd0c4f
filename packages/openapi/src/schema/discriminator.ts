import { isJsonObject } from '@toolfold/schema/internal';
import type { SpecObject } from '../read/read-document.js';
import { entriesOf, listOf } from '../read/resolve.js';
import { mergeAllOf } from './merge-all-of.js';

/** One alternative of a schema. If there is a discriminator, `property` must be `value` in this alternative. */
export interface Branch {
  readonly schema: unknown;
  readonly reference: string | undefined;
  readonly property: string | undefined;
  readonly value: string | undefined;
}

/** Returns the alternatives of `oneOf` or `anyOf`, each with the value by which the discriminator selects it. */
export function branchesOf(document: SpecObject, schema: SpecObject): Branch[] {
  const { oneOf, anyOf, discriminator } = schema;
  const branches = listOf(Array.isArray(oneOf) ? oneOf : anyOf);
  const { propertyName, mapping } = isJsonObject(discriminator) ? discriminator : {};
  return branches.map((branch) => {
    const reference = isJsonObject(branch) && typeof branch['$ref'] === 'string' ? branch['$ref'] : undefined;
    const plain = { schema: branch, reference, property: undefined, value: undefined };
    if (typeof propertyName !== 'string' || reference === undefined) return plain;
    const value = valueFor(reference, mapping);
    if (value === undefined || saysItself(document, branch, propertyName)) return plain;
    return { ...plain, property: propertyName, value };
  });
}

/** Returns the value that the mapping gives a schema, or else the name of the schema. */
function valueFor(reference: string, mapping: unknown): string | undefined {
  const name = reference.split('/').at(-1) ?? '';
  const values = entriesOf(mapping).filter(([, target]) => target === reference || target === name);
  // A single constant cannot represent several values of one schema.
  if (values.length > 1) return undefined;
  return values[0]?.[0] ?? name;
}

function saysItself(document: SpecObject, branch: unknown, property: string): boolean {
  const merged = isJsonObject(branch) ? mergeAllOf(document, branch) : undefined;
  const own = new Map(entriesOf(merged?.['properties'])).get(property);
  const schema = isJsonObject(own) ? mergeAllOf(document, own) : undefined;
  return schema === undefined
    ? own !== undefined
    : schema['enum'] !== undefined || schema['const'] !== undefined;
}
