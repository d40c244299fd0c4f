import { GroupedToolBuilder } from '../build/grouped-tool-builder.js';
import type { ToolCall, ToolDefinition } from '../define/tool-definition.js';
import { ErrInvalidSessionContext, ErrModuleFailed } from '@toolfold/schema/errors';
import type { ToolAnnotationsInit } from '../model/tool.js';
import { needsValidator } from '../define/read-definition.js';
import { guardCollector } from './guard-collector.js';
import { HandlerCollector, toExtra, toItem, ToolCollector } from '../define/tool-collector.js';
import type { AnyRegistrable, CompilableTool } from '../compile/compile-item.js';
import { requestOf } from '../engine/request-context.js';
import type { SchemaValidator } from '@toolfold/schema';
import type { ContextValues } from '../callers/session-context.js';
import type { LoadedTool, ModuleLoader } from './module-loader.js';
import { within } from './module-loader.js';
import type { McpToolDefinition } from '../define/tool-collector.js';
import {
  assertOptions,
  assertPlain,
  flag,
  positiveMs,
  record,
  text,
  withMethods,
} from '@toolfold/schema/internal';
import type { Rules } from '@toolfold/schema/internal';
import { LRUCache } from 'lru-cache';
import { getOrMake } from '../values/get-or-make.js';

/** A function that registers tools on an MCP server, as existing code does. */
export type RegisterTools = (server: ToolCollector, accessToken?: string) => void | Promise<void>;

/** Options of a module adapter. */
export interface ModuleAdapterOptions {
  /** Settings of every tool of the module. They override the registered ones. */
  readonly annotations?: ToolAnnotationsInit;
  /** The context field with the session's credential, which overrides `accessToken` of the server. */
  readonly credentialKey?: string;
  /** Reads and validates the JSON Schemas of the tools. Default: the validator of the registry. */
  readonly schemaValidator?: SchemaValidator;
  /** Folds the tools into one tool with the name of the module and one action for each tool. */
  readonly grouped?: GroupedModule;
  /**
   * Declares that the tools are the same for every credential. They are compiled once for all callers. On the first call with
   * a credential, the function runs with that credential and its handlers are cached.
   */
  readonly sharesTools?: boolean;
  /** Milliseconds within which the function must register its tools. Default: 30,000. */
  readonly timeoutMs?: number;
}

const rules: Rules<keyof ModuleAdapterOptions> = {
  annotations: record('an object'),
  credentialKey: text,
  schemaValidator: withMethods('compile'),
  grouped: record('{ description, discriminator }'),
  sharesTools: flag,
  timeoutMs: positiveMs,
};

/** The description of a folded module. */
export interface GroupedModule {
  /** The purpose of the folded tool. */
  readonly description: string;
  /** The name of the argument that selects the action. Needed if a tool has a field `action`. */
  readonly discriminator?: string;
}

/** Annotations for tools that read from an external service. */
export const readOnlyService = Object.freeze({
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: true,
}) satisfies ToolAnnotationsInit;

/** A module loader that runs a function which registers tools. The tools can also be added to a registry. */
export interface ModuleAdapter {
  /** Runs the function for a caller's context, and returns the tools that it registered. */
  (context?: ContextValues): Promise<readonly AdaptedTool[]>;
  /** Whether all callers share the tools. The handlers then read the caller from their context. */
  readonly isShared?: boolean;
}

/** A tool of a module: as registered, bound to credentials, or folded. */
export type AdaptedTool = McpToolDefinition | AnyRegistrable | CompilableTool<unknown>;

