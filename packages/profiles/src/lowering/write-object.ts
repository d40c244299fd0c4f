import type { JsonSchema, JsonSchemaObject } from '@toolfold/schema';
import { hashName } from '../hash-name.js';
import { isJsonObject } from '@toolfold/schema/internal';
import type { ProfileRules } from '../rules/rules-of.js';
import { KEY_PATTERN } from '../rules/structure-rules.js';
import type { Alternative, ObjectFacts } from './alternative.js';
import type { Codec } from './codecs.js';
import { anyOf } from './merge-alternatives.js';
import { joinWords, typeWord } from './notes.js';
import { objectCodec, stem } from './object-codec.js';
import type { StrictParts } from './object-codec.js';
import { accepts, writeKeywords } from './write-scalar.js';
import type { Written } from './write-scalar.js';

/** A lowered schema, and the translation of its values. */
export interface Node {
  readonly schema: JsonSchema;
  readonly codec: Codec | undefined;
}

interface ObjectWriter {
  readonly rules: ProfileRules;
  /** Lowers the schema of a property; `undefined` if no value is valid. */
  readonly lowerField: (schema: JsonSchema, name: string, isOptional: boolean) => Node | undefined;
  /** Returns a test of values against a schema of the author. */
  readonly fits: (schema: JsonSchema) => (value: unknown) => boolean;
  readonly report: (rule: string, name: string, message: string) => void;
  /** Maximum number of properties; `undefined` for no limit. */
  readonly maxProperties: number | undefined;
}

export interface WrittenObject extends Written {
  readonly codec: Codec | undefined;
  /** Lowered names of properties by authored name. */
  readonly renamed: ReadonlyMap<string, string>;
  readonly fields: ReadonlyMap<string, Codec>;
}

/** Name of the property with the fields that strict mode cannot declare. */
const REST = 'additional_fields';

/** Writes an object in the keywords that a profile accepts; `undefined` if the profile can express it as text only. */
export function writeObject(
  alternative: Alternative,
  facts: ObjectFacts,
  guardedNames: ReadonlySet<string>,
  { rules, lowerField, fits, report, maxProperties, isRoot }: ObjectWriter & { readonly isRoot: boolean },
): WrittenObject | undefined {
  const isStrict = rules.ids.has('strict-closed');
  const others = otherFields(facts);
  const { properties, required } = withRequired(facts, others, rules);
  const kept = limitProperties(properties, required, maxProperties).filter(
    // Ajv ignores a property `__proto__`, and a strict object must not leave fields open.
    (name) => !(isStrict && name === '__proto__'),
  );
  const renamed = renameKeys(kept, rules, report);
  const guardNames = new Set([...renamed.values(), ...properties.keys()].map(stem));
  const written: Record<string, JsonSchema> = {};
  const declared = new Set<string>();
  const fields = new Map<string, Codec>();
  const optional = new Set<string>();
  const guarded = new Map<string, { name: string; fits: (value: unknown) => boolean }>();
  for (const name of kept) {
    const schema = properties.get(name) ?? true;
    const isOptional = !required.has(name);
    const node = lowerField(schema, name, isStrict && isOptional);
    if (!node) continue;
    declared.add(name);
    const newName = renamed.get(name) ?? name;
    const field = withHeader(node.schema, schema);
    define(written, newName, newName === name ? field : withOrigin(field, name));
    if (node.codec) fields.set(name, node.codec);
    if (isOptional) optional.add(name);
    if (guardedNames.has(name))
      guarded.set(name, { name: unusedName(`${newName}_other`, guardNames, name), fits: fits(schema) });
  }
  if (declared.size === 0 && !isRoot && rules.ids.has('properties-not-empty')) return undefined;
  const notes: string[] = [];
  const schema: Record<string, unknown> = { type: 'object' };
  if (declared.size > 0 || rules.ids.has('object-properties') || facts.properties.size > 0)
    schema['properties'] = written;
  writeKeywords(alternative, { schema, notes }, rules);
  const strict = isStrict
    ? writeStrict(schema, {
        written,
        declared,
        optional,
        isOpen: others !== false || kept.length < properties.size,
      })
    : undefined;
  if (!strict && required.size > 0) {
    const names = [...required].map((name) => renamed.get(name) ?? name);
    schema['required'] = names.filter(
      (name) => !rules.ids.has('required-defined') || Object.hasOwn(written, name),
    );
    if ((schema['required'] as string[]).length === 0) delete schema['required'];
  }
  writeDependencies(alternative.keywords, renamed, { schema, notes }, rules);
  const otherNode = strict ? undefined : writeOthers(others, { schema, notes, lowerField, rules });
  noteNames(alternative.keywords, facts, notes);
  const codec = objectCodec({ declared, renamed, fields, others: otherNode?.codec, guarded, strict });
  return { schema, notes, codec, renamed, fields };
}

