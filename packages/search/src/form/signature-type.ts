import { followPointer, isJsonObject, typesOf } from '@toolfold/schema/internal';
import type { JsonSchemaObject } from '@toolfold/schema';

/** Limits the parts of a signature that does not fit as a whole. */
export const partLimits: PartLimits = { object: 100, choices: 120, level: 1 };
const MAX_LITERAL = 120;
const MAX_PATTERN = 32;
const MAX_EXAMPLE = 24;
const MAX_REFERENCE = 1_000;
/** Limits how deep references, alternatives and arrays are nested. */
const MAX_DEPTH = 8;

/** Marks a part that is not shown completely. `describe_tools` returns the whole. */
export const CUT = '…';

export interface PartLimits {
  /** Most characters of an object in a signature. */
  readonly object: number;
  /** Most characters of a union. */
  readonly choices: number;
  /** Objects inside more objects than this are cut. */
  readonly level: number;
}

export interface Writing {
  readonly limits: PartLimits;
  readonly root: JsonSchemaObject;
  schemasLeft: number;
  /** Writes types of TypeScript, which have no formats and no limits. */
  readonly isTypeScript?: boolean | undefined;
  /** Whether the schema is that of a result, of which a reader need not know all required fields. */
  readonly isResult?: boolean | undefined;
  readonly writeFields: (
    schema: JsonSchemaObject,
    maxLength: number,
    writing: Writing,
    level: number,
  ) => string;
}

/**
 * The position of a schema: `level` counts the objects around it, and `depth` the references, alternatives and arrays since the last
 * object.
 */
export interface Place {
  readonly level: number;
  readonly depth: number;
}

interface WrittenType {
  readonly text: string;
  /** Whether the type needs parentheses before `[]`. */
  readonly isCompound?: boolean;
  /** The JavaScript type of all its values. Absent if the type has further rules. */
  readonly plain?: string;
}

const hidden: WrittenType = { text: CUT };
const anything: WrittenType = { text: 'any' };

/** Rules of an object that its fields do not show. */
const hiddenRules = [
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'dependentRequired',
  'dependentSchemas',
  'dependencies',
  'patternProperties',
  'propertyNames',
  '$ref',
  '$dynamicRef',
];

/** Whether a schema has rules that a signature does not show. Minimum lengths are ignored, because non-empty texts and lists are usual. */
export function hasHiddenRules(schema: JsonSchemaObject): boolean {
  const { minLength, minItems, minProperties, multipleOf } = schema;
  return (
    hiddenRules.some((rule) => schema[rule] !== undefined) ||
    Number(minLength) > 1 ||
    Number(minItems) > 1 ||
    Number(minProperties) > 0 ||
    multipleOf !== undefined
  );
}

/** The keywords of JSON Schema that restrict values. */
const restricting: readonly string[] = [
  ...hiddenRules,
  'type',
  'enum',
  'const',
  'minLength',
  'maxLength',
  'pattern',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'items',
  'prefixItems',
  'contains',
  'minItems',
  'maxItems',
  'properties',
  'required',
  'additionalProperties',
  'minProperties',
  'maxProperties',
];

function hasOtherRules(schema: JsonSchemaObject, ...shown: readonly string[]): boolean {
  return restricting.some((rule) => schema[rule] !== undefined && !shown.includes(rule));
}

/** Writes a type. An object is written with its fields only if it is short and in no other object. */
export function writeType(given: unknown, writing: Writing, place: Place): WrittenType {
  if (given === true) return anything;
  if (given === false) return { text: 'never' };
  if (writing.schemasLeft-- <= 0 || place.depth > MAX_DEPTH) return hidden;
  const schema = resolve(given, writing);
  if (!schema) return hidden;
  const { enum: choices, const: constant } = schema;
  if (constant !== undefined || Array.isArray(choices)) {
    if (hiddenRules.some((rule) => schema[rule] !== undefined)) return hidden;
    return writeChoices(constant === undefined ? (choices as readonly unknown[]) : [constant], writing);
  }
  const alternatives = schema['anyOf'] ?? schema['oneOf'];
  const types = typesOf(schema) ?? guessTypes(schema);
  if (Array.isArray(alternatives) && !saysMore(schema, types, alternatives))
    return joinTypes(alternatives, writing, (each) => writeType(each, writing, deeper(place)));
  const parts = schema['allOf'];
  if (Array.isArray(parts) && parts.length === 1 && !hasOtherRules(schema, 'allOf'))
    return writeType(parts[0], writing, deeper(place));
  if (types.length === 0) return hasOtherRules(schema) ? hidden : anything;
  return joinTypes(types, writing, (type) => writeSingle(type, schema, writing, place));
}

