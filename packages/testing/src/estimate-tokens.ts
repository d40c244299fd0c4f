import type { McpTool } from '@toolfold/profiles';

/** Characters of JSON per token, measured with o200k on the tools of GitHub's server. */
const CHARACTERS_PER_TOKEN = 4.5;

/** Shown in reports beside the estimate. */
export const tokenMethod =
  'an estimate: characters of name, description and input schema as JSON, divided by 4.5';

/**
 * Estimates the tokens that a tool costs a model. Only these three fields reach the model. A real tokenizer would be larger than the rest
 * of the package; the test measures the error of the estimate.
 */
export function estimateTokens({ name, description, inputSchema }: McpTool): number {
  return Math.ceil(JSON.stringify({ name, description, inputSchema }).length / CHARACTERS_PER_TOKEN);
}
