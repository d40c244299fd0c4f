import { isJsonObject, schemasIn, typesOf } from '@toolfold/schema/internal';
import type { JsonSchema } from '@toolfold/schema';
import type { Alternative, ObjectFacts } from './alternative.js';
import type { Kind } from './codecs.js';

const MAX_NOTE = 240;

/** Joins words, and cuts the list at the maximum length of a note. */
export function joinWords(words: readonly string[], separator = ', '): string {
  let text = '';
  for (const [index, word] of words.entries()) {
    const next = index === 0 ? word : `${text}${separator}${word}`;
    if (next.length > MAX_NOTE) return index === 0 ? `${word.slice(0, MAX_NOTE)}…` : `${text}${separator}…`;
    text = next;
  }
  return text;
}

/** Appends notes about dropped keywords to a description. Notes that repeat the description are left out. */
export function describe(description: unknown, notes: readonly string[]): string | undefined {
  const text = typeof description === 'string' ? description.trimEnd() : '';
  const different = [...new Set(notes.map((note) => note.trim()))].filter((note) => note !== '');
  const added = different.filter(
    (note) => !repeats(note, [text, ...different.filter((other) => other !== note)]),
  );
  if (added.length === 0) return typeof description === 'string' ? description : undefined;
  return [text, ...added].reduce(joinSentences);
}

function joinSentences(text: string, sentence: string): string {
  if (text === '') return sentence;
  // A pattern may end with any character, so it is not changed.
  const hasEnd =
    /[.!?:;。！？…]$/.test(text) || /(^|[.] )(Pattern: |Names match )\S+$/.test(text.slice(-300));
  return `${text}${hasEnd ? '' : '.'} ${sentence}`;
}

/** A description that matches already says what the format means. */
const saysFormat: Readonly<Record<string, RegExp>> = {
  date: /\d{4}-\d\d-\d\d|yyyy-mm-dd|iso.?8601/i,
  'date-time': /\d{4}-\d\d-\d\dT|iso.?8601|rfc.?3339|date-time/i,
  time: /\d\d:\d\d|hh:mm/i,
  uri: /\bur[il]s?\b|https?:\/\//i,
  url: /\bur[il]s?\b|https?:\/\//i,
  'uri-reference': /\bur[il]s?\b/i,
  email: /e-?mail|\w@\w/i,
  uuid: /\b[ug]uids?\b/i,
  hostname: /\bhost ?names?\b/i,
  ipv4: /\bipv4\b/i,
  ipv6: /\bipv6\b/i,
};

function repeats(note: string, texts: readonly string[]): boolean {
  const [text = ''] = texts;
  if (text.includes(note)) return true;
  const [, word, value = ''] = /^(Format|Default|Example): (.+)\.$/.exec(note) ?? [];
  if (word === 'Format') {
    const said = Object.hasOwn(saysFormat, value) ? saysFormat[value] : undefined;
    return said !== undefined && texts.some((each) => said.test(each));
  }
  const plain = value.replace(/^"(.*)"$/, '$1');
  if (word === 'Example') return plain.length > 2 && text.includes(plain);
  return word === 'Default' && plain.length > 0 && saysDefault(text, plain);
}

function isPartOfWord(character: string): boolean {
  return /[\w-]/.test(character);
}

/** Whether a text contains the word "default" and, after it, the value as a separate word. */
function saysDefault(text: string, value: string): boolean {
  const from = text.search(/\bdefaults?\b/i);
  if (from < 0) return false;
  const at = text.indexOf(value, from);
  return (
    at > from &&
    at - from < 40 &&
    !isPartOfWord(text.charAt(at - 1)) &&
    !isPartOfWord(text.charAt(at + value.length))
  );
}

export function showValue(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null';
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}

/** Returns a note such as "One of 1, 2." for values that a lowered schema cannot list. */
export function valuesNote(values: readonly unknown[]): string {
  const [first] = values;
  return values.length === 1 ? `Always ${showValue(first)}.` : `One of ${joinWords(values.map(showValue))}.`;
}

