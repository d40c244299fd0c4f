import type { CompiledTool } from '../compile/compiled-tool.js';
import type { Hints } from '../define/tool-definition.js';
import type { McpTool } from '../protocol/mcp-types.js';
import type { AnyRegistry } from '../registry/any-registry.js';
import { isJsonObject } from '../values/json-value.js';
import type { View } from '../views/view.js';
import { estimateTokens } from './estimate-tokens.js';
import { propertiesOf, readActions } from '../client/read-actions.js';

/** A registry, a view of it, or tools as a client lists them. */
export type SurfaceSource = AnyRegistry | View | readonly McpTool[];

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
  const tokens = tools.reduce((sum, tool) => sum + estimateTokens(tool), 0);
  const head = `${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}, about ${tokens} tokens`;
  return [head, ...tools.map((tool) => describeTool(tool, compiled?.get(tool.name)))].join('\n\n');
}

function describeTool(tool: McpTool, compiled: CompiledTool | undefined): string {
  const { name, description = '', annotations = {}, inputSchema, outputSchema } = tool;
  const actions = actionsOf(tool, compiled);
  const cost = `about ${estimateTokens(tool)} tokens`;
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

/** The actions of a grouped tool. Their hints, scopes and results are known only for a registry, not for a list. */
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

/** `list(team?: string) → { names: string[] }: read-only`. */
function signature({ name, inputSchema, outputSchema, hints = {}, scopes = [], isTask }: Operation): string {
  const facts = [
    ...hintsText(hints),
    ...(isTask ? ['task'] : []),
    ...(scopes.length > 0 ? [`scopes ${scopes.join(' ')}`] : []),
  ];
  const result = outputSchema === undefined ? '' : ` → ${typeText(outputSchema)}`;
  return `${name}(${fieldsText(inputSchema)})${result}${facts.length > 0 ? `: ${facts.join(', ')}` : ''}`;
}

/** The hints that are declared, in words. */
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
  if (!isJsonObject(schema)) return '';
  const required = Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : [];
  return Object.entries(propertiesOf(schema))
    .map(([name, field]) => `${name}${required.includes(name) ? '' : '?'}: ${typeText(field)}`)
    .join(', ');
}

const MAX_DEPTH = 4;

/** A schema as a short type. Limits and formats are left out. */
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
