import { GroupedToolBuilder } from '../build/grouped-tool-builder.js';
import type { ToolDefinition } from '../compile/tool-definition.js';
import { ErrInvalidSessionContext, ErrModuleFailed } from '../errors.js';
import type { ToolAnnotationsInit } from '../model/tool-annotations.js';
import type { ContextValues } from '../session/session-context.js';
import type { LoadedTool, ModuleLoader } from './module-loader.js';
import { toItem } from './module-loader.js';
import { ToolCollector } from './tool-collector.js';
import type { McpToolDefinition } from './tool-collector.js';

/** Registers tools on a server, in the way that existing code does. */
export type RegisterTools = (server: ToolCollector, accessToken?: string) => void | Promise<void>;

export interface ModuleAdapterOptions {
  /** What holds for every tool of the module; wins over what is registered. */
  readonly annotations?: ToolAnnotationsInit;
  /** The key under which a session brings its own credential, which wins over the server's `accessToken`. */
  readonly credentialKey?: string;
  /** Folds the tools into one that is called like the module, with an action for each. */
  readonly grouped?: GroupedModule;
}

/** What the tool that a module is folded into says of itself. */
export interface GroupedModule {
  readonly description: string;
  /** The argument that names the action, where a tool has a field `action`. */
  readonly discriminator?: string;
}

/** For tools that ask a service and change nothing there. */
export const readOnlyService = Object.freeze({
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true,
}) satisfies ToolAnnotationsInit;

/** Makes a module loader of a function that registers tools on an MCP server. */
export function createModuleAdapter(
  moduleName: string,
  registerFn: (server: never, accessToken?: string) => void | Promise<void>,
  { annotations, credentialKey, grouped }: ModuleAdapterOptions = {},
): ModuleLoader {
  return async (context) => {
    const collector = new ToolCollector();
    const accessToken = accessTokenOf(context ?? {}, credentialKey);
    try {
      await (registerFn as RegisterTools)(collector, accessToken);
      const collected = collector.getToolDefinitions();
      const tools = annotations
        ? collected.map((tool) => ({ ...tool, annotations: { ...annotations } }))
        : collected;
      return grouped && tools.length > 0 ? [foldTools(moduleName, tools, grouped)] : tools;
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new ErrModuleFailed(`Module "${moduleName}" could not register its tools: ${reason}`, {
        cause,
        details: { module: moduleName },
      });
    }
  };
}

function foldTools(
  moduleName: string,
  tools: readonly McpToolDefinition[],
  { description, discriminator = 'action' }: GroupedModule,
): GroupedToolBuilder {
  const builder = new GroupedToolBuilder(moduleName).description(description).discriminator(discriminator);
  for (const tool of tools) builder.action(toItem(tool) as ToolDefinition);
  // What cannot be one tool is the module's mistake, and shows here.
  builder.buildToolDefinition();
  return builder;
}

/** The session's own credential, else the server's. One that is there and cannot be one is refused, never passed over. */
export function accessTokenOf(context: ContextValues, credentialKey = 'accessToken'): string | undefined {
  const own = Object.hasOwn(context, credentialKey) ? context[credentialKey] : undefined;
  if (typeof own === 'string' && own !== '') return own;
  const isServers = credentialKey === 'accessToken';
  if (own !== undefined && !(isServers && own === '')) {
    throw new ErrInvalidSessionContext(`"${credentialKey}" must be text that is not empty.`);
  }
  return isServers ? undefined : accessTokenOf(context);
}

/** The adapters of all modules, by name. */
export interface ModuleAdapters {
  readonly loaders: Readonly<Record<string, ModuleLoader>>;
  getModuleNames(): string[];
  getModuleAdapter(name: string): ModuleLoader | undefined;
  getModuleCount(): number;
}

export function createModuleAdapters(loaders: Readonly<Record<string, ModuleLoader>>): ModuleAdapters {
  const byName = new Map(Object.entries(loaders));
  return {
    loaders: Object.freeze({ ...loaders }),
    getModuleNames: () => [...byName.keys()],
    getModuleAdapter: (name) => byName.get(name),
    getModuleCount: () => byName.size,
  };
}

export type { LoadedTool };
