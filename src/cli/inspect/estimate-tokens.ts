import type { McpTool } from '../../model.js';

/** Characters of JSON to a token, as o200k counts the tools of GitHub's server. */
const CHARACTERS_PER_TOKEN = 4.5;

/** What the figure is, for whoever reads it. */
export const tokenMethod =
  'an estimate: characters of name, description and input schema as JSON, divided by 4.5';

/**
 * What a tool costs a model, about. Only these three reach it; a tokenizer would be larger than the rest of the package.
 * The test beside this file holds how far it is off.
 */
export function estimateTokens({ name, description, inputSchema }: McpTool): number {
  return Math.ceil(JSON.stringify({ name, description, inputSchema }).length / CHARACTERS_PER_TOKEN);
}
