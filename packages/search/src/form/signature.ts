import { isJsonObject, mapIn } from '@toolfold/schema/internal';
import type { JsonSchemaObject } from '@toolfold/schema';
import {
  CUT,
  hasHiddenRules,
  partLimits,
  resolve,
  writeLiteral,
  writeName,
  writeType,
} from './signature-type.js';
import type { PartLimits, Place, Writing } from './signature-type.js';

const MAX_SIGNATURE = 200;
/** Limits the schemas that one signature reads, because a schema may come from another server. */
const MAX_SCHEMAS = 400;
const MAX_DEFAULT = 16;
const CUT_LENGTH = 3;
const MISSING_LENGTH = 23;

/**
 * Writes the arguments of a tool in one line, such as `(id: integer, status?: 'open'|'closed', …sort)`. Required fields come first. A
 * `…` marks every part that is not shown completely: of fields that do not fit, the types of optional ones are left out first,
 * then their names.
 */
export function writeSignature(schema: JsonSchemaObject, maxLength = MAX_SIGNATURE): string {
  return `(${writeArguments(schema, maxLength - 2).text})`;
}

/** Writes the fields of the arguments. Alternatives become a union of objects. */
export function writeArguments(
  schema: JsonSchemaObject,
  maxLength = MAX_SIGNATURE,
  isTypeScript = false,
): { readonly text: string; readonly isUnion: boolean } {
  // The limits of parts leave space for other parts, so they apply only to a signature that does not fit without them.
  const whole = write({ object: maxLength, choices: maxLength, level: Infinity });
  return whole.text.includes(CUT) ? write(partLimits) : whole;

  function write(limits: PartLimits): { readonly text: string; readonly isUnion: boolean } {
    const writing: Writing = { root: schema, schemasLeft: MAX_SCHEMAS, writeFields, isTypeScript, limits };
    const root = resolve(schema, writing);
    if (!root) return { text: CUT, isUnion: false };
    const isUnion = root['properties'] === undefined && [root['anyOf'], root['oneOf']].some(Array.isArray);
    const text = isUnion
      ? writeType(root, writing, { level: 1, depth: 0 }).text
      : writeFields(root, maxLength, writing, 0);
    return text.length <= maxLength ? { text, isUnion } : { text: CUT, isUnion: false };
  }
}

/** Writes the type of a result in TypeScript. A `…` marks every part that is not shown completely. */
export function writeResultType(schema: JsonSchemaObject): string {
  const writing: Writing = {
    root: schema,
    schemasLeft: MAX_SCHEMAS,
    writeFields,
    limits: partLimits,
    isTypeScript: true,
    isResult: true,
  };
  return writeType(schema, writing, { level: 0, depth: 0 }).text;
}

export function writeFieldType(field: unknown, root: JsonSchemaObject): string {
  const writing: Writing = {
    root,
    schemasLeft: MAX_SCHEMAS,
    writeFields,
    limits: partLimits,
    isTypeScript: true,
  };
  return writeType(field, writing, { level: 0, depth: 0 }).text;
}

interface WrittenField {
  readonly full: string;
  readonly short: string;
}

function writeFields(schema: JsonSchemaObject, maxLength: number, writing: Writing, level: number): string {
  const { properties, additionalProperties: others } = schema;
  const known = mapIn(properties);
  const needed = readRequired(schema, maxLength);
  // This schema applies to required fields that are not among the properties. With patterns it is unknown, and a mark at the end says so.
  const unnamed = schema['patternProperties'] === undefined ? (others ?? true) : true;
  const place: Place = { level: level + 1, depth: 0 };
  const required = Array.from(needed, (name): WrittenField => {
    const type = writeType(Object.hasOwn(known, name) ? known[name] : unnamed, writing, place).text;
    const label = labelOf(name, writing);
    return { full: `${label}: ${type}`, short: `${label}: ${CUT}` };
  });
  if (lengthOf(required) > maxLength - CUT_LENGTH) {
    const shown = fitFields(required, maxLength - MISSING_LENGTH);
    const missing = requiredIn(schema).length - shown.length;
    return [...shown, writing.isResult ? CUT : `${missing} more required${CUT}`].join(', ');
  }
  const first = fitFields(required, maxLength - CUT_LENGTH);
  const left = maxLength - first.reduce((sum, text) => sum + text.length + 2, 0);
  const optional: WrittenField[] = [];
  for (const name in known) {
    if (lengthOf(optional) > left) break;
    if (needed.has(name) || !Object.hasOwn(known, name)) continue;
    optional.push({
      full: writeOptional(name, known[name], writing, place),
      short: `${CUT}${labelOf(name, writing)}`,
    });
  }
  if (others === true || isJsonObject(others)) {
    const label = writing.isTypeScript ? '[name: string]' : '[name]';
    // TypeScript requires that the type of further fields contains the types of all named fields.
    const isAny = writing.isTypeScript === true && needed.size + optional.length > 0;
    const type = isAny ? 'any' : writeType(others, writing, place).text;
    optional.push({ full: `${label}: ${type}`, short: `${label}: ${CUT}` });
  }
  const isWhole = lengthOf(optional) <= left && !hasHiddenRules(schema);
  const second = fitFields(optional, isWhole ? left : left - CUT_LENGTH);
  return [...first, ...second, ...(isWhole ? [] : [CUT])].join(', ');
}

/** Stops at the number of fields that a signature of this length can show. */
function readRequired(schema: JsonSchemaObject, max: number): ReadonlySet<string> {
  return new Set(
    requiredIn(schema)
      .slice(0, max)
      .filter((name) => typeof name === 'string'),
  );
}

function requiredIn({ required }: JsonSchemaObject): readonly unknown[] {
  return Array.isArray(required) ? required : [];
}

function lengthOf(fields: readonly WrittenField[]): number {
  return fields.reduce((sum, { short }) => sum + short.length + 2, -2);
}

/** Shows as many fields as fit, in order. Short types are shown before long ones, because then most of them fit. */
function fitFields(fields: readonly WrittenField[], maxLength: number): string[] {
  let length = -2;
  const shown: string[] = [];
  for (const { short } of fields) {
    if (length + short.length + 2 > maxLength) break;
    length += short.length + 2;
    shown.push(short);
  }
  const added = shown.map((short, at) => ({
    at,
    full: fields[at]?.full ?? '',
    by: (fields[at]?.full.length ?? 0) - short.length,
  }));
  for (const { at, full, by } of added.toSorted((one, other) => one.by - other.by)) {
    if (length + by > maxLength) break;
    length += by;
    shown[at] = full;
  }
  return shown;
}

function writeOptional(name: string, schema: unknown, writing: Writing, place: Place): string {
  const { text, plain } = writeType(schema, writing, place);
  const label = labelOf(name, writing);
  if (writing.isTypeScript) return `${label}?: ${text}`;
  const value = isJsonObject(schema) ? schema['default'] : undefined;
  const isScalar = value !== undefined && (typeof value !== 'object' || value === null);
  const literal = isScalar ? writeLiteral(value) : '';
  if (literal === '' || literal.length > MAX_DEFAULT) return `${label}?: ${text}`;
  // The default of a field without further rules shows its type.
  return plain === typeof value ? `${label}=${literal}` : `${label}?: ${text}=${literal}`;
}

const PLAIN_NAME = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;

function labelOf(name: string, { isTypeScript }: Writing): string {
  if (isTypeScript) return writeName(name);
  return PLAIN_NAME.test(name) ? name : JSON.stringify(name);
}
