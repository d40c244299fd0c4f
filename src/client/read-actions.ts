import { DISCRIMINATOR_TEXT } from '../compile/input-schema/schema-generator.js';
import type { McpTool } from '../protocol/mcp-types.js';
import type { JsonSchemaObject } from '../values/json-schema.js';
import { isJsonObject } from '../values/json-value.js';

/** An action as the list of a server shows it. */
export interface ReadAction {
  readonly key: string;
  /** The input of the action, without the argument that names it. */
  readonly inputSchema: JsonSchemaObject;
}

/** Reads the actions of a grouped tool from its schema: the inverse of `generateInputSchema`. Other tools have none. */
export function readActions(tool: McpTool): {
  readonly discriminator: string | undefined;
  readonly actions: readonly ReadAction[];
} {
  const found = findDiscriminator(tool);
  if (!found) return { discriminator: undefined, actions: [] };
  const { discriminator, keys } = found;
  const known: Keys = { all: new Set(keys), spaced: keys.filter((key) => /[\s,]/.test(key)) };
  const { inputSchema } = tool;
  const fields = Object.entries(propertiesOf(inputSchema))
    .filter(([name]) => name !== discriminator)
    .map(([name, schema]) => ({ name, schema, ...readUses(descriptionOf(schema), known) }));
  return {
    discriminator,
    actions: keys.map((key) => ({ key, inputSchema: inputOf(inputSchema, fields, key, known) })),
  };
}

/** The argument that names the action of a grouped tool, and its values; `undefined` for other tools. */
export function findDiscriminator({
  inputSchema,
}: McpTool): { readonly discriminator: string; readonly keys: readonly string[] } | undefined {
  const [first] = Object.entries(propertiesOf(inputSchema));
  if (!first) return undefined;
  const [discriminator, schema] = first;
  const { description, enum: keys } = isJsonObject(schema) ? schema : {};
  if (!isDiscriminatorText(description) || !Array.isArray(keys)) return undefined;
  return keys.every((key) => typeof key === 'string') ? { discriminator, keys } : undefined;
}

/** Whether a description is that of a discriminator, possibly with details about the actions. */
function isDiscriminatorText(description: unknown): boolean {
  if (typeof description !== 'string') return false;
  return description === DISCRIMINATOR_TEXT || description.startsWith(`${DISCRIMINATOR_TEXT}.\n`);
}

export function propertiesOf({ properties }: JsonSchemaObject): Readonly<Record<string, unknown>> {
  return isJsonObject(properties) ? properties : {};
}

/** The keys of the actions, and those of them that have spaces or commas. */
interface Keys {
  readonly all: ReadonlySet<string>;
  readonly spaced: readonly string[];
}

/** A field of a grouped tool, and the actions that use it. */
interface Field extends Uses {
  readonly name: string;
  readonly schema: unknown;
}

/** The input of one action: the fields that the grouped tool marks for it, without the marks. */
function inputOf(
  inputSchema: JsonSchemaObject,
  fields: readonly Field[],
  key: string,
  keys: Keys,
): JsonSchemaObject {
  const properties = new Map<string, unknown>();
  const required: string[] = [];
  for (const { name, schema, description, usedBy, requiredBy } of fields) {
    if (usedBy && !usedBy.has(key)) continue;
    properties.set(name, withDescription(schema, textFor(key, description, keys)));
    if (!requiredBy || requiredBy.has(key)) required.push(name);
  }
  return { ...withOthersOf(inputSchema, key, keys), properties: Object.fromEntries(properties), required };
}

/** The schema without the rule for other fields, if that belongs to other actions. */
function withOthersOf(schema: JsonSchemaObject, key: string, keys: Keys): JsonSchemaObject {
  const { additionalProperties: others, ...rest } = schema;
  if (!isJsonObject(others)) return schema;
  const { usedBy } = readUses(descriptionOf(others), keys);
  return !usedBy || usedBy.has(key) ? schema : rest;
}

/** The description of a field in one action: the text after `In` and its name, else the text before all of these. */
function textFor(key: string, text: string, keys: Keys): string {
  // The capture group makes the lists of names part of the result.
  const [first = '', ...parts] = text.split(/ In ([^:]+): /);
  const texts = [{ names: [] as readonly string[], text: first }];
  for (let index = 0; index < parts.length; index += 2) {
    const [list = '', own = ''] = parts.slice(index, index + 2);
    const names = list.split(', ');
    // An author's text may contain " In other cases: " as well.
    if (names.every((name) => keys.all.has(name))) texts.push({ names, text: own });
    else (texts.at(-1) as { text: string }).text += ` In ${list}: ${own}`;
  }
  return texts.find(({ names }) => names.includes(key))?.text ?? (texts[0] as { text: string }).text;
}

