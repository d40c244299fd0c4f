import { writeLiteral, writeName } from '@toolfold/search/internal';
import type { JsonSchemaObject } from '@toolfold/schema';
import { choicesOf, isJsonObject, mapIn, typesOf } from '@toolfold/schema/internal';
import { describeSchema, isSmall, writeComment } from './schema-notes.js';
import { findReferenced, nameType } from './type-references.js';
import type { SchemaDocument, TypeNames } from './type-references.js';

/** Bounds how deep objects, arrays and alternatives are nested. */
const MAX_DEPTH = 24;
const MAX_CHOICES = 200;
/** Stops reading types of further values here. */
const MAX_REST = 2_000;
/** Stops reading required fields here, because no type shows more. */
const MAX_REQUIRED = 5_000;
/** Writes longer objects over several lines. */
const MAX_LINE = 80;

export interface Declaring extends SchemaDocument {
  readonly names: TypeNames;
}

interface Place {
  readonly indent: string;
  readonly depth: number;
  /**
   * The schemas around this one, up to the name of a type. TypeScript lets an alias refer to itself only within an object or a list, so
   * other circular references are replaced by the type that they name.
   */
  readonly around: readonly JsonSchemaObject[] | undefined;
}

/** Unions and intersections need parentheses within other types. */
interface Declared {
  readonly text: string;
  readonly isUnion?: boolean;
  readonly isIntersection?: boolean;
  /** Whether the type refers only to itself, so that it adds nothing to the types around it. */
  readonly isCircular?: boolean;
}

const anything: Declared = { text: 'unknown' };
const nothing: Declared = { text: 'never' };
const circular: Declared = { text: 'unknown', isCircular: true };

export function declareType(schema: unknown, declaring: Declaring, indent: string): string {
  return declare(schema, declaring, { indent, depth: 0, around: undefined }).text;
}

/** Writes the body of a named type, without its name. */
export function declareNamed(schema: unknown, declaring: Declaring): string {
  return declare(schema, declaring, { indent: '', depth: 0, around: [] }).text;
}

function declare(schema: unknown, declaring: Declaring, place: Place): Declared {
  if (schema === false) return nothing;
  if (!isJsonObject(schema) || place.depth > MAX_DEPTH) return anything;
  if (declaring.budget.schemasLeft-- <= 0 || declaring.budget.charactersLeft <= 0) return anything;
  const { around } = place;
  if (around?.includes(schema)) return circular;
  const within = around ? { ...place, around: [...around, schema] } : place;
  const parts = [
    ...declareReference(schema, declaring, within),
    ...declareOwn(schema, declaring, within),
    ...['anyOf', 'oneOf'].flatMap((keyword) => {
      const alternatives: unknown = schema[keyword];
      return Array.isArray(alternatives) ? [declareUnion(alternatives, declaring, deeper(within))] : [];
    }),
    ...(Array.isArray(schema['allOf']) ? schema['allOf'] : []).map((each: unknown) =>
      declare(each, declaring, deeper(within)),
    ),
  ];
  return intersect(parts);
}

function deeper(place: Place): Place {
  return { ...place, depth: place.depth + 1 };
}

/** Enters a field or an item, in which a type may refer to itself. */
function inside(place: Place, indent: string): Place {
  return { indent, depth: place.depth + 1, around: undefined };
}

function intersect(parts: readonly Declared[]): Declared {
  const known = [
    ...new Map(parts.filter(({ text }) => text !== 'unknown').map((part) => [part.text, part])).values(),
  ];
  const [first] = known;
  if (!first) return parts.length > 0 && parts.every(({ isCircular }) => isCircular) ? circular : anything;
  if (known.length === 1) return first;
  return {
    text: known.map(({ text, isUnion }) => (isUnion ? `(${text})` : text)).join(' & '),
    isIntersection: true,
  };
}

function declareUnion(alternatives: readonly unknown[], declaring: Declaring, place: Place): Declared {
  const texts = new Set<string>();
  for (const each of alternatives) {
    const { text, isIntersection = false, isCircular = false } = declare(each, declaring, place);
    if (isCircular) continue;
    if (text === 'unknown') return anything;
    if (text !== 'never') texts.add(commentOn(each, declaring) + (isIntersection ? `(${text})` : text));
  }
  return unite([...texts]);
}

function unite(texts: readonly string[]): Declared {
  if (texts.length === 0) return nothing;
  return { text: texts.join(' | '), isUnion: texts.length > 1 };
}

/** Returns the comment before a type that is not the type of a field. */
function commentOn(schema: unknown, declaring: Declaring): string {
  if (!isJsonObject(schema)) return '';
  const text = describeSchema(schema as JsonSchemaObject);
  return text === '' || !spend(declaring, text.length) ? '' : `${writeComment([text], '')} `;
}

function spend(declaring: Declaring, length: number): boolean {
  declaring.budget.charactersLeft -= length;
  return declaring.budget.charactersLeft > 0;
}

function declareReference(schema: JsonSchemaObject, declaring: Declaring, place: Place): readonly Declared[] {
  const reference = schema['$ref'] ?? schema['$dynamicRef'];
  if (reference === undefined) return [];
  const referenced = findReferenced(reference, declaring.root);
  if (!referenced) return [anything];
  if (place.around) return [declare(referenced.schema, declaring, deeper(place))];
  return [{ text: nameType(referenced, declaring, declaring.names) }];
}

/** Returns the type that the keywords of a schema describe, without its references and alternatives. */
function declareOwn(schema: JsonSchemaObject, declaring: Declaring, place: Place): readonly Declared[] {
  const choices = choicesOf(schema);
  if (choices) return [declareChoices(choices, declaring)];
  const types = typesOf(schema) ?? guessTypes(schema);
  if (types.length === 0) return [];
  const written = types.map((type) => declareSingle(type, schema, declaring, place));
  return written.length === 1 ? written : [unite([...new Set(written.map(({ text }) => text))])];
}

