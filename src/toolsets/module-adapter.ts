import { ErrModuleFailed } from '../errors.js';
import type { ToolAnnotationsInit } from '../model/tool-annotations.js';
import type { ContextValues } from '../session/session-context.js';
import type { LoadedTool, ModuleLoader } from './module-loader.js';
import { ToolCollector } from './tool-collector.js';

/** Registers tools on a server, in the way that existing code does. */
export type RegisterTools = (server: ToolCollector, accessToken?: string) => void | Promise<void>;

export interface ModuleAdapterOptions {
  /** What holds for every tool of the module; wins over what is registered. */
  readonly annotations?: ToolAnnotationsInit;
  /** The key under which a session brings its own credential, which wins over the server's `accessToken`. */
  readonly credentialKey?: string;
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
  { annotations, credentialKey }: ModuleAdapterOptions = {},
): ModuleLoader {
  return async (context) => {
    const collector = new ToolCollector();
    try {
      await (registerFn as RegisterTools)(collector, accessTokenOf(context ?? {}, credentialKey));
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new ErrModuleFailed(`Module "${moduleName}" could not register its tools: ${reason}`, {
        cause,
        details: { module: moduleName },
      });
    }
    const tools = collector.getToolDefinitions();
    return annotations ? tools.map((tool) => ({ ...tool, annotations: { ...annotations } })) : tools;
  };
}

/** The session's own credential, else the server's. */
export function accessTokenOf(context: ContextValues, credentialKey: string | undefined): string | undefined {
  const own =
    credentialKey === undefined || !Object.hasOwn(context, credentialKey) ? '' : context[credentialKey];
  const token = own || context['accessToken'];
  return typeof token === 'string' && token !== '' ? token : undefined;
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