function deeper({ level, depth }: Place): Place {
  return { level, depth: depth + 1 };
}

/** Whether a schema has rules besides its alternatives. A bare `type: 'object'` does not count, because the roots of tools must have it. */
function saysMore(schema: JsonSchemaObject, types: readonly string[], alternatives: unknown): boolean {
  const shown = schema['anyOf'] === alternatives ? 'anyOf' : 'oneOf';
  return (
    hasOtherRules(schema, shown, 'type', 'properties', 'required', 'additionalProperties') ||
    (types.length > 0 &&
      (types.join() !== 'object' || isJsonObject(schema['properties']) || hasRequired(schema)))
  );
}

function hasRequired({ required }: JsonSchemaObject): boolean {
  return Array.isArray(required) && required.length > 0;
}

/** Follows references within the document. Returns `undefined` if a reference has no target. */
export function resolve(given: unknown, { root }: Writing): JsonSchemaObject | undefined {
  let schema: unknown = given;
  for (let hop = 0; hop < MAX_DEPTH; hop++) {
    if (!isJsonObject(schema)) return undefined;
    const { $ref } = schema;
    if ($ref === undefined) return schema as JsonSchemaObject;
    // Rules beside a reference apply as well, so such a reference is not followed. References to anchors and other documents are not
    // either.
    if (typeof $ref !== 'string' || $ref.length > MAX_REFERENCE || !/^#(?:\/|$)/.test($ref)) return undefined;
    if (hasOtherRules(schema, '$ref')) return undefined;
    schema = followPointer(root, $ref);
  }
  return undefined;
}

/** Infers the type from the other keywords, because `type` is optional. */
function guessTypes(schema: JsonSchemaObject): readonly string[] {
  const { properties, items, prefixItems } = schema;
  if (isJsonObject(properties) || hasRequired(schema)) return ['object'];
  return items === undefined && prefixItems === undefined ? [] : ['array'];
}

function joinTypes<T>(all: readonly T[], { limits }: Writing, write: (one: T) => WrittenType): WrittenType {
  const [first] = all;
  if (all.length === 0) return hidden;
  if (all.length === 1 && first !== undefined) return write(first);
  const texts = new Set<string>();
  let length = 0;
  for (const each of all) {
    const { text } = write(each);
    if (!texts.has(text)) length += text.length + 1;
    texts.add(text);
    if (length > limits.choices) return hidden;
  }
  return { text: [...texts].join('|'), isCompound: texts.size > 1 };
}

function writeChoices(choices: readonly unknown[], { limits }: Writing): WrittenType {
  const shown: string[] = [];
  let left = limits.choices;
  for (const choice of choices) {
    const text = typeof choice === 'object' && choice !== null ? CUT : writeLiteral(choice);
    left -= text.length + 1;
    if (left < 0) {
      shown.push(CUT);
      break;
    }
    shown.push(text);
  }
  if (shown.length === 0) return { text: 'never' };
  return { text: shown.join('|'), isCompound: shown.length > 1 };
}

const IDENTIFIER = /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u;

export function writeName(name: string): string {
  return IDENTIFIER.test(name) ? name : JSON.stringify(name);
}

const QUOTABLE = /^[^'"\\\p{C}]*$/u;

/** Writes a value as JSON, but text in single quotes, which TOON need not escape. */
export function writeLiteral(value: unknown): string {
  if (typeof value === 'string' && value.length <= MAX_LITERAL && QUOTABLE.test(value)) return `'${value}'`;
  return JSON.stringify(value) ?? 'any';
}

function writeSingle(type: string, schema: JsonSchemaObject, writing: Writing, place: Place): WrittenType {
  switch (type) {
    case 'string':
      return writing.isTypeScript ? toTypeScript(type, writeString(schema)) : writeString(schema);
    case 'number':
    case 'integer':
      return writing.isTypeScript
        ? toTypeScript('number', writeNumber(type, schema))
        : writeNumber(type, schema);
    case 'boolean':
      return hasHiddenRules(schema) && !writing.isTypeScript
        ? { text: `boolean${CUT}` }
        : { text: type, plain: type };
    case 'array':
      return writeArray(schema, writing, place);
    case 'object':
      return writeObject(schema, writing, place);
    default:
      return type === 'null' ? { text: type } : hidden;
  }
}

/** Returns a TypeScript type with the format, example or limits of the value as a comment. */
function toTypeScript(type: string, { text, plain }: WrittenType): WrittenType {
  const note = text.replace(/^(?:string|number|integer) ?/, '');
  return plain === undefined && note !== CUT && !note.includes('*/')
    ? { text: `${type}/*${note}*/` }
    : { text: type };
}

/** Formats whose name describes the text well enough. */
const formats = new Set([
  'date',
  'date-time',
  'time',
  'duration',
  'email',
  'hostname',
  'ipv4',
  'ipv6',
  'uri',
  'uuid',
]);

function writeString(schema: JsonSchemaObject): WrittenType {
  const { format, pattern, examples } = schema;
  if (hasHiddenRules(schema)) return { text: `string${CUT}` };
  if (typeof format === 'string' && formats.has(format)) return { text: format };
  if (pattern === undefined) return { text: 'string', plain: 'string' };
  const example = Array.isArray(examples) ? (examples[0] as unknown) : exampleIn(schema['description']);
  if (typeof example === 'string' && example !== '' && example.length <= MAX_EXAMPLE)
    return { text: `string e.g. ${writeLiteral(example)}`, isCompound: true };
  const isShort = typeof pattern === 'string' && pattern.length <= MAX_PATTERN && !/\p{C}/u.test(pattern);
  return isShort ? { text: `string /${pattern}/`, isCompound: true } : { text: `string${CUT}` };
}

/** Searches only this many characters of a description for an example. */
const MAX_DESCRIPTION = 400;
const EXAMPLE = /\b(?:such as|e\.g\.|for example) ["'`]?([\w.:/@#+-]*\w)/;

/** Finds the example in a description such as "Month such as 2026-03". It says more to a model than a pattern. */
function exampleIn(description: unknown): string | undefined {
  return typeof description === 'string'
    ? EXAMPLE.exec(description.slice(0, MAX_DESCRIPTION))?.[1]
    : undefined;
}

/** Limits from here on come from integer types, and no argument reaches them. */
const UNLIMITED = 2 ** 31 - 1;

/** Writes a number with its upper limit. A lower limit of 0 or 1 alone is left out, because ids and counts are never negative. */
function writeNumber(type: string, schema: JsonSchemaObject): WrittenType {
  if (hasHiddenRules(schema)) return { text: `${type}${CUT}` };
  const { minimum: least, maximum: most, exclusiveMinimum: above, exclusiveMaximum: below } = schema;
  const limits = [
    isLimit(least) ? `>=${least}` : '',
    isLimit(above) ? `>${above}` : '',
    isLimit(most) ? `<=${most}` : '',
    isLimit(below) ? `<${below}` : '',
  ].filter((limit) => limit !== '');
  if (limits.length === 0 || (limits.length === 1 && (least === 0 || least === 1)))
    return { text: type, plain: 'number' };
  if (limits.length === 2 && isLimit(least) && isLimit(most))
    return { text: `${type} ${least}..${most}`, isCompound: true };
  return { text: `${type}${limits.join('')}`, isCompound: true };
}

function isLimit(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) < UNLIMITED;
}

function writeArray(schema: JsonSchemaObject, writing: Writing, place: Place): WrittenType {
  const { items, prefixItems } = schema;
  const isPartial =
    prefixItems !== undefined ||
    Array.isArray(items) ||
    (!writing.isTypeScript && (hasHiddenRules(schema) || schema['contains'] !== undefined));
  if (isPartial) return { text: writing.isTypeScript ? `any[]${CUT}` : `array${CUT}` };
  const { text, isCompound = false } = writeType(items ?? true, writing, deeper(place));
  return { text: isCompound ? `(${text})[]` : `${text}[]` };
}

function writeObject(schema: JsonSchemaObject, writing: Writing, { level }: Place): WrittenType {
  const { properties, additionalProperties: others } = schema;
  const isFree =
    (!isJsonObject(properties) || Object.keys(properties).length === 0) &&
    !hasRequired(schema) &&
    !isJsonObject(others) &&
    !hasHiddenRules(schema);
  if (isFree) return { text: others === false ? '{}' : 'object' };
  const cut = writing.isTypeScript ? `{${CUT}}` : `object${CUT}`;
  const { limits } = writing;
  if (level > limits.level) return { text: cut };
  const fields = writing.writeFields(schema, limits.object - 2, writing, level);
  const isShort = fields.length <= limits.object - 2 && !/^\d+ more required/.test(fields);
  return { text: isShort && fields !== CUT ? `{${fields}}` : cut };
}
