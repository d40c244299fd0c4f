import {
  canonicalJson,
  defaultSchemaLimits,
  isForeign,
  isKnownStandalone,
  keywords,
  mapSubschemas,
  standAlone,
  surveySchema,
} from '@toolfold/schema/internal';
import type { Dialect } from '@toolfold/schema/internal';
import type { JsonSchema, JsonSchemaObject } from '@toolfold/schema';
import { getOrMake } from '../../values/get-or-make.js';
import { explaining } from './explanations.js';

const identifying = ['$id', '$anchor', '$dynamicAnchor'] as const;

/** Keywords of whole documents. They are dropped from a field that moves to another document. */
const ofDocuments: ReadonlySet<string> = new Set([
  ...identifying,
  '$schema',
  '$defs',
  'definitions',
  '$vocabulary',
]);

interface Outline {
  readonly number: number;
  readonly targets: readonly JsonSchema[];
}

/**
 * Collects the `$defs` of a schema that is composed of parts of other schemas. References in a part are resolved in its original
 * schema and rewritten to the new `$defs`. Equal targets are stored once.
 */
export class Definitions {
  readonly #defs = new Map<string, JsonSchema>();
  readonly #names = new Map<string, string>();
  readonly #texts = new Map<string, number>();

  /** Returns a function that moves subschemas of `root` to the new document, in dialect 2020-12. */
  from(root: JsonSchemaObject): (schema: JsonSchema) => JsonSchema {
    if (isKnownStandalone(root)) return (schema) => schema;
    if (isForeign(root)) return standAlone;
    const { dialect, places } = surveySchema(root, defaultSchemaLimits);
    if (isKnownStandalone(root)) return (schema) => schema;

    const named = new Map<JsonSchema, string>();
    const outlines = new Map<JsonSchema, Outline>();
    const waiting: (() => void)[] = [];

    const rewrite = (schema: JsonSchema, nameOf: (target: JsonSchema) => string): JsonSchema => {
      if (typeof schema === 'boolean') return schema;
      const [first, second] = (places.get(schema)?.references ?? []).map(({ target }) => ({
        $ref: `#/$defs/${nameOf(target)}`,
      }));
      const kept = Object.entries(schema).filter(([keyword]) =>
        isKept(keyword, dialect, first !== undefined),
      );
      const moved: Record<string, unknown> = {
        ...first,
        ...Object.fromEntries(
          kept.map(([keyword, value]) => [
            keyword,
            mapSubschemas(keyword, value, dialect, (child) => rewrite(child, nameOf)),
          ]),
        ),
      };
      if (second) moved['allOf'] = [...((moved['allOf'] as JsonSchema[] | undefined) ?? []), second];
      return dialect === 'draft-07' ? modernize(moved) : moved;
    };

    /** The content of a schema without its references as a number, and the targets of its references in order. */
    const outlineOf = (schema: JsonSchema): Outline =>
      getOrMake(outlines, schema, () => {
        const targets: JsonSchema[] = [];
        const text = canonicalJson(rewrite(schema, (target) => String(targets.push(target))));
        const number = getOrMake(this.#texts, text, () => this.#texts.size);
        return { number, targets };
      });

    /**
     * A text that identifies the content of a schema including its references, equal for equal schemas of different documents.
     */
    const identify = (target: JsonSchema): string => {
      const reached = new Map([[target, 0]]);
      let identity = '';
      // The loop adds entries to the map that it iterates over.
      for (const each of reached.keys()) {
        const { number, targets } = outlineOf(each);
        for (const next of targets) if (!reached.has(next)) reached.set(next, reached.size);
        identity += `${number}:${targets.map((next) => reached.get(next)).join()};`;
      }
      return identity;
    };

    const nameOf = (target: JsonSchema): string => {
      let name = named.get(target);
      if (name === undefined) {
        const identity = identify(target);
        name = this.#names.get(identity) ?? this.#unusedName(places.get(target)?.trail?.key);
        named.set(target, name);
        this.#names.set(identity, name);
        if (!this.#defs.has(name)) {
          const place = name;
          this.#defs.set(place, true);
          waiting.push(() => this.#defs.set(place, rewrite(target, nameOf)));
        }
      }
      return name;
    };

    return (schema) => {
      const moved = rewrite(schema, nameOf);
      // Targets are processed in a loop, because a chain of references may be longer than the stack is deep.
      for (let work = waiting.pop(); work; work = waiting.pop()) work();
      return moved;
    };
  }

  toKeyword(): { $defs?: Readonly<Record<string, JsonSchema>> } {
    return this.#defs.size > 0 ? { $defs: Object.fromEntries(this.#defs) } : {};
  }

  /** Derives the name from the key of the target in its original schema, in characters that need no escape in a reference. */
  #unusedName(key: string | number | undefined): string {
    const isWord = key !== undefined && key !== '' && key !== '$ref' && key !== '$dynamicRef';
    const wanted = isWord ? String(key).replace(/[^\w.-]/g, '_') : 'schema';
    let name = wanted;
    for (let count = 2; this.#defs.has(name); count++) name = `${wanted}_${count}`;
    return name;
  }
}

/**
 * Whether a keyword moves to the new document. Draft-07 ignores keywords beside a reference and keywords that were added later.
 */
function isKept(keyword: string, dialect: Dialect, besideReference: boolean): boolean {
  if (ofDocuments.has(keyword) || keyword === '$ref' || keyword === '$dynamicRef') return false;
  if (dialect === '2020-12' || explaining.has(keyword)) return true;
  return !besideReference && (keywords[dialect].has(keyword) || !keywords['2020-12'].has(keyword));
}

/** Converts draft-07 keywords that 2020-12 has renamed. */
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
