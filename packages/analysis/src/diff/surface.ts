import type { JsonSchemaObject } from 'toolfold';
import { digest } from 'toolfold/internal';
import { canonicalJson, isJsonObject, namesIn } from '@toolfold/schema/internal';
import type { SurfaceEntries } from './surface-entries.js';
import type { ListedHints, ListedTarget, ListedTool, TaskSupport } from '../target/opened-target.js';
import { distinctBy } from '../distinct-by.js';

/** The parts of a tool or action that callers depend on. A missing field is unknown or not declared. */
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
  /** Icons, and annotations other than hints, because clients may show them. Only for running servers. */
  readonly other?: Readonly<Record<string, unknown>>;
  /** Hash of the input schema, if the actions hold the schemas. Only for running servers. */
  readonly inputDigest?: string;
  /** The argument of a grouped tool that names the action. */
  readonly discriminator?: string;
  readonly actions?: readonly SurfaceItem[];
}

export interface Surface {
  /** Only a registry knows scopes, aliases, and the hints of actions. */
  readonly source: 'registry' | 'server' | 'list';
  readonly server?: string;
  /** The protocol revision in which a running server was listed. */
  readonly protocol?: string;
  readonly form?: string;
  readonly tools: readonly SurfaceTool[];
  /** Missing unless the command was told to include prompts and resources. */
  readonly entries?: SurfaceEntries;
}

/** Reads the surface of an opened server. Sorts tools and actions by name, because their order has no meaning. */
export function readSurface({
  kind,
  server,
  form,
  tools,
}: Pick<ListedTarget, 'kind' | 'server' | 'form' | 'tools'>): Surface {
  const source = kind === 'module' ? 'registry' : kind === 'saved' ? 'list' : 'server';
  return {
    source,
    ...(server.name === undefined ? {} : { server: server.name }),
    ...(source === 'server' && server.protocol !== undefined ? { protocol: server.protocol } : {}),
    ...(form === undefined ? {} : { form }),
    // Clients use the first of several tools with one name.
    tools: sortByName(distinctBy(tools, ({ tool }) => tool.name).map((tool) => readTool(tool, source))),
  };
}

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

/** Collects the parts of a tool that people or models may see and that have no field of their own. */
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
