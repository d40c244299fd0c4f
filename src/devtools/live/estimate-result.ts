import type { CallToolResult } from '../../index.js';

/** Characters per token, as in the estimate of tools. */
const CHARACTERS_PER_TOKEN = 4.5;
/** Pictures and sounds have a price that depends on their size in pixels or seconds, which nobody here knows. */
const TOKENS_PER_MEDIUM = 1_000;
/** Values of structured content that are counted. */
const MAX_VALUES = 2_000;

/**
 * Estimates the tokens that a result costs a model, without writing it as JSON. Structured content counts only without other
 * content, because results usually repeat it as text.
 */
export function estimateResult({ content, structuredContent }: CallToolResult): number {
  let characters = 0;
  let media = 0;
  for (const block of content ?? []) {
    const { type, text, uri, name, resource } = block as Block;
    if (type === 'image' || type === 'audio') media++;
    characters += lengthOf(text) + lengthOf(uri) + lengthOf(name);
    characters += lengthOf(resource?.text) + lengthOf(resource?.uri);
  }
  if (characters === 0 && media === 0) characters = measure(structuredContent);
  return Math.ceil(characters / CHARACTERS_PER_TOKEN) + media * TOKENS_PER_MEDIUM;
}

interface Block {
  readonly type: string;
  readonly text?: unknown;
  readonly uri?: unknown;
  readonly name?: unknown;
  readonly resource?: { readonly text?: unknown; readonly uri?: unknown };
}

function lengthOf(text: unknown): number {
  return typeof text === 'string' ? text.length : 0;
}

/** The approximate length of a value as JSON. */
function measure(root: unknown): number {
  let characters = 0;
  const queue = [root];
  for (let at = 0; at < queue.length && at < MAX_VALUES; at++) {
    const value = queue[at];
    if (typeof value === 'string') characters += value.length + 2;
    else if (typeof value !== 'object' || value === null) characters += value === undefined ? 0 : 5;
    else if (Array.isArray(value)) {
      characters += 2 + value.length;
      for (let index = 0; index < value.length && queue.length < MAX_VALUES; index++)
        queue.push(value[index]);
    } else {
      characters += 2;
      for (const name in value) {
        if (queue.length >= MAX_VALUES) break;
        characters += name.length + 4;
        queue.push((value as Readonly<Record<string, unknown>>)[name]);
      }
    }
  }
  return characters;
}
