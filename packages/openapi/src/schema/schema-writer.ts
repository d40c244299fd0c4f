import { hashName } from '@toolfold/profiles/internal';
import type { JsonSchema, JsonSchemaObject } from '@toolfold/schema';
import { isJsonObject } from '@toolfold/schema/internal';
import type { Describe } from '../describe.js';
import type { SpecObject } from '../read/read-document.js';
import { entriesOf, follow, listOf, resolveObject } from '../read/resolve.js';
import { branchesOf } from './discriminator.js';
import type { Branch } from './discriminator.js';
import { mergeAllOf } from './merge-all-of.js';
import { writeScalar } from './write-scalar.js';

/** Whether a schema describes what is sent or what is received. */
export type Side = 'input' | 'output';

/** Thrown early when a schema has more parts than allowed, to save the work. */
export class SchemaTooLarge extends Error {}

interface WriterOptions {
  readonly side: Side;
  readonly describe: Describe;
  readonly maxParts: number;
  /** Writes objects below this level without their fields. Default: all levels. */
  readonly levels?: number;
}

/**
 * Writes schemas of the specification as JSON Schema 2020-12. Named schemas become `$defs`, so that circular ones end. The written schemas
 * accept at least what the API accepts: keywords that models and clients handle badly are left to the API.
 */
export class SchemaWriter {
  readonly #document: SpecObject;
  readonly #options: WriterOptions;
  readonly definitions = new Map<string, JsonSchema>();
  readonly #names = new Map<string, string>();
  /** References that are being written, for schemas with a limited number of levels. */
  readonly #above = new Set<string>();
  #parts = 0;

  constructor(document: SpecObject, options: WriterOptions) {
    this.#document = document;
    this.#options = options;
  }