/** Infers the type from the other keywords, because `type` is optional. */
function guessTypes(schema: JsonSchemaObject): readonly string[] {
  const { properties, required, additionalProperties, patternProperties, items, prefixItems } = schema;
  if (properties ?? required ?? additionalProperties ?? patternProperties) return ['object'];
  return (items ?? prefixItems) === undefined ? [] : ['array'];
}

function declareSingle(type: string, schema: JsonSchemaObject, declaring: Declaring, place: Place): Declared {
  switch (type) {
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return { text: type };
    case 'integer':
      return { text: 'number' };
    case 'array':
      return declareArray(schema, declaring, place);
    case 'object':
      return declareObject(schema, declaring, place);
    default:
      return anything;
  }
}

function declareChoices(choices: readonly unknown[], declaring: Declaring): Declared {
  const texts = new Set<string>();
  for (const choice of choices.slice(0, MAX_CHOICES)) {
    const text = isSmall(choice) ? literalOf(choice) : 'unknown';
    texts.add(spend(declaring, text.length) ? text : 'unknown');
  }
  if (texts.has('unknown')) return anything;
  const more = choices.length - MAX_CHOICES;
  if (more > MAX_REST) return anything;
  if (more > 0) {
    const left = new Set(choices.slice(MAX_CHOICES).map((each) => (each === null ? 'null' : typeof each)));
    for (const type of left) texts.add(`/** ${more} more values */ ${type}`);
  }
  return unite([...texts]);
}

function literalOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literalOf).join(', ')}]`;
  if (!isJsonObject(value)) return writeLiteral(value);
  return `{ ${Object.entries(value)
    .map(([name, each]) => `${writeName(name)}: ${literalOf(each)}`)
    .join('; ')} }`;
}

function declareArray(schema: JsonSchemaObject, declaring: Declaring, place: Place): Declared {
  const { items, prefixItems } = schema;
  const first = prefixItems ?? (Array.isArray(items) ? items : undefined);
  const others = Array.isArray(items) ? schema['additionalItems'] : items;
  const within = inside(place, place.indent);
  const each = others === false ? nothing : declare(others ?? true, declaring, within);
  const item = commentOn(others, declaring) + each.text;
  const list = each.isUnion || each.isIntersection || item !== each.text ? `(${item})[]` : `${each.text}[]`;
  if (!Array.isArray(first)) return { text: list };
  const least = Number(schema['minItems'] ?? 0);
  const places = first.slice(0, MAX_CHOICES).map((one: unknown, at) => {
    const { text, isUnion, isIntersection } = declare(one, declaring, within);
    if (at < least) return text;
    return isUnion || isIntersection ? `(${text})?` : `${text}?`;
  });
  const isCut = first.length > MAX_CHOICES;
  if (isCut) places.push('...unknown[]');
  else if (others !== false) places.push(`...${list}`);
  return { text: `[${places.join(', ')}]` };
}

function declareObject(schema: JsonSchemaObject, declaring: Declaring, place: Place): Declared {
  const { properties, additionalProperties: others, patternProperties: patterns } = schema;
  const known = mapIn(properties);
  const listed: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  const required = new Set(listed.slice(0, MAX_REQUIRED).filter((name) => typeof name === 'string'));
  const names = new Set([...Object.keys(known), ...required]);
  const indent = `${place.indent}  `;
  const fields: string[] = [];
  for (const name of names) {
    if (!spend(declaring, name.length + 8) || declaring.budget.schemasLeft <= 0) {
      const atLeast = listed.length > MAX_REQUIRED ? 'at least ' : '';
      fields.push(`/** ${atLeast}${names.size - fields.length} more fields */`);
      break;
    }
    const field = Object.hasOwn(known, name) ? known[name] : isJsonObject(others) ? others : true;
    fields.push(declareField(name, field, required.has(name), declaring, inside(place, indent)));
  }
  const rest = [
    ...(others === true || isJsonObject(others) ? [others] : []),
    ...(isJsonObject(patterns) ? Object.values(patterns) : []),
  ];
  const isFree = names.size === 0 && others === undefined && rest.length === 0;
  // TypeScript requires that the type of further fields contains the types of all named fields.
  const further =
    isFree || names.size > 0
      ? anything
      : declareUnion(rest.slice(0, MAX_CHOICES), declaring, inside(place, indent));
  if (rest.length > 0 || isFree || declaring.budget.schemasLeft <= 0 || declaring.budget.charactersLeft <= 0)
    fields.push(`[name: string]: ${further.text}`);
  if (fields.length === 0) return { text: '{ [name: string]: never }' };
  return { text: joinFields(fields, place.indent) };
}

function joinFields(fields: readonly string[], indent: string): string {
  const line = `{ ${fields.join('; ')} }`;
  if (line.length <= MAX_LINE && !line.includes('\n') && !line.includes('/**')) return line;
  return `{\n${fields.map((field) => `${indent}  ${field}${field.endsWith('*/') ? '' : ';'}\n`).join('')}${indent}}`;
}

function declareField(
  name: string,
  schema: unknown,
  isRequired: boolean,
  declaring: Declaring,
  place: Place,
): string {
  const text = isJsonObject(schema) ? describeSchema(schema as JsonSchemaObject) : '';
  const comment =
    text !== '' && spend(declaring, text.length)
      ? `${writeComment([text], place.indent)}\n${place.indent}`
      : '';
  const { text: type } = declare(schema, declaring, place);
  return `${comment}${writeName(name)}${isRequired ? '' : '?'}: ${type}`;
}
