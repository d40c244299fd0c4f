import type { RegisteredTools } from './registered-tools.js';
import type { CompilableTool } from '../compile/compile-item.js';
import type { AnyToolDefinition } from '../define/tool-definition.js';
import type { GetPromptResult, PromptDefinition } from '../define/prompts.js';
import type { ReadResourceResult, ResourceDefinition } from '../define/resources.js';
import type { CallListeners } from '../engine/events/call-listeners.js';
import type { ExecuteRequest, McpRequest, RequestOptions } from '../engine/request.js';
import type { McpPrompt, McpResource, McpResourceTemplate, ProtocolVersion } from '../protocol/mcp-types.js';
import type { McpTool } from '@toolfold/profiles';
import type { CallToolResult } from '../protocol/tool-result.js';
import type { OutputBudget } from '../guards/budget/output-budget.js';
import type { RoundsRequest } from '../questions/input-rounds.js';
import type { AskClient } from '../questions/request-input.js';
import type { RegistryChange, Shared } from '../stores/contracts.js';
import type { ViewPolicy } from '../views/policy.js';
import type { ViewHost } from '../views/view-tree.js';
import type { View, ViewSource } from '../views/view.js';
import type { Completion, CompletionRequest } from './complete.js';
import type { MethodHandler } from './mcp-middleware.js';
import type { WatchRequest } from './watch/resource-watches.js';

/** How many items of each kind a registry offers, including those of mounted registries. */
export interface RegistryCounts {
  /** Number of tools. The actions of a builder count as one. */
  readonly tools: number;
  /** Number of prompts, including those of mounted registries. */
  readonly prompts: number;
  /** Number of resources and resource templates together. */
  readonly resources: number;
}

export type ListKind = 'tools' | 'prompts' | 'resources' | 'resourceTemplates';

export interface ListEntry {
  readonly name: string;
  readonly uri?: string;
  readonly uriTemplate?: string;
}

/** Reads the type of `context.app` from a registry. */
export type AppOf<R> = R extends { readonly '~context'?: () => infer App } ? App : unknown;

/** The part of a registry that functions need which only list its items. */
export interface Listable {
  /** Name of the server, as clients see it. */
  readonly name: string;
  /** Version of the server, as clients see it. */
  readonly version: string;
  /** Tells models how to use the server as a whole. */
  readonly instructions: string | undefined;
  /** Counts the items of each kind. */
  readonly counts: RegistryCounts;
  /** Returns the tools as `tools/list` sends them. */
  listTools(protocolVersion?: ProtocolVersion): readonly McpTool[];
  /** Returns the view of the tools that a policy selects. */
  view(policy?: ViewPolicy): View;
  /** Returns the prompts as `prompts/list` sends them. */
  listPrompts(): readonly McpPrompt[];
  /** Returns the resources as `resources/list` sends them. */
  listResources(): readonly McpResource[];
  /** Returns the templates as `resources/templates/list` sends them. */
  listResourceTemplates(): readonly McpResourceTemplate[];
  /** Calls the listener after every change of the registered items. Returns a function that unsubscribes it. */
  onChange(listener: (change: RegistryChange) => void): () => void;
}

/** The part of a registry that functions need which only call its items. */
export interface Callable {
  /** Runs one call. Errors are part of the result. */
  executeTool(request: ExecuteRequest, view?: View, viewFor?: ViewSource['viewFor']): Promise<CallToolResult>;
  /** Fills a prompt. Rejects if the prompt is unknown or its arguments are invalid. */
  getPrompt(request: ExecuteRequest): Promise<GetPromptResult>;
  /** Reads a resource. Rejects if it is unknown. */
  readResource(request: RequestOptions & { readonly uri: string }): Promise<ReadResourceResult>;
  /** Suggests values for an argument of a prompt or a variable of a resource template. */
  complete(request: CompletionRequest, options?: RequestOptions): Promise<Completion>;
}

