import type { JsonSchemaObject } from '@toolfold/schema';
import { geminiFormats } from '../rules/keyword-rules.js';
import { strictFormats } from '../rules/strict-rules.js';
import type { ProfileRules } from '../rules/rules-of.js';
import type { Alternative } from './alternative.js';
import { showValue, valuesNote } from './notes.js';

/** A schema without its description, and the notes for its description. */
export interface Written {
  readonly schema: Record<string, unknown>;
  readonly notes: readonly string[];
}

export function accepts(rules: ProfileRules, keyword: string): boolean {
  return !rules.keywords.has(keyword);
}

/** Writes a text, number, flag or null in the keywords that a profile accepts. */
export function writeScalar(alternative: Alternative, rules: ProfileRules): Written {
  const { kind, isInteger, values } = alternative;
  const type = kind === 'number' && isInteger ? 'integer' : kind;
  const schema: Record<string, unknown> = { type };
  const notes: string[] = [];
  if (values) writeValues(values, type, { schema, notes }, rules);
  writeKeywords(alternative, { schema, notes }, rules);
  return { schema, notes };
}

interface Writing {
  readonly schema: Record<string, unknown>;
  readonly notes: string[];
}

function writeValues(
  values: readonly unknown[],
  type: string,
  { schema, notes }: Writing,
  rules: ProfileRules,
): void {
  if (type === 'null') return;
  const isListed = type === 'string' && !values.includes('');
  if (rules.ids.has('string-enums') && !isListed) {
    if (type !== 'boolean' || values.length === 1) notes.push(valuesNote(values));
    return;
  }
  if (values.length === 1 && accepts(rules, 'const')) schema['const'] = values[0];
  else schema['enum'] = [...values];
}

/** Writes the constraints of one type. Those that the profile rejects become notes. */
export function writeKeywords(
  { kind, isInteger, keywords }: Alternative,
  writing: Writing,
  rules: ProfileRules,
): void {
  const { schema, notes } = writing;
  writeBounds(keywords, isInteger, writing, rules);
  for (const [keyword, value] of Object.entries(keywords)) {
    if (bounds.has(keyword) || annotations.has(keyword)) continue;
    if (keyword === 'format') {
      if (typeof value !== 'string') continue;
      if (acceptsFormat(value, String(schema['type']), rules)) schema['format'] = value;
      else if (kind === 'string') notes.push(`Format: ${value}.`);
    } else if (keyword in described && !(accepts(rules, keyword) && isKnown(keyword, rules))) {
      const note = described[keyword]?.(value);
      if (note !== undefined) notes.push(note);
    } else if (isKnown(keyword, rules) && accepts(rules, keyword)) schema[keyword] = value;
  }
}

const annotations = new Set([
  'title',
  'description',
  'default',
  'examples',
  'dependentRequired',
  'propertyNames',
]);
const bounds = new Set(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum']);

/** The sentences for constraints that a profile rejects as keywords. */
const described: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  multipleOf: (value) => `A multiple of ${showValue(value)}.`,
  uniqueItems: (value) => (value === true ? 'No duplicates.' : undefined),
  minLength: (value) => `At least ${showValue(value)} characters.`,
  maxLength: (value) => `At most ${showValue(value)} characters.`,
  minProperties: (value) => `At least ${showValue(value)} fields.`,
  maxProperties: (value) => `At most ${showValue(value)} fields.`,
  pattern: (value) => `Pattern: ${String(value)}`,
  contentEncoding: (value) => `Encoding: ${String(value)}.`,
  contentMediaType: (value) => `Media type: ${String(value)}.`,
};

const unknownToGemini = new Set(['contentEncoding', 'contentMediaType']);

function isKnown(keyword: string, rules: ProfileRules): boolean {
  return !(rules.ids.has('known-keywords') && unknownToGemini.has(keyword));
}

function acceptsFormat(format: string, type: string, rules: ProfileRules): boolean {
  if (rules.ids.has('known-formats') && !geminiFormats[type]?.includes(format)) return false;
  return !rules.ids.has('strict-formats') || strictFormats.has(format);
}

function writeBounds(
  keywords: JsonSchemaObject,
  isInteger: boolean,
  { schema, notes }: Writing,
  rules: ProfileRules,
): void {
  const acceptsExclusive = accepts(rules, 'exclusiveMinimum');
  for (const [inclusive, exclusive, isLower] of sides) {
    const bound = keywords[inclusive];
    const open = keywords[exclusive];
    if (typeof bound === 'number') schema[inclusive] = bound;
    if (typeof open !== 'number') continue;
    if (acceptsExclusive) {
      schema[exclusive] = open;
      continue;
    }
    const isCovered = typeof bound === 'number' && (isLower ? bound > open : bound < open);
    if (isCovered) continue;
    const next = isLower ? Math.floor(open) + 1 : Math.ceil(open) - 1;
    if (isInteger && Number.isSafeInteger(next)) schema[inclusive] = next;
    else {
      schema[inclusive] = open;
      notes.push(`${isLower ? 'Greater' : 'Less'} than ${showValue(open)}.`);
    }
  }
}

const sides = [
  ['minimum', 'exclusiveMinimum', true],
  ['maximum', 'exclusiveMaximum', false],
] as const;
