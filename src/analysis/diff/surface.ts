import type { JsonSchemaObject } from '../../index.js';
import { digest } from '../../values/digest.js';
import { canonicalJson, isJsonObject } from '../../values/json-value.js';
import type { SurfaceEntries } from './surface-entries.js';
import type { ListedHints, ListedTarget, ListedTool, TaskSupport } from '../target/opened-target.js';

/** A tool or an action, as far as its callers depend on it. Missing fields are unknown or not declared. */
export interface SurfaceItem {
  readonly name: string;
  /** Former names that still work. */
  readonly aliases?: readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly annotations?: ListedHints;
  readonly scopes?: readonly string[];
  readonly taskSupport?: TaskSupport;
  readonly inputSchema?: JsonSchemaObject;
  readonly outputSchema?: JsonSchemaObject;
}

export interface SurfaceTool extends SurfaceItem {
  readonly _meta?: Readonly<Record<string, unknown>>;
  /** Icons, and annotations other than hints, of a running server. Clients may show them. */
  readonly other?: Readonly<Record<string, unknown>>;
  /** A digest of the input schema of a running server, if the schemas of its actions stand for it. */
  readonly inputDigest?: string;
  /** The argument of a grouped tool that names the action. Its actions have the schemas. */
  readonly discriminator?: string;
  readonly actions?: readonly SurfaceItem[];
}

/** Everything about the tools of a server that its callers depend on. */
export interface Surface {
  /** Only a registry tells scopes, aliases, and the hints of actions. */
  readonly source: 'registry' | 'server' | 'list';
  readonly server?: string;
  /** The protocol revision in which a running server was asked. */
  readonly protocol?: string;
  readonly form?: string;
  readonly tools: readonly SurfaceTool[];
  /** Prompts and resources, if they were asked for. */
  readonly entries?: SurfaceEntries;
}

/** Reads the surface of an opened server. Tools and actions are sorted by name, because their order has no meaning. */
export function readSurface({ kind, server, form, tools }: ListedTarget): Surface {
  const source = kind === 'module' ? 'registry' : kind === 'saved' ? 'list' : 'server';
  return {
    source,
    ...(server.name === undefined ? {} : { server: server.name }),
    ...(source === 'server' && server.protocol !== undefined ? { protocol: server.protocol } : {}),
    ...(form === undefined ? {} : { form }),
    tools: sortByName(uniqueTools(tools).map((tool) => readTool(tool, source))),
  };
}

/** Clients use the first of several tools with one name. */
function uniqueTools(tools: readonly ListedTool[]): ListedTool[] {
  const byName = new Map<string, ListedTool>();
  for (const listed of tools) if (!byName.has(listed.tool.name)) byName.set(listed.tool.name, listed);
  return [...byName.values()];
}

/** Reads one tool of a running server, or of a list that it sent. */
export function readWireTool(listed: ListedTool): SurfaceTool {
  return readTool(listed, 'server');
}

function readTool(listed: ListedTool, source: Surface['source']): SurfaceTool {
  const { tool, hints, discriminator, actions, authored } = listed;
  const isRegistry = source === 'registry';
  const meta = readMeta(tool._meta);
  const other = source === 'server' ? readOther(tool) : undefined;
  const common = {
    name: tool.name,
    ...(listed.aliases && listed.aliases.length > 0 ? { aliases: listed.aliases } : {}),
    ...textsOf(tool),
    ...(isEmpty(hints) ? {} : { annotations: hints }),
    ...(meta ? { _meta: meta } : {}),
    ...(other ? { other } : {}),
  };
  if (discriminator === undefined) {
    return {
      ...common,
      ...(listed.scopes.length > 0 ? { scopes: listed.scopes } : {}),
      ...(listed.taskSupport === undefined ? {} : { taskSupport: listed.taskSupport }),
      inputSchema: authored ?? tool.inputSchema,
      ...(tool.outputSchema ? { outputSchema: tool.outputSchema } : {}),
    };
  }
  const always = namesIn(tool.inputSchema['required']).filter((name) => name !== discriminator);
  return {
    ...common,
    ...(listed.taskSupport === undefined ? {} : { taskSupport: listed.taskSupport }),
    ...(source === 'server' ? { inputDigest: digest(canonicalJson(tool.inputSchema)) } : {}),
    // A running server lists one output schema for all actions.
    ...(!isRegistry && tool.outputSchema ? { outputSchema: tool.outputSchema } : {}),
    discriminator,
    actions: sortByName(
      actions.map((action) => ({
        name: action.key,
        ...(action.aliases && action.aliases.length > 0 ? { aliases: action.aliases } : {}),
        ...textsOf(action),
        ...(action.hints && !isEmpty(action.hints) ? { annotations: action.hints } : {}),
        ...(action.scopes.length > 0 ? { scopes: action.scopes } : {}),
        ...(action.taskSupport === undefined ? {} : { taskSupport: action.taskSupport }),
        inputSchema: isRegistry ? action.inputSchema : withRequired(action.inputSchema, always),
        ...(action.outputSchema ? { outputSchema: action.outputSchema } : {}),
      })),
    ),
  };
}

/** Adds the fields that the listed schema requires for every action, even if their descriptions do not say so. */
function withRequired(schema: JsonSchemaObject, always: readonly string[]): JsonSchemaObject {
  const required = [...new Set([...namesIn(schema['required']), ...always])];
  return { ...schema, required };
}

function namesIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === 'string') : [];
}

function textsOf({ title, description }: { readonly title?: unknown; readonly description?: unknown }): {
  title?: string;
  description?: string;
} {
  return {
    ...(typeof title === 'string' ? { title } : {}),
    ...(typeof description === 'string' && description !== '' ? { description } : {}),
  };
}

/** The `_meta` of a tool without Toolfold's own keys, such as its version. */
function readMeta(meta: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isJsonObject(meta)) return undefined;
  const own = Object.entries(meta).filter(([key]) => !key.startsWith('toolfold/'));
  return own.length === 0 ? undefined : Object.fromEntries(own);
}

/** The parts of a tool that people or models may see, and that have no field of their own. */
function readOther({ annotations = {}, icons }: ListedTool['tool']): SurfaceTool['other'] {
  const {
    readOnlyHint: _,
    destructiveHint: __,
    idempotentHint: ___,
    openWorldHint: ____,
    ...rest
  } = annotations;
  const other = {
    ...(Object.keys(rest).length > 0 ? { annotations: rest } : {}),
    ...(icons === undefined ? {} : { icons }),
  };
  return Object.keys(other).length > 0 ? other : undefined;
}

function isEmpty(hints: ListedHints): boolean {
  return Object.values(hints).every((hint) => hint === undefined);
}

export function sortByName<T extends { readonly name: string }>(items: readonly T[]): T[] {
  return items.toSorted((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0));
}
