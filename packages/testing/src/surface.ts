import { declaredFields, isJsonObject } from '@toolfold/schema/internal';
import type { CompiledTool } from 'toolfold/internal';
import type { Hints, Listable, View } from 'toolfold';
import type { McpTool } from '@toolfold/profiles';
import { readActions } from './test-client/read-actions.js';
import { countTool, createTokenCounter } from './token-counter.js';

/** Anything that lists tools: a registry, a view of it, or tools as a client lists them. */
export type SurfaceSource = Listable | View | readonly McpTool[];

interface Operation {
  readonly name: string;
  readonly inputSchema: unknown;
  readonly outputSchema?: unknown;
  readonly hints?: Hints | undefined;
  readonly scopes?: readonly string[] | undefined;
  readonly isTask?: boolean;
}

/** Describes the tools that clients see, one line for each action, for snapshots that show every change in review. */
export function describeSurface(source: SurfaceSource): string {
  const view = 'view' in source ? source.view() : source;
  const tools = 'listTools' in view ? view.listTools() : view;
  const compiled = 'tools' in view ? view.tools : undefined;
  const counter = createTokenCounter();
  const costs = tools.map((tool) => countTool(tool, counter));
  const tokens = costs.reduce((sum, cost) => sum + cost, 0);
  const head = `${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}, about ${tokens} tokens`;
  const described = tools.map((tool, at) =>
    describeTool(tool, compiled?.get(tool.name), costs[at] as number),
  );
  return [head, ...described].join('\n\n');
}

function describeTool(tool: McpTool, compiled: CompiledTool | undefined, tokens: number): string {
  const { name, description = '', annotations = {}, inputSchema, outputSchema } = tool;
  const actions = actionsOf(tool, compiled);
  const cost = `about ${tokens} tokens`;
  const about = description
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => `  | ${line}`);
  const hints: Hints = {
    readOnly: annotations.readOnlyHint,
    destructive: annotations.destructiveHint,
    idempotent: annotations.idempotentHint,
    openWorld: annotations.openWorldHint,
  };
  if (actions.length > 0)
    return [
      `${name}: ${[...hintsText(hints), cost].join(', ')}`,
      ...about,
      ...actions.map((action) => `  ${signature(action)}`),
    ].join('\n');
  const only = compiled?.actions.get('')?.action;
  const operation = {
    name,
    inputSchema,
    outputSchema,
    hints,
    scopes: only?.scopes,
    isTask: only?.task !== undefined,
  };
  return [`${signature(operation)}, ${cost}`, ...about].join('\n');
}

/** Reads the actions of a grouped tool. Their hints, scopes and results are known only for a registry, not for a list. */
function actionsOf(tool: McpTool, compiled: CompiledTool | undefined): readonly Operation[] {
  if (compiled?.discriminator === undefined)
    return readActions(tool).actions.map(({ key, inputSchema }) => ({ name: key, inputSchema }));
  return [...compiled.actions.values()].map(({ action, schema }) => ({
    name: action.key,
    inputSchema: schema.jsonSchema,
    outputSchema: action.output?.jsonSchema,
    hints: action,
    scopes: action.scopes,
    isTask: action.task !== undefined,
  }));
}

/** Writes a line such as `list(team?: string) → { names: string[] }: read-only`. */
function signature({ name, inputSchema, outputSchema, hints = {}, scopes = [], isTask }: Operation): string {
  const facts = [
    ...hintsText(hints),
    ...(isTask ? ['task'] : []),
    ...(scopes.length > 0 ? [`scopes ${scopes.join(' ')}`] : []),
  ];
  const result = outputSchema === undefined ? '' : ` → ${typeText(outputSchema)}`;
  return `${name}(${fieldsText(inputSchema)})${result}${facts.length > 0 ? `: ${facts.join(', ')}` : ''}`;
}

function hintsText({ readOnly, destructive, idempotent, openWorld }: Hints): string[] {
  return [
    ...(readOnly === true ? ['read-only'] : []),
    ...(destructive === undefined || readOnly === true
      ? []
      : [destructive ? 'destructive' : 'not destructive']),
    ...(idempotent === true ? ['idempotent'] : []),
    ...(openWorld === undefined ? [] : [openWorld ? 'open world' : 'closed world']),
  ];
}

function fieldsText(schema: unknown): string {
  return declaredFields(schema)
    .map(({ name, isRequired, schema: field }) => `${name}${isRequired ? '' : '?'}: ${typeText(field)}`)
    .join(', ');
}

const MAX_DEPTH = 4;

/** Writes a schema as a short type, without limits and formats. */
function typeText(schema: unknown, depth = 0): string {
  if (!isJsonObject(schema)) return 'any';
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => JSON.stringify(value)).join(' | ');
  if ('const' in schema) return JSON.stringify(schema['const']);
  const options = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(options)) return options.map((option) => typeText(option, depth)).join(' | ');
  if (typeof schema['$ref'] === 'string') return schema['$ref'].split('/').at(-1) ?? 'any';
  const { type } = schema;
  if (Array.isArray(type)) return type.join(' | ');
  if (type === 'array') return `${parenthesize(typeText(schema['items'], depth + 1))}[]`;
  if (type === 'object' || 'properties' in schema) {
    if (depth >= MAX_DEPTH) return 'object';
    const fields = fieldsText(schema);
    return fields === '' ? 'object' : `{ ${fields} }`;
  }
  return typeof type === 'string' ? type : 'any';
}

function parenthesize(text: string): string {
  return text.includes(' | ') && !text.startsWith('{') ? `(${text})` : text;
}
