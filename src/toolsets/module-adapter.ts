import { GroupedToolBuilder } from '../build/grouped-tool-builder.js';
import type { ToolContext, ToolDefinition } from '../define/tool-definition.js';
import { ErrInvalidSessionContext, ErrModuleFailed } from '../errors.js';
import type { ToolAnnotationsInit } from '../model/tool.js';
import { HandlerCollector, toExtra, toItem, ToolCollector } from '../define/tool-collector.js';
import type { AnyRegistrable, CompilableTool } from '../compile/compile-item.js';
import { requestOf } from '../engine/request-context.js';
import type { SchemaValidator } from '../schema/validate/schema-validator.js';
import type { ContextValues } from '../callers/context-values.js';
import type { LoadedTool, ModuleLoader } from './module-loader.js';
import { within } from './module-loader.js';
import type { McpToolDefinition } from '../define/tool-collector.js';
import { LRUCache } from 'lru-cache';

/** Registers tools on a server, in the way that existing code does. */
export type RegisterTools = (server: ToolCollector, accessToken?: string) => void | Promise<void>;

/** How the tools of a module are taken over. */
export interface ModuleAdapterOptions {
  /** What holds for every tool of the module; wins over what is registered. */
  readonly annotations?: ToolAnnotationsInit;
  /** The key under which a session brings its own credential, which wins over the server's `accessToken`. */
  readonly credentialKey?: string;
  /** Reads and validates the JSON Schemas of the tools. Default: the validator of the registry. */
  readonly schemaValidator?: SchemaValidator;
  /** Folds the tools into one that is called like the module, with an action for each. */
  readonly grouped?: GroupedModule;
  /**
   * The tools are the same for every credential. They are compiled once for all callers; when a tool is first called
   * with a credential, the function runs for that, and its handlers are kept.
   */
  readonly sharesTools?: boolean;
  /** Milliseconds that the function has to register its tools. Default: 30,000. */
  readonly timeoutMs?: number;
}