  write(schema: unknown, level = 0): JsonSchema {
    if (++this.#parts > this.#options.maxParts) throw new SchemaTooLarge();
    if (typeof schema === 'boolean') return schema || this.#options.side === 'output' ? {} : false;
    if (!isJsonObject(schema)) return {};
    if (typeof schema['$ref'] === 'string') return this.#writeReference(schema, schema['$ref'], level);
    if (Array.isArray(schema['allOf'])) return this.#writeAllOf(schema, level);
    return this.#writePlain(schema, level);
  }

  /** Whether a property is used on this side. */
  isOffered(schema: unknown, isRequired: boolean): boolean {
    if (!isJsonObject(schema)) return true;
    const { readOnly, writeOnly, deprecated } = resolveObject(this.#document, schema);
    const [own, other] = [schema['readOnly'] ?? readOnly, schema['writeOnly'] ?? writeOnly];
    if ((this.#options.side === 'input' ? own : other) === true) return false;
    return this.#options.side === 'output' || isRequired || (schema['deprecated'] ?? deprecated) !== true;
  }

  #writeReference(schema: SpecObject, reference: string, level: number): JsonSchema {
    const { $ref: _, ...beside } = schema;
    const { description: text, ...others } = beside;
    // In OpenAPI 3.1, keywords beside a reference apply too.
    if (Object.keys(others).some((keyword) => constraining.has(keyword)))
      return this.#writeAllOf({ ...beside, allOf: [{ $ref: reference }] }, level);
    const description = this.#options.describe(text);
    const written = this.#define(reference, reference, () => follow(this.#document, reference), level);
    return description === '' || typeof written === 'boolean' ? written : { ...written, description };
  }

  /** Writes a named schema once. With limited levels it is written in place, because its depth differs from place to place. */
  #define(key: string, reference: string, read: () => unknown, level: number): JsonSchema {
    if (this.#options.levels !== undefined) {
      if (this.#above.has(key)) return { type: 'object' };
      this.#above.add(key);
      const written = this.write(read(), level);
      this.#above.delete(key);
      return written;
    }
    let name = this.#names.get(key);
    if (name === undefined) {
      name = this.#nameFor(reference, key);
      this.#names.set(key, name);
      this.definitions.set(name, true);
      this.definitions.set(name, this.write(read(), level));
    }
    return { $ref: `#/$defs/${name}` };
  }

  #nameFor(reference: string, key: string): string {
    const last = reference.split('/').at(-1) ?? '';
    const name = last.replaceAll(/[^\w.-]+/g, '_').slice(0, 60) || 'schema';
    return this.definitions.has(name) ? `${name}_${hashName(key)}` : name;
  }

  #writeAllOf(schema: SpecObject, level: number): JsonSchema {
    const merged = mergeAllOf(this.#document, schema);
    if (merged) return this.#writePlain(merged, level);
    const { allOf, $ref: _, ...own } = schema;
    const parts = listOf(allOf).map((part) => this.write(part, level));
    const written = this.#writePlain(own, level);
    return typeof written === 'boolean' ? { allOf: parts } : { ...written, allOf: parts };
  }

  #writePlain(schema: SpecObject, level: number): JsonSchema {
    const { side, describe } = this.#options;
    const written: Record<string, unknown> = writeScalar(schema, side, describe);
    this.#writeArray(schema, written, level);
    this.#writeObject(schema, written, level);
    this.#writeAlternatives(schema, written, level);
    return written;
  }

  #writeArray({ items, prefixItems }: SpecObject, written: Record<string, unknown>, level: number): void {
    if (items !== undefined) written['items'] = this.write(items, level);
    if (Array.isArray(prefixItems) && this.#options.side === 'input')
      written['prefixItems'] = prefixItems.map((item) => this.write(item, level));
  }

  #writeObject(schema: SpecObject, written: Record<string, unknown>, level: number): void {
    const { properties, required, additionalProperties } = schema;
    const isLast = level >= (this.#options.levels ?? Infinity);
    const named = entriesOf(properties);
    if (named.length > 0 && isLast) {
      written['type'] ??= 'object';
      return;
    }
    const names = new Set(listOf(required).filter((name) => typeof name === 'string'));
    const offered = named.filter(([name, each]) => this.isOffered(each, names.has(name)));
    for (const [name] of named) if (!offered.some(([kept]) => kept === name)) names.delete(name);
    if (named.length > 0) {
      written['type'] ??= 'object';
      written['properties'] = Object.fromEntries(
        offered.map(([name, each]) => [name, this.write(each, level + 1)]),
      );
    }
    if (this.#options.side === 'output') return;
    // A closed object would accept nothing if it required a property that it does not have.
    if (additionalProperties === false)
      for (const name of names) if (!named.some(([known]) => known === name)) names.delete(name);
    if (names.size > 0) written['required'] = [...names];
    if (additionalProperties === false && named.length > 0) written['additionalProperties'] = false;
    else if (isJsonObject(additionalProperties) && Object.keys(additionalProperties).length > 0)
      written['additionalProperties'] = isLast ? {} : this.write(additionalProperties, level + 1);
  }

  /** Writes `oneOf` as `anyOf`, because alternatives of real specifications overlap. */
  #writeAlternatives(schema: SpecObject, written: Record<string, unknown>, level: number): void {
    const branches = branchesOf(this.#document, schema);
    if (branches.length === 0) return;
    const alternatives = branches.map((branch) => this.#writeBranch(branch, level));
    // The converter leaves `nullable` of 3.0 beside alternatives.
    if (schema['nullable'] === true || [schema['type']].flat().includes('null'))
      alternatives.push({ type: 'null' });
    if (alternatives.some((each) => typeof each !== 'boolean' && Object.keys(each).length === 0)) return;
    const [only] = alternatives;
    if (alternatives.length === 1 && isJsonObject(only)) Object.assign(written, { ...only, ...written });
    else written['anyOf'] = alternatives;
  }

  #writeBranch({ schema, reference, property, value }: Branch, level: number): JsonSchema {
    if (property === undefined || reference === undefined) return this.write(schema, level);
    const tagged = {
      properties: { [property]: { type: 'string', const: value } },
      required: [property],
      allOf: [schema],
    };
    return this.#define(`${reference}|${property}=${value}`, reference, () => tagged, level);
  }
}

const constraining = new Set([
  'type',
  'enum',
  'properties',
  'required',
  'items',
  'allOf',
  'anyOf',
  'oneOf',
  'additionalProperties',
]);

/** Adds the definitions that a schema needs. Definitions that are small or used once are written in place. */
export function withDefinitions(
  root: JsonSchemaObject,
  definitions: ReadonlyMap<string, JsonSchema>,
): JsonSchemaObject {
  if (definitions.size === 0) return root;
  const kept = keptDefinitions(root, definitions);
  const expand = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(expand);
    if (!isJsonObject(value)) return value;
    const name = nameIn(value);
    if (name === undefined || kept.has(name)) return mapValues(value, expand);
    const { $ref: _, ...beside } = value;
    const target = expand(definitions.get(name));
    return isJsonObject(target) ? { ...target, ...beside } : target;
  };
  const written = expand(root) as JsonSchemaObject;
  if (kept.size === 0) return written;
  return {
    ...written,
    $defs: Object.fromEntries([...kept].map((name) => [name, expand(definitions.get(name))])),
  };
}

const SMALL = 150;

/** Returns the definitions that must stay: circular ones, and large ones that are used more than once. */
function keptDefinitions(root: JsonSchemaObject, definitions: ReadonlyMap<string, JsonSchema>): Set<string> {
  const uses = new Map<string, number>();
  const circular = new Set<string>();
  const above = new Set<string>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) visit(item);
    else if (isJsonObject(value)) {
      const name = nameIn(value);
      if (name === undefined) for (const item of Object.values(value)) visit(item);
      else enter(name);
    }
  };
  const enter = (name: string): void => {
    const count = (uses.get(name) ?? 0) + 1;
    uses.set(name, count);
    if (above.has(name)) circular.add(name);
    if (count > 1) return;
    above.add(name);
    visit(definitions.get(name));
    above.delete(name);
  };
  visit(root);
  const isSmall = (name: string): boolean => {
    const text = JSON.stringify(definitions.get(name));
    return text.length <= SMALL && !text.includes('"$ref"');
  };
  return new Set(
    [...uses].flatMap(([name, count]) => (circular.has(name) || (count > 1 && !isSmall(name)) ? [name] : [])),
  );
}

function nameIn(value: SpecObject): string | undefined {
  const { $ref } = value;
  return typeof $ref === 'string' ? $ref.slice('#/$defs/'.length) : undefined;
}

function mapValues(value: SpecObject, change: (value: unknown) => unknown): SpecObject {
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, change(each)]));
}
