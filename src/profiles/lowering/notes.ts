import { isJsonObject } from '../../values/json-value.js';
import type { JsonSchema } from '../../values/json-schema.js';
import { schemasIn } from '../../values/json-schema.js';
import type { Alternative, ObjectFacts } from './alternative.js';
import type { Kind } from './codecs.js';

const MAX_NOTE = 240;

/** Cuts a list of words at the length of a note. */
export function joinWords(words: readonly string[], separator = ', '): string {
  let text = '';
  for (const [index, word] of words.entries()) {
    const next = index === 0 ? word : `${text}${separator}${word}`;
    if (next.length > MAX_NOTE) return index === 0 ? `${word.slice(0, MAX_NOTE)}…` : `${text}${separator}…`;
    text = next;
  }
  return text;
}

/** A description and the notes about what its schema no longer says. */
export function describe(description: unknown, notes: readonly string[]): string | undefined {
  const text = typeof description === 'string' ? description.trimEnd() : '';
  const added = [...new Set(notes)].filter((note) => !text.includes(note));
  if (added.length === 0) return typeof description === 'string' ? description : undefined;
  if (text === '') return added.join(' ');
  const hasEnd = /[.!?:;。！？…]$/.test(text);
  return `${text}${hasEnd ? '' : '.'} ${added.join(' ')}`;
}

/** A value as a note shows it. */
export function showValue(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null';
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}

/** "One of 1, 2." for values that a schema cannot list. */
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

/** The note of a value that is sent as text. */
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

/** The fields of an object in a few words: `{a: string, b?: number}`. */
export function objectShape({ properties, required, others }: ObjectFacts): string {
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

/** One word for a schema. */
export function typeWord(schema: JsonSchema): string {
  if (typeof schema === 'boolean') return 'any';
  const { type, anyOf, oneOf, enum: values, const: value } = schema;
  if (typeof type === 'string') return type;
  if (Array.isArray(type)) return type.filter((name) => typeof name === 'string').join('|');
  const branches = [...schemasIn(anyOf), ...schemasIn(oneOf)];
  if (branches.length > 0 && branches.length < 6) return [...new Set(branches.map(branchWord))].join('|');
  if (value !== undefined) return typeof value;
  if (Array.isArray(values) && values.length > 0) return typeof values[0];
  return isJsonObject(schema['properties']) ? 'object' : 'any';
}

function branchWord(branch: JsonSchema): string {
  return isJsonObject(branch) && typeof branch['type'] === 'string' ? branch['type'] : 'any';
}

/** Says which fields of merged alternatives belong together. */
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

/** A required property whose values tell alternatives apart. */
export interface Tag {
  readonly name: string;
  /** The values of each alternative. */
  readonly values: readonly (readonly unknown[])[];
}
