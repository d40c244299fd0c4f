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
    actions: keys.map((key) => ({ key, inputSchema: inputOf(tool, discriminator, key) })),
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
  if (description !== DISCRIMINATOR_TEXT || !Array.isArray(keys)) return undefined;
  return keys.every((key) => typeof key === 'string') ? { discriminator, keys } : undefined;
}

export function propertiesOf({ properties }: JsonSchemaObject): Readonly<Record<string, unknown>> {
  return isJsonObject(properties) ? properties : {};
}

/** The input of one action: the fields that the grouped tool marks for it, without the marks. */
function inputOf({ inputSchema }: McpTool, discriminator: string, key: string): JsonSchemaObject {
  const properties = new Map<string, unknown>();
  const required: string[] = [];
  for (const [name, schema] of Object.entries(propertiesOf(inputSchema))) {
    if (name === discriminator) continue;
    const use = readMark(isJsonObject(schema) ? String(schema['description'] ?? '') : '', key);
    if (!use) continue;
    properties.set(name, isJsonObject(schema) ? { ...schema, description: use.description } : schema);
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
