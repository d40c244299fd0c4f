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
  return {
    discriminator,
    actions: keys.map((key) => ({ key, inputSchema: inputOf(tool, found, key) })),
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

/** The input of one action: the fields that the grouped tool marks for it, without the marks. */
function inputOf(
  { inputSchema }: McpTool,
  { discriminator, keys }: NonNullable<ReturnType<typeof findDiscriminator>>,
  key: string,
): JsonSchemaObject {
  const properties = new Map<string, unknown>();
  const required: string[] = [];
  for (const [name, schema] of Object.entries(propertiesOf(inputSchema))) {
    if (name === discriminator) continue;
    const use = readMark(descriptionOf(schema), key);
    if (!use) continue;
    const description = textFor(key, use.description, keys);
    properties.set(name, isJsonObject(schema) ? { ...schema, description } : schema);
    if (use.isRequired) required.push(name);
  }
  return { ...withOthersOf(inputSchema, key), properties: Object.fromEntries(properties), required };
}

/** The schema without the rule for other fields, if that belongs to other actions. */
function withOthersOf(schema: JsonSchemaObject, key: string): JsonSchemaObject {
  const { additionalProperties: others, ...rest } = schema;
  if (!isJsonObject(others)) return schema;
  return readMark(String(others['description'] ?? ''), key) ? schema : rest;
}

/** The description of a field in one action: the text after `In` and its name, else the text before all of these. */
function textFor(key: string, text: string, keys: readonly string[]): string {
  // The capture group makes the lists of names part of the result.
  const [first = '', ...parts] = text.split(/ In ([^:]+): /);
  const texts = [{ names: [] as readonly string[], text: first }];
  for (let index = 0; index < parts.length; index += 2) {
    const [list = '', own = ''] = parts.slice(index, index + 2);
    const names = list.split(', ');
    // An author's text may contain " In other cases: " as well.
    if (names.every((name) => keys.includes(name))) texts.push({ names, text: own });
    else (texts.at(-1) as { text: string }).text += ` In ${list}: ${own}`;
  }
  return texts.find(({ names }) => names.includes(key))?.text ?? (texts[0] as { text: string }).text;
}

const ALWAYS = '(always required)';

function readMark(text: string, key: string): { description: string; isRequired: boolean } | undefined {
  if (text.endsWith(ALWAYS)) return { description: text.slice(0, -ALWAYS.length).trim(), isRequired: true };
  const [mark = '', requiredFor = '', alsoFor = '', usedFor = ''] =
    /(?:^|\s)(?:Required for: (.+?)(?:\. For: (.+))?|For: (.+))$/.exec(text) ?? [];
  // A field without a mark may belong to every action.
  if (mark === '') return { description: text, isRequired: false };
  const description = text.slice(0, -mark.length).trim();
  const isIn = (list: string): boolean => list.split(', ').includes(key);
  if (isIn(requiredFor)) return { description, isRequired: true };
  return isIn(alsoFor) || isIn(usedFor) ? { description, isRequired: false } : undefined;
}

/** The description of a field. Some profiles move the description of a union into its first alternative. */
function descriptionOf(schema: unknown): string {
  if (!isJsonObject(schema)) return '';
  const { description, anyOf } = schema;
  const [first] = Array.isArray(anyOf) ? (anyOf as unknown[]) : [];
  if (typeof description === 'string') return description;
  return isJsonObject(first) && typeof first['description'] === 'string' ? first['description'] : '';
}