const kindNames: Readonly<Record<Kind, string>> = {
  string: 'text',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
  array: 'a list',
  object: 'an object',
};

/** Returns the note for a value that is sent as text. */
export function textNote(texts: ReadonlySet<Kind>, alternatives: readonly Alternative[]): string {
  const shapes = alternatives
    .filter(({ kind, object, array }) => texts.has(kind) && (object || array))
    .map(shapeOf)
    .filter((shape) => shape !== '{…}' && shape !== '[…]');
  const shown = shapes.length === 0 ? '' : `: ${joinWords([...new Set(shapes)], ' or ')}`;
  if (texts.has('string')) {
    const isAny = texts.size === 6;
    const others = [...texts].filter((kind) => kind !== 'string').map((kind) => kindNames[kind]);
    return isAny && shown === ''
      ? 'Any value: text, or JSON text of another value.'
      : `Text, or JSON text of ${joinWords(others, ' or ')}${shown}.`;
  }
  return `JSON text of ${joinWords(
    [...texts].map((kind) => kindNames[kind]),
    ' or ',
  )}${shown}.`;
}

function shapeOf({ object, array }: Alternative): string {
  if (object) return objectShape(object);
  return array
    ? `[${array.first
        .map(typeWord)
        .concat(array.rest === false ? [] : [`${typeWord(array.rest)}…`])
        .join(', ')}]`
    : '[…]';
}

/** Describes the fields of an object: `{a: string, b?: number}`. */
function objectShape({ properties, required, others }: ObjectFacts): string {
  const fields = [...properties].map(
    ([name, schema]) => `${showName(name)}${required.has(name) ? '' : '?'}: ${typeWord(schema)}`,
  );
  if (properties.size === 0 && others !== false)
    fields.push(others === true ? '…' : `name: ${typeWord(others)}`);
  return `{${joinWords(fields)}}`;
}

function showName(name: string): string {
  return /^[\w$]+$/.test(name) ? name : JSON.stringify(name);
}

export function typeWord(schema: JsonSchema): string {
  if (typeof schema === 'boolean') return 'any';
  const { anyOf, oneOf, enum: values, const: value } = schema;
  const types = typesOf(schema);
  if (types) return types.join('|');
  const branches = [...schemasIn(anyOf), ...schemasIn(oneOf)];
  if (branches.length > 0 && branches.length < 6) return [...new Set(branches.map(branchWord))].join('|');
  if (value !== undefined) return typeof value;
  if (Array.isArray(values) && values.length > 0) return typeof values[0];
  return isJsonObject(schema['properties']) ? 'object' : 'any';
}

function branchWord(branch: JsonSchema): string {
  return isJsonObject(branch) && typeof branch['type'] === 'string' ? branch['type'] : 'any';
}

/** Describes which fields of merged alternatives belong together. */
export function combinationsNote(objects: readonly ObjectFacts[], tag: Tag | undefined): string | undefined {
  const isShared = (name: string): boolean => objects.every(({ properties }) => properties.has(name));
  if (tag) {
    const parts = objects.map(({ properties, required }, index) => {
      const own = [...properties.keys()].filter((name) => name !== tag.name && !isShared(name));
      const fields = own.map((name) => (required.has(name) ? name : `${name}?`));
      return `${joinWords((tag.values[index] ?? []).map(showValue))}${fields.length === 0 ? '' : ` (${joinWords(fields)})`}`;
    });
    return `${tag.name}: ${joinWords(parts)}.`;
  }
  const parts = objects.map(({ required }) =>
    [...required].filter((name) => !objects.every((other) => other.required.has(name))),
  );
  const different = [
    ...new Set(parts.filter((part) => part.length > 0).map((part) => joinWords(part, ' and '))),
  ];
  if (different.length === 0) return undefined;
  return different.length === 1 ? undefined : `Give ${joinWords(different, '; or ')}.`;
}

/** A required property whose values distinguish alternatives. */
export interface Tag {
  readonly name: string;
  /** The values of each alternative. */
  readonly values: readonly (readonly unknown[])[];
}