/** Returns the schema of undeclared fields, including those whose names match a pattern. */
function otherFields({ others, patterns }: ObjectFacts): JsonSchema {
  return patterns.length === 0 ? others : anyOf([others, ...patterns.map(([, schema]) => schema)]);
}

/** Adds properties for names that are required but not declared, if the profile needs them. */
function withRequired(
  { properties, required }: ObjectFacts,
  others: JsonSchema,
  rules: ProfileRules,
): Pick<ObjectFacts, 'properties' | 'required'> {
  const isNeeded = rules.ids.has('required-defined') || rules.ids.has('strict-required');
  const missing = isNeeded ? [...required].filter((name) => !properties.has(name)) : [];
  if (missing.length === 0) return { properties, required };
  return {
    properties: new Map([...properties, ...missing.map((name) => [name, others] as const)]),
    required,
  };
}

/** Returns the names of the declared properties. If there are too many, required properties come first. */
function limitProperties(
  properties: ReadonlyMap<string, JsonSchema>,
  required: ReadonlySet<string>,
  max: number | undefined,
): readonly string[] {
  const names = [...properties.keys()];
  if (max === undefined || names.length <= max) return names;
  const chosen = new Set([...names.filter((name) => required.has(name)), ...names].slice(0, max - 1));
  return names.filter((name) => chosen.has(name));
}

function renameKeys(
  names: readonly string[],
  rules: ProfileRules,
  report: ObjectWriter['report'],
): ReadonlyMap<string, string> {
  const renamed = new Map<string, string>();
  if (!rules.ids.has('property-key')) return renamed;
  const taken = new Set(names.map(stem));
  for (const name of names) {
    if (KEY_PATTERN.test(name)) continue;
    const newName = unusedName(cleanKey(name), taken, name);
    renamed.set(name, newName);
    report('property-key', name, `The key is renamed to ${newName}.`);
  }
  return renamed;
}

/** Replaces the characters that clients reject. The result does not end with an underscore. */
function cleanKey(key: string): string {
  const name = stem(key.slice(0, 200).replace(/[^a-zA-Z0-9_.-]+/g, '_')).replace(/^_+(?=.)/, '');
  if (!/[a-zA-Z0-9]/.test(name)) return `field_${hashName(key)}`;
  return name.length > 48 || key.length > 200 ? `${name.slice(0, 40)}_${hashName(key)}` : name;
}

/** Adds a number if another name has the same stem. After a few numbers it adds a hash, because many names may become equal. */
function unusedName(name: string, taken: Set<string>, key = name): string {
  let unused = name;
  for (let number = 2; taken.has(unused); number++)
    unused = number < 10 ? `${name}${number}` : `${name}_${hashName(`${key}${'_'.repeat(number - 10)}`)}`;
  taken.add(unused);
  return unused;
}

/** Adds the authored name to the description of a renamed property, because errors use it. */
function withOrigin(schema: JsonSchema, name: string): JsonSchema {
  const note = `Original name: ${name.length > 100 ? `${name.slice(0, 100)}…` : name}`;
  if (typeof schema === 'boolean') return schema ? { description: note } : schema;
  const { anyOf: branches, description } = schema;
  // Some profiles accept no other keyword beside `anyOf`.
  if (Array.isArray(branches) && Object.keys(schema).length === 1) {
    const [first, ...rest] = branches as JsonSchemaObject[];
    return { anyOf: [isJsonObject(first) ? withOrigin(first, name) : first, ...rest] };
  }
  return {
    ...schema,
    description:
      typeof description === 'string' && description !== '' ? `${description.trimEnd()} (${note})` : note,
  };
}

