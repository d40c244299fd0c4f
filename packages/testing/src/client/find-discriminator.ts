import { DISCRIMINATOR_TEXT } from 'toolfold/internal';
import type { McpTool } from '@toolfold/profiles';
import { isJsonObject } from '@toolfold/schema/internal';

/** Returns the argument that names the action of a grouped tool, and its values, or `undefined` for other tools. */
export function findDiscriminator({
  inputSchema: { properties },
}: McpTool): { readonly discriminator: string; readonly keys: readonly string[] } | undefined {
  const [first] = isJsonObject(properties) ? Object.entries(properties) : [];
  const [discriminator, schema] = first ?? [];
  if (discriminator === undefined || !isJsonObject(schema)) return undefined;
  const { description, enum: keys } = schema;
  // The description may continue with details about the actions.
  const [text] = typeof description === 'string' ? description.split('.\n') : [];
  if (text !== DISCRIMINATOR_TEXT || !Array.isArray(keys)) return undefined;
  return keys.every((key) => typeof key === 'string') ? { discriminator, keys } : undefined;
}