const ALWAYS = '(always required)';

/** The actions that use a field, as its description marks them. */
interface Uses {
  /** The description without the mark. */
  readonly description: string;
  /** `undefined` for all actions. */
  readonly usedBy?: ReadonlySet<string> | undefined;
  /** `undefined` for all actions. */
  readonly requiredBy?: ReadonlySet<string> | undefined;
}

function readUses(text: string, keys: Keys): Uses {
  const mark = findMark(text, keys);
  // A field without a mark may belong to every action.
  if (!mark) return { description: text, requiredBy: new Set() };
  const before = text.slice(0, mark.start).trim();
  const after = text.slice(mark.end).replace(/^\.?\s*/, '');
  const isJoined = before === '' || after === '' || after.startsWith('(') || /[.!?]$/.test(before);
  return {
    description: `${before}${isJoined ? '' : '.'} ${after}`.trim(),
    usedBy: mark.usedBy && new Set(mark.usedBy),
    requiredBy: mark.requiredBy && new Set(mark.requiredBy),
  };
}

/** The part of a description that names the actions of a field; without lists, it names all of them. */
interface Mark {
  readonly start: number;
  readonly end: number;
  readonly usedBy?: readonly string[];
  readonly requiredBy?: readonly string[];
}

/**
 * Finds the last mark of a description, because text of the author may look like one. Notes of a profile follow the mark, such as
 * `Required for: create. Format: date.`
 */
function findMark(text: string, keys: Keys): Mark | undefined {
  let found: Mark | undefined;
  for (const { 0: word, index } of text.matchAll(/(?<!\S)(?:Required for: |For: )|\(always required\)/g)) {
    if (found && index < found.end) continue;
    if (word === ALWAYS) {
      found = { start: index, end: index + word.length };
      continue;
    }
    const first = readKeys(text, index + word.length, keys);
    if (first.keys.length === 0) continue;
    if (word === 'For: ') {
      found = { start: index, end: first.end, usedBy: first.keys, requiredBy: [] };
      continue;
    }
    const next = '. For: ';
    const others = text.startsWith(next, first.end)
      ? readKeys(text, first.end + next.length, keys)
      : undefined;
    found = {
      start: index,
      end: others && others.keys.length > 0 ? others.end : first.end,
      usedBy: [...first.keys, ...(others?.keys ?? [])],
      requiredBy: first.keys,
    };
  }
  return found;
}

/** Reads a list of action keys that starts at an index. Another text has none. */
function readKeys(
  text: string,
  start: number,
  known: Keys,
): { readonly keys: readonly string[]; readonly end: number } {
  const keys: string[] = [];
  const word = /[^\s,]+/y;
  let end = start;
  for (let at = start; ; at = end + 2) {
    word.lastIndex = at;
    const [written = ''] = word.exec(text) ?? [];
    // A period after the last key ends the sentence.
    const key =
      spacedKey(text, at, known) ?? [written, written.replace(/\.$/, '')].find((each) => known.all.has(each));
    if (key === undefined) return { keys, end };
    keys.push(key);
    end = at + key.length;
    if (!text.startsWith(', ', end)) return { keys, end };
  }
}

/** The longest key with spaces or commas that a text has at an index. */
function spacedKey(text: string, at: number, known: Keys): string | undefined {
  const found = known.spaced.filter((key) => text.startsWith(key, at));
  return found.toSorted((one, other) => other.length - one.length)[0];
}

/** The description of a field. Some profiles move the description of a union into its first alternative. */
function descriptionOf(schema: unknown): string {
  if (!isJsonObject(schema)) return '';
  const { description } = schema;
  if (typeof description === 'string') return description;
  const first = firstAlternative(schema)?.['description'];
  return typeof first === 'string' ? first : '';
}

function withDescription(schema: unknown, description: string): unknown {
  if (!isJsonObject(schema)) return schema;
  const first = firstAlternative(schema);
  if (typeof schema['description'] === 'string' || typeof first?.['description'] !== 'string')
    return { ...schema, description };
  const [, ...others] = schema['anyOf'] as readonly unknown[];
  return { ...schema, anyOf: [{ ...first, description }, ...others] };
}

function firstAlternative({ anyOf }: Readonly<Record<string, unknown>>): Record<string, unknown> | undefined {
  const [first] = Array.isArray(anyOf) ? (anyOf as unknown[]) : [];
  return isJsonObject(first) ? first : undefined;
}
