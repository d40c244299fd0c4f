import type { McpTool } from 'toolfold/model';
import { isJsonObject, mapChildren } from '@toolfold/schema/internal';
import { countTool } from '@toolfold/testing/internal';
import type { CountedTool, TokenCounter } from '@toolfold/testing/internal';

/** The tokens of a tool by their origin. They add up to the tokens of the tool. */
export interface CostParts {
  readonly name: number;
  readonly description: number;
  /** Descriptions within the input schema. */
  readonly fields: number;
  /** The rest of the input schema. */
  readonly schema: number;
}

export interface ActionCost {
  readonly address: string;
  /** Tokens that the tool saves without the action. Actions share fields, so the sum differs from the tokens of the tool. */
  readonly tokens: number;
}

export interface ToolCost {
  readonly name: string;
  readonly tokens: number;
  readonly parts: CostParts;
  /** The actions of a grouped tool of a file, the most expensive first. */
  readonly actions?: readonly ActionCost[] | undefined;
}

export const partNames = ['description', 'fields', 'schema', 'name'] as const satisfies (keyof CostParts)[];

/** Splits the tokens of a tool by their origin. A part counts as the tokens that the tool saves without it. */
export function splitCost(tool: CountedTool, counter: TokenCounter): CostParts {
  const total = countTool(tool, counter);
  const name = Math.min(total, countTool({ name: tool.name }, counter));
  const bare = { ...tool, inputSchema: withoutDescriptions(tool.inputSchema) as McpTool['inputSchema'] };
  const withoutFields = countTool(bare, counter);
  const withoutBoth = countTool({ name: tool.name, inputSchema: bare.inputSchema }, counter);
  // Counts of huge texts are extrapolated, so a difference may be negative or too large.
  const fields = within(total - withoutFields, total - name);
  const description = within(withoutFields - withoutBoth, total - name - fields);
  return { name, description, fields, schema: total - name - fields - description };
}

const within = (tokens: number, most: number): number => Math.max(0, Math.min(tokens, most));

export function addParts(all: readonly CostParts[]): CostParts {
  const sum = (part: keyof CostParts): number => all.reduce((total, parts) => total + parts[part], 0);
  return {
    name: sum('name'),
    description: sum('description'),
    fields: sum('fields'),
    schema: sum('schema'),
  };
}

/** Removes the descriptions of a schema, but not a property named `description`. The target has limited the depth. */
function withoutDescriptions(schema: unknown): unknown {
  if (!isJsonObject(schema)) return schema;
  const copy = mapChildren(schema, withoutDescriptions);
  if (typeof copy['description'] === 'string') delete copy['description'];
  return copy;
}
