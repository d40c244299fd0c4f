import { defaultSchemaLimits } from '../schema/json-schema.js';
import type { JsonSchema, JsonSchemaObject } from '../schema/json-schema.js';
import { canonicalJson } from '../schema/json-value.js';
import { mapSubschemas } from '../schema/keywords.js';
import { surveySchema } from '../schema/survey-schema.js';

/** Belongs to a whole document, and so not into a field that moves to another one. */
const ofDocuments = new Set([
  '$schema',
  '$id',
  '$anchor',
  '$dynamicAnchor',
  '$defs',
  'definitions',
  '$vocabulary',
]);

/**
 * Collects the `$defs` of a schema that is put together from parts of others. References are followed in the
 * schema a part comes from and point into the new `$defs`; equal targets become one.
 */
export class Definitions {
  readonly #defs = new Map<string, JsonSchema>();
  readonly #names = new Map<string, string>();

  /** A function that brings subschemas of `root` over to the new document, in 2020-12. */
  from(root: JsonSchemaObject): (schema: JsonSchema) => JsonSchema {
    const { dialect, places, hasReferences } = surveySchema(root, defaultSchemaLimits);
    if (!hasReferences && dialect === '2020-12') return (schema) => schema;

    const nameOf = (target: JsonSchema): string => {
      const identity = canonicalJson([target, root]);
      let name = this.#names.get(identity);
      if (name === undefined) {
        name = this.#unusedName(String(places.get(target)?.trail?.key ?? 'schema'));
        this.#names.set(identity, name);
        this.#defs.set(name, true);
        this.#defs.set(name, move(target));
      }
      return name;
    };

    const move = (schema: JsonSchema): JsonSchema => {
      if (typeof schema === 'boolean') return schema;
      const references = (places.get(schema)?.references ?? []).map(({ target }) => ({
        $ref: `#/$defs/${escape(nameOf(target))}`,
      }));
      if (references.length > 0 && dialect === 'draft-07') return references[0] ?? true;
      const moved: Record<string, unknown> = { ...references[0] };
      for (const [keyword, value] of Object.entries(schema)) {
        if (ofDocuments.has(keyword) || keyword === '$ref' || keyword === '$dynamicRef') continue;
        moved[keyword] = mapSubschemas(keyword, value, dialect, move);
      }
      if (references.length > 1)
        moved['allOf'] = [...((moved['allOf'] as JsonSchema[] | undefined) ?? []), references[1]];
      return dialect === 'draft-07' ? modernize(moved) : moved;
    };
    return move;
  }

  /** `{ $defs }`, or nothing when no part needed any. */
  toKeyword(): { $defs?: Readonly<Record<string, JsonSchema>> } {
    return this.#defs.size > 0 ? { $defs: Object.fromEntries(this.#defs) } : {};
  }

  #unusedName(wanted: string): string {
    let name = wanted;
    for (let count = 2; this.#defs.has(name); count++) name = `${wanted}_${count}`;
    return name;
  }
}

/** What draft-07 says in other words than 2020-12. */
function modernize(schema: Record<string, unknown>): JsonSchemaObject {
  const { items, additionalItems, dependencies, ...rest } = schema;
  if (Array.isArray(items)) {
    rest['prefixItems'] = items;
    if (additionalItems !== undefined) rest['items'] = additionalItems;
  } else if (items !== undefined) rest['items'] = items;
  const [required, schemas] = [new Map<string, unknown>(), new Map<string, unknown>()];
  for (const [name, dependency] of Object.entries((dependencies ?? {}) as object) as [string, unknown][]) {
    (Array.isArray(dependency) ? required : schemas).set(name, dependency);
  }
  if (required.size > 0) rest['dependentRequired'] = Object.fromEntries(required);
  if (schemas.size > 0) rest['dependentSchemas'] = Object.fromEntries(schemas);
  return rest;
}

function escape(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
}
