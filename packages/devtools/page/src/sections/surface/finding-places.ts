import type { Finding } from '../../../../src/page-api.js';

/** Keywords that hold one schema. */
const single: ReadonlySet<string> = new Set([
  'items',
  'additionalProperties',
  'not',
  'if',
  'then',
  'else',
  'contains',
  'propertyNames',
]);
/** Keywords that hold schemas by name or index. */
const several: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'oneOf',
  'anyOf',
  'allOf',
  'prefixItems',
]);

/**
 * Returns the pointer of the schema to which a pointer belongs: that of the field for `/inputSchema/properties/a/enum`.
 * Returns `undefined` for other parts of a tool, such as its name.
 */
export function schemaPlace(pointer: string): string | undefined {
  const [, root = '', ...parts] = pointer.split('/');
  if (root !== 'inputSchema' && root !== 'outputSchema') return undefined;
  let place = `/${root}`;
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at] ?? '';
    const name = parts[at + 1];
    if (single.has(part)) place += `/${part}`;
    else if (several.has(part) && name !== undefined) {
      place += `/${part}/${name}`;
      at++;
    } else break;
  }
  return place;
}

/** Groups the findings by the pointer of their schema. */
export function findingsByPlace(findings: readonly Finding[]): ReadonlyMap<string, readonly Finding[]> {
  const places = new Map<string, Finding[]>();
  for (const finding of findings) {
    const place = schemaPlace(finding.pointer);
    if (place === undefined) continue;
    const known = places.get(place);
    if (known) known.push(finding);
    else places.set(place, [finding]);
  }
  return places;
}