/** What the tool that a module is folded into says of itself. */
export interface GroupedModule {
  /** What the folded tool as a whole is for. */
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

/** A module loader of a function that registers tools. What it gives can be registered in a registry, too. */
export interface ModuleAdapter {
  /** Runs the function for a caller's context, and gives what it registered. */
  (context?: ContextValues): Promise<readonly AdaptedTool[]>;
  /** What it gives is for everybody: its handlers look at whom they are called for. */
  readonly isShared?: boolean;
}

/** A tool as it was registered, bound to callers, or folded with the others of its module. */
export type AdaptedTool = McpToolDefinition | AnyRegistrable | CompilableTool<unknown>;

/** Makes a module loader of a function that registers tools on an MCP server. */
export function createModuleAdapter(
  moduleName: string,
  registerFn: (server: never, accessToken?: string) => void | Promise<void>,
  options: ModuleAdapterOptions = {},
): ModuleAdapter {
  const { annotations, credentialKey, grouped, schemaValidator } = options;
  const { sharesTools = false, timeoutMs = 30_000 } = options;
  const register = async (server: object, accessToken: string | undefined): Promise<void> => {
    try {
      await within(timeoutMs, (registerFn as RegisterTools)(server as ToolCollector, accessToken));
    } catch (cause) {
      throw moduleFailed(moduleName, cause);
    }
  };
  const load = async (context: ContextValues = {}): Promise<readonly McpToolDefinition[]> => {
    const collector = new ToolCollector({ schemaValidator });
    await register(collector, accessTokenOf(context, credentialKey));
    const tools = collector.getToolDefinitions();
    return annotations ? tools.map((tool) => ({ ...tool, annotations: { ...annotations } })) : tools;
  };
  const fold = (tools: readonly AdaptedTool[]): readonly AdaptedTool[] =>
    grouped && tools.length > 0 ? [foldTools(moduleName, tools, grouped)] : tools;
  if (!sharesTools) return async (context) => fold(await load(context));

  const handlers = new HandlersByCredential(register);
  const bind = (tool: McpToolDefinition): AdaptedTool => ({
    ...(toItem(tool) as AnyRegistrable),
    handler: async ({
      input,
      context,
    }: {
      input: Readonly<Record<string, unknown>>;
      context: ToolContext;
    }) => {
      const session = requestOf(context)?.session;
      if (!session) throw callerUnknown(moduleName);
      const handler = await handlers.find(tool.name, accessTokenOf(session.context, credentialKey));
      return handler(input, toExtra(context));
    },
  });
  return Object.assign(async () => fold((await load()).map(bind)), { isShared: true });
}

function foldTools(
  moduleName: string,
  tools: readonly LoadedTool[],
  { description, discriminator = 'action' }: GroupedModule,
): GroupedToolBuilder {
  try {
    const builder = new GroupedToolBuilder(moduleName).description(description).discriminator(discriminator);
    for (const tool of tools) builder.action(toItem(tool) as ToolDefinition);
    // What cannot be one tool is the module's mistake, and shows here.
    builder.buildToolDefinition();
    return builder;
  } catch (cause) {
    throw moduleFailed(moduleName, cause);
  }
}

function moduleFailed(module: string, cause: unknown): ErrModuleFailed {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new ErrModuleFailed(`Module "${module}" could not register its tools: ${reason}`, {
    cause,
    details: { module },
  });
}

/** Nobody gets the credential of another, or the server's, for want of their own. */
function callerUnknown(module: string): ErrModuleFailed {
  return new ErrModuleFailed(`Module "${module}" was called for nobody.`, {
    hint: 'Pass `session: toolsets.contextOf(…)` with the call.',
    details: { module },
  });
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
  /** For `moduleLoaders` of a `ToolsetConfig`. */
  readonly loaders: Readonly<Record<string, ModuleLoader>>;
  /** The names, in the order in which they were given. */
  getModuleNames(): string[];
  /** The loader of a module, if there is one. */
  getModuleAdapter(name: string): ModuleLoader | undefined;
  /** How many there are. */
  getModuleCount(): number;
}

/** Keeps loaders by the names of their modules. */
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

type Handlers = ReadonlyMap<string, McpToolDefinition['handler']>;

/** Maximum number of credentials for which a module keeps handlers. The least recently used one is evicted. */
const MAX_CREDENTIALS = 1_000;

/** The handlers that a module registers for each credential, which it does when they are first called. */
export class HandlersByCredential {
  readonly #register: (server: HandlerCollector, accessToken: string | undefined) => Promise<void>;
  readonly #handlers = new LRUCache<string, Promise<Handlers>>({ max: MAX_CREDENTIALS });

  constructor(register: (server: HandlerCollector, accessToken: string | undefined) => Promise<void>) {
    this.#register = register;
  }

  async find(tool: string, accessToken: string | undefined): Promise<McpToolDefinition['handler']> {
    const handler = (await this.#handlersFor(accessToken)).get(tool);
    if (handler) return handler;
    throw new ErrModuleFailed(`Tool "${tool}" is not there for this credential.`, {
      hint: 'Leave sharesTools off for modules whose tools depend on the credential.',
      details: { tool },
    });
  }

  #handlersFor(accessToken: string | undefined): Promise<Handlers> {
    // No credential is something else than any text.
    const key = JSON.stringify(accessToken ?? null);
    let handlers = this.#handlers.get(key);
    if (!handlers) {
      handlers = this.#collect(accessToken);
      this.#handlers.set(key, handlers);
      handlers.catch(() => {
        if (this.#handlers.peek(key) === handlers) this.#handlers.delete(key);
      });
    }
    return handlers;
  }

  async #collect(accessToken: string | undefined): Promise<Handlers> {
    const collector = new HandlerCollector();
    await this.#register(collector, accessToken);
    return collector.handlers;
  }
}