/** Creates a module loader from a function that registers tools on an MCP server. */
export function createModuleAdapter(
  moduleName: string,
  registerFn: (server: never, accessToken?: string) => void | Promise<void>,
  options: ModuleAdapterOptions = {},
): ModuleAdapter {
  assertOptions(`The adapter of module "${moduleName}"`, options, rules);
  const { annotations, credentialKey, grouped, schemaValidator } = options;
  const { sharesTools = false, timeoutMs = 30_000 } = options;
  const register = async (server: object, accessToken: string | undefined): Promise<void> => {
    try {
      await within(
        timeoutMs,
        (registerFn as RegisterTools)(guardCollector(server) as ToolCollector, accessToken),
      );
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

  const findHandler = cacheHandlers(register);
  const bind = (tool: McpToolDefinition): AdaptedTool => ({
    ...(toItem(tool) as AnyRegistrable),
    handler: async ({ input, context }: ToolCall) => {
      const session = requestOf(context)?.session;
      // The call must not run with the credential of another caller or of the server.
      if (!session)
        throw new ErrModuleFailed(`Module "${moduleName}" was called without a session context.`, {
          hint: 'Pass `session: toolsets.contextOf(…)` with the call.',
          details: { module: moduleName },
        });
      const handler = await findHandler(tool.name, accessTokenOf(session.context, credentialKey));
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
  const builder = new GroupedToolBuilder(moduleName);
  try {
    builder.description(description).discriminator(discriminator);
    for (const tool of tools) builder.action(toItem(tool) as ToolDefinition);
    // Tools that cannot be folded into one tool throw here, as an error of the module.
    builder.buildToolDefinition();
    return builder;
  } catch (cause) {
    if (needsValidator(cause)) return builder;
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

/** The session's credential, otherwise the server's. A malformed credential of the session is rejected. */
function accessTokenOf(context: ContextValues, credentialKey = 'accessToken'): string | undefined {
  const own = Object.hasOwn(context, credentialKey) ? context[credentialKey] : undefined;
  if (typeof own === 'string' && own !== '') return own;
  const isServers = credentialKey === 'accessToken';
  if (own !== undefined && !(isServers && own === '')) {
    throw new ErrInvalidSessionContext(`"${credentialKey}" must be text that is not empty.`);
  }
  return isServers ? undefined : accessTokenOf(context);
}

/** Module loaders by the names of their modules. */
export interface ModuleAdapters {
  /** The loaders, for `moduleLoaders` of a `ToolsetConfig`. */
  readonly loaders: Readonly<Record<string, ModuleLoader>>;
  /** The names of the modules, in the given order. */
  getModuleNames(): string[];
  /** The loader of a module, or `undefined`. */
  getModuleAdapter(name: string): ModuleLoader | undefined;
  /** Number of modules. */
  getModuleCount(): number;
}

/** Creates a loader for each module. */
export function createModuleAdapters(loaders: Readonly<Record<string, ModuleLoader>>): ModuleAdapters {
  assertPlain('createModuleAdapters', loaders);
  const byName = new Map(Object.entries(loaders));
  return {
    loaders: Object.freeze({ ...loaders }),
    getModuleNames: () => [...byName.keys()],
    getModuleAdapter: (name) => byName.get(name),
    getModuleCount: () => byName.size,
  };
}

type Handlers = ReadonlyMap<string, McpToolDefinition['handler']>;

/** Maximum number of credentials for which a module keeps handlers. The least recently used one is evicted. */
const MAX_CREDENTIALS = 1_000;

/** Finds handlers for a credential. The function of the module runs on the first call with the credential. */
function cacheHandlers(register: (server: object, accessToken: string | undefined) => Promise<void>) {
  const known = new LRUCache<string, Promise<Handlers>>({ max: MAX_CREDENTIALS });
  const collect = async (accessToken: string | undefined): Promise<Handlers> => {
    const collector = new HandlerCollector();
    await register(collector, accessToken);
    return collector.handlers;
  };
  return async (tool: string, accessToken: string | undefined): Promise<McpToolDefinition['handler']> => {
    // A missing credential has a different key from every credential.
    const key = JSON.stringify(accessToken ?? null);
    const handlers = getOrMake(known, key, () => collect(accessToken));
    handlers.catch(() => {
      if (known.peek(key) === handlers) known.delete(key);
    });
    const handler = (await handlers).get(tool);
    if (handler) return handler;
    throw new ErrModuleFailed(`Tool "${tool}" is not there for this credential.`, {
      hint: 'Leave sharesTools off for modules whose tools depend on the credential.',
      details: { tool },
    });
  };
}