/**
 * Keeps the header of an argument, which MCP clients read before a model API sees the schema. MCP allows headers only for
 * arguments of one type, so an optional argument of strict mode, which may be null, loses its header.
 */
function withHeader(lowered: JsonSchema, authored: JsonSchema): JsonSchema {
  if (!isJsonObject(authored) || !isJsonObject(lowered)) return lowered;
  const { 'x-mcp-header': header, type } = authored;
  const isKept = typeof header === 'string' && typeof type === 'string' && lowered['type'] === type;
  return isKept && lowered['x-mcp-header'] === undefined ? { ...lowered, 'x-mcp-header': header } : lowered;
}

function writeStrict(
  schema: Record<string, unknown>,
  {
    written,
    declared,
    optional,
    isOpen,
  }: {
    written: Record<string, JsonSchema>;
    declared: ReadonlySet<string>;
    optional: ReadonlySet<string>;
    isOpen: boolean;
  },
): StrictParts {
  let rest: string | undefined;
  if (isOpen) {
    rest = unusedName(REST, new Set([...Object.keys(written), ...declared]));
    define(written, rest, {
      type: ['string', 'null'],
      description: 'JSON text of an object with further fields, or null.',
    });
  }
  schema['properties'] = written;
  schema['required'] = Object.keys(written);
  schema['additionalProperties'] = false;
  return { optional, rest };
}

function writeDependencies(
  { dependentRequired }: JsonSchemaObject,
  renamed: ReadonlyMap<string, string>,
  { schema, notes }: { schema: Record<string, unknown>; notes: string[] },
  rules: ProfileRules,
): void {
  if (!isJsonObject(dependentRequired)) return;
  const entries = Object.entries(dependentRequired).flatMap(([name, needed]) =>
    Array.isArray(needed) ? [[name, needed.filter((key) => typeof key === 'string')] as const] : [],
  );
  const newName = (name: string): string => renamed.get(name) ?? name;
  if (accepts(rules, 'dependentRequired')) {
    schema['dependentRequired'] = Object.fromEntries(
      entries.map(([name, needed]) => [newName(name), needed.map(newName)]),
    );
  } else {
    const sentences = entries.map(
      ([name, needed]) => `${newName(name)} needs ${needed.map(newName).join(' and ')}`,
    );
    if (sentences.length > 0) notes.push(`${joinWords(sentences)}.`);
  }
}

function writeOthers(
  others: JsonSchema,
  {
    schema,
    notes,
    lowerField,
    rules,
  }: {
    schema: Record<string, unknown>;
    notes: string[];
    lowerField: ObjectWriter['lowerField'];
    rules: ProfileRules;
  },
): Node | undefined {
  if (!accepts(rules, 'additionalProperties')) {
    if (typeof others === 'object' && Object.keys(others).length > 0)
      notes.push(`Further fields: ${typeWord(others)}.`);
    return undefined;
  }
  if (others === true) return undefined;
  const node = others === false ? undefined : lowerField(others, '*', false);
  schema['additionalProperties'] = node?.schema ?? false;
  return node;
}

function noteNames({ propertyNames }: JsonSchemaObject, { patterns }: ObjectFacts, notes: string[]): void {
  const pattern = isJsonObject(propertyNames) ? propertyNames['pattern'] : undefined;
  if (typeof pattern === 'string' && pattern.length <= 200) notes.push(`Names match ${pattern}`);
  const names = patterns.map(([name, schema]) => `${name.slice(0, 100)} (${typeWord(schema)})`);
  if (names.length > 0) notes.push(`Further fields match ${joinWords(names)}.`);
}

/** `defineProperty` makes `__proto__` an ordinary property. */
function define(target: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
}