/**
 * The part of a registry that serving needs. Every `ToolRegistry` fits, whatever its `context.app` is, because serving neither
 * registers handlers nor calls them directly.
 */
export interface AnyRegistry<App = unknown> extends Listable, Callable {
  /** Never set. With it, TypeScript rejects toolsets whose handlers need another type of `context.app`. */
  readonly '~context'?: () => App;
  /** The state that the registry shares with other processes. */
  readonly shared: Shared | undefined;
  /** Tells clients that the list of tools has changed. */
  notifyToolsChanged(): void;
}

export interface ReplacedItems {
  readonly tools?: readonly (CompilableTool | AnyToolDefinition)[];
  readonly prompts?: readonly PromptDefinition[];
  readonly resources?: readonly ResourceDefinition[];
}

/** Members of a registry for serving, forms and commands, hidden from authors. `internalsOf` returns them. */
export interface RegistryInternals {
  /** Whether the methods of prompts and resources are served. A kind may have no items at the moment. */
  readonly offers: { readonly prompts: boolean; readonly resources: boolean };
  /** Notifies a resource that a client is subscribed to it. Returns a function that ends the subscription. */
  watchResource(uri: string, request: WatchRequest): () => void;
  /** The name, the options and the prompts and resources that all views of the registry share. */
  readonly viewHost: ViewHost;
  /** Limits results whose definitions set no budget. */
  readonly outputBudget: OutputBudget | undefined;
  format(value: unknown): string;
  readonly mounted: ReadonlyMap<string, AnyRegistry>;
  /** Lets the middleware of mounted registries change their parts of a list. `tools` are those of the view. */
  interceptList(
    kind: ListKind,
    request: McpRequest,
    list: readonly ListEntry[],
    tools?: View['tools'],
  ): Promise<readonly ListEntry[]>;
  /** Whether any middleware of `use` runs, also in mounted registries. Without it, equal requests get equal answers. */
  readonly hasMiddleware: boolean;
  /** Whether anything reads the client's name, because parsing it is expensive. */
  namesClients: boolean;
  tenantOf(request: RequestOptions): string | undefined;
  /** Runs a request through the middleware of `use`. */
  intercept(request: McpRequest, handler: MethodHandler): Promise<unknown>;
  /** Runs a call for a client, as a task if the action and the client allow it. */
  callOrStartTask(
    request: ExecuteRequest,
    view?: View,
    viewFor?: ViewSource['viewFor'],
  ): Promise<CallToolResult>;
  /** The methods of the tasks extension, or none if no action can run as a task. */
  readonly taskMethods: Readonly<Record<string, MethodHandler>>;
  /** Asks a client without a connection: the questions are the answer to its request. */
  askInRounds(request: Omit<RoundsRequest, 'holder'>, options: RequestOptions): AskClient;

  /** Listeners that `observeCalls` added; `undefined` if there are none. */
  callListeners: CallListeners | undefined;

  readonly tools: RegisteredTools;
  /**
   * Replaces the registry's own items of the given kinds, and tells clients once for each kind. Throws if a tool is invalid, and
   * changes nothing then. Returns the errors of listeners, such as conflicts with the items of other registries.
   */
  replaceItems(items: ReplacedItems): readonly unknown[];
  /**
   * Lets the order of the mounts decide about names until the returned function is called. After that, an item keeps its name when
   * another mounted registry adds one of that name.
   */
  preferFirstMounts(): () => void;
  /** Serves the methods of prompts or resources from now on, because items of that kind may be registered later. */
  declareItems(kind: 'prompts' | 'resources'): void;
}

/** Registries of other copies of this package have it too: `toolfold lint` loads those of the project. */
export const INTERNALS = Symbol.for('toolfold.internals');

export function internalsOf(registry: AnyRegistry): RegistryInternals {
  return (registry as unknown as Readonly<Record<typeof INTERNALS, RegistryInternals>>)[INTERNALS];
}
