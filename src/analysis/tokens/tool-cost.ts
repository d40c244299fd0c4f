import type { McpTool } from '../../model.js';
import { holdsSchemas, keywords } from '../../schema/check/keywords.js';
import { isJsonObject } from '../../values/json-value.js';
import type { TokenCounter } from './token-counter.js';

/** Explains in reports what is counted. */
export const countedFields = 'name, description and inputSchema of each tool, as compact JSON';

/** The tokens of a tool by their origin. The parts add up to the tokens of the tool. */
export interface CostParts {
  readonly name: number;
  /** The description of the tool. */
  readonly description: number;
  /** The descriptions within the input schema. */
  readonly fields: number;
  /** The rest of the input schema. */
  readonly schema: number;
}

export interface ActionCost {
  readonly address: string;
  /** Tokens that the tool saves without the action. Actions share fields, so these do not add up to the tool. */
  readonly tokens: number;
}

export interface ToolCost {
  readonly name: string;
  readonly tokens: number;
  readonly parts: CostParts;
  /** The actions of a grouped tool of a file, with the most expensive first. */
  readonly actions?: readonly ActionCost[] | undefined;
}

export const partNames = ['description', 'fields', 'schema', 'name'] as const satisfies (keyof CostParts)[];

/** The part of a tool that is counted. */
export interface CountedTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema?: McpTool['inputSchema'] | undefined;
}

/** The tokens of the fields that reach a model. */
export function countTool({ name, description, inputSchema }: CountedTool, { count }: TokenCounter): number {
  return count(JSON.stringify({ name, description, inputSchema }));
}

/** Splits the tokens of a tool. A part is the number of tokens that the tool saves without it. */
export function splitCost(tool: CountedTool, counter: TokenCounter): CostParts {
  const total = countTool(tool, counter);
  const name = Math.min(total, countTool({ name: tool.name }, counter));
  const bare = { ...tool, inputSchema: withoutDescriptions(tool.inputSchema) as McpTool['inputSchema'] };
  const withoutFields = countTool(bare, counter);
  const withoutBoth = countTool({ name: tool.name, inputSchema: bare.inputSchema }, counter);
  // Counts of huge texts are extrapolated, so their differences need a limit.
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

/** Removes the descriptions of a schema. A property named `description` stays. The target limits the depth. */
function withoutDescriptions(schema: unknown): unknown {
  if (!isJsonObject(schema)) return schema;
  return mapEntries(schema, (keyword, value) => {
    if (keyword === 'description' && typeof value === 'string') return undefined;
    const form = keywords['2020-12'].get(keyword) ?? keywords['draft-07'].get(keyword);
    if (form === undefined || !holdsSchemas.has(form)) return value;
    if (Array.isArray(value)) return value.map(withoutDescriptions);
    const isMap = form === 'schema map' || form === 'dependencies';
    return isMap && isJsonObject(value)
      ? mapEntries(value, (_, entry) => withoutDescriptions(entry))
      : withoutDescriptions(value);
  });
}

function mapEntries(
  object: Readonly<Record<string, unknown>>,
  map: (key: string, value: unknown) => unknown,
): Record<string, unknown> {
  // Unlike an assignment, `fromEntries` makes `__proto__` an ordinary key. JSON.stringify leaves `undefined` out.
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(key, value)]));
}
